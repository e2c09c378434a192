package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One pass transfers at most 100000 timeouts, Netty's number, and keeps the order.
func TestTransferIsBounded(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	const extra = 7
	all := make([]Timeout, 100_000+extra)
	st := w.intake.pick()
	for i := range all {
		w.Init(&all[i], noTask)
		all[i].word.Store(uint64(w.clock.due(0, time.Hour) | armed | queued))
		st.mu.Lock()
		st.pushLocked(laneTimeouts, &all[i])
		st.mu.Unlock()
	}
	worker.pass(1)
	require.Equal(t, extra, w.timeouts.n)
	require.NotZero(t, all[99_999].load()&linked)
	require.Zero(t, all[100_000].load()&linked)
	require.EqualValues(t, extra, w.Stats().Queued)
	worker.pass(1)
	require.Zero(t, w.Stats().Queued)
	require.NotZero(t, all[100_000].load()&linked)
}
