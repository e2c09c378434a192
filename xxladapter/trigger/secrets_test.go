package trigger

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestAnExecutorThatRepeatsTheTokenDoesNotShowIt checks that a token in an executor's answer that
// refuses a call, or makes no sense, is concealed. Such answers go into the trigger message and the
// API, whose readers need not know the token.
func TestAnExecutorThatRepeatsTheTokenDoesNotShowIt(t *testing.T) {
	const token = "the-token-of-executors"
	fill := strings.Repeat("x", 190)
	for name, answer := range map[string]string{
		"a reply":              `{"code":500,"msg":"what is TOKEN?"}`,
		"a list":               `[{"logId":1,"handleCode":500,"handleMsg":"what is TOKEN?"}]`,
		"a list without codes": `[{"x":"TOKEN"}]`,
		"half of it":           `[{"x":"` + fill + `TOKEN"}]`,
		"a reply without code": `{"msg":"TOKEN"}`,
		"a page":               `<html>X-Token: TOKEN</html>`,
		"a page, cut":          strings.Repeat("x", 70) + "TOKEN",
		"a wrong type":         `{"code":"TOKEN"}`,
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, strings.ReplaceAll(answer, "TOKEN", r.Header.Get(wire.HeaderToken)))
			}))
			defer srv.Close()
			c := client(t, ClientOptions{AccessToken: token})
			var said strings.Builder
			reply, err := c.Run(t.Context(), srv.URL, "app", &wire.RunRequest{})
			said.WriteString(reply.Msg)
			note := func(err error) {
				if err != nil {
					said.WriteString(err.Error())
				}
			}
			note(err)
			_, err = c.Log(t.Context(), srv.URL, "app", wire.LogRequest{})
			require.Error(t, err)
			note(err)
			_, err = c.Probe(t.Context(), srv.URL, "app")
			require.Error(t, err)
			note(err)
			require.Error(t, c.Kill(t.Context(), srv.URL, "app", 1))
			note(c.Kill(t.Context(), srv.URL, "app", 1))
			note(c.Beat(t.Context(), srv.URL))
			note(c.IdleBeat(t.Context(), srv.URL, 1))
			require.NotContains(t, said.String(), token[:8])
		})
	}
}

// TestTextsOfRunsDoNotShowTheToken checks what an executor answers when all is well: the text of a
// run, and the message of its result. A handler may have written the header of a request into them.
func TestTextsOfRunsDoNotShowTheToken(t *testing.T) {
	const token = "the-token-of-executors"
	answers := map[string]string{
		wire.PathLog:   `{"code":200,"content":{"fromLineNum":1,"toLineNum":2,"logContent":"sent TOKEN\nTOKEN\n"}}`,
		wire.PathEnded: `{"code":200,"content":[{"logId":7,"handleCode":500,"handleMsg":"sent TOKEN"}]}`,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.ReplaceAll(answers[r.URL.Path], "TOKEN", r.Header.Get(wire.HeaderToken)))
	}))
	defer srv.Close()
	c := client(t, ClientOptions{AccessToken: token})
	text, err := c.Log(t.Context(), srv.URL, "app", wire.LogRequest{})
	require.NoError(t, err)
	require.Equal(t, "sent ***\n***\n", text.Content)
	ended, err := c.Ended(t.Context(), srv.URL, "app", []*xxladapter.Log{{ID: 7}})
	require.NoError(t, err)
	require.Equal(t, []wire.Callback{{LogID: 7, HandleCode: 500, HandleMsg: "sent ***"}}, ended)
}

// TestTheTokenGoesToNobodyElse checks that the token is not sent to the target of a redirect, and
// is in no error.
func TestTheTokenGoesToNobodyElse(t *testing.T) {
	const token = "the-token-of-executors"
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("called with %q", r.Header.Get(wire.HeaderToken))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308, 401, 500, 502} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, r.Header.Get(wire.HeaderToken))
		}))
		c := client(t, ClientOptions{AccessToken: token})
		_, err := c.Run(t.Context(), srv.URL, "app", &wire.RunRequest{})
		require.ErrorContains(t, err, "HTTP status")
		require.NotContains(t, err.Error(), token)
		c.Close()
		srv.Close()
	}
}
