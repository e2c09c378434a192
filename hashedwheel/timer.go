package hashedwheel

import (
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A HashedWheelTimer runs tasks after a delay, approximately: a task runs at the first tick
// boundary at or after its deadline, never before it. One goroutine, the worker, serves any number
// of timeouts.
//
// New makes one. A timer is meant to be shared, so a program needs few. All methods may be called
// from any goroutine, also from inside tasks; only Stop refuses to run inside a task.
type HashedWheelTimer struct {
	// The worker refers to the engine only, so that the collector can find out that the timer is no
	// longer referenced.
	*engine
}

// An engine is the inside of a HashedWheelTimer, to which its worker and its timeouts refer.
type engine struct {
	// Immutable after New, so any goroutine reads them; limit and intake synchronise themselves.
	limit         limit
	number        uint32 // in the registry
	executor      Executor
	logger        *slog.Logger
	intake        intake[*Timeout]
	leastRelative time.Duration // the shortest delay that is armed relatively
	stall         time.Duration // the longest time between two polls of the watch

	clock clock // synchronises itself

	// The worker starts and stops the watch, and the watch's goroutine has it poll again.
	watch    *time.Timer  // polls whether a task stalls the worker; made by start
	pace     atomic.Int64 // nanoseconds between its polls after a hand-over; 0 means stall
	underWay flag         // a batch is running, so the watch polls again

	// Atomics, which any goroutine reads. The padding keeps life and bound, which callers read for
	// each timeout, off the cache lines that the worker writes at each fire.
	life    life
	bound   flag // Init has been called
	_       [64]byte
	owner   atomic.Uint64 // an ownership: who works, and how far it has come
	repeats atomic.Int64  // fires of periodic timeouts
	tally   tally

	rejected atomic.Int64 // refused because of the limit
	idle     idleTally
	unarmed  unarmedLog
	refusals sparseLog    // tasks that the executor refused
	inside   atomic.Int64 // runs in progress; counted on a timer with a limit only
	waiting  atomic.Int64 // taken from the intake by the worker, not yet processed

	periodics periodics

	// The fields up to mu belong to the worker that owns the wheel.
	wheel    wheel.Wheel[*Timeout]
	group    []unsettled     // relative ones that are being filed
	timeouts queue[*Timeout] // taken from the intake, not yet processed
	cancels  queue[*Timeout]
	notices  []call // taken from the intake, not yet called
	active   uint64 // the last tick at which the intake held something

	mu struct { // orders start, stop and hand-over
		sync.Mutex
		workers map[uint64]*worker // by goroutine
		sampled uint64             // the ownership that the watch saw last
		current *worker
		public  weak.Pointer[HashedWheelTimer]

		reported bool // as dropped
	}
	ended   sync.WaitGroup // every worker
	stopped chan struct{}  // closed when Stop has finished
}

// New returns a timer. With 512 buckets it costs 34 KiB on two processors and up to 100 KiB on
// sixteen and more, twice that at most with layers; each further bucket costs 40 bytes. It starts
// no goroutine until the first timeout or Start. It returns an error that names the field if an
// option is out of its range.
func New(opts Options) (*HashedWheelTimer, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &engine{
		limit:         limit{most: opts.MaxPendingTimeouts},
		executor:      opts.Executor,
		logger:        opts.Logger,
		intake:        newIntake[*Timeout](),
		stall:         max(opts.TickDuration, minStall),
		stopped:       make(chan struct{}),
		leastRelative: leastRelativeTicks * min(opts.TickDuration, mostRelative/leastRelativeTicks),
	}
	e.unarmed.log.logger = opts.Logger
	e.refusals.logger = opts.Logger
	e.clock.ticker = newTicker(opts.TickDuration)
	moved := func(t *Timeout, l wheel.Location) { t.at = l }
	e.wheel = wheel.New(opts.TicksPerWheel, opts.Layered, moved)
	e.mu.workers = make(map[uint64]*worker)
	engines.add(e)
	countInstance(e)
	return e.public(), nil
}

// NewTimeout runs task after delay. A negative delay counts as zero: the task runs at the next tick
// boundary, never inside NewTimeout. A delay that overflows means never.
//
// It starts the timer if need be. It returns ErrStopped if the timer has stopped, ErrTooManyPending
// if the timer is full, and an error if task is nil.
func (w *HashedWheelTimer) NewTimeout(task TimerTask, delay time.Duration) (*Timeout, error) {
	if task == nil {
		return nil, errors.New("hashedwheel: NewTimeout: task is nil, must not be nil")
	}
	t := new(Timeout)
	if flags := t.bind(w.engine, task); flags != 0 {
		t.word.Store(uint64(flags))
	}
	err := w.submit(t, delay)
	runtime.KeepAlive(w) // so that it is not dropped before it has started
	if err != nil {
		return nil, err
	}
	return t, nil
}

// AfterFunc runs f after delay and has time.AfterFunc's shape, but f runs as every task does: on
// the worker, unless there is an executor. On a stopped or full timer the timeout that it returns
// is already cancelled, which is counted in Stats.Unarmed and logged, at most once in ten seconds;
// NewTimeout returns an error instead. A nil f panics.
func (w *HashedWheelTimer) AfterFunc(delay time.Duration, f func()) *Timeout {
	if f == nil {
		panic("hashedwheel: AfterFunc: f is nil, must not be nil")
	}
	t := new(Timeout)
	t.bind(w.engine, plainFunc(f))
	w.reportUnarmed("AfterFunc", w.submit(t, delay))
	runtime.KeepAlive(w)
	return t
}

// submit arms a new timeout.
func (e *engine) submit(t *Timeout, delay time.Duration) error {
	if e.life.Load() != started {
		if err := e.start(); err != nil {
			e.refuse(t)
			return err
		}
	}
	if e.relatively(delay) {
		return e.armFresh(t, relativeTo(delay))
	}
	return e.armFresh(t, e.clock.due(e.clock.now(), delay)|armed)
}

// PendingTimeouts returns how many timeouts are accepted, not fired and not cancelled. It is exact
// whenever no other call is in progress.
func (w *HashedWheelTimer) PendingTimeouts() int64 { return w.pending() }

func (e *engine) pending() int64 {
	// The counters of ends are read before those of starts, so that the difference is not too
	// small.
	fired := ownership(e.owner.Load()).fired()
	fired -= e.repeats.Load()
	started, cancelled, _ := e.intake.counts()
	const unused = 64 - firedBits // fired counts modulo 1<<firedBits
	return max((started-cancelled-fired)<<unused>>unused, 0)
}

// Start starts the worker. It is not needed: the first timeout does it. Starting twice is harmless.
// It returns ErrStopped if the timer has stopped.
func (w *HashedWheelTimer) Start() error {
	defer runtime.KeepAlive(w)
	return w.start()
}

func (e *engine) start() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch e.life.Load() {
	case started:
		return nil
	case stopped:
		return ErrStopped
	}
	e.clock.start()
	e.watch = time.AfterFunc(time.Hour, e.checkStall)
	e.watch.Stop()
	e.life.Store(started)
	e.launchLocked(&worker{engine: e})
	return nil
}

// Stop ends the timer. It waits for the worker, and so for a task that the worker is running, and
// returns the timeouts that were pending: they are cancelled and will never run, and Stop calls the
// Cancelled method of tasks that have one before it returns. Their order is unspecified.
//
// From inside a task that the worker runs it returns ErrStopInTask and changes nothing. A second
// Stop waits until the first has ended the worker, and returns none. Stop before Start is legal,
// and final as well. Tasks given to an Executor are not waited for.
func (w *HashedWheelTimer) Stop() ([]*Timeout, error) {
	defer runtime.KeepAlive(w) // dropped is for callers that forget to call Stop
	return w.stop()
}

func (e *engine) stop() ([]*Timeout, error) {
	e.mu.Lock()
	if len(e.mu.workers) > 0 && e.insideLocked(goroutineID()) {
		e.mu.Unlock()
		return nil, ErrStopInTask
	}
	was := e.life.Swap(stopped)
	if was == started {
		e.clock.stop()
	}
	e.mu.Unlock()
	if was == stopped {
		<-e.stopped
		return nil, nil
	}
	e.intake.close()
	e.ended.Wait()
	var unprocessed []*Timeout
	var notices []call
	end := func(t *Timeout) {
		task, pending := e.finish(t)
		if !pending {
			return
		}
		unprocessed = append(unprocessed, t)
		if _, wants := task.(canceller); wants {
			notices = append(notices, call{t, task})
		}
	}
	if was == started {
		e.watch.Stop()
		last := e.mu.current
		for _, t := range last.batch {
			end(t)
		}
		e.wheel.Drain(end)
		notices = append(notices, last.notices...)
		e.periodics.Lock()
		for t := range e.periodics.running {
			end(t)
		}
		e.periodics.Unlock()
	}
	for _, l := range []struct {
		lane lane
		q    *queue[*Timeout]
	}{{laneTimeouts, &e.timeouts}, {laneCancels, &e.cancels}} {
		e.intake.take(l.lane, l.q)
		l.q.each(l.q.n, end, func(*segment[*Timeout]) {})
	}
	notices = append(notices, e.intake.takeNotices(e.notices)...)
	e.notices = nil
	e.publishWaiting()
	close(e.stopped) // before Cancelled methods run, which may call Stop
	for _, c := range notices {
		e.callCancelled(c)
	}
	e.forget()
	return unprocessed, nil
}

// insideLocked reports whether the goroutine with this number is a worker.
//
// REQUIRES: e.mu is held.
func (e *engine) insideLocked(id uint64) bool {
	_, inside := e.mu.workers[id]
	return inside && id != 0
}

// finish takes t out of the timer for good. It reports whether t was pending and, if so, returns
// its task.
func (e *engine) finish(t *Timeout) (task TimerTask, pending bool) {
	for {
		s := t.load()
		n := s &^ held
		if !s.pending() {
			if t.cas(s, n) {
				return nil, false
			}
			continue
		}
		task, ok := t.claim(s, n.in(cancelled))
		if !ok {
			continue
		}
		e.intake.pick().cancelled.Add(1)
		e.limit.release(1)
		return task, true
	}
}
