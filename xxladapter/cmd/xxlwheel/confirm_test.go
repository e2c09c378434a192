package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestWhatCannotBeUndoneIsAsked checks that a terminal gets a question, and that a flag is required
// elsewhere.
func TestWhatCannotBeUndoneIsAsked(t *testing.T) {
	store := memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store})
	line := func(words string) []string { return append(strings.Fields(words), "--server", server.URL) }
	mustCLI(t, line("job add --app some-app --name nightly --handler h")...)
	there := func() bool {
		_, err := store.Job(t.Context(), 1)
		return err == nil
	}
	for _, words := range []string{"job remove 1", "group remove 1", "run clear --all"} {
		code, _, stderr := cli(t, line(words)...)
		require.Equal(t, command.ExitUsage, code, words)
		require.Contains(t, stderr, "--yes is missing, must be given without a terminal: Delete ")
	}
	require.True(t, there())

	asked := func(answer, words string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), line(words), command.Console{Stdin: strings.NewReader(answer), Stdout: &stdout, Stderr: &stderr, Asks: true})
		return code, stderr.String()
	}
	for _, no := range []string{"\n", "n\n", "", "yesterday\n"} {
		code, stderr := asked(no, "job remove 1")
		require.Equal(t, command.ExitFail, code)
		require.Equal(t, `Delete job 1, "nightly", and the log of its runs? [y/N] xxlwheel: not confirmed, nothing was done`+"\n", stderr)
		require.True(t, there())
	}
	code, stderr := asked("y\n", "run clear --older-than 30d --job 1 --keep 5")
	require.Equal(t, command.ExitFail, code, "this API was made without a purger")
	require.Contains(t, stderr, "selected: 0\n")
	require.Contains(t, stderr, "Delete all runs that have ended of job 1 triggered more than 720h0m0s ago, except the newest 5?")
	code, _ = asked("Yes\n", "job remove 1")
	require.Zero(t, code)
	require.False(t, there())
	code, stderr = asked("", "group remove 1 --yes")
	require.Zero(t, code)
	require.Empty(t, stderr)
}
