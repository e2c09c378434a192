package admin

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A waitingStore waits for the end of a call that reads a job or registers an executor, after it
// has called begun.
type waitingStore struct {
	Store
	begun func()
}

func (s waitingStore) Job(ctx context.Context, _ int64) (*xxladapter.Job, error) {
	s.begun()
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s waitingStore) Register(ctx context.Context, _, _ string) error {
	s.begun()
	<-ctx.Done()
	return ctx.Err()
}

// TestACallerThatLeavesIsNoError has callers leave while the store is at work.
func TestACallerThatLeavesIsNoError(t *testing.T) {
	for name, call := range map[string]struct{ method, path, body string }{
		"an operator": {"GET", "/api/v1/jobs/1", ""},
		"an executor": {
			"POST", "/api/registry",
			`{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			var logged bytes.Buffer
			s := unservedSite(t, func(o *Options) {
				o.Store = waitingStore{o.Store, leave}
				o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
			})
			r := httptest.NewRequestWithContext(ctx, call.method, "http://127.0.0.1"+call.path, strings.NewReader(call.body))
			r.Header.Set("Authorization", "Bearer "+testToken)
			r.Header.Set(wire.HeaderToken, testToken)
			s.server.ServeHTTP(httptest.NewRecorder(), r)
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			require.Contains(t, logged.String(), "level=INFO msg=\"")
			require.Contains(t, logged.String(), "call broken off")
			require.NotContains(t, logged.String(), "level=ERROR")
			require.Equal(t, 1, strings.Count(logged.String(), "\n"), logged.String())
		})
	}
}
