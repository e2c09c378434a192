package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
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

// A silentPerson interrupts the command when it reads an answer, and never answers.
type silentPerson struct {
	interrupt func()
	gone      <-chan struct{}
}

func (p silentPerson) Read([]byte) (int, error) {
	p.interrupt()
	<-p.gone
	return 0, io.EOF
}

// TestAnInterruptEndsTheReading checks that a question and a file on standard input do not outlive
// an interrupt.
func TestAnInterruptEndsTheReading(t *testing.T) {
	store := memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store})
	mustCLI(t, "job", "add", "--app", "some-app", "--name", "n", "--handler", "h", "--server", server.URL)
	for words, want := range map[string]string{
		"job remove 1":     "[y/N] \nxxlwheel: not confirmed, nothing was done\n",
		"apply -f -":       "xxlwheel: read standard input: context canceled\n",
		"calendar set x -": "xxlwheel: read standard input: context canceled\n",
		"job glue save 1 --file - --remark again":   "xxlwheel: read standard input: context canceled\n",
		"group update 1 --title x --if-unchanged -": "xxlwheel: read standard input: context canceled\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr testserver.Output
		ended := make(chan int, 1)
		go func() { // the test waits for its code
			ended <- run(ctx, append(strings.Fields(words), "--server", server.URL), command.Console{
				Stdin: silentPerson{cancel, t.Context().Done()}, Stdout: io.Discard, Stderr: &stderr, Asks: true,
			})
		}()
		select {
		case code := <-ended:
			require.Equal(t, command.ExitFail, code, words)
			require.Contains(t, stderr.String(), want, words)
		case <-time.After(20 * time.Second):
			t.Fatalf("%s still reads", words)
		}
	}
	_, err := store.Job(t.Context(), 1)
	require.NoError(t, err)
}
