package trigger

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// PoolOptions configures a [Pool].
type PoolOptions struct {
	// Fast and Slow are how many fires are handed over at the same time, of
	// ordinary jobs and of those that were slow in this minute. The defaults are
	// XXL-JOB's (xxl.job.triggerpool), 200 and 100. One app gets half of each at
	// most, so that there is always something left for the others.
	Fast, Slow int
	// PerApp bounds further how many fires of one executor app are handed over
	// at the same time by each of the two. 0: half of it.
	PerApp int
	// Queue is how many fires wait in memory for their turn, for each of the
	// two; one app gets half of it at most. The default is 40000, a few megabytes.
	Queue int
	// Drain is how long Run waits for hand-overs that are under way when it is
	// stopped. The default is 10s.
	Drain  time.Duration
	Logger *slog.Logger // nil: slog.Default()
}

// A Pool hands fires over, a bounded number at the same time: in the order in
// which it got them for each executor app, while the apps take turns. What
// waits for its turn is durable in the store: a fire that finds no place is
// refused and picked up there later, and so is what still waits when the pool stops.
//
// Jobs that are slow (see slow.go) are handed over by a part of the pool that
// others do not need.
type Pool struct {
	drain   time.Duration
	logger  *slog.Logger
	workers sync.WaitGroup // Run waits for them

	// mu is not held while a fire is handed over, or while the scheduler is called.
	mu        sync.Mutex // guards the fields below
	running   bool       // Invariant: nothing waits while false
	handOver  *HandOver  // since Run
	handOvers context.Context
	lanes     [2]*admission[work]
	slow      slowJobs
	refusals  refusals
}

const (
	laneFast = iota
	laneSlow
)

var laneNames = [2]string{"fast", "slow"}

// work is one fire in the pool.
type work struct {
	fire xxladapter.Fire
	// planned is true for a fire to be handed over, and false for one to be resolved. Only
	// planned ones that are refused have to be remembered: the sweep reads all others.
	planned bool
	done    func()
}

// NewPool returns a Pool that does nothing before Run. The error names an option that is negative.
func NewPool(opts PoolOptions) (*Pool, error) {
	var err error
	setDefault(&err, "PoolOptions.Fast", &opts.Fast, 200)
	setDefault(&err, "PoolOptions.Slow", &opts.Slow, 100)
	setDefault(&err, "PoolOptions.PerApp", &opts.PerApp, 0)
	setDefault(&err, "PoolOptions.Queue", &opts.Queue, 40_000)
	setDefault(&err, "PoolOptions.Drain", &opts.Drain, 10*time.Second)
	if err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	p := &Pool{drain: opts.Drain, logger: opts.Logger}
	for lane, places := range [2]int{opts.Fast, opts.Slow} {
		p.lanes[lane] = newAdmission[work](places, opts.Queue, opts.PerApp)
	}
	return p, nil
}

// setDefault sets a field of options that is 0. A negative one becomes the error, unless there is
// one before it.
func setDefault[T int | time.Duration](err *error, name string, field *T, value T) {
	switch {
	case *field < 0 && *err == nil:
		*err = fmt.Errorf("trigger: %s is %v, must not be negative", name, *field)
	case *field == 0:
		*field = value
	}
}

// Run lets the pool hand fires over by h until ctx ends, and then waits until
// what is under way has ended or the drain limit has passed. It may be called once.
func (p *Pool) Run(ctx context.Context, h *HandOver) error {
	handOvers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.mu.Lock()
	p.running, p.handOver, p.handOvers = true, h, handOvers
	p.mu.Unlock()

	<-ctx.Done()
	p.mu.Lock()
	p.running = false
	var dropped []work
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

// Fire hands over a planned fire, and calls done when that has ended or been
// given up. It does not wait: false means that there is no place, or that the
// pool does not run, and done is not called.
func (p *Pool) Fire(f xxladapter.Fire, done func()) bool {
	return p.put(work{fire: f, planned: true, done: done})
}

// Resolve is Fire for a fire whose hand-over has no known outcome.
func (p *Pool) Resolve(f xxladapter.Fire, done func()) bool {
	return p.put(work{fire: f, done: done})
}

// Refused is where fires begin that found no place, of apps that have room again:
// a due time and an id. ok is false if there are none.
func (p *Pool) Refused() (due time.Time, id int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from, ok := p.refusals.next()
	return time.UnixMilli(from.due), from.id, ok
}

// Offered notes that the planned fires from the last answer of [Pool.Refused] up to
// last were offered once more; with last nil, all that follow.
func (p *Pool) Offered(due time.Time, id int64, last *xxladapter.Fire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := place{due.UnixMilli(), id}
	if last == nil {
		p.refusals.offered(from, nil)
		return
	}
	to := placeOf(*last)
	p.refusals.offered(from, &to)
}

func (p *Pool) put(w work) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		return false
	}
	lane := laneFast
	if p.slow.is(w.fire.JobID, time.Now()) {
		lane = laneSlow
	}
	if !p.offer(lane, w.fire.GroupID, w) {
		return false
	}
	p.start(lane)
	return true
}

// offer lets w wait for its turn, or notes that there was no place. REQUIRES: mu is
// held.
func (p *Pool) offer(lane int, app int64, w work) bool {
	ok := p.lanes[lane].offer(app, w)
	if !ok && w.planned {
		p.refusals.refuse(laneApp{lane, app}, w.fire)
	}
	return ok
}

// start begins whatever may go in the lane. REQUIRES: mu is held.
func (p *Pool) start(lane int) {
	for {
		w, app, ok := p.lanes[lane].next()
		if !ok {
			return
		}
		p.workers.Go(func() { p.work(p.handOvers, p.handOver, lane, app, w) })
	}
}

// work does w, and then what may go because of its end.
func (p *Pool) work(ctx context.Context, h *HandOver, lane int, app int64, w work) {
	for ok := true; ok; {
		began := time.Now()
		done := p.handle(ctx, h, w)
		w.done()
		if !done && w.planned {
			h.opts.Scheduler.Again(w.fire)
		}

		now := time.Now()
		p.mu.Lock()
		p.slow.note(w.fire.JobID, now.Sub(began), now)
		p.lanes[lane].finish(app)
		w, app, ok = p.lanes[lane].next()
		p.start(lane) // the end of one may let several apps go on
		roomy := p.lanes[lane].takeRoom()
		for _, app := range roomy {
			p.refusals.roomFor(laneApp{lane, app})
		}
		p.mu.Unlock()
		if len(roomy) > 0 {
			h.opts.Scheduler.Sweep()
		}
	}
}

// handle keeps a panic in one hand-over from ending all of them. Its fire stays
// open and is found again. ok is false after an error or a panic.
func (p *Pool) handle(ctx context.Context, h *HandOver, w work) (ok bool) {
	defer func() {
		if panicked := recover(); panicked != nil {
			p.report(w.fire, fmt.Errorf("panic: %v", panicked))
		}
	}()
	do := h.Resolve
	if w.planned {
		do = h.Fire
	}
	if err := do(ctx, w.fire); err != nil {
		p.report(w.fire, err)
		return false
	}
	return true
}

func (p *Pool) report(f xxladapter.Fire, err error) {
	p.logger.Error("hand-over failed", "job", f.JobID, "fire", f.ID, "due", f.Due, "err", err)
}

// A Load is how much of one executor app is in one part of a [Pool].
type Load struct {
	Pool     string // fast or slow
	GroupID  int64  // the app's group; 0: of jobs that were gone when their fires were planned
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
			loads = append(loads, Load{Pool: laneNames[lane], GroupID: id, Waiting: len(l.waiting), InFlight: l.inFlight})
		}
	}
	slices.SortFunc(loads, func(a, b Load) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.GroupID, b.GroupID))
	})
	return loads
}

// Busy says whether fires wait for a free place.
func (p *Pool) Busy() bool {
	return slices.ContainsFunc(p.Loads(), func(l Load) bool { return l.Waiting > 0 })
}
