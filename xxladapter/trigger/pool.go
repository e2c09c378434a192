package trigger

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// PoolOptions configures a [Pool].
type PoolOptions struct {
	// Size is how many fires are handed over at the same time. The default is
	// 200, XXL-JOB's fast pool.
	Size int
	// Queue is how many fires wait in memory for their turn. The default is
	// 20000, a few megabytes.
	Queue int
	// Drain is how long Run waits for hand-overs that are under way when it is
	// stopped. The default is 10s.
	Drain  time.Duration
	Logger *slog.Logger // nil: slog.Default()
}

// A Pool hands fires over, a bounded number at the same time, in the order in
// which it got them. What waits for its turn is durable in the store: a fire
// that finds the queue full is refused and picked up there later, and so is
// what still waits when the pool stops.
type Pool struct {
	handOver *HandOver
	size     int
	drain    time.Duration
	logger   *slog.Logger
	queue    chan work

	mu      sync.Mutex
	running bool // Invariant: nothing is put into queue while false
}

// work is one fire in the pool.
type work struct {
	fire xxladapter.Fire
	do   func(context.Context, xxladapter.Fire) error
	done func()
}

// NewPool returns a Pool that does nothing before Run.
func NewPool(h *HandOver, opts PoolOptions) *Pool {
	if opts.Size <= 0 {
		opts.Size = 200
	}
	if opts.Queue <= 0 {
		opts.Queue = 20_000
	}
	if opts.Drain <= 0 {
		opts.Drain = 10 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Pool{
		handOver: h, size: opts.Size, drain: opts.Drain, logger: opts.Logger,
		queue: make(chan work, opts.Queue),
	}
}

// Run lets the pool work until ctx ends, and then waits until what is under
// way has ended or the drain limit has passed. It may be called once.
func (p *Pool) Run(ctx context.Context) error {
	handOvers, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.setRunning(true)
	var workers sync.WaitGroup
	for range p.size {
		workers.Go(func() { p.work(ctx, handOvers) })
	}

	<-ctx.Done()
	p.setRunning(false)
	close(p.queue) // nobody puts anything in any more
	limit := time.AfterFunc(p.drain, func() {
		p.logger.Warn("hand-overs took too long to drain and are cut off", "limit", p.drain)
		cancel()
	})
	defer limit.Stop()
	workers.Wait()
	return nil
}

func (p *Pool) setRunning(running bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = running
}

// work takes fires until the queue is closed and empty. Once ctx has ended what
// still waits is let go.
func (p *Pool) work(ctx, handOvers context.Context) {
	for w := range p.queue {
		if ctx.Err() == nil {
			p.handle(handOvers, w)
		}
		w.done()
	}
}

// handle keeps a panic in one hand-over from ending all of them. Its fire stays
// open and is found again.
func (p *Pool) handle(ctx context.Context, w work) {
	defer func() {
		if panicked := recover(); panicked != nil {
			p.report(w.fire, fmt.Errorf("panic: %v", panicked))
		}
	}()
	if err := w.do(ctx, w.fire); err != nil {
		p.report(w.fire, err)
	}
}

func (p *Pool) report(f xxladapter.Fire, err error) {
	p.logger.Error("hand-over failed", "job", f.JobID, "fire", f.ID, "due", f.Due, "err", err)
}

// Fire hands over a planned fire, and calls done when that has ended or been
// given up. It does not wait: false means that the queue is full or that the
// pool does not run, and done is not called.
func (p *Pool) Fire(f xxladapter.Fire, done func()) bool {
	return p.put(work{f, p.handOver.Fire, done})
}

// Resolve is Fire for a fire whose hand-over has no known outcome.
func (p *Pool) Resolve(f xxladapter.Fire, done func()) bool {
	return p.put(work{f, p.handOver.Resolve, done})
}

func (p *Pool) put(w work) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		return false
	}
	select {
	case p.queue <- w:
		return true
	default:
		return false
	}
}
