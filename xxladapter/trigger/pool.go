package trigger

import (
	"context"
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
	// Drain is how long Run waits for hand-overs that are under way when it is
	// stopped. The default is 10s.
	Drain  time.Duration
	Logger *slog.Logger // nil: slog.Default()
}

// A Pool hands fires over, a bounded number at the same time. It has no queue:
// a fire that finds no free place is refused and waits in the store, where it
// is durable.
type Pool struct {
	handOver *HandOver
	places   chan struct{}
	drain    time.Duration
	logger   *slog.Logger

	mu      sync.Mutex
	ctx     context.Context // of the work; nil while not running
	running sync.WaitGroup  // Invariant: Add only under mu while ctx is not nil
}

// NewPool returns a Pool that does nothing before Run.
func NewPool(h *HandOver, opts PoolOptions) *Pool {
	if opts.Size <= 0 {
		opts.Size = 200
	}
	if opts.Drain <= 0 {
		opts.Drain = 10 * time.Second
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Pool{handOver: h, places: make(chan struct{}, opts.Size), drain: opts.Drain, logger: opts.Logger}
}

// Run lets the pool work until ctx ends, and then waits until what is under
// way has ended or the drain limit has passed. It may be called once.
func (p *Pool) Run(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p.mu.Lock()
	p.ctx = work
	p.mu.Unlock()

	<-ctx.Done()
	p.mu.Lock()
	p.ctx = nil
	p.mu.Unlock()

	limit := time.AfterFunc(p.drain, func() {
		p.logger.Warn("hand-overs took too long to drain and are cut off", "limit", p.drain)
		cancel()
	})
	defer limit.Stop()
	p.running.Wait()
	return nil
}

// Fire hands over a planned fire on a goroutine of the pool, and calls done when
// that has ended. It does not wait: false means that there is no free place,
// or that the pool does not run, and done is not called.
func (p *Pool) Fire(f xxladapter.Fire, done func()) bool {
	return p.start(p.handOver.Fire, f, done)
}

// Resolve is Fire for a fire whose hand-over has no known outcome.
func (p *Pool) Resolve(f xxladapter.Fire, done func()) bool {
	return p.start(p.handOver.Resolve, f, done)
}

func (p *Pool) start(do func(context.Context, xxladapter.Fire) error, f xxladapter.Fire, done func()) bool {
	p.mu.Lock()
	ctx := p.ctx
	if ctx == nil {
		p.mu.Unlock()
		return false
	}
	select {
	case p.places <- struct{}{}:
	default:
		p.mu.Unlock()
		return false
	}
	p.running.Add(1)
	p.mu.Unlock()

	go func() {
		defer p.running.Done()
		defer func() {
			<-p.places
			done()
		}()
		if err := do(ctx, f); err != nil {
			p.logger.Error("hand-over failed", "job", f.JobID, "fire", f.ID, "due", f.Due, "err", err)
		}
	}()
	return true
}
