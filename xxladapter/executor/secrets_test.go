package executor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A roundTripper answers calls in place of a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answers(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Location": {"http://elsewhere.example.org/"}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

// TestNoLogLineShowsASecret tries admins that misuse the token that they were sent, and URLs that
// carry a password.
func TestNoLogLineShowsASecret(t *testing.T) {
	const token, password = "the-token-of-executors", "the-password-of-a-proxy"
	for name, admin := range map[string]struct {
		answer roundTripper
		line   string // of the log
	}{
		"unreachable": {func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }, "connection refused"},
		"wrong token": {func(r *http.Request) (*http.Response, error) {
			return answers(200, `{"code":500,"msg":"The access token is wrong."}`), nil
		}, "refused with code 500: The access token is wrong."},
		"echo": {func(r *http.Request) (*http.Response, error) {
			return answers(200, `{"code":500,"msg":"what is `+r.Header.Get(wire.HeaderToken)+`?"}`), nil
		}, "refused with code 500: what is ***?"},
		"echo that is no reply": {func(r *http.Request) (*http.Response, error) {
			return answers(200, r.Header.Get(wire.HeaderToken)), nil
		}, "invalid character"},
		"echo of a wrong type": {func(r *http.Request) (*http.Response, error) {
			return answers(200, `{"code":"`+r.Header.Get(wire.HeaderToken)+`"}`), nil
		}, "is not an integer"},
		"status":   {func(*http.Request) (*http.Response, error) { return answers(502, token), nil }, "answered with status 502"},
		"redirect": {func(*http.Request) (*http.Response, error) { return answers(307, ""), nil }, "answered with status 307; redirects are not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logged safeBuffer
				var mu sync.Mutex
				hosts := map[string]bool{}
				e, err := New(Options{
					Admins: []string{"http://bob:" + password + "@admin:8080/xxl-job-admin"}, AppName: "orders", AccessToken: token,
					NoListen: true, Address: "http://10.0.0.7:9999/", DataDir: t.TempDir(), NoSync: true,
					Logger: slog.New(slog.NewTextHandler(&logged, nil)),
					HTTPClient: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
						mu.Lock()
						defer mu.Unlock()
						hosts[r.URL.Host] = true
						require.Equal(t, token, r.Header.Get(wire.HeaderToken))
						return admin.answer(r)
					})},
				})
				require.NoError(t, err)
				require.NoError(t, e.Handle("h", func(context.Context, *Run) error { return nil }))
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- e.Run(ctx) }()
				<-e.Ready()
				w := httptest.NewRecorder()
				req := httptest.NewRequest(http.MethodPost, "http://executor/run",
					strings.NewReader(`{"jobId":1,"logId":1,"logDateTime":1,"executorHandler":"h","glueType":"BEAN"}`))
				req.Header.Set(wire.HeaderToken, "not "+token)
				e.ServeHTTP(w, req)
				require.Contains(t, w.Body.String(), wire.MsgWrongToken)
				require.NotContains(t, w.Body.String(), token)
				w = httptest.NewRecorder()
				req = httptest.NewRequest(http.MethodPost, "http://executor/run",
					strings.NewReader(`{"jobId":1,"logId":1,"logDateTime":1,"executorHandler":"h","glueType":"BEAN"}`))
				req.Header.Set(wire.HeaderToken, token)
				e.ServeHTTP(w, req)
				require.Contains(t, w.Body.String(), `"code":200`)
				time.Sleep(time.Minute) // in the bubble; beats and results fail several times
				cancel()
				require.NoError(t, <-ended)
				text := logged.String()
				require.Contains(t, text, admin.line)
				require.Contains(t, text, "http://bob:xxxxx@admin:8080/xxl-job-admin/api/")
				require.Contains(t, text, "no admin accepts the registration")
				require.Contains(t, text, "no admin accepts results")
				require.NotContains(t, text, token)
				require.NotContains(t, text, password)
				require.Equal(t, map[string]bool{"admin:8080": true}, hosts, "the token went to nobody else")
			})
		})
	}
}

// A safeBuffer accepts log lines from any goroutine.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestNoErrorOfOptionsShowsASecret checks the options that New refuses.
func TestNoErrorOfOptionsShowsASecret(t *testing.T) {
	const secret = "s3cret-and-long-enough"
	for _, o := range []Options{
		{AccessToken: secret, Admins: []string{"ftp://bob:" + secret + "@admin/"}, AppName: "orders"},
		{AccessToken: secret, Admins: []string{"bob:" + secret + "@admin:8080"}, AppName: "orders"},
		{AccessToken: secret, Admins: []string{"http://bob:" + secret + "%zz@admin:8080"}, AppName: "orders"},
		{AccessToken: secret, Admins: []string{"http://admin:8080/?token=" + secret}, AppName: "orders"},
		{AccessToken: secret, AppName: "x"},
		{AccessToken: secret, Listen: "nowhere"},
		{AccessToken: secret, MaxQueued: -1},
	} {
		_, err := New(o)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
	}
}

// TestARedirectDoesNotTakeTheTokenAway checks the default client, and an application's client that
// follows redirects.
func TestARedirectDoesNotTakeTheTokenAway(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, follow := range []bool{false, true} {
			asked := map[string]int{}
			client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				asked[r.URL.Host]++
				if r.URL.Host == "admin" {
					return answers(status, ""), nil
				}
				return answers(200, `{"code":200}`), nil
			})}
			if follow {
				client.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
			}
			o, err := Options{Admins: []string{"http://admin"}, AppName: "orders", AccessToken: "token", HTTPClient: client}.withDefaults()
			require.NoError(t, err)
			err = newAdmins(&o).call(t.Context(), wire.OpRegistry, sameBody(wire.Registry{}))
			if follow {
				require.NoError(t, err)
				require.Equal(t, map[string]int{"admin": 1, "elsewhere.example.org": 1}, asked)
				continue
			}
			require.ErrorContains(t, err, "redirects are not followed")
			require.Equal(t, map[string]int{"admin": 1}, asked)
			require.Nil(t, client.CheckRedirect, "the application's own client is left as it is")
		}
	}
	o, err := Options{}.withDefaults()
	require.NoError(t, err)
	require.ErrorIs(t, o.HTTPClient.CheckRedirect(nil, nil), http.ErrUseLastResponse)
}

// TestOnlyTheTokenItselfIsServed tries every operation, with and without RequireAppName.
func TestOnlyTheTokenItselfIsServed(t *testing.T) {
	const token = "task-token"
	for _, strict := range []bool{false, true} {
		e := start(t, Options{AccessToken: token, RequireAppName: strict}, nil)
		for path := range operations {
			for _, got := range []string{
				"", " ", "t", "task-toke", "ask-token", "task-tokenn", "TASK-TOKEN", "Task-Token", "task-token\x00", "ta\u017fk-token", "Bearer task-token",
				"task-tokentask-token", url.QueryEscape("task-token="), "null",
			} {
				reply := e.raw(http.MethodPost, path, "{}", map[string]string{wire.HeaderToken: got})
				require.Contains(t, reply.Body.String(), `"code":500`, "%s %q", path, got)
				require.Regexp(t, `access ?token`, strings.ToLower(reply.Body.String()), "%s %q", path, got)
			}
			require.NotContains(t, strings.ToLower(e.raw(http.MethodPost, path, "{}", nil).Body.String()), "token", path)
		}
	}
}
