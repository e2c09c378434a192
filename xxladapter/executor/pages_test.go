package executor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestNoPageStartsARun checks that an executor without a token runs nothing for a page in a
// browser: neither for a page of another site, nor for a page of a site whose name resolves to this
// machine.
func TestNoPageStartsARun(t *testing.T) {
	ran := make(chan int64, 10)
	e := start(t, Options{Listen: "127.0.0.1:0", AllowHosts: []string{"billing.example.org"}}, func(e *Executor) {
		require.NoError(t, e.Handle("echo", func(_ context.Context, run *Run) error {
			ran <- run.LogID
			return nil
		}))
	})
	logID := int64(0)
	post := func(host string, header map[string]string) wire.Reply {
		logID++
		body, err := json.Marshal(beanRun(1, logID, "echo"))
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.Address()+"run", strings.NewReader(string(body)))
		require.NoError(t, err)
		req.Host = host
		req.Header.Set("Content-Type", wire.ContentType)
		for k, v := range header {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		var reply wire.Reply
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&reply))
		return reply
	}
	for _, tt := range []struct {
		host   string
		header map[string]string
	}{
		{"", map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"}},
		{"", map[string]string{"Origin": "http://evil.example"}},
		{"", map[string]string{"Content-Type": "text/plain"}}, // a form, without Origin
		{"evil.example", map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}},
		{"evil.example:9999", nil},
	} {
		got := post(tt.host, tt.header)
		require.Equal(t, wire.CodeFail, got.Code, "%+v", tt)
		require.True(t, strings.HasPrefix(got.Msg, "invalid request, "), got.Msg)
	}
	for _, host := range []string{"", "localhost:9999", "billing.example.org"} {
		require.Equal(t, wire.OK(), post(host, nil), host)
		require.Equal(t, logID, <-ran)
	}
	require.Empty(t, ran)
}

// TestTheRegisteredAddressIsAName checks that the name in the registered address is accepted.
func TestTheRegisteredAddressIsAName(t *testing.T) {
	e := start(t, Options{Address: "http://Billing.example.org:80/jobs/"}, nil)
	for host, code := range map[string]int{"billing.example.org": 200, "evil.example": 500, "127.0.0.1:9999": 200} {
		r := newPost("/beat")
		r.Host = host
		w := newRecorder()
		e.ServeHTTP(w, r)
		reply, err := wire.DecodeReply(w.Body.Bytes())
		require.NoError(t, err)
		require.Equal(t, code, reply.Code, host)
	}
}
