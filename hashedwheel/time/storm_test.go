package time_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	standard "time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// late is an Executor that runs its tasks on goroutines and delays some of them until after the
// caller has stopped or reset the timer.
type late struct{}

func (late) Execute(run func()) error {
	go func() {
		if rand.IntN(4) == 0 {
			standard.Sleep(standard.Duration(rand.IntN(3000)) * standard.Microsecond) // the delay under test
		}
		run()
	}()
	return nil
}

// storms runs test on each wheel, in real time.
func storms(t *testing.T, test func(t *testing.T, clock time.Clock)) {
	procs(t, func(t *testing.T) {
		t.Run("shared", func(t *testing.T) { test(t, time.Clock{}) })
		for name, opts := range map[string]hashedwheel.Options{
			"late": {Executor: late{}},
			"full": {MaxPendingTimeouts: 8, Executor: late{}}, // to package time and back
		} {
			t.Run(name, func(t *testing.T) {
				clock, _ := on(t, opts)
				test(t, clock)
			})
		}
	})
}

// stormSpan is how long each storm lasts. Storms of 100 ms find no mutation of this package that
// those of 30 ms miss.
const stormSpan = 30 * standard.Millisecond

// together runs n copies of f at once, again and again for the span of a storm.
func together(n int, f func()) {
	var done sync.WaitGroup
	end := standard.Now().Add(stormSpan)
	for range n {
		done.Go(func() {
			for standard.Now().Before(end) {
				f()
			}
		})
	}
	done.Wait()
}

// TestNothingStaleIsRead has owners of timers stop and reset them around the instant at which they
// fire. Nothing may be received after a Stop, and nothing earlier than the last Reset allows.
func TestNothingStaleIsRead(t *testing.T) {
	storms(t, func(t *testing.T, clock time.Clock) {
		together(32, func() {
			due := standard.Now()
			timer := clock.NewTimer(0)
			pending := true // the timer owes a time
			for range 20 {
				standard.Sleep(standard.Duration(rand.IntN(1500)) * standard.Microsecond) // towards the instant of the fire
				switch rand.IntN(4) {
				case 0:
					assert.Equal(t, pending, timer.Stop(), "Stop")
					pending = false
				case 1:
					at, there := received(timer.C)
					if there {
						assert.True(t, pending, "received although nothing is owed")
						assert.False(t, at.Before(due), "received the time of an earlier setting")
						pending = false
					}
				default:
					d := standard.Duration(rand.IntN(2000)) * standard.Microsecond
					begun := standard.Now()
					assert.Equal(t, pending, timer.Reset(d), "Reset")
					due, pending = begun.Add(d), true
				}
			}
			timer.Stop()
			_, there := received(timer.C)
			assert.False(t, there, "received after Stop")
		})
	})
}

// TestNoStaleTickIsRead is TestNothingStaleIsRead for tickers.
func TestNoStaleTickIsRead(t *testing.T) {
	storms(t, func(t *testing.T, clock time.Clock) {
		together(32, func() {
			due := standard.Now().Add(ms)
			ticker := clock.NewTicker(ms)
			on := true
			for range 20 {
				standard.Sleep(standard.Duration(rand.IntN(1500)) * standard.Microsecond) // towards the instant of the tick
				switch rand.IntN(4) {
				case 0:
					ticker.Stop()
					on = false
				case 1:
					at, there := received(ticker.C)
					assert.True(t, on || !there, "received after Stop")
					assert.False(t, there && at.Before(due), "received a tick of an earlier setting")
				default:
					d := standard.Duration(1+rand.IntN(2000)) * standard.Microsecond
					begun := standard.Now()
					ticker.Reset(d)
					due, on = begun.Add(d), true
				}
			}
			ticker.Stop()
			_, there := received(ticker.C)
			assert.False(t, there, "received after Stop")
		})
	})
}

// TestEachArmingEndsOnce has many goroutines use one timer. Each arming has to end exactly once:
// its time is received, or one Stop or Reset reports that it was pending.
func TestEachArmingEndsOnce(t *testing.T) {
	storms(t, func(t *testing.T, clock time.Clock) {
		var armed, ended atomic.Int64
		timer := clock.NewTimer(0)
		armed.Add(1)
		count := func(pending bool) {
			if pending {
				ended.Add(1)
			}
		}
		together(8, func() {
			switch rand.IntN(5) {
			case 0:
				count(timer.Stop())
			case 1:
				_, there := received(timer.C)
				count(there)
			case 2:
				standard.Sleep(100 * standard.Microsecond) // so that it fires at times
			default:
				armed.Add(1)
				count(timer.Reset(standard.Duration(rand.IntN(3)) * ms))
			}
		})
		count(timer.Stop())
		require.Equal(t, armed.Load(), ended.Load())
	})
}

// TestEachAfterFuncEndsOnce is TestEachArmingEndsOnce for a function that also resets its own
// timer.
func TestEachAfterFuncEndsOnce(t *testing.T) {
	storms(t, func(t *testing.T, clock time.Clock) {
		for _, clock := range []time.Clock{clock, clock.Inline()} {
			var armed, ended, own atomic.Int64
			var timer atomic.Pointer[time.Timer]
			reset := func(d standard.Duration) {
				if timer := timer.Load(); timer != nil {
					armed.Add(1)
					if timer.Reset(d) {
						ended.Add(1)
					}
				}
			}
			armed.Add(1)
			timer.Store(clock.AfterFunc(0, func() {
				ended.Add(1)
				if own.Add(1)%2 == 0 {
					reset(0)
				}
			}))
			together(8, func() {
				switch rand.IntN(4) {
				case 0:
					if timer.Load().Stop() {
						ended.Add(1)
					}
				case 1:
					standard.Sleep(100 * standard.Microsecond) // so that it fires at times
				default:
					reset(standard.Duration(rand.IntN(3)) * ms)
				}
			})
			// Functions that have been started may still run, and arm the timer again.
			require.Eventually(t, func() bool {
				if timer.Load().Stop() {
					ended.Add(1)
				}
				return armed.Load() == ended.Load()
			}, 10*standard.Second, ms)
		}
	})
}
