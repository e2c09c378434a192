package hashedwheel

import (
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick = 100 * time.Millisecond
		w := newTestTimer(t, Options{TickDuration: tick})
		require.NoError(t, w.Start())
		time.Sleep(33 * time.Millisecond)
		unit := time.Duration(1) << w.clock.slackShift
		near := func(want, due time.Time) {
			t.Helper()
			require.GreaterOrEqual(t, due.Sub(want), time.Duration(0))
			require.Less(t, due.Sub(want), unit)
		}
		var x Timeout
		require.Zero(t, x.Due(), "before Init")
		w.Init(&x, noTask)
		require.Zero(t, x.Due(), "never armed")
		for _, delay := range []time.Duration{0, 1, tick, time.Second + 1, time.Hour, 1000 * time.Hour} {
			x.Reset(delay)
			near(time.Now().Add(delay), x.Due())
		}
		time.Sleep(2 * time.Second)
		x.Reset(time.Minute)
		near(time.Now().Add(time.Minute), x.Due())
		x.Reset(-time.Hour)
		near(time.Now(), x.Due())
		for _, delay := range []time.Duration{32 * tick, time.Hour} { // left to the worker, because it is awake
			awake := mustNew(t, w, noTask, tick)
			time.Sleep(2 * tick)
			require.True(t, awake.IsExpired())
			var far Timeout
			w.Init(&far, noTask)
			far.Reset(delay)
			require.Equal(t, relative, far.load().phase())
			near(time.Now().Add(delay), far.Due())
			called := time.Now()
			time.Sleep(2 * tick)
			require.NotEqual(t, relative, far.load().phase())
			require.Equal(t, called.Add(67*time.Millisecond+delay), far.Due(), "from the worker's next reading on")
		}
		x.Reset(math.MaxInt64)
		require.GreaterOrEqual(t, x.Due().Year(), 2262)
		x.Cancel()
		require.Zero(t, x.Due(), "cancelled")
		x.Reset(0)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Zero(t, x.Due(), "fired")

		start := time.Now()
		var inside time.Time
		var self atomic.Pointer[Timeout]
		p := w.Every(time.Second, func() { inside = self.Load().Due() })
		self.Store(p)
		near(start.Add(time.Second), p.Due())
		time.Sleep(1500 * time.Millisecond)
		near(start.Add(2*time.Second), p.Due())
		near(start.Add(time.Second), inside)
		_, err := w.Stop()
		require.NoError(t, err)
		require.Zero(t, p.Due())
	})
}

// TestUnarmedIsNotSilent checks that refusals which no return value reports are all counted, and
// that the first of them is logged.
func TestUnarmedIsNotSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logCount
		w := newTestTimer(t, Options{MaxPendingTimeouts: 1, Logger: log.logger()})
		mustNew(t, w, noTask, time.Hour)
		for range 10 {
			require.True(t, w.AfterFunc(time.Second, func() {}).IsCancelled())
			require.True(t, w.Every(time.Second, func() {}).IsCancelled())
			require.True(t, w.EveryDelay(time.Second, func() {}).IsCancelled())
		}
		require.EqualValues(t, 30, w.Stats().Unarmed)
		require.EqualValues(t, 1, log.n.Load())
		_, err := w.NewTimeout(noTask, time.Second)
		require.ErrorIs(t, err, ErrTooManyPending)
		idle, err := w.NewIdle(time.Second, func(*IdleMember) {})
		require.NoError(t, err)
		require.ErrorIs(t, idle.Add(new(IdleMember)), ErrTooManyPending)
		require.EqualValues(t, 30, w.Stats().Unarmed, "these return an error")
		_, err = w.Stop()
		require.NoError(t, err)
		time.Sleep(logPause)
		w.AfterFunc(time.Second, func() {})
		require.EqualValues(t, 31, w.Stats().Unarmed)
		require.EqualValues(t, 2, log.n.Load())
	})
}

// With ticks of a month, 32 of them are longer than any delay that the state of a timeout can hold.
func TestDelaysOfYearsWithTicksOfMonths(t *testing.T) {
	const day = 24 * time.Hour
	for _, tick := range []time.Duration{26 * day, 30 * day, 4000 * day} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestTimer(t, Options{TickDuration: tick, TicksPerWheel: 16})
			var all []*Timeout
			delays := []time.Duration{1, day, 100 * day, 832 * day, 1000 * day, 9000 * day}
			for _, delay := range delays {
				all = append(all, mustNew(t, w, noTask, delay))
			}
			var passed time.Duration
			for i, delay := range delays {
				time.Sleep(delay - passed - 1)
				synctest.Wait()
				require.False(t, all[i].IsExpired(), "a delay of %v with a tick of %v", delay, tick)
				passed = delay - 1
			}
			time.Sleep(2 * tick)
			synctest.Wait()
			for i, x := range all {
				require.True(t, x.IsExpired(), "a delay of %v with a tick of %v", delays[i], tick)
			}
		})
	}
}
