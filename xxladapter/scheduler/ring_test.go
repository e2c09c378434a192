package scheduler

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestTheRingWaitsOutAClockThatWasSetBack checks that a fire waits for the store's clock: the wheel
// counts monotonic time, the due time is the store's.
func TestTheRingWaitsOutAClockThatWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(storeClock)
		fired := make(chan time.Time, 10)
		r, err := newRing(clock, always, func(_ xxladapter.Fire, done func()) bool {
			fired <- clock.now()
			done()
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		due := time.Now().Add(2 * time.Second)
		require.NoError(t, r.arm(xxladapter.Fire{ID: 1, Due: due}))

		time.Sleep(time.Second)
		clock.seen(time.Now().Add(-10*time.Second), time.Now())
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Empty(t, fired, "a second remains by the clock that was set back")
		time.Sleep(time.Second + ringLate)
		synctest.Wait()
		require.Len(t, fired, 1)
		require.False(t, (<-fired).Before(due))
		require.Zero(t, r.len())
	})
}

// TestAFireThatWasHandedOutEarlyComesAgainWhenItIsDue checks that a fire is armed again if the
// hand-over has found that the store's clock was set back.
func TestAFireThatWasHandedOutEarlyComesAgainWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(storeClock)
		var fired []time.Time
		r, err := newRing(clock, always, func(_ xxladapter.Fire, done func()) bool {
			if fired = append(fired, time.Now()); len(fired) == 1 {
				clock.seen(clock.now().Add(-1500*time.Millisecond), time.Now())
			}
			done()
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		due := time.Now().Add(2 * time.Second)
		require.NoError(t, r.arm(xxladapter.Fire{ID: 1, Due: due}))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.Len(t, fired, 2)
		require.WithinRange(t, fired[0], due, due.Add(ringLate))
		require.WithinRange(t, fired[1], due.Add(1500*time.Millisecond), due.Add(1500*time.Millisecond+ringLate))
		require.Zero(t, r.len())
	})
}

func TestTheRingHoldsAFireOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := new(storeClock)
		fired := make(chan int64, 10)
		r, err := newRing(clock, always, func(f xxladapter.Fire, done func()) bool {
			fired <- f.ID
			done()
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		f := xxladapter.Fire{ID: 1, Due: time.Now().Add(time.Second)}
		require.NoError(t, r.arm(f))
		require.NoError(t, r.arm(f))
		require.Equal(t, 1, r.len())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Len(t, fired, 1)
	})
}

// A sweep in an overload offers the ring tens of thousands of fires that it holds.
func TestAHeldFireCostsNoMemory(t *testing.T) {
	r, err := newRing(new(storeClock), always, func(xxladapter.Fire, func()) bool { return true })
	require.NoError(t, err)
	defer r.stop()
	f := xxladapter.Fire{ID: 1, Due: time.Now().Add(time.Hour)}
	require.NoError(t, r.arm(f))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = r.arm(f) }))
}

// TestTheStockIsWhatJobsHaveBesideTheirFirstFire counts it after each way in which fires come and
// go.
func TestTheStockIsWhatJobsHaveBesideTheirFirstFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []func()
		r, err := newRing(new(storeClock), always, func(_ xxladapter.Fire, d func()) bool {
			done = append(done, d)
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		fire := func(id, job int64) xxladapter.Fire {
			return xxladapter.Fire{ID: id, JobID: job, Due: time.Now().Add(time.Second)}
		}
		for id, job := range []int64{1, 1, 1, 2, 3, 3} {
			require.NoError(t, r.arm(fire(int64(id), job)))
		}
		require.NoError(t, r.arm(fire(0, 1)))
		require.Equal(t, 3, r.stocked())
		left, err := r.leave(fire(6, 2), new(follower))
		require.NoError(t, err)
		require.Equal(t, 4, r.stocked())
		require.NoError(t, r.takeBack(left))
		require.Equal(t, 4, r.stocked())
		require.Equal(t, 2, r.drop(func(f xxladapter.Fire) bool { return f.JobID == 2 }))
		require.Equal(t, 3, r.stocked())
		time.Sleep(2 * time.Second) // in the bubble's own time
		synctest.Wait()
		require.Len(t, done, 5)
		require.Equal(t, 3, r.stocked(), "the pool has them")
		for _, d := range done {
			d()
		}
		require.Zero(t, r.stocked())
		require.Empty(t, r.ofJobs)
	})
}

func always() bool { return true }

func TestTheRingDropsWhatIsNotOnItsWayYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, stopped := new(storeClock), new(atomic.Bool)
		fired, done := make(chan int64, 10), make(chan func(), 10)
		r, err := newRing(clock, func() bool { return !stopped.Load() }, func(f xxladapter.Fire, d func()) bool {
			fired <- f.ID
			done <- d
			return true
		})
		require.NoError(t, err)
		defer r.stop()
		now := time.Now()
		require.NoError(t, r.arm(xxladapter.Fire{ID: 1, JobID: 1, Due: now}))
		for id := range int64(3) {
			require.NoError(t, r.arm(xxladapter.Fire{ID: 2 + id, JobID: 2 + id, Due: now.Add(time.Second)}))
		}
		require.Equal(t, 1, r.drop(func(f xxladapter.Fire) bool { return f.JobID < 3 }), "the first one is in the pool")
		require.Equal(t, 3, r.len())
		require.NoError(t, r.arm(xxladapter.Fire{ID: 2, JobID: 2, Due: now.Add(3 * time.Second)}), "it can come back")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.ElementsMatch(t, []int64{1, 3, 4}, []int64{<-fired, <-fired, <-fired})
		for range 3 {
			(<-done)()
		}
		require.Equal(t, 1, r.len())

		stopped.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Empty(t, fired)
		require.Zero(t, r.len(), "what may not be handed out is let go")
	})
}

// TestTheRingDelaysByTwoTicksAtMost arms a fire when the worker has just passed a tick, and is to
// look into its queue at the next one: what is armed then waits longest. The test waits for the
// pass, because the pass and the arming happen at one instant and have no order there.
func TestTheRingDelaysByTwoTicksAtMost(t *testing.T) {
	const ahead = 100 * time.Millisecond
	for wait, late := range map[time.Duration]time.Duration{
		ahead:                       2 * ringTick,
		ahead - 255*time.Nanosecond: 2*ringTick + 255*time.Nanosecond, // 100 ms are 97656.25 units
		ahead - ringTick:            2 * ringTick,
		31 * ringTick:               0, // a delay that the caller reads the clock for
		31*ringTick - ringTick/100:  ringTick / 100,
	} {
		synctest.Test(t, func(t *testing.T) {
			fired := make(chan time.Duration, 2)
			r, err := newRing(new(storeClock), always, func(f xxladapter.Fire, done func()) bool {
				fired <- time.Since(f.Due)
				done()
				return true
			})
			require.NoError(t, err)
			defer r.stop()
			for id := range int64(2) { // the first one starts the wheel, the second keeps its worker up
				require.NoError(t, r.arm(xxladapter.Fire{ID: 1 + id, Due: time.Now().Add(ringTick)}))
				time.Sleep(ringTick)
				synctest.Wait() // until the worker has passed the tick
				require.Zero(t, <-fired)
			}
			require.NoError(t, r.arm(xxladapter.Fire{ID: 3, Due: time.Now().Add(wait)}))
			got := <-fired
			require.Equal(t, late, got, "armed %v ahead", wait)
			require.LessOrEqual(t, got, ringLate)
		})
	}
}
