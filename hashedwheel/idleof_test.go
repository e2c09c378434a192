package hashedwheel

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Members of one Idle have periods from a nanosecond to 26 hours; each is reported once, never
// early, and late by no more than the promise for its own period.
func TestIdlePeriodForEachMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick = 10 * time.Millisecond
		w := newTestTimer(t, Options{TickDuration: tick})
		type peer struct {
			name    time.Duration
			last    time.Time
			reports int
		}
		var mu sync.Mutex
		idle, err := NewIdleOf(w, time.Minute, func(m *IdleMemberOf[*peer]) {
			mu.Lock()
			defer mu.Unlock()
			p := m.Value
			p.reports++
			silence := time.Since(p.last)
			if silence < p.name {
				t.Errorf("period %v: reported early, after %v", p.name, silence)
			}
			if most := p.name + 2*p.name/idleSteps + 2*tick; silence > most {
				t.Errorf("period %v: reported late, after %v", p.name, silence)
			}
		})
		require.NoError(t, err)
		var members []*IdleMemberOf[*peer]
		rng := rand.New(rand.NewPCG(4, 4))
		for _, period := range []time.Duration{
			1, time.Millisecond, 30 * time.Millisecond, time.Second, 31 * time.Second, time.Minute - 1, time.Minute, 100 * time.Second,
			2*time.Minute - 1, 2 * time.Minute, time.Hour, 26 * time.Hour,
		} {
			m := &IdleMemberOf[*peer]{Value: &peer{name: period, last: time.Now()}}
			require.Zero(t, m.Period())
			require.NoError(t, idle.AddPeriod(m, period))
			require.Equal(t, period, m.Period())
			members = append(members, m)
		}
		for _, m := range members { // touched for some periods, then silent
			p := m.Value
			go func(seed uint64) {
				rng := rand.New(rand.NewPCG(seed, 4))
				for range 20 {
					time.Sleep(time.Duration(rng.Int64N(int64(p.name))))
					mu.Lock()
					if p.reports == 0 {
						p.last = time.Now()
						m.Touch()
					}
					mu.Unlock()
				}
			}(rng.Uint64())
		}
		time.Sleep(60 * 24 * time.Hour)
		synctest.Wait()
		for _, m := range members {
			require.Equal(t, 1, m.Value.reports, "period %v", m.Value.name)
		}
		require.Zero(t, w.PendingTimeouts(), "no clock without members")
		require.Error(t, idle.AddPeriod(members[0], 0))
	})
}

// A member whose period changes is reported when the new one has passed since the end of the step
// in which it was touched last, at that instant exactly, whether the worker sleeps at the change or
// is kept awake by other callers.
func TestIdleSetPeriod(t *testing.T) {
	const tick = 1024 * delayUnit // all times are whole ticks, so that no delay is rounded
	const period = 1 << 16        // ticks, of the Idle
	for _, awake := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newTestTimer(t, Options{TickDuration: tick})
			var reports atomic.Int64
			idle, err := NewIdleOf(w, period*tick, func(*IdleMemberOf[int]) { reports.Add(1) })
			require.NoError(t, err)
			var m IdleMemberOf[int]
			require.EqualError(t, m.SetPeriod(time.Second), "hashedwheel: IdleMember.SetPeriod: m is no member, must be one")
			for i, tt := range []struct{ period, step time.Duration }{ // ticks
				{1000, period >> 7 / idleSteps},
				{period, period / idleSteps},
				{3_500_000, period << 5 / idleSteps},
				{period, period / idleSteps},
				{40_000, period >> 1 / idleSteps},
				{80_000_000, period << 10 / idleSteps},
			} {
				added := time.Now()
				require.NoError(t, idle.Add(&m))
				time.Sleep(60_000 * tick)
				if awake {
					mustNew(t, w, noTask, time.Hour).Cancel()
					time.Sleep(tick)
				}
				synctest.Wait()
				began := time.Now() // of the clock
				if tt.period == period {
					began = added // by the clock that the member has
				}
				require.NoError(t, m.SetPeriod(tt.period*tick))
				require.Equal(t, tt.period*tick, m.Period())
				require.EqualValues(t, 2, w.PendingTimeouts(), "one clock")
				time.Sleep((tt.period/2 + 5) * tick) // to the inside of a step
				m.Touch()
				stepEnd := began.Add((time.Since(began)/(tt.step*tick) + 1) * tt.step * tick)
				time.Sleep(time.Until(stepEnd.Add(tt.period*tick)) - time.Nanosecond)
				synctest.Wait()
				require.EqualValues(t, i, reports.Load(), "reported early")
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				require.EqualValues(t, i+1, reports.Load(), "not reported when its period was over")
				require.Zero(t, w.PendingTimeouts())
			}
			require.NoError(t, idle.Add(&m))
			require.EqualError(t, m.SetPeriod(0), "hashedwheel: IdleMember.SetPeriod: period is 0s, must be positive")
		})
	}
}

// If the timer has no place for another clock, SetPeriod leaves the period of a member as it is.
func TestIdleSetPeriodOnAFullTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 3})
		reports := 0
		idle, err := NewIdleOf(w, time.Minute, func(*IdleMemberOf[int]) { reports++ })
		require.NoError(t, err)
		var one, two, three IdleMemberOf[int]
		require.NoError(t, idle.Add(&one))
		require.NoError(t, idle.Add(&two))
		require.ErrorIs(t, idle.Add(&three), ErrTooManyPending)
		require.False(t, three.Remove())
		require.ErrorIs(t, one.SetPeriod(time.Hour), ErrTooManyPending)
		require.Equal(t, time.Minute, one.Period())
		require.NoError(t, one.SetPeriod(90*time.Second), "by the same clock")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, 2, reports)
		require.Zero(t, w.PendingTimeouts())
		require.Zero(t, w.Stats().Idle.Members)
	})
}

// Stop releases the members at once and reports none; the timer continues.
func TestIdleStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3 * rosterPiece
		w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 2*n + 2})
		idle, err := w.NewIdle(time.Minute, func(*IdleMember) { t.Error("reported") })
		require.NoError(t, err)
		other, err := w.NewIdle(time.Minute, func(*IdleMember) {})
		require.NoError(t, err)
		members := make([]IdleMember, n)
		for i := range members {
			require.NoError(t, idle.AddPeriod(&members[i], time.Duration(1+i%3)*time.Minute))
		}
		require.EqualValues(t, n, w.Stats().Idle.Members)
		time.Sleep(30 * time.Second)
		idle.Stop()
		idle.Stop()
		require.Zero(t, w.PendingTimeouts(), "all given back")
		require.Zero(t, w.Stats().Idle.Members)
		for i := range members {
			require.False(t, members[i].Remove())
			members[i].Touch()
		}
		require.ErrorIs(t, idle.Add(&members[0]), ErrIdleStopped)
		time.Sleep(time.Hour)
		fired := false
		w.AfterFunc(time.Second, func() { fired = true })
		require.NoError(t, other.Add(&members[0]), "free for another")
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, fired)
		other.Stop()
	})
}

// Stats counts the timeouts of Idles apart from the caller's.
func TestStatsOfIdles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		idle, err := w.NewIdle(time.Second, func(*IdleMember) {})
		require.NoError(t, err)
		members := make([]IdleMember, 100)
		for i := range members {
			require.NoError(t, idle.Add(&members[i]))
		}
		user := mustNew(t, w, noTask, time.Hour)
		mustNew(t, w, noTask, time.Second)
		for range 5 {
			time.Sleep(500 * time.Millisecond)
			for i := range 50 {
				members[i].Touch()
			}
		}
		require.True(t, members[0].Remove())
		require.NoError(t, members[1].SetPeriod(time.Minute))
		user.Reset(time.Minute)
		user.Cancel()
		synctest.Wait()
		s := w.Stats()
		require.EqualValues(t, 49, s.Idle.Members)
		require.EqualValues(t, 50, s.Idle.Reported)
		require.EqualValues(t, 2, s.Started-s.Idle.Started)
		require.EqualValues(t, 1, s.Reset-s.Idle.Reset)
		require.EqualValues(t, 1, s.Fired-s.Idle.Fired)
		require.EqualValues(t, 1, s.Cancelled-s.Idle.Cancelled)
		idle.Stop()
		s = w.Stats()
		require.EqualValues(t, 1, s.Cancelled-s.Idle.Cancelled)
		require.Zero(t, s.Idle.Members)
	})
}

// TestStatsOfIdlesWhileStopWaits checks that Stats.Idle counts no reset that the whole does not
// have: a timer that is stopping leaves what is pending to Stop.
func TestStatsOfIdlesWhileStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := New(Options{})
		require.NoError(t, err)
		idle, err := w.NewIdle(2*time.Hour, func(*IdleMember) {})
		require.NoError(t, err)
		var m IdleMember
		require.NoError(t, idle.Add(&m))
		w.AfterFunc(0, func() { time.Sleep(time.Hour) })
		time.Sleep(time.Minute)
		stopped := make(chan struct{})
		go func() { _, _ = w.Stop(); close(stopped) }()
		synctest.Wait()
		require.NoError(t, m.SetPeriod(2*time.Hour))
		s := w.Stats()
		<-stopped
		require.Equal(t, s.Reset, s.Idle.Reset)
	})
}

// TestIdleStopStorm calls Add, Touch, SetPeriod, Remove and Stop from several goroutines while
// members are reported: whatever becomes a member is reported, removed or released once.
func TestIdleStopStorm(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	for round := range 20 {
		var reported, removed, added atomic.Int64
		idle, err := w.NewIdle(2*time.Millisecond, func(*IdleMember) { reported.Add(1) })
		require.NoError(t, err)
		members := make([]IdleMember, 30)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), uint64(round)))
				for range 2000 {
					m := &members[rng.IntN(len(members))]
					switch rng.IntN(5) {
					case 0:
						if idle.AddPeriod(m, time.Duration(1+rng.IntN(20))*time.Millisecond) == nil {
							added.Add(1)
						}
					case 1:
						if m.Remove() {
							removed.Add(1)
						}
					case 2:
						_ = m.SetPeriod(time.Duration(1+rng.IntN(20)) * time.Millisecond)
					default:
						m.Touch()
					}
				}
			})
		}
		if round%2 == 0 { // every other round releases none: all must be reported or removed
			wg.Wait()
			settles(t, func() bool { return added.Load() == reported.Load()+removed.Load() })
			continue
		}
		idle.Stop()
		wg.Wait()
		require.Zero(t, w.Stats().Idle.Members)
		settles(t, func() bool { return w.PendingTimeouts() == 0 })
	}
}

// TestAMemberIsRemovedWhileItIsAddedFirst checks that SetPeriod and Remove are safe while their
// member is added for the first time.
func TestAMemberIsRemovedWhileItIsAddedFirst(t *testing.T) {
	idle, err := newTestTimer(t, Options{}).NewIdle(time.Hour, func(*IdleMember) {})
	require.NoError(t, err)
	var adding atomic.Pointer[IdleMember] // nil at the end
	adding.Store(new(IdleMember))
	var removing sync.WaitGroup
	removing.Go(func() {
		for m := adding.Load(); m != nil; m = adding.Load() {
			_ = m.SetPeriod(time.Minute)
			m.Remove()
		}
	})
	for range 100_000 {
		m := new(IdleMember)
		adding.Store(m)
		require.NoError(t, idle.Add(m))
	}
	adding.Store(nil)
	removing.Wait()
	idle.Stop()
}

// A touch that has read one clock before the member got another is not counted in the steps of the
// new clock, where it would lie in the future.
func TestLastTouchOfAnotherClock(t *testing.T) {
	var fine, coarse atomic.Uint64
	fine.Store(7<<stepBits + 1000)
	coarse.Store(5<<stepBits + 3)
	var l lastTouch
	l.Touch()
	l.join(&fine)
	late := fine.Load() + 1
	l.join(&coarse)
	l.note(late)
	require.Equal(t, coarse.Load(), l.step.Load())
	coarse.Add(1)
	l.Touch()
	require.Equal(t, coarse.Load(), l.step.Load())
	l.note(coarse.Load() - 1)
	require.Equal(t, coarse.Load(), l.step.Load(), "never back")
}

// TestRoster compares the roster with a map.
func TestRoster(t *testing.T) {
	var r roster[int]
	in := map[*IdleMemberOf[int]]bool{}
	all := make([]IdleMemberOf[int], 5*rosterPiece)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		m := &all[rng.IntN(len(all))]
		if in[m] {
			r.remove(m)
			delete(in, m)
		} else {
			r.add(m)
			in[m] = true
		}
	}
	require.Equal(t, len(in), r.n)
	for m := r.last(); m != nil; m = r.last() {
		require.True(t, in[m])
		delete(in, m)
		r.remove(m)
	}
	require.Empty(t, in)
	require.Len(t, r.pieces, 1, "the others are given back")
}

// A member keeps its place while it is checked: no other timeout takes it between the fire of its
// timeout and the next arming.
func TestIdleMemberOfAFullTimerKeepsItsPlace(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 2})
	reported := make(chan struct{})
	idle, err := w.NewIdle(50*time.Millisecond, func(*IdleMember) { close(reported) })
	require.NoError(t, err)
	var m IdleMember
	require.NoError(t, idle.Add(&m))
	idle.mu.Lock() // delays the check, in real time: the clock of a bubble stands still for a mutex
	settles(t, func() bool { return m.timeout.IsExpired() })
	m.Touch()
	_, err = w.NewTimeout(noTask, time.Hour)
	idle.mu.Unlock()
	require.ErrorIs(t, err, ErrTooManyPending)
	select {
	case <-reported:
	case <-time.After(10 * time.Second):
		t.Fatal("the member was lost")
	}
}

// The function to which the only member of a full timer is reported can add it again: the member
// and the clock keep their places meanwhile. Afterwards both are free.
func TestTheOnlyMemberOfAFullTimerIsAddedAgain(t *testing.T) {
	for name, executor := range map[string]Executor{"worker": nil, "executor": Goroutines} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{
					TickDuration: time.Millisecond, MaxPendingTimeouts: 2, Executor: executor, Logger: quiet,
				})
				var reports atomic.Int64
				var idle *Idle
				idle, err := w.NewIdle(time.Second, func(m *IdleMember) {
					if reports.Add(1) == 5 {
						runtime.Goexit()
					}
					refused := make(chan error)
					go func() { // one that is not the task's own
						_, err := w.NewTimeout(noTask, time.Hour)
						refused <- err
					}()
					require.ErrorIs(t, <-refused, ErrTooManyPending)
					require.NoError(t, idle.Add(m))
				})
				require.NoError(t, err)
				var m IdleMember
				require.NoError(t, idle.Add(&m))
				time.Sleep(time.Minute)
				synctest.Wait()
				require.EqualValues(t, 5, reports.Load())
				require.Zero(t, w.PendingTimeouts())
				require.Zero(t, w.limit.taken.Load())
			})
		})
	}
}
