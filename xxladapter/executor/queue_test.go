package executor

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestARestartedExecutorAsksForWhatItHadBegun has three open runs in its journal, of which the
// schedulers have given the second one away.
func TestARestartedExecutorAsksForWhatItHadBegun(t *testing.T) {
	opts, err := Options{Queue: "nats://127.0.0.1:1", AppName: "orders", DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}.withDefaults()
	require.NoError(t, err)
	j, err := openJournal(opts.DataDir, opts)
	require.NoError(t, err)
	defer j.close()
	for id := range int64(3) {
		b, err := j.accept(id+1, 1, 1, time.Now())
		require.NoError(t, err)
		require.NoError(t, b.wait())
	}
	e := &Executor{opts: opts, addr: "nats://orders/a"}
	calls := 0
	a := newAdmins(&e.opts)
	a.report = func(_ context.Context, op string, _ http.Header, body []byte) ([]byte, error) {
		if calls++; calls == 1 {
			return nil, context.DeadlineExceeded // it asks again
		}
		require.Equal(t, wire.OpAccept, op)
		require.JSONEq(t, `[{"logId":1,"address":"nats://orders/a"},{"logId":2,"address":"nats://orders/a"},{"logId":3,"address":"nats://orders/a"}]`, string(body))
		return json.Marshal(wire.OK().WithPayload([]bool{true, false, true}))
	}
	in := &intake{e: e, l: &live{journal: j}, admins: a}
	require.True(t, in.askForUnfinished(t.Context()))
	require.Empty(t, j.unfinished())
	results := j.oldest(10)
	require.Len(t, results, 2, "the second run is somebody else's")
	for i, id := range []int64{1, 3} {
		require.Equal(t, id, results[i].logID)
		require.Equal(t, msgRestarted, results[i].msg)
	}
}
