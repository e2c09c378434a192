package main

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
)

// apiServer serves the API alone, without a scheduler, until the test ends. No executor may report
// a result to it.
func apiServer(t *testing.T, opts admin.Options) *httptest.Server {
	t.Helper()
	opts.Completer = struct{ admin.Completer }{}
	api, err := admin.New(opts)
	require.NoError(t, err)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return server
}
