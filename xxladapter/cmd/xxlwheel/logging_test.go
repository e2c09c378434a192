package main

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestACleanEndIsLogged checks that the end is logged in the requested format, and only if the
// level includes it.
func TestACleanEndIsLogged(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.db"
	serve, server := serveOn(t, file, "--log-format", "json")
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(), "--log-format", "json")
	theirs.line("accepts runs at")
	for _, p := range []*process{theirs, serve} {
		require.Zero(t, p.terminate())
		lines := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		var last struct{ Level, Msg string }
		for _, line := range lines {
			require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		}
		require.Equal(t, struct{ Level, Msg string }{"INFO", "stopped"}, last)
	}
	quiet, _ := serveOn(t, file, "--log-level", "warn")
	require.Zero(t, quiet.terminate())
	require.Empty(t, quiet.stderr.String())
	plain, _ := serveOn(t, file)
	require.Zero(t, plain.terminate())
	require.Contains(t, plain.stderr.String(), "level=INFO msg=stopped\n")
}

// TestAStopWhileAStoreIsOpenedIsAnEnd stops a scheduler that waits for a database that does not
// answer.
func TestAStopWhileAStoreIsOpenedIsAnEnd(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "postgres://u@"+silent.Addr().String()+"/d")
	conn, err := silent.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.Zero(t, serve.terminate())
	require.Contains(t, serve.stderr.String(), "level=INFO msg=stopped\n")
}
