package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestServeOverTLS checks that scheduler, executor and command line speak TLS with a private
// certificate authority.
func TestServeOverTLS(t *testing.T) {
	cert, key := testserver.Certificate(t)
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db",
		"--tls-cert", cert, "--tls-key", key, "--tls-ca", cert)
	_, rest, _ := strings.Cut(serve.line("serves on https://"), "serves on ")
	server, _, _ := strings.Cut(rest, ",")
	executor := start(t, "xxlwheel", "executor", "--admin", server, "--app", "tls-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(),
		"--tls-cert", cert, "--tls-key", key, "--tls-ca", cert)
	executor.line("accepts runs at https://")
	id := strings.TrimSpace(mustCLI(t, "job", "--server", server, "--tls-ca", cert, "add", "--name", "n", "--app", "tls-app", "--handler", "demoJobHandler"))
	require.Equal(t, "1", id)
}
