package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
)

// A Store is the part of [xxladapter.Store] that this package needs.
type Store interface {
	xxladapter.Clock
	ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
		decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error)
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
	Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error)
	Lead(ctx context.Context, node string, life time.Duration, e xxladapter.Election) (xxladapter.Lease, error)
	Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error
	Resign(ctx context.Context, term xxladapter.Term) error
	Leases(ctx context.Context) ([]xxladapter.Lease, error)
	HoldPresence(ctx context.Context, term xxladapter.Term) error
	AwaitAbsence(ctx context.Context, term xxladapter.Term) (waited bool, err error)
	PresenceEnded(ctx context.Context, term xxladapter.Term) error
	ReportNode(ctx context.Context, term xxladapter.Term, r xxladapter.NodeReport) error
}

// A Pool takes fires that are due. Its methods return at once. trigger.Pool is one.
type Pool interface {
	// Fire takes a planned fire, and calls done once when its hand-over has ended or was given up,
	// from any goroutine. It returns false if there is no place; done is not called then.
	Fire(f xxladapter.Fire, done func()) bool
	// Resolve takes a fire whose hand-over has no known outcome, as Fire takes a planned one.
	Resolve(f xxladapter.Fire, done func()) bool
	// Refused returns the due time and id of the first planned fire that was refused and may find
	// a place now. ok is false if there is none.
	Refused() (due time.Time, id int64, ok bool)
	// Offered announces that all planned fires from the last answer of Refused up to last, or all
	// that follow if last is nil, are passed to Fire again. Before that, Fire may refuse what is
	// due later.
	Offered(due time.Time, id int64, last *xxladapter.Fire)
	// Waits returns, by the id of the group, how long the fire that goes next has waited for a
	// place. A group of which nothing waits is missing.
	Waits() map[int64]time.Duration
	// Report counts the places of both parts of the pool and what is in them.
	Report() (fast, slow xxladapter.PoolReport)
}

// DefaultWindow is the default of [Options].Window.
const DefaultWindow = 5 * time.Second

// defaultLimit is the default of [Options].Limit.
const defaultLimit = 5000

// Options configures a [Scheduler]. Store, Pool and Node must be set.
type Options struct {
	// Store keeps jobs, fires and leases. It must be set.
	Store Store
	// Pool hands over the fires that are due. It must be set.
	Pool Pool
	// Node is this process's name among the schedulers of the store. It must be set, and no two
	// processes may ever use the same one.
	Node string
	// Mode says whether this node plans a part of the jobs, or all or none of them. The default is
	// [xxladapter.SchedulingAll].
	Mode xxladapter.SchedulingMode
	// Spread says who hands over what this node plans while it leads. The default is
	// [xxladapter.SpreadNone]: the node itself. Anything else needs SendHint.
	Spread xxladapter.Spread
	// Advertise is the URL under which other nodes reach this one, for the fires that a leader
	// gives it. Empty means that it gets none.
	Advertise string
	// SendHint gives the fires of a hint to the node at a URL. It may be called from several
	// goroutines at once, and limits its own time.
	SendHint func(ctx context.Context, address string, h spread.Hint) error
	// Election returns what an elector says of this node, in [xxladapter.SchedulingLeader]. It must
	// not block; [Scheduler.Renew] makes a change known at once. Nil means that no elector is
	// asked.
	Election func() xxladapter.Election
	// Window is how far ahead a scan reads, and how late a due time may be before it counts as a
	// misfire. XXL-JOB uses the same five seconds for both (PRE_READ_MS in JobScheduleHelper),
	// which is the default. It must be at least 1s.
	Window time.Duration
	// Limit is the maximum number of jobs that one scan takes. The default is 5000, XXL-JOB's (200
	// + 300) x 10. A scan takes fewer where that many would hold up the store for long; the next
	// one follows at once if there are more.
	Limit int
	// Zone is the time zone of cron expressions. The default is time.Local.
	Zone *time.Location
	// CronProfile selects the dialect of cron expressions. The default is [cron.Quartz].
	CronProfile cron.Profile
	// OnMisfire is called for due times that gave no fire of their own, after the commit, on the
	// goroutine that scans. A panic in it is logged, and the scan continues. Nil ignores them.
	OnMisfire func(xxladapter.Misfire)
	// SkewLimit is how far this machine's clock may differ from the store's before the node stops
	// claiming. The default is 2s: well above the differences of synchronised clocks, and below
	// what people would notice as a wrong time. A negative value disables the check.
	SkewLimit time.Duration
	// Wall is this machine's wall clock, for tests. The default is time.Now.
	Wall   func() time.Time
	Logger *slog.Logger // nil means slog.Default()
}

// DefaultSkewLimit is the default of [Options.SkewLimit].
const DefaultSkewLimit = 2 * time.Second

// A Scheduler plans and hands out the fires of one store. Fields without a remark are safe for
// concurrent use.
type Scheduler struct {
	opts  Options // not changed after New
	clock *storeClock
	grant atomic.Pointer[grant] // never nil
	stats stats
	ring  *ring
	plans *plans // used by the scan loop alone

	scanNow  chan struct{} // a scan is wanted
	sweepNow chan struct{} // a sweep is wanted

	page    int     // how many fires one query of a sweep takes; not changed after New
	backlog backlog // used by the sweep alone
	// resolved is the last open hand-over of this term that the sweep has resolved. Zero means that
	// it has reached the end of the list. It is used by the sweep alone.
	resolved  xxladapter.Fire
	givenBack givenBack
	// shown is what the store's clock has shown to the sweep last, and latest the latest of that.
	// Since stepped, a moment of this machine, the clock was not set back. The sweep alone uses
	// them.
	shown, latest, stepped time.Time

	misfires   misfireLines // used by the scan loop alone
	congestion congestion   // used by the scan loop alone

	renewal chan struct{} // an attempt at a lease is wanted now
	arrived atomic.Bool   // partitions have come whose fires are not armed yet
	retired atomic.Bool   // Run is ending, and the partitions are given back for good
	drained bool          // an operator has drained this node; used only by HoldLease
	// skewed is the last term that was given back because of the clock; used only by HoldLease.
	skewed xxladapter.Term

	roster    *roster
	reporter  reporter      // used only by HoldLease
	suspected atomic.Uint64 // a PartitionSet: partitions whose owner may have died and whose fires are not armed yet

	followers  *followers
	sharing    sharing        // used by the scan loop alone
	sending    sync.WaitGroup // hints that are being sent
	overdueNow chan struct{}  // a fire was left to another node for as long as it may be
	taking     chan struct{}  // a place for each hint that may be taken at once
}

// withDefaults returns the options with their defaults. The error names the first one that is
// missing or makes no sense.
func (o Options) withDefaults() (Options, error) {
	fail := func(format string, args ...any) (Options, error) {
		return o, fmt.Errorf("scheduler: Options."+format, args...)
	}
	switch {
	case o.Store == nil:
		return fail("Store is nil, must be set")
	case o.Pool == nil:
		return fail("Pool is nil, must be set")
	case o.Node == "":
		return fail("Node is empty, must be set")
	case o.Window != 0 && o.Window < time.Second:
		return fail("Window is %v, must be at least 1s", o.Window)
	case o.Limit < 0:
		return fail("Limit is %d, must not be negative", o.Limit)
	}
	o.Window = cmp.Or(o.Window, DefaultWindow)
	o.Limit = cmp.Or(o.Limit, defaultLimit)
	o.Mode = cmp.Or(o.Mode, xxladapter.SchedulingAll)
	o.Spread = cmp.Or(o.Spread, xxladapter.SpreadNone)
	o.Zone = cmp.Or(o.Zone, time.Local)
	o.SkewLimit = cmp.Or(o.SkewLimit, DefaultSkewLimit)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if err := o.Mode.Validate(); err != nil {
		return fail("Mode: %w", err)
	}
	if err := o.Spread.Validate(); err != nil {
		return fail("Spread: %w", err)
	}
	if o.Spread != xxladapter.SpreadNone && o.SendHint == nil {
		return fail("SendHint is nil, must be set to spread fires")
	}
	if o.Election == nil {
		o.Election = func() xxladapter.Election { return xxladapter.ElectionNone }
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.OnMisfire == nil {
		o.OnMisfire = func(xxladapter.Misfire) {}
	}
	return o, nil
}

// New returns a Scheduler that does nothing before Run. The error names an option that is missing
// or makes no sense.
func New(opts Options) (*Scheduler, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	clock := new(storeClock)
	s := &Scheduler{
		opts: opts, clock: clock,
		page:       sweepLimit,
		plans:      newPlans(opts.Zone, opts.CronProfile),
		congestion: congestion{stock: defaultStock},
		scanNow:    make(chan struct{}, 1),
		sweepNow:   make(chan struct{}, 1),

		renewal: make(chan struct{}, 1),
		roster:  newRoster(),

		followers:  &followers{logger: opts.Logger, known: make(map[xxladapter.Term]*follower)},
		overdueNow: make(chan struct{}, 1),
		taking:     make(chan struct{}, takeLimit),
	}
	s.misfires.logger = opts.Logger
	s.grant.Store(&grant{})
	s.ring, err = newRing(clock, func() bool { _, ok := s.Term(); return ok }, opts.Pool.Fire)
	if err != nil {
		return nil, err
	}
	s.ring.overdue = func() { signal(s.overdueNow) }
	return s, nil
}

// Run scans and sweeps until ctx ends, while [Scheduler.HoldLease] has a lease. Then it drops what
// the wheel holds and gives the node's partitions back; planned fires stay in the store, for other
// nodes. After it has returned, the pool gets only fires that are due when [Scheduler.Planned] is
// called with them. Failures of the store are logged and retried. Run may be called once.
func (s *Scheduler) Run(ctx context.Context) error {
	var loops errgroup.Group
	loops.Go(func() error { s.scanLoop(ctx); return nil })
	loops.Go(func() error { s.sweepLoop(ctx); return nil })
	err := loops.Wait()
	s.retire(ctx)
	s.sending.Wait()
	s.ring.stop()
	return err
}

// Wake brings the next scan forward to now, because a job was started or changed.
func (s *Scheduler) Wake() { signal(s.scanNow) }

// Sweep brings the next sweep forward to now, because fires may be due that nobody holds.
func (s *Scheduler) Sweep() { signal(s.sweepNow) }

// signal requests something, unless it is requested already.
func signal(wanted chan<- struct{}) {
	select {
	case wanted <- struct{}{}:
	default:
	}
}

// Wheel returns the statistics of the wheel.
func (s *Scheduler) Wheel() hashedwheel.Stats { return s.ring.timer.Stats() }

// Held returns how many fires are in the wheel or being handed over, here or by other nodes.
func (s *Scheduler) Held() int { return s.ring.len() }
