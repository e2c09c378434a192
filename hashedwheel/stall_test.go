package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The watch continues while a batch is running, also when a poll finds the worker between two
// tasks, where it may have been preempted.
func TestWatchLooksAgainBetweenTasks(t *testing.T) {
	w := newTestTimer(t, Options{})
	worker := byHand(w)
	watched := func() bool {
		w.watch.Stop()
		w.checkStall()
		return w.watch.Stop()
	}
	inside := 0
	for range 3 {
		w.AfterFunc(0, func() {
			require.True(t, watched(), "inside a task")
			inside++
		})
	}
	require.False(t, watched(), "nothing is in progress")
	w.take(laneTimeouts, &w.timeouts)
	w.transfer(&w.timeouts, 10)
	batch, _ := w.wheel.Collect(1, worker.room[:0])
	worker.tick = 1
	worker.begin(batch, nil)
	require.True(t, watched(), "before the first task")
	require.True(t, worker.finishBatch())
	require.Equal(t, 3, inside)
	require.True(t, watched(), "between two batches")
	w.relax()
	require.False(t, watched(), "all is done")

	mustNew(t, w, tellFunc(func(*Timeout) { require.True(t, watched()) }), time.Hour).Cancel()
	worker.pass(3)
	require.False(t, watched(), "all is told")
}

// Tasks that block one after the other hold the others up for less and less each.
func TestManyBlockingTasksDoNotAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 100 * time.Millisecond})
		start := time.Now()
		for range 64 {
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(time.Hour) }), time.Second)
		}
		var late time.Duration
		mustNew(t, w, TaskFunc(func(*Timeout) { late = time.Since(start) - 1100*time.Millisecond }), 1100*time.Millisecond)
		time.Sleep(time.Minute)
		synctest.Wait()
		// The watch and the worker run at the same instants, in either order.
		require.Less(t, late, 2*100*time.Millisecond+64*2*time.Millisecond)
		require.EqualValues(t, 64, w.Stats().HandOvers)

		// Later the watch is as patient as before.
		before := w.Stats().HandOvers
		time.Sleep(time.Minute)
		for range 20 {
			mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(90 * time.Millisecond) }), 0)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, before, w.Stats().HandOvers, "tasks shorter than a tick keep their worker")
	})
}

// Calls of Cancelled that follow each other are not taken for one that does not end.
func TestCallsOfCancelledAreNotOneStalledTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		told := 0
		var all []*Timeout
		for range 1000 {
			all = append(all, mustNew(t, w, tellFunc(func(*Timeout) { told++; time.Sleep(time.Millisecond) }), time.Hour))
		}
		time.Sleep(time.Second)
		for _, x := range all {
			x.Cancel()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 1000, told)
		s := w.Stats()
		require.Zero(t, s.HandOvers)
		require.Zero(t, s.Fired)
		require.Zero(t, s.Pending)
	})
}
