package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestNoPortIsReadUnderAnotherName checks that every port that requires no token answers only under
// its own names.
func TestNoPortIsReadUnderAnotherName(t *testing.T) {
	port, metricsPort := testserver.FreePort(t), testserver.FreePort(t)
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:"+port, "--metrics-listen", "127.0.0.1:"+metricsPort,
		"--store", "sqlite:"+t.TempDir()+"/x.db", "--allow-host", "jobs.example.org")
	serve.line("serves on")
	for _, url := range []string{"http://127.0.0.1:" + port + "/api/v1/jobs", "http://127.0.0.1:" + port + "/metrics", "http://127.0.0.1:" + metricsPort + "/metrics"} {
		for host, want := range map[string]int{
			"evil.example": http.StatusForbidden, "": http.StatusOK, "localhost": http.StatusOK, "jobs.example.org:443": http.StatusOK,
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			require.NoError(t, err)
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, want, resp.StatusCode, "%s as %q", url, host)
		}
	}
}
