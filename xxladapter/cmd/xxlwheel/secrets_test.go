package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// planted is part of every secret in this file and in secret_test.go.
const planted = "s3cr3t-Pl4nted"

// TestNoCommandShowsASecret plants a secret in each flag that takes one, makes mistakes of every
// kind, and reads all that is printed.
func TestNoCommandShowsASecret(t *testing.T) {
	t.Parallel()
	redirect, _ := elsewhere(t)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get(wire.HeaderToken)) // not JSON
	}))
	t.Cleanup(echo.Close)
	withPassword := func(url string) string { return strings.Replace(url, "http://", "http://bob:"+planted+"@", 1) }
	file := writeFile(t, planted+" "+planted+" "+planted+"\n")
	const free = "127.0.0.1:0"
	for _, tt := range []struct {
		args []string
		line string // part of what is printed
	}{
		// Tokens, with something else wrong.
		{[]string{"serve", "--access-token", planted, "--listen", "nowhere"}, `--listen is "nowhere"`},
		{[]string{"serve", "--operator-token", planted, "--read-token", planted + "-read", "--listen", "0.0.0.0:0"}, "--access-token is empty"},
		{[]string{"serve", "--access-token", planted, "--operator-token", planted + "-operator", "--fast-pool", "0"}, "--fast-pool is 0"},
		{[]string{"serve", "--access-token", planted, "--operator-token", planted}, "--operator-token is the same as --access-token"},
		{[]string{"serve", "--access-token", planted, "--drain", "soon"}, "--drain"},
		{[]string{"executor", "--access-token", planted, "--listen", "nowhere"}, `--listen is "nowhere"`},
		{[]string{"executor", "--access-token", planted, "--app", "x", "--listen", free}, `--app is "x"`},

		// Stores.
		{[]string{"serve", "--listen", free, "--store", "mysql://bob:" + planted + "@127.0.0.1:1/xxl"}, "connection refused"},
		{[]string{"serve", "--listen", free, "--store", "postgres://bob:" + planted + "@127.0.0.1:1/xxl"}, "connection refused"},
		{[]string{"serve", "--listen", free, "--store", "mysql://bob:1/" + planted + "@127.0.0.1:1/xxl"}, "special characters of the password"},
		{[]string{"serve", "--listen", free, "--store", "postgres://bob:1#" + planted + "@127.0.0.1:1/xxl"}, "special characters of the password"},
		{[]string{"serve", "--listen", free, "--store", "bob:" + planted + "@tcp(127.0.0.1:1)/xxl"}, `--store is "..."`},
		{[]string{"serve", "--listen", free, "--store", "host=db password=" + planted}, `--store is "..."`},
		{[]string{"migrate", "--store", "postgres://bob:" + planted + "@127.0.0.1:1/xxl"}, "must be mysql://"},
		{[]string{"migrate", "--store", "mysql://bob:" + planted + "@127.0.0.1:1/xxl"}, "connection refused"},
		{[]string{"migrate", "--plan", "--store", "mysql://bob:" + planted + "@127.0.0.1:1/xxl"}, "connection refused"},
		{[]string{"migrate", "--plan", "--due-index", "--store", "mysql://bob:%" + planted + "@127.0.0.1:1/xxl"}, "special characters of the password"},

		{[]string{"takeover", "--from", "mysql://bob:" + planted + "@127.0.0.1:1/xxl", "--dry-run", "--store", "sqlite:" + t.TempDir() + "/x.db"}, "connection refused"},
		{[]string{"takeover", "--from", "postgres://bob:" + planted + "@127.0.0.1:1/xxl", "--dry-run", "--store", "sqlite:" + t.TempDir() + "/x.db"}, "must be mysql://"},
		{[]string{"takeover", "--from", "mysql://bob:" + planted + "@127.0.0.1:1/xxl", "--store", "mysql://bob:" + planted + "@127.0.0.1:1/xxl"}, "is the database of --from"},

		// Schedulers and admins whose URLs contain a password.
		{[]string{"job", "list", "--server", withPassword("http://127.0.0.1:1"), "--access-token", planted}, "reach scheduler at http://bob:xxxxx@127.0.0.1:1"},
		{[]string{"job", "list", "--server", withPassword("http://127.0.0.1:1") + "/%zz", "--access-token", planted}, `--server is "..."`},
		{[]string{"job", "list", "--server", withPassword(redirect.URL), "--access-token", planted}, "redirects are not followed"},
		{[]string{"job", "add", "--server", redirect.URL, "--access-token", planted, "--name", "n", "--app", "some-app", "--handler", "h"}, "redirects are not followed"},
		{[]string{"group", "add", "some-app", "--server", withPassword(echo.URL), "--access-token", planted, "--group-token", planted}, "read answer of http://bob:xxxxx@"},
		{[]string{"node", "list", "--server", withPassword("http://127.0.0.1:1"), "--access-token", planted}, "reach scheduler"},
		{[]string{"user", "list", "--server", withPassword("http://127.0.0.1:1"), "--access-token", planted}, "reach scheduler"},
		{[]string{"user", "create", "x", "--no-password", "--server", redirect.URL, "--access-token", planted}, "redirects are not followed"},
		{[]string{"token", "create", "x", "--user", "y", "--server", withPassword(echo.URL), "--access-token", planted}, "read answer of http://bob:xxxxx@"},
		{[]string{"report", "--server", withPassword("http://127.0.0.1:1"), "--access-token", planted}, "reach scheduler"},
		{[]string{"run", "list", "--server", withPassword("http://127.0.0.1:1"), "--access-token", planted}, "reach scheduler"},
		{[]string{"executor", "--admin", withPassword("http://127.0.0.1:1") + "/%zz", "--listen", free}, `--admin is "..."`},
		{[]string{"executor", "--admin", withPassword("ftp://127.0.0.1:1"), "--listen", free}, "must be http or https URLs"},

		// Alarms.
		{[]string{"alarm", "test", "--alarm-smtp", "smtp://bob:" + planted + "@mail:25", "--alarm-smtp-from", "a@example.org"}, `--alarm-smtp is "...@mail:25"`},
		{[]string{"alarm", "test", "--alarm-smtp", "bob:" + planted + "@mail:25", "--alarm-smtp-from", "a@example.org"}, `--alarm-smtp is "...@mail:25"`},
		{[]string{"alarm", "test", "--alarm-webhook", "http://127.0.0.1:1/" + planted + " " + planted, "--alarm-allow-private"}, "connection refused"},
		{[]string{"alarm", "test", "--alarm-webhook", "http://127.0.0.1:1/" + planted + " " + planted}, "loopback or private: not allowed"},
		{[]string{"alarm", "test", "--alarm-webhook", redirect.URL + "/" + planted, "--alarm-allow-private"}, "redirects are not followed"},
		{[]string{"serve", "--store", "@postgres://bob:" + planted + "@127.0.0.1:1/x"}, "a URL is given, must be the name of a file"},
		{[]string{"alarm", "test", "--alarm-dingtalk", "@" + file}, "has a line of 3 words"},
		{[]string{"alarm", "test", "--alarm-slack", "@https://127.0.0.1/" + planted}, "--alarm-slack: a URL is given, must be the name of a file"},
		{[]string{"alarm", "test", "--alarm-slack", "http://127.0.0.1/%zz" + planted}, "URL cannot be read"},
		{[]string{"alarm", "test", "--alarm-feishu", "example.org/" + planted}, "must begin with http:// or https://"},
		{[]string{"alarm", "test", "--alarm-wecom", "http://example.org/ " + planted}, "has a secret after the URL"},
		{[]string{"alarm", "test", "--alarm-smtp", "127.0.0.1:1", "--alarm-smtp-from", "a@example.org", "--alarm-smtp-user", "bob",
			"--alarm-smtp-password-file", file, "--to", "b@example.org", "--alarm-smtp-tls", "none"}, "connection refused"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := cli(t, append(tt.args, dataDir(t, tt.args)...)...)
			require.NotZero(t, code)
			require.Contains(t, stdout+stderr, tt.line)
			require.NotContains(t, stdout+stderr, planted)
		})
	}
}

// dataDir returns the flags that give a sample executor of a test its own directory.
func dataDir(t *testing.T, args []string) []string {
	if args[0] != "executor" {
		return nil
	}
	return []string{"--data-dir", t.TempDir()}
}

// elsewhere starts a server that redirects all calls to another one. called counts the calls of
// that other one.
func elsewhere(t *testing.T) (from *httptest.Server, called func() int) {
	t.Helper()
	calls := make(chan string, 100)
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls <- r.Header.Get(wire.HeaderToken)
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(to.Close)
	from = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(from.Close)
	return from, func() int { return len(calls) }
}

// TestARedirectDoesNotTakeATokenAway checks the tokens of the command line. That of the sample
// executor has a test beside it.
func TestARedirectDoesNotTakeATokenAway(t *testing.T) {
	from, called := elsewhere(t)
	for _, words := range []string{"job list", "job remove 1 --yes", "group add some-app", "node list", "report", "run log 1", "user list", "token revoke 1 --yes"} {
		code, _, stderr := cli(t, append(strings.Fields(words), "--server", from.URL, "--access-token", planted)...)
		require.Equal(t, command.ExitFail, code)
		require.Contains(t, stderr, "answers HTTP status 307 Temporary Redirect, must be a scheduler's API; redirects are not followed")
	}
	require.Zero(t, called())
}

// TestHelpShowsNoSecretOfTheEnvironment checks --help, and the output after a mistake in another
// flag.
func TestHelpShowsNoSecretOfTheEnvironment(t *testing.T) {
	for _, name := range []string{
		"ACCESS_TOKEN", "OPERATOR_TOKEN", "READ_TOKEN", "GROUP_TOKEN", "ALARM_WEBHOOK", "ALARM_DINGTALK", "ALARM_FEISHU", "ALARM_WECOM", "ALARM_SLACK",
	} {
		t.Setenv("XXLWHEEL_"+name, "https://example.org/"+planted)
	}
	t.Setenv("XXLWHEEL_STORE", "mysql://bob:"+planted+"@127.0.0.1:1/xxl")
	t.Setenv("XXLWHEEL_SERVER", "http://bob:"+planted+"@127.0.0.1:1")
	t.Setenv("XXLWHEEL_ADMIN", "http://bob:"+planted+"@127.0.0.1:1")
	for _, words := range []string{
		"", "--help", "demo --help", "serve --help", "executor --help", "job --help", "job list --help", "group add --help", "node list --help", "run list --help", "user create --help", "token create --help",
		"alarm test --help", "report --help", "check --help", "migrate --help", "cron next --help",
		"serve --nosuch", "serve --drain=soon", "serve nosuch", "job", "job add", "group add", "alarm test --alarm-smtp-tls=ssl", "migrate --nosuch",
		"job list", "migrate", "serve --listen=127.0.0.1:0",
	} {
		_, stdout, stderr := cli(t, strings.Fields(words)...)
		require.NotEmpty(t, stdout+stderr, words)
		require.NotContains(t, stdout+stderr, planted, words)
	}
}

// TestAServerShowsNoSecret runs a scheduler with a secret of each kind, whose executors and
// channels cannot be reached, and checks its output, its log and all pages of its two ports.
func TestAServerShowsNoSecret(t *testing.T) {
	t.Parallel()
	hook := writeFile(t, "http://127.0.0.1:1/"+planted+"?key="+planted+" "+planted+"\n")
	metricsPort := testserver.FreePort(t)
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db",
		"--access-token", planted+"-executor", "--operator-token", planted+"-operator", "--read-token", planted+"-reader",
		"--alarm-webhook", "@"+hook, "--alarm-allow-private", "--metrics-listen", "127.0.0.1:"+metricsPort)
	first := serve.line("serves on")
	require.NotContains(t, first, planted)
	server := strings.TrimSuffix(strings.Fields(first)[3], ",")
	run := func(words string, more ...string) string {
		return mustCLI(t, slices.Concat(strings.Fields(words), more, []string{"--server", server, "--access-token", planted + "-operator"})...)
	}
	said := run("group add some-app --address http://127.0.0.1:1 --group-token", planted+"-group")
	said += run("job add --name nightly --app some-app --handler h --alarm-on EACH")
	said += run("job trigger 1")
	testserver.Eventually(t, 20*time.Second, "the run fails and its alarm too", func() bool {
		return strings.Contains(run("run list --job 1"), " FAIL ") && strings.Contains(serve.stderr.String(), "alarm")
	})
	for _, words := range []string{"group list", "group show 1", "job list", "job show 1", "run list", "node list", "report"} {
		said += run(words)
	}
	get := func(url, token string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		if token != "" {
			req.Header.Set(wire.HeaderToken, token)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	for _, token := range []string{"", planted + "-wrong", planted + "-reader", planted + "-operator", planted + "-executor", planted + "-group"} {
		for _, path := range []string{"/healthz", "/readyz", "/metrics", "/api/v1/groups", "/api/v1/groups/1/executors", "/api/v1/runs", "/api/v1/jobs/1", "/api/v1/openapi.json", "/nosuch"} {
			said += get(server+path, token)
		}
	}
	metrics := get("http://127.0.0.1:"+metricsPort+"/metrics", "")
	require.True(t, strings.Contains(metrics, "xxlwheel_fires_total"), "the page was looked at")
	var runs struct{ Runs []struct{ TriggerMsg string } }
	require.NoError(t, json.Unmarshal([]byte(get(server+"/api/v1/runs", planted+"-reader")), &runs))
	require.Contains(t, runs.Runs[0].TriggerMsg, "connection refused")
	require.Zero(t, serve.terminate())
	require.NotContains(t, said+metrics+serve.stderr.String(), planted)
	require.Contains(t, serve.stderr.String(), "connection refused", "the channel's error was logged")
}
