package admin

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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
