package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A tracedRun is what a collector got of one trace: the names of its spans, and of the services
// that sent them.
type tracedRun struct{ spans, services map[string]bool }

// collect starts a collector, and returns its address and what it got so far: traces by id, and the
// paths of all requests.
func collect(t *testing.T) (url string, got func() (map[string]tracedRun, map[string]bool)) {
	t.Helper()
	var mu sync.Mutex // guards the maps
	runs, paths := map[string]tracedRun{}, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths[r.URL.Path] = true
		if r.URL.Path != "/v1/traces" {
			return
		}
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			zipped, err := gzip.NewReader(body)
			if !assert.NoError(t, err) {
				return
			}
			body = zipped
		}
		data, err := io.ReadAll(body)
		assert.NoError(t, err)
		var m traces.ExportTraceServiceRequest
		assert.NoError(t, proto.Unmarshal(data, &m))
		for _, rs := range m.ResourceSpans {
			service := ""
			for _, a := range rs.Resource.Attributes {
				if a.Key == "service.name" {
					service = a.Value.GetStringValue()
				}
			}
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					id := string(s.TraceId)
					if runs[id].spans == nil {
						runs[id] = tracedRun{map[string]bool{}, map[string]bool{}}
					}
					runs[id].spans[s.Name], runs[id].services[service] = true, true
				}
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() (map[string]tracedRun, map[string]bool) {
		mu.Lock()
		defer mu.Unlock()
		return runs, paths
	}
}

// TestTelemetryOfTwoProcesses runs a job from one process in another: both parts are one trace.
func TestTelemetryOfTwoProcesses(t *testing.T) {
	collector, got := collect(t)
	serve, server := serveOn(t, filepath.Join(t.TempDir(), "x.db"), "--access-token", "s3cret", "--otlp-endpoint", collector)
	executor := start(t, "xxlwheel", "executor", "--admin", server, "--listen", "127.0.0.1:0", "--app", "orders",
		"--access-token", "s3cret", "--data-dir", t.TempDir(), "--otlp-endpoint", collector)
	executor.line("accepts runs at")
	with := func(words ...string) string {
		return mustCLI(t, append(words, "--server", server, "--access-token", "s3cret")...)
	}
	require.Equal(t, "1", with("job", "add", "--app", "orders", "--name", "closing", "--handler", "demoJobHandler"))
	testserver.Eventually(t, 30*time.Second, "the executor is known", func() bool {
		return strings.Contains(with("group", "list"), "127.0.0.1")
	})
	with("job", "trigger", "1")
	testserver.Eventually(t, 60*time.Second, "the run succeeds", func() bool {
		return strings.Contains(with("run", "list", "--job", "1"), "SUCCESS")
	})
	require.Zero(t, executor.terminate()) // both send the rest when they end
	require.Zero(t, serve.terminate())

	runs, paths := got()
	require.Len(t, runs, 1)
	for _, run := range runs {
		require.Equal(t, map[string]bool{"fire closing": true, "wait": true, "send": true, "result": true, "run demoJobHandler": true}, run.spans)
		require.Equal(t, map[string]bool{"xxlwheel": true, "orders": true}, run.services)
	}
	for _, path := range []string{"/v1/traces", "/v1/metrics", "/v1/logs"} {
		require.True(t, paths[path], path)
	}
}

func TestWrongTelemetryIsOneLine(t *testing.T) {
	for _, words := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "x.db")},
		{"executor", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir()},
	} {
		for flag, want := range map[string]string{
			"--otlp-endpoint=127.0.0.1:4318":        `--otlp-endpoint is "127.0.0.1:4318", must be an http or https URL such as http://127.0.0.1:4318, without user, query and fragment`,
			"--otlp-endpoint=grpc://127.0.0.1:4317": `--otlp-endpoint is "grpc://127.0.0.1:4317", must be an http or https URL such as http://127.0.0.1:4318, without user, query and fragment`,
			"--otlp-sample=2":                       `--otlp-sample is 2, must be from 0 to 1`,
		} {
			code, _, stderr := cli(t, append(words, flag)...)
			require.Equal(t, command.ExitUsage, code, flag)
			require.Equal(t, "xxlwheel: "+want+"\n", stderr)
		}
	}
}
