package executor

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// FuzzServeHTTP checks that every request is answered with a JSON object that has a code, and that
// nothing is started without the token.
func FuzzServeHTTP(f *testing.F) {
	const token = "default_token"
	var started, allowed atomic.Int64 // runs, and requests with the token
	e := start(f, Options{AccessToken: token, Scripts: true}, func(e *Executor) {
		require.NoError(f, e.Handle("h", func(context.Context, *Run) error { started.Add(1); return nil }))
	})
	run := `{"jobId":1,"logId":1,"glueType":"BEAN","executorHandler":"h"}`
	for _, path := range []string{"/beat", "/idleBeat", "/run", "/trigger", "/kill", "/log", "/", "//run", "/run/", "/run?x", "/run#", "/%72un", "/RUN"} {
		for _, token := range []string{"", " ", token, token + " ", "DEFAULT_TOKEN", "default", token + token} {
			f.Add("POST", path, token, "orders", run)
		}
		f.Add("GET", path, token, "", "{")
	}
	f.Fuzz(func(t *testing.T, method, path, sent, app, body string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || !validMethod(method) {
			return // net/http refuses it earlier
		}
		var probe struct{ GlueType string }
		if json.Unmarshal([]byte(body), &probe) == nil && strings.HasPrefix(probe.GlueType, "GLUE") {
			return // the fuzzer must not write scripts
		}
		if sent == token {
			allowed.Add(1)
		}
		r := httptest.NewRequest(http.MethodPost, "http://executor/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI = method, u, path
		r.Header = http.Header{http.CanonicalHeaderKey(wire.HeaderToken): {sent}, http.CanonicalHeaderKey(wire.HeaderAppName): {app}}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		reply, err := wire.DecodeReply(w.Body.Bytes())
		require.NoError(t, err, w.Body.String())
		require.Equal(t, http.StatusOK, w.Code)
		if sent != token {
			require.Equal(t, wire.CodeFail, reply.Code)
		}
		require.LessOrEqual(t, started.Load(), allowed.Load(), "started without the token")
	})
}

func validMethod(method string) bool {
	_, err := http.NewRequest(method, "http://executor/", nil)
	return err == nil
}
