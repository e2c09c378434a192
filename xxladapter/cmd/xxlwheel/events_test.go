package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TestEventsOfARealScheduler prints what another caller changes.
func TestEventsOfARealScheduler(t *testing.T) {
	t.Parallel()
	_, server := serveOn(t, t.TempDir()+"/x.db")
	d := desk{t: t, server: server}
	d.must("group add billing", "")
	p := start(t, "xxlwheel", "events", "--topic", "job,pause", "-o", "json", "--server", server)
	p.line(`{"topic":"all","id":0}`)
	d.must("group add reports", "")
	job := d.must("job add --app billing --name nightly --handler h", "")
	require.Equal(t, `{"topic":"job","id":`+job+`}`, p.line("topic"), "events of other topics are left out")
	d.must("pause begin --all --note n", "")
	p.line(`{"topic":"pause"`)
	require.Zero(t, p.terminate(), p.stderr)

	head, ids := headAndIDs(d.must("events -n 1", ""))
	require.Regexp(t, `^TIME +TOPIC +ID$`, head)
	require.Len(t, ids, 1)
	require.Equal(t, "0", d.must("events -n 1 -q", ""))
	for words, message := range map[string]string{
		"events --topic rain": `--topic must be one of "all","job","run","misfire","group","node","pause" but got "rain"`,
		"events --count=-1":   "--count is -1, must not be negative",
	} {
		code, _, stderr := d.run(words, "")
		require.Equal(t, command.ExitUsage, code, words)
		require.Contains(t, stderr, message)
	}
}

// TestEventsContinueAfterTheLastOne breaks the stream: the command asks again for what followed,
// and ends when it is refused.
func TestEventsContinueAfterTheLastOne(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID"))
		if len(asked) == 3 {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"code":"unauthorized","message":"the token has ended"}`)
			return
		}
		fmt.Fprintf(w, ": beat\n\nid: 7-%d\ndata: {\"topic\":\"job\",\"id\":%d}\n\n", len(asked), len(asked))
	}))
	t.Cleanup(server.Close)
	code, stdout, stderr := cli(t, "events", "-q", "--server", server.URL)
	require.Equal(t, command.ExitFail, code)
	require.Equal(t, "1\n2\n", stdout)
	require.Contains(t, stderr, "the token has ended")
	require.Equal(t, []string{"", "7-1", "7-2"}, asked)

	code, _, stderr = cli(t, "events", "--server", "http://127.0.0.1:1")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "reach scheduler at http://127.0.0.1:1")
	require.Equal(t, 1, strings.Count(stderr, "reach scheduler"), "a server that never answered is not asked again")
}

// TestEventsThatCannotBePrintedEndTheCommand streams to a full disk from a server that never stops.
func TestEventsThatCannotBePrintedEndTheCommand(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "id: 7-1\ndata: {\"topic\":\"job\",\"id\":1}\n\n")
	}))
	t.Cleanup(server.Close)
	for _, format := range []string{"--output=table", "--output=json", "--output=yaml", "--quiet"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		var stderr bytes.Buffer
		code := run(ctx, []string{"events", format, "--server", server.URL}, command.Console{
			Stdin: strings.NewReader(""), Stdout: fullDisk{}, Stderr: &stderr,
		})
		require.NoError(t, ctx.Err(), format)
		require.Equal(t, command.ExitFail, code, format)
		require.Equal(t, "xxlwheel: no space left on device\n", stderr.String(), format)
		cancel()
	}
}
