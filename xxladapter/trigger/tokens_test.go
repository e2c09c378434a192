package trigger

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestTheTimeOfAnExecutorBeginsWithTheToken has a store that takes longer for the token of a group
// than an executor may take for its answer.
func TestTheTimeOfAnExecutorBeginsWithTheToken(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	exec := newBatchExecutor(t)
	exec.release()
	c := client(t, ClientOptions{Timeout: timeout, Sent: func(_ context.Context, _, appName string) (string, string) {
		time.Sleep(timeout + 100*time.Millisecond) // the executor is real, and so is its time
		return appName, "token"
	}})
	reply, err := c.Run(t.Context(), exec.URL, "some-app", &wire.RunRequest{JobID: 7, LogID: 1, Handler: "h"})
	require.NoError(t, err)
	require.Equal(t, wire.CodeOK, reply.Code)
	replies, err := c.runBatch(t.Context(), executorKey{exec.URL, "some-app"}, []byte(`[{"jobId":7,"logId":2,"executorHandler":"h"}]`))
	require.NoError(t, err)
	require.Equal(t, wire.CodeOK, replies[2].Code)
}
