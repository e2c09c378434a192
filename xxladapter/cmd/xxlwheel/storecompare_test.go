package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestStoreCompare compares a store while a scheduler runs, and again when no process uses it.
func TestStoreCompare(t *testing.T) {
	t.Parallel()
	tables, redis := testserver.Postgres(t), testserver.Redis(t)
	serve, server := serveAt(t, tables, "--redis", redis)
	mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "often", "--handler", "demoJobHandler", "--fixed-rate", "1s", "--start")
	testserver.Eventually(t, 30*time.Second, "a run", func() bool { return len(listedRuns(t, server)) >= 1 })
	compare := func() {
		t.Helper()
		require.Regexp(t, `^\d+ fires, \d+ jobs and \d+ runs are equal in Redis and in the tables$`,
			mustCLI(t, "store", "compare", "--store", tables, "--redis", redis))
	}
	compare()
	before := len(listedRuns(t, server))
	testserver.Eventually(t, 30*time.Second, "the schedule continues", func() bool {
		return len(listedRuns(t, server)) > before
	})
	require.Zero(t, serve.terminate())
	compare()
}

// TestACompareThatTakesLongSaysSo compares with servers that accept calls and do not answer.
func TestACompareThatTakesLongSaysSo(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var stderr bytes.Buffer
	args := []string{
		"store", "compare", "--store", "postgres://" + silent.Addr().String() + "/d",
		"--redis", "redis://" + silent.Addr().String() + "/0",
	}
	code := run(ctx, args, command.Console{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr, Asks: true})
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr.String(), "\rcomparing, 1s\x1b[K")
}
