package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMistakesInKeepingLogs(t *testing.T) {
	for _, c := range []struct {
		args []string
		line string
	}{
		{[]string{"serve", "--keep-logs", "2d"}, "--keep-logs is 48h0m0s, must be 0 to keep them forever, or at least 3d"},
		{[]string{"serve", "--keep-stats", "12h"}, "--keep-stats is 12h0m0s, must be 0 to keep them forever, or at least 1d"},
		{[]string{"serve", "--keep-audit", "12h"}, "--keep-audit is 12h0m0s, must be 0 to keep it forever, or at least 1d"},
		{[]string{"serve", "--keep-logs", "30"}, `"30", must be a span such as 30d or 12h`},
		{[]string{"run", "clear"}, "--older-than, --keep or --all must be given"},
		{[]string{"run", "clear", "--job", "3"}, "--older-than, --keep or --all must be given"},
		{[]string{"run", "clear", "--older-than=-1d"}, "--older-than is -24h0m0s, must not be negative"},
		{[]string{"report", "--days", "0"}, "--days is 0, must be at least 1"},
	} {
		code, _, stderr := cli(t, c.args...)
		require.Equal(t, command.ExitUsage, code, stderr)
		require.Contains(t, stderr, c.line)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// TestAFailedClearSaysWhatItDeleted has a server that fails at the second part.
func TestAFailedClearSaysWhatItDeleted(t *testing.T) {
	t.Parallel()
	answers := make(chan string, 1)
	answers <- `{"deleted":1000}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case answer := <-answers:
			_, _ = io.WriteString(w, answer)
		default:
			http.Error(w, "{}", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	code, _, stderr := cli(t, "run", "--server", server.URL, "clear", "--all", "--yes")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "deleted 1000, then failed: ")
}

// TestAReportHasTheDaysOfTheSchedulersZone has days without runs, which a report leaves out, and
// zones that are a day apart at each instant.
func TestAReportHasTheDaysOfTheSchedulersZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Pacific/Kiritimati", "Pacific/Niue"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		var from string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/info") {
				_, _ = fmt.Fprintf(w, `{"zone":%q}`, name)
				return
			}
			from = r.URL.Query().Get("from")
			_, _ = io.WriteString(w, `{"reports":[{"triggerDay":"2026-03-01","sucCount":1}]}`)
		}))
		before := time.Now().In(zone).AddDate(0, 0, -2).Format(time.DateOnly)
		require.Contains(t, mustCLI(t, "report", "--server", server.URL, "--days", "3"), "2026-03-01")
		require.Contains(t, []string{before, time.Now().In(zone).AddDate(0, 0, -2).Format(time.DateOnly)}, from)
		mustCLI(t, "report", "--server", server.URL, "--days", "100000")
		require.Equal(t, "1970-01-01", from, "the first day that the call accepts")
		server.Close()
	}
}

// TestReportAndClear runs the two commands against a server in another process.
func TestReportAndClear(t *testing.T) {
	t.Parallel()
	serve, server := serveOn(t, t.TempDir()+"/x.db")
	id := mustCLI(t, "job", "--server", server, "add", "--name=n", "--app=some-app", "--handler=h")
	mustCLI(t, "job", "--server", server, "trigger", id) // there is no executor to accept it
	report := func() string { return mustCLI(t, "report", "--server", server) }
	testserver.Eventually(t, 10*time.Second, "the failed hand-over is counted", func() bool {
		fields := strings.Fields(report())
		return len(fields) == 8 && strings.Join(fields[5:], " ") == "0 0 1"
	})
	require.Equal(t, "0", mustCLI(t, "run", "--server", server, "clear", "--keep", "10000", "--dry-run"))
	require.JSONEq(t, `{"selected":0}`, mustCLI(t, "run", "--server", server, "-o", "json", "clear", "--older-than", "1d", "--dry-run"))
	require.Equal(t, "deleted 0", mustCLI(t, "run", "--server", server, "clear", "--older-than", "1d", "--yes"))
	require.Equal(t, "deleted 0", mustCLI(t, "run", "--server", server, "clear", "--keep", "1", "--job", id, "--yes"))
	require.Zero(t, serve.terminate())
}
