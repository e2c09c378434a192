package trigger

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger/internal/post"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestTheTimeOfAnExecutorBeginsWithTheToken has Sent take an hour for the token, and an executor
// that answers a nanosecond before its time is over, then one after.
func TestTheTimeOfAnExecutorBeginsWithTheToken(t *testing.T) {
	const timeout = time.Second
	synctest.Test(t, func(t *testing.T) {
		c := client(t, ClientOptions{Timeout: timeout, Sent: func(_ context.Context, _, appName string) (string, string) {
			time.Sleep(time.Hour)
			return appName, "token"
		}})
		var takes time.Duration
		exec := &batchExecutor{entered: make(chan string, 4), hold: make(chan struct{})}
		close(exec.hold)
		served := testserver.NewPipes()
		server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(takes)
			exec.ServeHTTP(w, r)
		})}
		go func() { _ = server.Serve(served) }() // it returns when the test closes it
		defer func() { require.NoError(t, server.Close()) }()
		c.http = post.New(post.Options{
			Dial: served.Dial, IdleFor: time.Minute, MaxBody: wire.MaxBody,
		})

		const address = "http://executor.example"
		alone := func() error {
			reply, err := c.Run(t.Context(), address, "some-app", &wire.RunRequest{JobID: 7, LogID: 1, Handler: "h"})
			if err == nil {
				require.Equal(t, wire.CodeOK, reply.Code)
			}
			return err
		}
		batch := func() error {
			replies, err := c.runBatch(t.Context(), executorKey{address, "some-app"}, []byte(`[{"jobId":7,"logId":2,"executorHandler":"h"}]`))
			if err == nil {
				require.Equal(t, wire.CodeOK, replies[2].Code)
			}
			return err
		}
		for name, run := range map[string]func() error{"alone": alone, "batch": batch} {
			takes = timeout - 1
			require.NoError(t, run(), name)
			takes = timeout + 1
			require.ErrorIs(t, run(), ErrOutcomeUnknown, name)
			time.Sleep(timeout)
			synctest.Wait() // until the executor's handler has returned
		}
	})
}
