package node

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const listenersToken = "0123456789012345678901234567890123456789"

// TestFiftyListenersAskLittle lets fifty clients listen to the events of an idle node for an hour,
// in which each has to connect again several times. All of them together and the node cost a
// database at most ten statements a second, in the first minute, in the last one, and in between.
func TestFiftyListenersAskLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const listeners = 50
		m := metrics.New()
		n, err := New(Options{
			Store: memstore.New(time.Now), Metrics: m, OperatorTokens: []string{listenersToken},
			Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		ln := testserver.NewPipes()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx, ln) }()

		client := &http.Client{Transport: &http.Transport{DialContext: ln.Dial}}
		var clients sync.WaitGroup
		connected := make([]int, listeners)
		for i := range listeners {
			clients.Go(func() {
				for ctx.Err() == nil {
					if listen(ctx, client) {
						connected[i]++
					}
				}
			})
		}
		var before int
		for _, lasts := range []time.Duration{time.Minute, time.Hour - 2*time.Minute, time.Minute} {
			time.Sleep(lasts) // in the bubble's own time
			now := statements(storeCalls(t, m))
			rate := float64(now-before) / lasts.Seconds()
			t.Logf("%.2f statements/s in %v", rate, lasts)
			require.LessOrEqual(t, rate, 10.0)
			before = now
		}
		stop()
		clients.Wait()
		require.NoError(t, <-ended)
		client.CloseIdleConnections()
		for _, n := range connected {
			require.GreaterOrEqual(t, n, 4, "streams were not connected again")
		}
		for op, calls := range storeCalls(t, m) {
			t.Logf("%6d %s", calls, op)
		}
	})
}

// listen reads one stream of events to its end, and reports whether there was one.
func listen(ctx context.Context, client *http.Client) bool {
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:8080/api/v1/events", nil)
	if err != nil {
		return false
	}
	call.Header.Set("Authorization", "Bearer "+listenersToken)
	answer, err := client.Do(call)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // ends with the stream, or with ctx
	return answer.StatusCode == http.StatusOK
}
