package trigger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// PoolOptions configures a [Pool].
type PoolOptions struct {
	// Fast and Slow limit how many fires are handed over concurrently, of ordinary jobs and of
	// those that were slow in the current minute. The defaults are XXL-JOB's, 200 and 100
	// (xxl.job.triggerpool). One app gets at most half of each, so that the others always find a
	// place; rounded up, so a single place is for any app.
	Fast, Slow int
	// PerApp further limits how many fires of one executor app are handed over concurrently, for
	// ordinary and for slow jobs each. Values above half change nothing. 0 leaves it at half.
	PerApp int
	// Queue limits how many fires wait in memory, for ordinary and for slow jobs each; one app gets
	// at most half of it. The default is 40000, which takes some 20 MB.
	Queue int
	// Drain limits how long a stopping Run waits for hand-overs in flight before it cancels them.
	// The default is 10s.
	Drain  time.Duration
	Logger *slog.Logger // nil means slog.Default()
}

// The defaults of [PoolOptions].
const (
	DefaultFast  = 200
	DefaultSlow  = 100
	DefaultDrain = 10 * time.Second
)

// A Pool hands fires over, a limited number concurrently. Those of one executor app begin in the
// order in which they came, and the apps take turns. Waiting fires are durable in the store: a fire
// that finds no place is refused and found there later, and so are those that still wait when the
// pool stops. Until a refused fire is found, planned fires of the app that are due later are
// refused too. Otherwise they would take the places that become free, and the refused fire would
// wait as long as the app is overloaded.
//
// Slow jobs (see slow.go) are handed over by a part of the pool of their own.
type Pool struct {
	drain   time.Duration
	logger  *slog.Logger
	workers sync.WaitGroup // Run waits for them

	// mu is not held while a fire is handed over, or while the scheduler is called.
	mu        sync.Mutex // guards the fields below
	running   bool       // Invariant: nothing waits while false
	handOver  *HandOver  // since Run
	handOvers context.Context
	lanes     [2]*admission[*work]
	parked    []chan assignment // of idle workers, the last one to park at the end, each with room for one; closed when Run ends
	slow      slowJobs
	refusals  refusals
	settling  int // hand-overs that have left their places and not ended; at most mostSettling
}

const (
	laneFast = iota
	laneSlow
)

var laneNames = [2]string{"fast", "slow"}

// work is one fire in the pool. It is not changed once it waits.
type work struct {
	fire xxladapter.Fire
	// planned is true for a fire to be handed over, and false for one to be resolved. Only planned
	// ones that are refused have to be remembered: the sweep reads all others.
	planned bool
	done    func()
	since   time.Time // when it was put into the pool
}

// An assignment is work that has a place.
type assignment struct {
	work *work
	lane int
	app  int64
}

// NewPool returns a Pool that does nothing before Run. The error names an option that is negative.
func NewPool(opts PoolOptions) (*Pool, error) {
	var err error
	setDefault(&err, "PoolOptions.Fast", &opts.Fast, DefaultFast)
	setDefault(&err, "PoolOptions.Slow", &opts.Slow, DefaultSlow)
	setDefault(&err, "PoolOptions.PerApp", &opts.PerApp, 0)
	setDefault(&err, "PoolOptions.Queue", &opts.Queue, 40_000)
	setDefault(&err, "PoolOptions.Drain", &opts.Drain, DefaultDrain)
	if err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	p := &Pool{drain: opts.Drain, logger: opts.Logger}
	for lane, places := range [2]int{opts.Fast, opts.Slow} {
		p.lanes[lane] = newAdmission[*work](places, opts.Queue, opts.PerApp)
	}
	return p, nil
}

// setDefault sets an option that is 0. A negative one is stored as the error, unless there is one
// already.
func setDefault[T int | time.Duration](err *error, name string, field *T, value T) {
	switch {
	case *field < 0 && *err == nil:
		*err = fmt.Errorf("trigger: %s is %v, must not be negative", name, *field)
	case *field == 0:
		*field = value
	}
}

// Run hands fires over by h until ctx ends, and then waits for those in flight. After the drain
// limit it cancels them, and returns when they have ended. It may be called once.
func (p *Pool) Run(ctx context.Context, h *HandOver) error {
	handOvers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.mu.Lock()
	p.running, p.handOver, p.handOvers = true, h, handOvers
	p.mu.Unlock()

	<-ctx.Done()
	p.mu.Lock()
	p.running = false
	for _, idle := range p.parked {
		close(idle)
	}
	p.parked = nil
	var dropped []*work
	for _, lane := range p.lanes {
		dropped = append(dropped, lane.drop()...)
	}
	p.mu.Unlock()
	for _, w := range dropped {
		w.done()
	}
	limit := time.AfterFunc(p.drain, func() {
		p.logger.Warn("hand-overs took too long to drain and are cut off", "limit", p.drain)
		cancel()
	})
	defer limit.Stop()
	p.workers.Wait()
	return nil
}

// Fire hands over a planned fire and calls done when that has ended or was given up. It does not
// wait: false means that there is no place, or that the pool does not run, and that done is not
// called.
func (p *Pool) Fire(f xxladapter.Fire, done func()) bool {
	return p.put(work{fire: f, planned: true, done: done})
}

// Resolve takes a fire whose hand-over has no known outcome, as Fire takes a planned one.
func (p *Pool) Resolve(f xxladapter.Fire, done func()) bool {
	return p.put(work{fire: f, done: done})
}

// Refused returns the due time and id of the first fire that found no place and whose app has room
// again. ok is false if there is none.
func (p *Pool) Refused() (due time.Time, id int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from, ok := p.refusals.next()
	return time.UnixMilli(from.due), from.id, ok
}

// Offered notes that planned fires are about to be passed to Fire again: from the one with due and
// id, which [Pool.Refused] returned, to last. A nil last means all that follow.
func (p *Pool) Offered(due time.Time, id int64, last *xxladapter.Fire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := position{due.UnixMilli(), id}
	if last == nil {
		p.refusals.offered(from, nil)
		return
	}
	to := positionOf(*last)
	p.refusals.offered(from, &to)
}

// Waits returns, by the id of the group, how long the fire that goes next has waited for a place. A
// group of which nothing waits is missing. A group with slow jobs may have two waits; the longer
// one counts.
func (p *Pool) Waits() map[int64]time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	waits := map[int64]time.Duration{}
	for _, lane := range p.lanes {
		lane.first(func(app int64, w *work) { waits[app] = max(waits[app], now.Sub(w.since)) })
	}
	return waits
}

// put queues work in the lane of its job and starts what may go, which may be older work. false
// means that there is no place, or that the pool does not run.
func (p *Pool) put(w work) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		return false
	}
	lane := laneFast
	w.since = time.Now()
	if p.slow.is(w.fire.JobID, w.since) {
		lane = laneSlow
	}
	if !p.offer(lane, w.fire.GroupID, w) {
		return false
	}
	p.start(lane)
	return true
}

// offer queues w, or notes that there was no place.
//
// REQUIRES: p.mu is held.
func (p *Pool) offer(lane int, app int64, w work) bool {
	of := laneApp{lane, app}
	if w.planned && p.refusals.precede(of, w.fire) {
		p.refusals.refuse(of, w.fire)
		return false
	}
	if !p.lanes[lane].admits(app) {
		if w.planned {
			p.refusals.refuse(of, w.fire)
			p.refusals.noRoomFor(of)
		}
		return false
	}
	queued := w // allocated here, so that a refused one costs nothing
	p.lanes[lane].offer(app, &queued)
	return true
}

// start starts whatever may go in the lane.
//
// REQUIRES: p.mu is held.
func (p *Pool) start(lane int) {
	for {
		w, app, ok := p.lanes[lane].next()
		if !ok {
			return
		}
		t := assignment{w, lane, app}
		last := len(p.parked) - 1
		if last < 0 {
			ctx, h := p.handOvers, p.handOver
			p.workers.Go(func() { p.serve(ctx, h, t) })
			continue
		}
		p.parked[last] <- t
		p.parked = p.parked[:last]
	}
}

// serve does one assignment after the other until Run ends. Its goroutine is kept while there is
// nothing to do, because a new one would have to grow its stack again: a hand-over needs more than
// the first 2 KiB.
func (p *Pool) serve(ctx context.Context, h *HandOver, t assignment) {
	var next chan assignment
	for {
		p.work(ctx, h, t)
		p.mu.Lock()
		if !p.running {
			p.mu.Unlock()
			return
		}
		if next == nil {
			next = make(chan assignment, 1)
		}
		p.parked = append(p.parked, next)
		p.mu.Unlock()
		var ok bool
		if t, ok = <-next; !ok {
			return
		}
	}
}

// work does an assignment, and then what may go in its place.
func (p *Pool) work(ctx context.Context, h *HandOver, t assignment) {
	for ok := true; ok; {
		w, began, left := t.work, time.Now(), false
		err := p.handle(withPlace(ctx, func() { left = left || p.leave(t, began) }), h, w)
		w.done()
		// The sweep finds what was claimed, and asks for its outcome.
		if claimed := new(claimedError); err != nil && w.planned && !errors.As(err, &claimed) {
			h.opts.Scheduler.Again(w.fire)
		}
		p.mu.Lock()
		if left {
			p.settling--
		} else {
			p.finish(t, began)
		}
		t.work, t.app, ok = p.lanes[t.lane].next()
		p.start(t.lane) // one that ends may make room for several apps
		p.unlock(h, t.lane)
	}
}

// leave releases the place of an assignment before it has ended, and reports whether it did. It
// releases none while mostSettling others are settling.
func (p *Pool) leave(t assignment, began time.Time) bool {
	p.mu.Lock()
	if p.settling >= mostSettling {
		p.mu.Unlock()
		return false
	}
	p.settling++
	p.finish(t, began)
	p.start(t.lane)
	p.unlock(p.handOver, t.lane)
	return true
}

// finish releases the place of an assignment and notes how long the hand-over has taken.
//
// REQUIRES: p.mu is held.
func (p *Pool) finish(t assignment, began time.Time) {
	now := time.Now()
	p.slow.note(t.work.fire.JobID, now.Sub(began), now)
	p.lanes[t.lane].finish(t.app)
}

// unlock releases mu, and lets the scheduler offer again what was refused and has room.
func (p *Pool) unlock(h *HandOver, lane int) {
	roomy := p.lanes[lane].takeRoom()
	for _, app := range roomy {
		p.refusals.roomFor(laneApp{lane, app})
	}
	p.mu.Unlock()
	if len(roomy) > 0 {
		h.opts.Scheduler.Sweep()
	}
}

// mostSettling bounds the hand-overs that have left their places and are being stored: a store that
// does not answer stops the pool soon.
const mostSettling = 2000

type placeKey struct{}

// withPlace returns ctx for a hand-over that may leave its place; with nil it may not.
func withPlace(ctx context.Context, leave func()) context.Context {
	return context.WithValue(ctx, placeKey{}, leave)
}

// leavePlace gives the place of a hand-over in the pool to another one. Places limit how many
// executors are called at once; once the executor has answered, only the store is waited for.
func leavePlace(ctx context.Context) {
	if leave, _ := ctx.Value(placeKey{}).(func()); leave != nil {
		leave()
	}
}

// handle hands w over and recovers a panic, so that it does not end the other hand-overs. The fire
// stays open and is found again. A panic is returned as an error.
func (p *Pool) handle(ctx context.Context, h *HandOver, w *work) error {
	do := h.Resolve
	if w.planned {
		do = h.Fire
	}
	err := recovered(func() error { return do(ctx, w.fire) })
	if err != nil {
		p.report(w.fire, err)
	}
	return err
}

// recovered calls f, and turns a panic into an error with the stack.
func recovered(f func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return f()
}

func (p *Pool) report(f xxladapter.Fire, err error) {
	p.logger.Error("hand-over failed", "job", f.JobID, "fire", f.ID, "due", f.Due, "err", err)
}

// A Load says how much of one executor app is in one part of a [Pool].
type Load struct {
	Pool     string // fast or slow
	GroupID  int64  // the app's group; 0 means that the jobs were gone when their fires were planned
	Waiting  int
	InFlight int
}

// Loads lists the apps that have anything in the pool, by pool and group.
func (p *Pool) Loads() []Load {
	p.mu.Lock()
	defer p.mu.Unlock()
	var loads []Load
	for lane, a := range p.lanes {
		for id, l := range a.apps {
			loads = append(
				loads, Load{Pool: laneNames[lane], GroupID: id, Waiting: len(l.waiting), InFlight: l.inFlight},
			)
		}
	}
	slices.SortFunc(loads, func(a, b Load) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.GroupID, b.GroupID))
	})
	return loads
}

// Report counts the places of the two parts and the fires in them.
func (p *Pool) Report() (fast, slow xxladapter.PoolReport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := func(a *admission[*work]) xxladapter.PoolReport {
		return xxladapter.PoolReport{Places: a.places, InFlight: a.inFlight, Waiting: a.waiting}
	}
	return of(p.lanes[laneFast]), of(p.lanes[laneSlow])
}

// Busy reports whether fires wait for a free place.
func (p *Pool) Busy() bool {
	return slices.ContainsFunc(p.Loads(), func(l Load) bool { return l.Waiting > 0 })
}
