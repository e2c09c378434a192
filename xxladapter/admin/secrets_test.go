package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A brokenStore fails to save groups once its disk is full.
type brokenStore struct {
	Store
	full atomic.Bool
}

func (s *brokenStore) SaveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	if s.full.Load() {
		return 0, errors.New("open postgres://db:5432/xxl: the disk is full")
	}
	return s.Store.SaveGroup(ctx, g)
}

// TestNoAnswerAndNoLogLineShowsASecret makes every call, with every token, correctly and wrongly,
// on a server with a secret of each kind.
func TestNoAnswerAndNoLogLineShowsASecret(t *testing.T) {
	const (
		ofExecutors = "s3cret-of-executors"
		ofOperators = "s3cret-of-operators"
		ofReaders   = "s3cret-of-readers"
		ofGroup     = "s3cret-of-the-group"
		wrong       = "s3cret-that-is-wrong"
	)
	var logged bytes.Buffer
	broken := new(brokenStore)
	s := siteWith(t, func(o *Options) {
		broken.Store, o.Store = o.Store, broken
		o.AccessToken, o.OperatorTokens, o.ReadTokens = ofExecutors, []string{ofOperators}, []string{ofReaders}
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") })
		o.Checks = []Check{{Name: "store", Do: func(context.Context) error { return errors.New("postgres://db:5432/xxl: away") }}}
	})
	_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t", AccessToken: ofGroup, Addresses: []string{"http://10.0.0.7:9999/"}, AddressType: xxladapter.AddressManual})
	require.NoError(t, err)
	s.executors.fail = errors.New("connection refused")
	note := func(what, said string) {
		t.Helper()
		for _, secret := range []string{"s3cret", strings.ToUpper("s3cret")} {
			require.NotContains(t, said, secret, what)
		}
	}
	tokens := []string{"", wrong, ofExecutors, ofReaders, ofGroup, ofOperators}
	bodies := []string{
		"", "{}", "null", "[", `{"accessToken":7}`, `{"accessToken":"` + ofGroup + `","nosuch":1}`, `{"accessToken":"s3cret "}`, `{"accessToken":"s3c"}`,
		`{"appName":"some-app","accessToken":"` + ofGroup + `"}`, `{"appName":"x","accessToken":"` + ofGroup + `"}`,
		`{"id":9,"appName":"other-app","accessToken":"` + ofGroup + `"}`,
	}
	for _, token := range tokens {
		for _, c := range s.server.calls() {
			for _, id := range []string{"1", "9", "x"} {
				if !strings.Contains(c.Path, "{id}") && id != "1" {
					continue
				}
				for i, body := range bodies {
					if i > 0 && (c.Body == nil || token != ofOperators) { // refused whatever the body is
						continue
					}
					path := strings.ReplaceAll(c.Path, "{id}", id)
					_, said := s.do(c.Method, path, token, body)
					if !strings.HasSuffix(path, "openapi.json") {
						note(fmt.Sprintf("%s %s as %q with %s", c.Method, path, token, body), said)
						continue
					}
					for _, secret := range []string{ofExecutors, ofOperators, ofReaders, ofGroup} {
						require.NotContains(t, said, secret)
					}
				}
			}
		}
		for _, op := range executorapi.Operations() {
			for _, app := range []string{"", "some-app", "no-app"} {
				for _, body := range bodies[1:4] {
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+wire.AdminPath+op, strings.NewReader(body))
					require.NoError(t, err)
					req.Header.Set("Authorization", "Bearer "+token)
					if app != "" {
						req.Header.Set(wire.HeaderAppName, app)
					}
					w := httptest.NewRecorder()
					s.server.ServeHTTP(w, req)
					note(op, w.Body.String()+fmt.Sprint(w.Header()))
				}
			}
		}
		for _, path := range []string{"/metrics", "/healthz", "/readyz", "/", "/api/v1/nosuch", "/xxl-job-admin/api/"} {
			_, said := s.do(http.MethodGet, path, token, "")
			note(path, said)
		}
	}
	// The address of the store and the text of its errors appear only in the log.
	broken.full.Store(true)
	status, said := s.do(http.MethodPost, "/api/v1/groups", ofOperators, `{"appName":"third-app","accessToken":"`+ofGroup+`"}`)
	require.Equal(t, http.StatusInternalServerError, status)
	require.JSONEq(t, `{"code":"internal","message":"internal error"}`, said)
	require.Contains(t, logged.String(), "the disk is full")
	note("the log", logged.String())
}

// awayCredentials cannot read credentials.
type awayCredentials struct{ accounts.Store }

func (awayCredentials) Credential(context.Context, string) (*xxladapter.Credential, *xxladapter.User, error) {
	return nil, nil, errors.New("dial postgres://db:5432/xxl: no route to host")
}

// TestAnErrorOfTheStoreIsNotToldToStrangers calls with something like a personal token, which the
// store would have to know, while the store is away.
func TestAnErrorOfTheStoreIsNotToldToStrangers(t *testing.T) {
	var logged bytes.Buffer
	s := siteWith(t, func(o *Options) {
		o.Accounts = accounts.New(awayCredentials{memstore.New(time.Now)}, nil)
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		o.Metrics = http.NotFoundHandler()
	})
	for path, want := range map[string]string{
		"/metrics":       "internal error",
		"/api/v1/groups": `{"code":"internal","message":"internal error"}`,
	} {
		logged.Reset()
		status, said := s.do(http.MethodGet, path, "xwt_unknown", "")
		require.Equal(t, http.StatusInternalServerError, status, path)
		require.Equal(t, want, said, path)
		require.Contains(t, logged.String(), "no route to host", path)
	}
}

// TestOnlyTheTokenItselfOpensTheAPI tries both headers.
func TestOnlyTheTokenItselfOpensTheAPI(t *testing.T) {
	const token = "task-token"
	s := siteWith(t, func(o *Options) { o.AccessToken = token })
	ask := func(header, value string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/groups", nil)
		require.NoError(t, err)
		req.Header[http.CanonicalHeaderKey(header)] = []string{value}
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, req)
		return w.Code
	}
	for _, got := range []string{
		"", " ", "t", "task-toke", "ask-token", "task-tokenn", "TASK-TOKEN", "Task-token", "task-token\x00", "ta\u017fk-token", "task-token ", " task-token",
		"task-token,task-token", "Basic task-token", "bearer task-token", "null", access.DefaultToken,
	} {
		require.Equal(t, http.StatusUnauthorized, ask(wire.HeaderToken, got), "%q", got)
		require.Equal(t, http.StatusUnauthorized, ask(wire.HeaderToken, "Bearer "+got), "%q", got)
		require.Equal(t, http.StatusUnauthorized, ask("Authorization", "Bearer "+got), "%q", got)
		require.Equal(t, http.StatusUnauthorized, ask("Authorization", "Bearer  "+got), "%q", got)
	}
	require.Equal(t, http.StatusOK, ask(wire.HeaderToken, token))
	require.Equal(t, http.StatusOK, ask("Authorization", "Bearer "+token))
}
