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
	Drain time.Duration
	// Room is told that there is room again after fires had been refused, which
	// [Pool.Refused] tells where to find. It is called without locks and must not
	// wait; nil: nobody is told.
	Room func()
	// Again is given fires whose hand-over the store broke off. They may still be
	// planned. It is called without locks and must not wait; nil: nobody is.
	Again  func(xxladapter.Fire)
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
	handOver *HandOver
	drain    time.Duration
	room     func()
	again    func(xxladapter.Fire)
	logger   *slog.Logger

	mu        sync.Mutex
	running   bool // Invariant: nothing waits while false
	handOvers context.Context
	lanes     [2]*admission[work]
	slow      slowJobs
	refusals  refusals
	workers   sync.WaitGroup
}

const (
	laneFast = iota
	laneSlow
)

var laneNames = [2]string{"fast", "slow"}

// work is one fire in the pool.
type work struct {
	fire xxladapter.Fire
	// planned says that the fire is found again only if it is known where.
	planned bool
	do      func(context.Context, xxladapter.Fire) error
	done    func()
}

// NewPool returns a Pool that does nothing before Run.
func NewPool(h *HandOver, opts PoolOptions) *Pool {
	setDefault(&opts.Fast, 200)
	setDefault(&opts.Slow, 100)
	setDefault(&opts.Queue, 40_000)
	if opts.Drain <= 0 {
		opts.Drain = 10 * time.Second
	}
	if opts.Room == nil {
		opts.Room = func() {}
	}
	if opts.Again == nil {
		opts.Again = func(xxladapter.Fire) {}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	p := &Pool{handOver: h, drain: opts.Drain, room: opts.Room, again: opts.Again, logger: opts.Logger}
	for lane, places := range [2]int{opts.Fast, opts.Slow} {
		p.lanes[lane] = newAdmission[work](places, opts.Queue, max(opts.PerApp, 0))
	}
	return p
}

func setDefault(field *int, value int) {
	if *field <= 0 {
		*field = value
	}
}

// Run lets the pool work until ctx ends, and then waits until what is under
// way has ended or the drain limit has passed. It may be called once.
func (p *Pool) Run(ctx context.Context) error {
	handOvers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.mu.Lock()
	p.running, p.handOvers = true, handOvers
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
	return p.put(work{fire: f, planned: true, do: p.handOver.Fire, done: done})
}

// Resolve is Fire for a fire whose hand-over has no known outcome.
func (p *Pool) Resolve(f xxladapter.Fire, done func()) bool {
	return p.put(work{fire: f, do: p.handOver.Resolve, done: done})
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
		p.workers.Go(func() { p.work(p.handOvers, lane, app, w) })
	}
}

// work does w, and then what may go because of its end.
func (p *Pool) work(ctx context.Context, lane int, app int64, w work) {
	for ok := true; ok; {
		began := time.Now()
		done := p.handle(ctx, w)
		w.done()
		if !done && w.planned {
			p.again(w.fire)
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
			p.room()
		}
	}
}

// handle keeps a panic in one hand-over from ending all of them. Its fire stays
// open and is found again. ok is false after an error or a panic.
func (p *Pool) handle(ctx context.Context, w work) (ok bool) {
	defer func() {
		if panicked := recover(); panicked != nil {
			p.report(w.fire, fmt.Errorf("panic: %v", panicked))
		}
	}()
	if err := w.do(ctx, w.fire); err != nil {
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
