package trigger

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestWhatOddAnswersToARunMean checks what is made of answers that are not XXL-JOB's. A code is
// taken at its word, a reply without a code counts as a failure, and an answer that cannot be
// decoded leaves the outcome unknown.
func TestWhatOddAnswersToARunMean(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, `{"code":200}`)
	require.NoError(t, w.Close())
	const unknown = -1
	for name, tt := range map[string]struct {
		status int
		body   string
		code   int
	}{
		"a page":             {200, "<html><body>Welcome</body></html>", unknown},
		"gzip, unasked":      {200, zipped.String(), unknown},
		"nothing":            {200, "", unknown},
		"null":               {200, "null", unknown},
		"a word as code":     {200, `{"code":"OK"}`, unknown},
		"half a number":      {200, `{"code":200.5}`, unknown},
		"a number as text":   {200, `{"code":"200"}`, 200},
		"a float":            {200, `{"code":200.0,"msg":null,"content":null}`, 200},
		"a byte order mark":  {200, "\ufeff" + `{"code":200}`, 200},
		"blanks around":      {200, "\r\n " + `{"code":200}` + "\r\n", 200},
		"another convention": {200, `{"code":0,"msg":"ok"}`, 0},
		"no code":            {200, `{"success":true}`, 500},
		"a list":             {200, `[{"logId":1,"handleCode":500,"handleMsg":"There are tasks running"}]`, 500},
	} {
		t.Run(name, func(t *testing.T) {
			addr, _ := serving(t, tt.status, tt.body)
			reply, err := client(t, ClientOptions{}).Run(t.Context(), addr, "app", &wire.RunRequest{})
			if tt.code == unknown {
				require.ErrorIs(t, err, ErrOutcomeUnknown)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.code, reply.Code)
		})
	}
}

// TestAKillOfAJobWithoutRunsIsNoError replays the answers of executors to such a kill, and a
// refusal.
func TestAKillOfAJobWithoutRunsIsNoError(t *testing.T) {
	for _, name := range []string{"g2/kill-unknown", "g3/kill-unknown", "g4/kill-unknown", "goport/kill-unknown", "goport/idleBeat-busy"} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, recordedReply(t, name))
		}))
		c := client(t, ClientOptions{})
		err := c.Kill(t.Context(), srv.URL, "app", 1)
		if strings.HasSuffix(name, "/kill-unknown") {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, "code 500: Task is busy")
		}
		c.Close()
		srv.Close()
	}
}

// TestASlowAnswerEndsWithTheTimeout lets an executor answer with the first half of a reply.
func TestASlowAnswerEndsWithTheTimeout(t *testing.T) {
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"code":2`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer exec.Close()
	begun := time.Now()
	_, err := client(t, ClientOptions{Timeout: 100 * time.Millisecond}).Run(t.Context(), exec.URL, "app", &wire.RunRequest{})
	require.ErrorIs(t, err, ErrOutcomeUnknown)
	require.Less(t, time.Since(begun), 30*time.Second)
}

// TestAnyTextReachesAnyAddress sends a run to an address with a path, on IPv6 where there is any.
func TestAnyTextReachesAnyAddress(t *testing.T) {
	var got wire.RunRequest
	var path string
	exec := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		_ = json.NewDecoder(r.Body).Decode(&got)
		fmt.Fprint(w, `{"code":200}`)
	}))
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil {
		_ = exec.Listener.Close()
		exec.Listener = l
	}
	exec.Start()
	defer exec.Close()
	var planes strings.Builder
	for r := rune(0); r <= 0x10ffff; r += 0x101 {
		planes.WriteRune(r)
	}
	sent := wire.RunRequest{
		JobID: 1, LogID: 2, Params: strings.Repeat(planes.String()+"</script>\u2028", 20), GlueSource: "echo one\r\necho two\r\n",
	}
	for _, addr := range []string{exec.URL + "/app/jobs", exec.URL + "/app/jobs/"} {
		got = wire.RunRequest{}
		reply, err := client(t, ClientOptions{}).Run(t.Context(), addr, "app", &sent)
		require.NoError(t, err)
		require.Equal(t, 200, reply.Code)
		require.Equal(t, "/app/jobs/run", path)
		require.True(t, sent == got)
	}
}
