package main

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A tokenSender sends requests with a token, a cookie, or neither.
type tokenSender struct{ token, cookie string }

func (s tokenSender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	if s.cookie != "" {
		r.Header.Set("Cookie", s.cookie)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// assistAt connects an assistant to the page of a scheduler.
func assistAt(t *testing.T, server, token string) (*mcp.ClientSession, error) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: server + "/mcp", HTTPClient: &http.Client{Transport: tokenSender{token: token}}, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

func serveFor(t *testing.T, args ...string) (server string) {
	t.Helper()
	serve := start(t, "xxlwheel", append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "x.db"),
		"--access-token", "of-executors", "--operator-token", "of-operators", "--read-token", "of-readers"}, args...)...)
	return strings.TrimSuffix(strings.Fields(serve.line("serves on"))[3], ",")
}

// TestAssistantsReadOverHTTP connects assistants to the page of a scheduler as it is by default.
func TestAssistantsReadOverHTTP(t *testing.T) {
	server := serveFor(t)
	mustCLI(t, "job", "add", "--app", "billing", "--name", "nightly", "--handler", "h", "--cron", "0 0 2 * * ?",
		"--server", server, "--access-token", "of-operators")
	for _, token := range []string{"of-readers", "of-operators"} {
		session, err := assistAt(t, server, token)
		require.NoError(t, err)
		tools, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.NotEmpty(t, tools.Tools)
		for _, tool := range tools.Tools {
			require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		}
		text, refused := asked(t, session, "list_jobs", `{"name":"night"}`)
		require.False(t, refused, text)
		require.Contains(t, text, `"name":"nightly"`)
		text, refused = asked(t, session, "show_job", `{"id":2}`)
		require.True(t, refused)
		require.Contains(t, text, "job 2")
		_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_job", Arguments: map[string]any{"id": 1}})
		require.Error(t, err, "no tool of that name without --mcp-allow-changes")
	}
}

// TestAssistantsChangeOverHTTP lets assistants change what their tokens grant. The audit names
// them.
func TestAssistantsChangeOverHTTP(t *testing.T) {
	server := serveFor(t, "--mcp-allow-changes")
	operate := func(words ...string) string {
		return mustCLI(t, append(words, "--server", server, "--access-token", "of-operators")...)
	}
	operate("job", "add", "--app", "billing", "--name", "nightly", "--handler", "h", "--cron", "0 0 2 * * ?")
	reader, err := assistAt(t, server, "of-readers")
	require.NoError(t, err)
	text, refused := asked(t, reader, "start_job", `{"id":1}`)
	require.True(t, refused, "the token decides")
	require.NotEmpty(t, text)
	require.NotContains(t, operate("audit", "list"), "/start")

	changer, err := assistAt(t, server, "of-operators")
	require.NoError(t, err)
	text, refused = asked(t, changer, "update_job", `{"id":1,"author":"an assistant"}`)
	require.False(t, refused, text)
	text, refused = asked(t, changer, "start_job", `{"id":1}`)
	require.False(t, refused, text)
	audit := operate("audit", "list", "-o", "json")
	require.Contains(t, audit, `"an assistant"`)
	require.Contains(t, audit, "127.0.0.1")
	require.Contains(t, operate("job", "show", "1"), "an assistant")
}

// TestThePageForAssistantsAdmitsNobodyElse sends what no assistant with a token would.
func TestThePageForAssistantsAdmitsNobodyElse(t *testing.T) {
	server := serveFor(t)
	post := func(sender tokenSender, body string, headers ...string) (status int, text string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := sender.RoundTrip(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		all, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(all)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	status, text := post(tokenSender{token: "of-readers"}, ping)
	require.Equal(t, http.StatusOK, status, text)
	for name, sender := range map[string]tokenSender{
		"nobody": {}, "a wrong token": {token: "guess"}, "an executor": {token: "of-executors"}, "a browser": {cookie: "xxlwheel_session=guess"},
	} {
		status, text := post(sender, ping)
		require.Equal(t, http.StatusUnauthorized, status, name)
		require.Contains(t, text, `"code":"unauthorized"`, name)
	}
	status, text = post(tokenSender{token: "of-readers"}, `{"jsonrpc":`)
	require.Equal(t, http.StatusBadRequest, status, text)
	status, _ = post(tokenSender{token: "of-readers"}, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"`+strings.Repeat("x", 6<<20)+`"}}}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)

	off := serveFor(t, "--no-mcp")
	answer, err := http.Post(off+"/mcp", "application/json", strings.NewReader(ping))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
}

// TestAPageOfAnotherSiteReachesNoAssistant checks that a scheduler without tokens answers local
// programs alone.
func TestAPageOfAnotherSiteReachesNoAssistant(t *testing.T) {
	_, server := serveOn(t, filepath.Join(t.TempDir(), "x.db"))
	_, err := assistAt(t, server, "")
	require.NoError(t, err)
	for name, value := range map[string]string{"Origin": "https://evil.example", "Host": "evil.example"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusForbidden, answer.StatusCode, name)
	}
}
