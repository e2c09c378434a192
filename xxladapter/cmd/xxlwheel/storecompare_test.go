package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
