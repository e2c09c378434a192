package hashedwheel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A stormed is a timeout that many goroutines fight over. Every successful arming ends in one run
// or one successful cancellation, so armed must be ran plus cancelled.
type stormed struct {
	Timeout
	armed, ran, cancelled atomic.Int64
	told                  atomic.Int64
}

func (s *stormed) Run(*Timeout)       { s.ran.Add(1) }
func (s *stormed) Cancelled(*Timeout) { s.told.Add(1) }

// TestStorm arms, resets and cancels the same timeouts from many goroutines until enough others
// have fired beside them, waits until nothing is pending, and stops the timer. It runs in real
// time, because it looks for races on real processors.
func TestStorm(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		for _, layered := range []bool{false, true} {
			t.Run(fmt.Sprintf("procs=%d/layered=%t", procs, layered), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				storm(t, layered)
			})
		}
	}
}

func storm(t *testing.T, layered bool) {
	w, err := New(Options{TickDuration: time.Millisecond, TicksPerWheel: 8, Layered: layered})
	require.NoError(t, err)
	w.leastRelative = 2 * time.Millisecond // so that most delays are left to the worker
	all := make([]stormed, 200)
	for i := range all {
		w.Init(&all[i].Timeout, &all[i])
	}
	var wg sync.WaitGroup
	var fresh, freshRan, freshCancelled atomic.Int64
	for g := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for calls := 0; calls < 2000 || freshRan.Load() < 500; calls++ {
				s := &all[rng.IntN(len(all))]
				delay := time.Duration(rng.IntN(20_000)) * time.Microsecond
				switch rng.IntN(5) {
				case 0, 1:
					if !s.Reset(delay) && !w.clock.halting.Load() {
						s.armed.Add(1)
					}
				case 2:
					if s.Stop() {
						s.cancelled.Add(1)
					}
				case 3:
					due := time.Now().Add(delay)
					x, err := w.NewTimeout(TaskFunc(func(*Timeout) {
						if time.Now().Before(due) {
							t.Error("fired early")
						}
						freshRan.Add(1)
					}), delay)
					if err == nil {
						fresh.Add(1)
						if rng.IntN(2) == 0 && x.Cancel() {
							freshCancelled.Add(1)
						}
					}
				case 4:
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
	// Everything is due within 20ms, and fires when the machine finds the time.
	settles(t, func() bool { return w.PendingTimeouts() == 0 })
	unprocessed, err := w.Stop() // waits for the last tasks
	require.NoError(t, err)
	require.Empty(t, unprocessed)
	for i := range all {
		s := &all[i]
		require.False(t, s.load().pending(), "timeout %d of state %v never fired", i, s.load())
		require.Equal(t, s.armed.Load(), s.ran.Load()+s.cancelled.Load(), "timeout %d", i)
		require.Equal(t, s.cancelled.Load(), s.told.Load(), "timeout %d: notified of its cancellations", i)
	}
	require.Equal(t, fresh.Load(), freshRan.Load()+freshCancelled.Load())
	require.Zero(t, w.PendingTimeouts())
	require.Zero(t, w.wheel.Size())
}

// TestStopRacesWithNewTimeout stops a timer while goroutines add to it. In a third of the rounds a
// task must have run before. Every timeout that was accepted ran, was cancelled or is returned,
// exactly once.
func TestStopRacesWithNewTimeout(t *testing.T) {
	for round := range 24 {
		w, err := New(Options{TickDuration: time.Millisecond, Layered: round%2 == 0})
		require.NoError(t, err)
		if round%4 < 2 {
			w.leastRelative = time.Millisecond
		}
		var accepted, ran, cancelled, told atomic.Int64
		var mu sync.Mutex
		handles := map[*Timeout]bool{}
		middle := make(chan struct{})
		isMiddle := sync.OnceFunc(func() { close(middle) })
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				var own Timeout
				w.Init(&own, &counted{&ran, &told})
				for i := 0; ; i++ {
					if accepted.Load() >= 2000 && (round%3 != 0 || ran.Load() > 0) {
						isMiddle()
					}
					runtime.Gosched() // else the worker waits long for a processor
					delay := time.Duration(i%5) * time.Millisecond
					if g%2 == 0 {
						x, err := w.NewTimeout(&counted{&ran, &told}, delay)
						if err != nil {
							if !errors.Is(err, ErrStopped) {
								t.Error(err)
							}
							return
						}
						accepted.Add(1)
						mu.Lock()
						handles[x] = true
						mu.Unlock()
						if i%3 == 0 && x.Cancel() {
							cancelled.Add(1)
						}
						continue
					}
					was := own.Reset(delay)
					if own.IsCancelled() && w.life.Load() == stopped {
						return // refused, or returned by Stop at once; accepted need not be exact
					}
					if !was {
						accepted.Add(1)
					}
					if i%3 == 0 && own.Stop() {
						cancelled.Add(1)
					}
				}
			})
		}
		<-middle
		unprocessed, err := w.Stop()
		require.NoError(t, err)
		wg.Wait()
		seen := map[*Timeout]bool{}
		for _, x := range unprocessed {
			require.False(t, seen[x], "returned twice")
			seen[x] = true
			require.True(t, x.IsCancelled())
		}
		for x := range handles {
			require.False(t, x.load().pending(), "neither run nor cancelled nor returned")
			if x.IsCancelled() && !seen[x] {
				continue // by its own goroutine
			}
			require.True(t, x.IsExpired() || seen[x])
		}
		require.Zero(t, w.PendingTimeouts())
		s := w.Stats()
		require.Equal(t, s.Started, s.Fired+s.Cancelled)
		require.Equal(t, ran.Load(), s.Fired)
		require.Equal(t, told.Load(), s.Cancelled, "Cancelled is called once for each cancellation")
		require.Equal(t, cancelled.Load()+int64(len(unprocessed)), s.Cancelled, "by a caller, or returned")
	}
}

// counted counts runs and cancellations.
type counted struct{ ran, told *atomic.Int64 }

func (c *counted) Run(*Timeout)       { c.ran.Add(1) }
func (c *counted) Cancelled(*Timeout) { c.told.Add(1) }
