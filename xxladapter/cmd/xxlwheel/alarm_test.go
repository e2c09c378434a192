package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A posted is a request that arrived at a webhook.
type posted struct {
	header http.Header
	body   string
}

// webhook answers every post in the same way and passes the request on.
func webhook(t *testing.T, status int, answer string) (url string, got <-chan posted) {
	t.Helper()
	in := make(chan posted, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
		in <- posted{r.Header, string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, in
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestServeTellsOfAFailure follows a failure from a job without executors to the webhook.
func TestServeTellsOfAFailure(t *testing.T) {
	t.Parallel()
	url, got := webhook(t, 200, "")
	const secret = "a-secret-for-signing"
	file := writeFile(t, "# our own receiver\n"+url+"/alarms-of-billing "+secret+"\n")
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db",
		"--alarm-webhook", "@"+file, "--alarm-allow-private")
	var server string
	_, err := fmt.Sscanf(serve.line("serves on"), "xxlwheel serves on %s", &server)
	require.NoError(t, err)
	server = strings.TrimSuffix(server, ",")
	id := mustCLI(t, "job", "--server", server, "add", "--name", "nightly", "--app", "billing", "--handler", "h",
		"--retry", "1", "--alarm-on", "LAST_RETRY")
	mustCLI(t, "job", "--server", server, "trigger", id)

	var post posted
	select {
	case post = <-got:
	case <-time.After(20 * time.Second):
		t.Fatalf("no alarm; stderr:\n%s", serve.stderr)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(post.header.Get("X-Xxlwheel-Timestamp") + "." + post.body))
	require.Equal(t, "sha256="+hex.EncodeToString(mac.Sum(nil)), post.header.Get("X-Xxlwheel-Signature"))
	var a struct {
		ID, Kind, Title string
		Jobs            []struct {
			Name, App string
			Runs      []struct {
				LogID   int64
				Code    int
				Reason  string
				Retries int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(post.body), &a))
	require.Equal(t, "failed", a.Kind)
	require.Equal(t, "job 1 nightly failed", a.Title)
	require.Equal(t, "billing", a.Jobs[0].App)
	require.Equal(t, int64(2), a.Jobs[0].Runs[0].LogID, "the first attempt had a retry to follow")
	require.Equal(t, 500, a.Jobs[0].Runs[0].Code)
	require.NotEmpty(t, a.Jobs[0].Runs[0].Reason)
	require.Equal(t, "route: no address", a.Jobs[0].Runs[0].Reason, "and nothing else of the trigger message")
	testserver.Eventually(t, 10*time.Second, "the alarm is logged", func() bool {
		return strings.Contains(serve.stderr.String(), "alarm sent")
	})
	require.Zero(t, serve.terminate())
	require.NotContains(t, serve.stderr.String(), secret)
	require.NotContains(t, serve.stderr.String(), "alarms-of-billing")
	require.Empty(t, got, "once")
}

func TestAlarmTest(t *testing.T) {
	good, got := webhook(t, 200, "ok")
	code, stdout, stderr := cli(t, "alarm", "test", "--alarm-allow-private", "--alarm-slack", good+"/hook", "--alarm-webhook", good)
	require.Zero(t, code, stderr)
	require.Equal(t, "webhook  sent\nslack    sent\n", stdout)
	require.Contains(t, (<-got).body+(<-got).body, "This is a test.")

	bad, _ := webhook(t, 403, "invalid_token")
	code, stdout, stderr = cli(t, "alarm", "test", "--alarm-allow-private", "--alarm-slack", bad+"/a-secret-path", "--alarm-webhook", good,
		"--alarm-webhook", good, "--alarm-smtp", "127.0.0.1:1", "--alarm-smtp-from", "a@example.org")
	require.Equal(t, 1, code)
	lines := strings.Split(stdout, "\n")
	require.Regexp(t, `^mail +failed: no receiver; give --to or --alarm-mail-to$`, lines[0])
	require.Regexp(t, `^webhook +sent$`, lines[1])
	require.Regexp(t, `^webhook-2 +sent$`, lines[2])
	require.Regexp(t, `^slack +failed: post to 127.0.0.1:\d+: answer 403 Forbidden: invalid_token$`, lines[3])
	require.Equal(t, "xxlwheel: not every channel took the test alarm\n", stderr)
	require.NotContains(t, stdout, "a-secret-path")
}

func TestMistakesInAlarmFlags(t *testing.T) {
	empty := writeFile(t, "\n")
	smtp := []string{"--alarm-smtp", "mail.example.org", "--alarm-smtp-from", "a@example.org"}
	for _, tt := range []struct {
		args []string
		code int
		line string
	}{
		{nil, 2, "no channel is given"},
		{[]string{"--alarm-mail-to", "a@example.org"}, 2, "--alarm-mail-to needs --alarm-smtp"},
		{[]string{"--alarm-smtp", "mail.example.org"}, 2, "--alarm-smtp-from is empty"},
		{[]string{"--alarm-smtp", "smtp://mail.example.org", "--alarm-smtp-from", "a@example.org"}, 2, `--alarm-smtp is "smtp://mail.example.org", must be HOST or HOST:PORT`},
		{[]string{"--alarm-smtp", "mail:mail", "--alarm-smtp-from", "a@example.org"}, 2, `--alarm-smtp is "mail:mail"`},
		{[]string{"--alarm-smtp", "mail", "--alarm-smtp-from", "me"}, 2, `mail sender is "me", must be an address`},
		{append(smtp, "--alarm-smtp-tls", "ssl"), 2, `--alarm-smtp-tls must be one of`},
		{append(smtp, "--alarm-smtp-user", "u"), 2, "--alarm-smtp-password-file is empty, must be given with --alarm-smtp-user"},
		{append(smtp, "--alarm-smtp-password-file", empty), 2, "--alarm-smtp-user is empty"},
		{append(smtp, "--alarm-smtp-user", "u", "--alarm-smtp-password-file", empty), 2, "which is empty"},
		{append(smtp, "--alarm-smtp-user", "u", "--alarm-smtp-password-file", "/no/such"), 1, `--alarm-smtp-password-file: file "/no/such" cannot be read: no such file`},
		{append(smtp, "--alarm-mail-to", "b"), 2, `mail receiver is "b"`},
		{[]string{"--alarm-webhook", "example.org"}, 2, "--alarm-webhook: webhook URL has no scheme, must begin with http:// or https://"},
		{[]string{"--alarm-slack", "@/no/such"}, 1, `--alarm-slack: file "/no/such" cannot be read: no such file`},
		{[]string{"--alarm-slack", "@" + empty}, 2, "--alarm-slack has no URL"},
		{[]string{"--alarm-slack", "https://example.org s3cr3t"}, 2, "--alarm-slack has a secret after the URL"},
		{[]string{"--alarm-dingtalk", "https://example.org s3cr3t more"}, 2, "--alarm-dingtalk has a line of 3 words"},
		{[]string{"--alarm-feishu", "https://example.org", "--alarm-allow-net", "10.0.0.0/33"}, 2, `--alarm-allow-net: "10.0.0.0/33" is not a network`},
		{[]string{"--alarm-feishu", "https://example.org", "--alarm-allow-host", "*.feishu.cn"}, 2, "host example.org is not among the allowed hosts"},
		{[]string{"--alarm-webhook", "http://127.0.0.1:1/s3cr3t"}, 1, "not every channel"},
	} {
		code, _, stderr := cli(t, append([]string{"alarm", "test"}, tt.args...)...)
		require.Equal(t, tt.code, code, stderr)
		require.Contains(t, stderr, tt.line)
		require.True(t, strings.HasPrefix(stderr, "xxlwheel: "), stderr)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.NotContains(t, stderr, "s3cr3t")
		if tt.args == nil {
			continue
		}
		if tt.code == 2 {
			code, _, served := cli(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:/no/such/x.db"}, tt.args...)...)
			require.Equal(t, 2, code)
			require.Equal(t, stderr, served, "serve says the same, before it does anything")
		}
	}
}
