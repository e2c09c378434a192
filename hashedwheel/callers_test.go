package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A timeout that is stopped right after its start leaves nothing in the queue, and yet keeps the
// worker up for the next.
func TestCancelTakesBackWhatWasJustStarted(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	for range 3 * segmentLen {
		x := w.AfterFunc(time.Hour, func() {})
		require.EqualValues(t, 1, w.Stats().Queued)
		require.True(t, x.Cancel())
		require.True(t, x.IsCancelled())
		require.False(t, x.Cancel())
	}
	s := w.Stats()
	require.Zero(t, s.Queued)
	require.Zero(t, s.Pending)
	require.EqualValues(t, 3*segmentLen, s.Started)
	require.EqualValues(t, 3*segmentLen, s.Cancelled)
	st := w.intake.pick()
	segment := st.mu.timeouts.first
	require.NotNil(t, segment)
	require.Zero(t, segment.entries, "the collector sees what was cancelled")

	worker.pass(5)
	require.EqualValues(t, 5, w.active)
	worker.pass(6)
	require.EqualValues(t, 5, w.active)
	require.Same(t, segment, st.mu.timeouts.first)
}

// A timeout that is reset again and again with the same delay is left to the worker at its second
// reset in a tick, and its word does not change until the worker has taken it.
func TestResetsOfOneTickAreLeftToTheWorker(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	const delay = time.Hour
	x := w.AfterFunc(delay, func() {})
	worker.pass(w.clock.floor(w.clock.now()))
	require.EqualValues(t, armed|linked, x.load()&(phaseMask|linked|queued))

	w.clock.hand.Store(0) // the worker is late, so that all that follows is in one tick for callers
	require.True(t, x.Reset(delay))
	require.EqualValues(t, relative|linked|queued, x.load()&(phaseMask|linked|queued))
	word := x.load()
	for range 100 {
		require.True(t, x.Reset(delay))
	}
	require.Equal(t, word, x.load())
	require.EqualValues(t, 1, w.Stats().Queued)

	before := w.clock.now()
	worker.pass(w.clock.floor(before))
	require.EqualValues(t, armed|linked, x.load()&(phaseMask|linked|queued))
	require.GreaterOrEqual(t, w.clock.deadline(x.load()), before+int64(delay), "counted from the worker's reading")

	w.clock.hand.Store(w.clock.floor(w.clock.now()) + 1) // a tick later
	require.True(t, x.Reset(delay))
	require.EqualValues(t, armed|linked, x.load()&(phaseMask|linked|queued), "the first of a tick reads the clock")
	require.True(t, x.Reset(delay-time.Minute))
	require.EqualValues(t, relative|linked|queued, x.load()&(phaseMask|linked|queued), "a nearer deadline is pushed anyway")
}

// Only the newest of a queue is taken back; the worker sees to the others.
func TestCancelTakesBackTheNewestOnly(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	fired := 0
	start := func() *Timeout { return w.AfterFunc(0, func() { fired++ }) }
	a, b, c, d := start(), start(), start(), start()
	require.True(t, b.Cancel())
	require.EqualValues(t, 4, w.Stats().Queued)
	require.True(t, d.Cancel())
	require.EqualValues(t, 3, w.Stats().Queued)
	require.True(t, c.Cancel())
	require.EqualValues(t, 2, w.Stats().Queued)
	require.EqualValues(t, 1, w.PendingTimeouts())
	require.False(t, d.Reset(0), "was cancelled")
	require.EqualValues(t, 3, w.Stats().Queued)
	worker.pass(2)
	require.Equal(t, 2, fired)
	require.True(t, a.IsExpired())
	require.True(t, d.IsExpired())
	require.Zero(t, w.PendingTimeouts())
}

// A timeout that is armed again and again stays in its queue.
func TestCancelLeavesWhatIsArmedAgainInItsQueue(t *testing.T) {
	w := newTestTimer(t, Options{})
	byHand(w)
	x := w.AfterFunc(time.Hour, func() {})
	x.Reset(2 * time.Hour)
	for range 3 {
		require.True(t, x.Cancel())
		require.EqualValues(t, 1, w.Stats().Queued)
		require.False(t, x.Reset(time.Hour))
	}
	require.EqualValues(t, 1, w.PendingTimeouts())
}

// What is due fires in between when a burst is filed.
func TestBurstDoesNotHoldUpWhatIsDue(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	worker := byHand(w)
	var waiting []int64
	for range 3 {
		w.AfterFunc(0, func() { waiting = append(waiting, w.Stats().Queued) })
	}
	const burst = 20_000
	for range burst {
		w.AfterFunc(time.Hour, func() {})
	}
	worker.pass(1)
	require.Len(t, waiting, 3)
	for _, n := range waiting {
		require.EqualValues(t, 3+burst-transfersPerCheck, n)
	}
	require.Zero(t, w.Stats().Queued)
	require.EqualValues(t, burst, w.Stats().Pending)
}
