package hashedwheel

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// collect has the collector find what is not referenced, and waits for cleanups. A cleanup may
// leave something that the next collection finds, so there are several.
func collect() {
	for range 5 {
		cleaned := make(chan struct{})
		runtime.AddCleanup(new([64]byte), func(c chan struct{}) { close(c) }, cleaned)
		runtime.GC()
		<-cleaned
	}
}

// fast makes a timer with a tick of 1ms and passes it to use. The test keeps no reference to the
// timer, so the collector may find it unreferenced.
func fast(t *testing.T, log *logCount, opts Options, use func(*HashedWheelTimer)) {
	t.Helper()
	opts.TickDuration, opts.Logger = time.Millisecond, log.logger()
	w, err := New(opts)
	require.NoError(t, err)
	use(w)
}

// A timer that is not referenced and was not stopped is reported once and continues.
func TestForgottenTimerIsReportedOnce(t *testing.T) {
	var (
		log   logCount
		x     *Timeout
		fired = make(chan struct{}, 1)
	)
	fast(t, &log, Options{}, func(w *HashedWheelTimer) {
		x = w.AfterFunc(50*time.Millisecond, func() { fired <- struct{}{} })
	})
	<-fired
	collects(t, func() bool { return log.n.Load() == 1 })

	// The handle still finds the timer and can be armed again.
	require.False(t, x.Reset(0))
	<-fired
	require.NotNil(t, x.Timer())
	collect()
	_, err := x.Timer().Stop()
	require.NoError(t, err)
	require.EqualValues(t, 1, log.n.Load())
}

// A timer that was stopped, or that never started and gave out no handles, is not reported.
func TestNoReportOfATimerThatHoldsNothing(t *testing.T) {
	var log logCount
	before, numbers := instances.Load(), engines.size()
	fast(t, &log, Options{}, func(*HashedWheelTimer) {})
	fast(t, &log, Options{}, func(w *HashedWheelTimer) {
		w.Init(new(Timeout), noTask)
		mustNew(t, w, noTask, time.Hour)
		_, err := w.Stop()
		require.NoError(t, err)
	})
	collects(t, func() bool { return instances.Load() == before && engines.size() == numbers })
	require.Zero(t, log.n.Load())
}

// A timer of which Stop is the last use is not found unreferenced before Stop has stopped it.
// Otherwise it would be reported as forgotten or, if it never started, end without Stop, which
// would then wait without end.
func TestStopIsLastUse(t *testing.T) {
	w, err := New(Options{})
	require.NoError(t, err)
	e := w.engine
	e.mu.Lock()
	ended := make(chan struct{})
	stopper := make(chan uint64)
	go func(w *HashedWheelTimer) {
		defer close(ended)
		stopper <- goroutineID()
		_, _ = w.Stop()
	}(w)
	w = nil
	id := <-stopper
	settles(t, func() bool { // it waits for the mutex
		all := make([]byte, 1<<20)
		return strings.Contains(string(all[:runtime.Stack(all, true)]), fmt.Sprintf("goroutine %d [sync.Mutex.Lock", id))
	})
	for range 3 {
		runtime.GC()
	}
	referenced := e.mu.public.Value() != nil
	e.mu.Unlock()
	require.True(t, referenced)
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("Stop does not return")
	}
}

// A stopped timer leaves nothing behind, whatever it was used for.
func TestStoppedTimerIsForgotten(t *testing.T) {
	var x Timeout
	numbers := engines.size()
	for range 10 {
		w, err := New(Options{})
		require.NoError(t, err)
		w.Init(&x, noTask)
		freed := make(chan struct{})
		runtime.AddCleanup(w.engine, func(c chan struct{}) { close(c) }, freed)
		_, err = w.Stop()
		require.NoError(t, err)
		w = nil
		require.Equal(t, numbers, engines.size())
		collects(t, func() bool {
			select {
			case <-freed:
				return true
			default:
				return false
			}
		})
	}
}

// A handle whose timer has stopped is harmless: it never finds a later timer that has taken the
// same place in the registry.
func TestHandleOutlivesItsTimer(t *testing.T) {
	w, err := New(Options{TickDuration: time.Millisecond})
	require.NoError(t, err)
	fired := make(chan struct{})
	x := w.AfterFunc(0, func() { close(fired) })
	<-fired
	_, err = w.Stop()
	require.NoError(t, err)
	for range 20 {
		other := newTestTimer(t, Options{})
		require.True(t, x.IsExpired() || x.IsCancelled())
		require.False(t, x.Cancel())
		require.False(t, x.Reset(0))
		require.True(t, x.IsCancelled())
		require.NotNil(t, x.Task())
		require.Nil(t, x.Timer())
		require.Contains(t, x.String(), "cancelled")
		require.Zero(t, other.Stats().Started)
	}
	require.Zero(t, over.pending())
}

// A handle keeps its timer usable when the program holds nothing else, whether the handle is
// pending or not, and whether AfterFunc made it or Init bound it.
func TestHandleHoldsItsTimer(t *testing.T) {
	for name, start := range map[string]func(w *HashedWheelTimer, x *Timeout, f func()) *Timeout{
		"fired": func(w *HashedWheelTimer, _ *Timeout, f func()) *Timeout { return w.AfterFunc(0, f) },
		"bound": func(w *HashedWheelTimer, x *Timeout, f func()) *Timeout {
			w.Init(x, plainFunc(f))
			x.Reset(0)
			return x
		},
	} {
		t.Run(name, func(t *testing.T) {
			var (
				log   logCount
				bound Timeout
				x     *Timeout
				fired = make(chan struct{}, 1)
			)
			fast(t, &log, Options{}, func(w *HashedWheelTimer) { x = start(w, &bound, func() { fired <- struct{}{} }) })
			<-fired
			collect()
			require.False(t, x.Reset(0))
			<-fired
			require.True(t, x.IsExpired())
			require.False(t, x.Reset(time.Hour))
			collect()
			w := x.Timer()
			require.EqualValues(t, 1, w.PendingTimeouts())
			require.Same(t, w, x.Timer())
			require.True(t, x.Cancel())
			_, err := w.Stop()
			require.NoError(t, err)
			runtime.KeepAlive(&bound)
		})
	}
}

// A timer may become unreferenced during its first use. It starts all the same, and its handle
// stays usable.
func TestFirstUseIsLastUse(t *testing.T) {
	for range 50 {
		var log logCount
		var x *Timeout
		fast(t, &log, Options{}, func(w *HashedWheelTimer) {
			done := make(chan struct{})
			go func() { runtime.GC(); close(done) }()
			var err error
			x, err = w.NewTimeout(noTask, time.Hour)
			require.NoError(t, err)
			<-done
		})
		collect()
		require.True(t, x.Cancel())
		_, err := x.Timer().Stop()
		require.NoError(t, err)
	}
}

// A number finds the engine that it was given to, and none once that engine is removed, however
// often its place is used again.
func TestNumbersOfTimersAreNotUsedAgain(t *testing.T) {
	var r registry
	live := map[uint32]*engine{}
	var gone []uint32
	add := func() {
		e := new(engine)
		r.add(e)
		require.NotZero(t, e.number)
		require.Nil(t, live[e.number])
		live[e.number] = e
	}
	for range 500 { // the table grows several times
		add()
	}
	places := len(*r.all.Load())
	for round := range 300 {
		for number := range live {
			if len(gone)%3 == 0 || round%2 == 0 {
				r.remove(number)
				delete(live, number)
			}
			gone = append(gone, number)
			if len(live) <= 400 {
				break
			}
		}
		for len(live) < 500 {
			add()
		}
	}
	require.Len(t, *r.all.Load(), places, "places are used again")
	require.Equal(t, 500, r.size())
	for number, e := range live {
		require.Same(t, e, r.get(number))
	}
	for _, number := range gone {
		if live[number] == nil {
			require.Same(t, over, r.get(number))
		}
	}
}

// A place whose numbers are used up is not used again.
func TestNumbersRunOut(t *testing.T) {
	var r registry
	seen := map[uint32]bool{}
	for range 3 << generationBits {
		e := new(engine)
		r.add(e)
		require.False(t, seen[e.number])
		seen[e.number] = true
		r.remove(e.number)
		require.Same(t, over, r.get(e.number))
	}
	require.Zero(t, r.size())
}
