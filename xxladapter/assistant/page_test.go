package assistant

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestACallHasWhatTheAssistantSent checks that the API decides by the caller's address, host and
// token, and sees no cookie.
func TestACallHasWhatTheAssistantSent(t *testing.T) {
	var seen []*http.Request
	page := Page(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"code":"too_many","message":"later"}`))
	}), Options{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://scheduler.example/mcp", strings.NewReader(`{"jsonrpc":"2.0"}`))
	r.RemoteAddr = "192.0.2.7:1234"
	r.Header.Set("Authorization", "Bearer of-ann")
	r.Header.Set("Cookie", "session=of-bob")
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "7", w.Header().Get("Retry-After"))
	require.JSONEq(t, `{"code":"too_many","message":"later"}`, w.Body.String())
	require.Len(t, seen, 1)
	require.Equal(t, "GET /api/v1/openapi.json", seen[0].Method+" "+seen[0].RequestURI)
	require.Equal(t, "192.0.2.7:1234", seen[0].RemoteAddr)
	require.Equal(t, "scheduler.example", seen[0].Host)
	require.Equal(t, "Bearer of-ann", seen[0].Header.Get("Authorization"))
	require.Empty(t, seen[0].Header.Get("Cookie"))
	require.Equal(t, "session=of-bob", r.Header.Get("Cookie"), "the request itself is left as it is")

	page.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/", nil))
	require.Equal(t, "/console/", seen[1].URL.Path)
}

// TestAFaultIsLoggedAndNotTold asks a page whose API lacks the calls that the tools need.
func TestAFaultIsLoggedAndNotTold(t *testing.T) {
	var log strings.Builder
	page := Page(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"paths":{}}`))
	}), Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0"}`))
	page.ServeHTTP(w, r)
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Equal(t, "internal error\n", w.Body.String())
	require.Contains(t, log.String(), "the scheduler has no call")
}

// TestAnAnswerThatIsCutOffFailsItsTool makes a call panic, as a handler that breaks off does.
func TestAnAnswerThatIsCutOffFailsItsTool(t *testing.T) {
	var d document
	d.Paths = map[string]map[string]operation{}
	for _, tool := range reading {
		d.Paths["/api/v1"+tool.path] = map[string]operation{strings.ToLower(tool.method): {}}
	}
	description, err := json.Marshal(d)
	require.NoError(t, err)
	page := Page(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/openapi.json" {
			_, _ = w.Write([]byte(`{"a": "part of`))
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(description)
	}), Options{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"overview","arguments":{}}}`,
	))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	require.Contains(t, w.Body.String(), `"isError":true`)
	require.Contains(t, w.Body.String(), "the scheduler has cut its answer off")
}
