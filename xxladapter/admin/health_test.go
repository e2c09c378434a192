package admin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestLivenessAsksNobody(t *testing.T) {
	s := siteWith(t, func(o *Options) {
		o.Checks = []Check{{"store", func(context.Context) error { return errors.New("away") }}}
	})
	require.NoError(t, s.store.Close())
	status, body := s.do("GET", "/healthz", "", "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "ok", body)
}

func TestReadinessHasALineForEachFailure(t *testing.T) {
	var failures map[string]error
	check := func(name string) Check { return Check{name, func(context.Context) error { return failures[name] }} }
	s := siteWith(t, func(o *Options) { o.Checks = []Check{check("store"), check("lease"), check("clock")} })
	status, body := s.do("GET", "/readyz", "", "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "ok", body)
	failures = map[string]error{
		"store": errors.New("dial postgres://user:secret@db"),
		"clock": &xxladapter.Error{Code: xxladapter.CodeConflict, Message: "differs by 3s from the store's, must be within the limit"},
	}
	status, body = s.do("GET", "/readyz", "", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "store: fails, see the log\nclock: differs by 3s from the store's, must be within the limit", body)
	failures = map[string]error{"store": context.DeadlineExceeded}
	_, body = s.do("GET", "/readyz", "", "")
	require.Equal(t, "store: no answer within 2s", body)
}

// TestManyWhoAskForReadinessCostOneCheck checks that callers without a token cannot fill the
// store's connections, which the scheduler needs.
func TestManyWhoAskForReadinessCostOneCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun, ready atomic.Int32
		s, err := New(Options{Store: memstore.New(nil), Completer: new(fakeCompleter), Checks: []Check{
			{"store", func(context.Context) error {
				begun.Add(1)
				time.Sleep(time.Second)
				return nil
			}},
		}})
		require.NoError(t, err)
		gone, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 100 {
			ctx := t.Context()
			if i == 0 {
				ctx = gone
			}
			all.Go(func() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
				if w.Code == http.StatusOK {
					ready.Add(1)
				}
			})
			synctest.Wait()
		}
		leave() // the call of this caller makes the check that the others wait for
		all.Wait()
		require.Equal(t, int32(1), begun.Load())
		require.Equal(t, int32(100), ready.Load())
	})
}

func TestMetricsAreForThoseWhoMayRead(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("numbers")) })
	s := siteWith(t, func(o *Options) { o.Metrics, o.ReadTokens = page, []string{"reader"} })
	for token, want := range map[string]int{"": http.StatusUnauthorized, "wrong": http.StatusUnauthorized, "reader": http.StatusOK, testToken: http.StatusOK} {
		status, _ := s.do("GET", "/metrics", token, "")
		require.Equal(t, want, status, token)
	}
	status, _ := newSite(t).do("GET", "/metrics", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
}
