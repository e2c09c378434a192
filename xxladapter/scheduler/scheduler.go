package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"golang.org/x/sync/errgroup"
)

// A Store is what this package needs of [xxladapter.Store].
type Store interface {
	xxladapter.Clock
	ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
		decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error)
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
	Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error)
	Retire(ctx context.Context, term xxladapter.Term) error
	Resign(ctx context.Context, term xxladapter.Term) error
}

// A Pool takes fires that are due. Its methods return at once; false from the
// first two means that there was no place, and that done will not be called.
// trigger.Pool is one.
type Pool interface {
	Fire(f xxladapter.Fire, done func()) bool
	Resolve(f xxladapter.Fire, done func()) bool
	// Refused is where planned fires begin, in the order of due times and ids, that
	// found no place and may find one now; ok is false if there are none.
	Refused() (due time.Time, id int64, ok bool)
	// Offered says that all planned fires from there up to last were handed to Fire
	// again, or up to the last one there is.
	Offered(due time.Time, id int64, last *xxladapter.Fire)
}

// DefaultWindow is the default of [Options].Window.
const DefaultWindow = 5 * time.Second

// Options configures a [Scheduler]. Store, Pool and Node must be set.
type Options struct {
	Store Store
	Pool  Pool
	// Node is this process's name among the schedulers of the store, and
	// unique for each process that ever ran.
	Node string
	// Window is how far ahead a scan reads, and how late a due time may be
	// before it counts as a misfire. XXL-JOB uses the same five seconds for both
	// (PRE_READ_MS in JobScheduleHelper), which is the default. It must be at
	// least 1s.
	Window time.Duration
	// Limit is how many jobs one scan takes at most. The default is 5000, XXL-JOB's
	// (200 + 300) x 10. A scan takes fewer where that many would hold up the store
	// for long, and is followed by another at once when there are more.
	Limit int
	// Zone is where cron expressions are read. The default is time.Local.
	Zone *time.Location
	// CronProfile is how they are read; see package cron.
	CronProfile cron.Profile
	// OnMisfire is told of due times that gave no fire of their own, after the
	// commit; nil: nobody is.
	OnMisfire func(xxladapter.Misfire)
	// SkewLimit is by how much this machine's clock may differ from the store's
	// before the node stops to claim. The default is 2s, well above what
	// synchronised clocks differ by and below what would show as a wrong time
	// to people; negative: any difference will do.
	SkewLimit time.Duration
	// Wall is this machine's wall clock, for tests. The default is time.Now.
	Wall   func() time.Time
	Logger *slog.Logger // nil: slog.Default()
}

// A Scheduler plans and hands out the fires of one store.
type Scheduler struct {
	opts  Options
	clock *storeClock
	grant atomic.Pointer[grant] // never nil
	stats stats
	ring  *ring
	plans *plans
	wake  chan struct{} // a scan is wanted
	broom chan struct{} // a sweep is wanted

	page    int     // how many planned fires one query of a sweep takes
	backlog backlog // of the sweep alone
	given   givenBack

	renewal chan struct{} // an attempt at a lease is wanted now
	arrived atomic.Bool   // shards have come whose fires are not armed yet
	retired atomic.Bool
}

// New returns a Scheduler that does nothing before Run. The error names an option
// that is missing or makes no sense.
func New(opts Options) (*Scheduler, error) {
	switch {
	case opts.Store == nil:
		return nil, errors.New("scheduler: Options.Store is nil, must be set")
	case opts.Pool == nil:
		return nil, errors.New("scheduler: Options.Pool is nil, must be set")
	case opts.Node == "":
		return nil, errors.New("scheduler: Options.Node is empty, must be set")
	}
	switch {
	case opts.Window == 0:
		opts.Window = DefaultWindow
	case opts.Window < time.Second:
		return nil, fmt.Errorf("scheduler: Options.Window is %v, must be at least 1s", opts.Window)
	}
	switch {
	case opts.Limit == 0:
		opts.Limit = 5000
	case opts.Limit < 0:
		return nil, fmt.Errorf("scheduler: Options.Limit is %d, must not be negative", opts.Limit)
	}
	if opts.Zone == nil {
		opts.Zone = time.Local
	}
	if opts.SkewLimit == 0 {
		opts.SkewLimit = 2 * time.Second
	}
	if opts.Wall == nil {
		opts.Wall = time.Now
	}
	if opts.OnMisfire == nil {
		opts.OnMisfire = func(xxladapter.Misfire) {}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	clock := new(storeClock)
	s := &Scheduler{
		opts: opts, clock: clock,
		page:  sweepLimit,
		plans: newPlans(opts.Zone, opts.CronProfile),
		wake:  make(chan struct{}, 1),
		broom: make(chan struct{}, 1),

		renewal: make(chan struct{}, 1),
	}
	s.grant.Store(&grant{})
	var err error
	s.ring, err = newRing(clock, func() bool { _, ok := s.Term(); return ok }, opts.Pool.Fire)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Run scans and sweeps, while there is a lease, until ctx ends. Then it lets go
// of what the wheel holds and of the node's shards; what was planned stays in
// the store, for other nodes. When it returns nothing is handed out any more.
// Failures of the store are logged and tried again. Run may be called once.
func (s *Scheduler) Run(ctx context.Context) error {
	var loops errgroup.Group
	loops.Go(func() error { s.scanLoop(ctx); return nil })
	loops.Go(func() error { s.sweepLoop(ctx); return nil })
	err := loops.Wait()
	s.retire(ctx)
	s.ring.stop()
	return err
}

// Wake makes the next scan happen now, because a job was started or changed.
func (s *Scheduler) Wake() { signal(s.wake) }

// Sweep makes the next sweep happen now, because fires were planned that are due.
func (s *Scheduler) Sweep() { signal(s.broom) }

// signal asks for something, unless that is going to happen anyway.
func signal(wanted chan<- struct{}) {
	select {
	case wanted <- struct{}{}:
	default:
	}
}

// Wheel is what the wheel says of itself.
func (s *Scheduler) Wheel() hashedwheel.Stats { return s.ring.timer.Stats() }

// Held is how many fires wait in the wheel or are being handed over.
func (s *Scheduler) Held() int { return s.ring.len() }
