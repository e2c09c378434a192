package hashedwheel

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdleReportsSilentMembersOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tick, period = 10 * time.Millisecond, 10 * time.Second
		w := newTestTimer(t, Options{TickDuration: tick})
		type peer struct {
			IdleMember
			last     time.Time
			reported atomic.Int64
		}
		start := time.Now()
		var early, late, count atomic.Int64
		idle, err := w.NewIdle(period, func(m *IdleMember) {
			p := m.Value.(*peer)
			count.Add(1)
			p.reported.Add(1)
			d := time.Since(p.last)
			if d < period {
				early.Add(1)
			}
			if d > period+2*period/idleSteps+2*tick {
				late.Add(1)
			}
		})
		require.NoError(t, err)
		peers := make([]peer, 300)
		rng := rand.New(rand.NewPCG(3, 3))
		for i := range peers {
			p := &peers[i]
			p.Value = p
			p.last = time.Now()
			require.NoError(t, idle.Add(&p.IdleMember))
			require.Error(t, idle.Add(&p.IdleMember), "added twice")
		}
		// Peer i is touched at random times during the first i/10 seconds.
		for time.Since(start) < 30*time.Second {
			for i := range peers {
				if rng.IntN(3) == 0 && time.Since(start) < time.Duration(i)*time.Second/10 {
					peers[i].last = time.Now()
					peers[i].Touch()
				}
			}
			time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(2 * period)
		synctest.Wait()
		require.EqualValues(t, len(peers), count.Load())
		require.Zero(t, early.Load(), "reported early")
		require.Zero(t, late.Load(), "reported late")
		for i := range peers {
			require.EqualValues(t, 1, peers[i].reported.Load())
			require.False(t, peers[i].Remove())
		}
		before := w.Stats().WakeUps
		time.Sleep(time.Hour)
		require.LessOrEqual(t, w.Stats().WakeUps-before, int64(1), "an Idle without members causes no wake")
		require.Zero(t, w.PendingTimeouts())
	})
}

// A worker that is held up misses steps of the coarse clock. A member touched in the meantime must
// not be reported early.
func TestIdleWithLateWorkerIsNotEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = time.Second
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		w.stall = time.Hour // no hand-over
		var reported atomic.Int64
		idle, err := w.NewIdle(period, func(*IdleMember) { reported.Store(time.Now().UnixNano()) })
		require.NoError(t, err)
		var m IdleMember
		require.NoError(t, idle.Add(&m))
		mustNew(t, w, TaskFunc(func(*Timeout) { time.Sleep(900 * time.Millisecond) }), 200*time.Millisecond)
		time.Sleep(1090 * time.Millisecond) // the worker still sleeps
		m.Touch()
		touched := time.Now()
		time.Sleep(3 * period)
		synctest.Wait()
		got := time.Duration(reported.Load() - touched.UnixNano())
		require.GreaterOrEqual(t, got, period)
		require.LessOrEqual(t, got, period+period/16)
	})
}

func TestIdleRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{})
		idle, err := w.NewIdle(time.Second, func(*IdleMember) { t.Error("reported") })
		require.NoError(t, err)
		var m IdleMember
		require.False(t, m.Remove())
		m.Touch() // does nothing: m was never added
		for range 3 {
			require.NoError(t, idle.Add(&m))
			time.Sleep(900 * time.Millisecond)
			require.True(t, m.Remove())
			require.False(t, m.Remove())
		}
		time.Sleep(time.Minute)
		_, err = w.NewIdle(0, func(*IdleMember) {})
		require.EqualError(t, err, "hashedwheel: NewIdle: period is 0s, must be positive")
		_, err = w.NewIdle(1, nil)
		require.EqualError(t, err, "hashedwheel: NewIdle: silent is nil, must not be nil")
	})
}

// TestIdleStorm calls Add, Touch and Remove from several goroutines while members are reported.
func TestIdleStorm(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	var reported, removed, added atomic.Int64
	idle, err := w.NewIdle(3*time.Millisecond, func(*IdleMember) { reported.Add(1) })
	require.NoError(t, err)
	members := make([]IdleMember, 20)
	for i := range members {
		require.NoError(t, idle.Add(&members[i]))
		added.Add(1)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 9))
			for range 5000 {
				m := &members[rng.IntN(len(members))]
				switch rng.IntN(4) {
				case 0:
					if idle.Add(m) == nil {
						added.Add(1)
					}
				case 1:
					if m.Remove() {
						removed.Add(1)
					}
				default:
					m.Touch()
				}
			}
		})
	}
	wg.Wait()
	settles(t, func() bool { return added.Load() == reported.Load()+removed.Load() })
	settles(t, func() bool { return w.PendingTimeouts() == 0 })
}

// Netty: IdleStateHandler tells reader, writer and all idle apart.
func TestConnIdleKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		var mu sync.Mutex
		events := map[IdleKind]int{}
		ci, err := w.NewConnIdle(ConnIdleOptions{
			Reader: 10 * time.Second,
			Writer: 10 * time.Second,
			All:    10 * time.Second,
			OnIdle: func(_ net.Conn, kind IdleKind) {
				mu.Lock()
				defer mu.Unlock()
				events[kind]++
			},
		})
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		defer theirs.Close()
		c, err := ci.Wrap(ours)
		require.NoError(t, err)
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { // they send, and read nothing
			for range 25 {
				if _, err := theirs.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		})
		go func() { _, _ = io.Copy(io.Discard, c) }()
		time.Sleep(22 * time.Second)
		mu.Lock()
		require.Equal(t, map[IdleKind]int{WriterIdle: 2}, events, "told again while it stays idle")
		mu.Unlock()
		require.NoError(t, c.Close())
		synctest.Wait()
		require.Zero(t, w.PendingTimeouts(), "a closed connection is not watched")
	})
}

func TestConnIdleClosesAndArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond})
		ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Second})
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		c, err := ci.Wrap(ours)
		require.NoError(t, err)
		start := time.Now()
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		require.GreaterOrEqual(t, time.Since(start), time.Second)
		require.NoError(t, theirs.Close())

		_, err = w.NewConnIdle(ConnIdleOptions{})
		require.EqualError(t, err, "hashedwheel: ConnIdleOptions: Reader, Writer and All are 0, one must be positive")
		_, err = w.NewConnIdle(ConnIdleOptions{Writer: -1})
		require.EqualError(t, err, "hashedwheel: ConnIdleOptions.Writer is -1ns, must not be negative")
		_, err = w.Stop()
		require.NoError(t, err)
		_, err = ci.Wrap(ours)
		require.ErrorIs(t, err, ErrStopped)
	})
}

// TestAMemberMovesBetweenTimers checks that a member that was just removed belongs to its timer
// until the worker has taken it out: another timer's Add returns an error until then, and accepts
// the member afterwards.
func TestAMemberMovesBetweenTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(*IdleMember) {}
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		one, err := NewIdleOf(w, time.Second, silent)
		require.NoError(t, err)
		two, err := NewIdleOf(newTestTimer(t, Options{TickDuration: time.Millisecond}), time.Second, silent)
		require.NoError(t, err)
		var m IdleMember
		require.NoError(t, one.Add(&m))
		busy, free := make(chan struct{}), make(chan struct{})
		mustNew(t, w, TaskFunc(func(*Timeout) { close(busy); <-free }), 10*time.Millisecond)
		<-busy // the worker is in a task, so Remove cannot make it take m out yet
		m.Remove()
		require.ErrorContains(t, two.Add(&m), "must be taken out there first")
		close(free)
		time.Sleep(2 * time.Second)
		require.NoError(t, two.Add(&m))
		m.Remove()
	})
}

// TestAReportedMemberLeavesNoPlaceBehind checks that a member cannot be added at another timer
// inside the function to which a limited timer reports it: the first timer still counts its place,
// and would never give that back.
func TestAReportedMemberLeavesNoPlaceBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 2})
		second := newTestTimer(t, Options{TickDuration: time.Millisecond})
		two, err := NewIdleOf(second, time.Second, func(*IdleMember) {})
		require.NoError(t, err)
		var moved error
		one, err := NewIdleOf(first, time.Second, func(m *IdleMember) { moved = two.Add(m) })
		require.NoError(t, err)
		var m IdleMember
		require.NoError(t, one.Add(&m))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, first.limit.taken.Load())
		require.ErrorContains(t, moved, "must be taken out there first")
		require.NoError(t, two.Add(&m))
		m.Remove()
	})
}
