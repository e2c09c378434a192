package trigger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/route"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Store is the part of [xxladapter.Store] that this package needs.
type Store interface {
	xxladapter.Clock
	Job(ctx context.Context, id int64) (*xxladapter.Job, error)
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
	ClaimFire(ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log) ([]xxladapter.Fire, error)
	TakeFire(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error
	SettleFire(ctx context.Context, by xxladapter.Term, s xxladapter.Settlement) ([]xxladapter.Fire, error)
	FinishRun(ctx context.Context, r xxladapter.RunResult) (bool, []xxladapter.Fire, error)
	Log(ctx context.Context, id int64) (*xxladapter.Log, error)
	AcceptRuns(ctx context.Context, list []xxladapter.Accept) ([]bool, error)
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
}

// A Sender carries calls to executors; [Client] is one.
type Sender interface {
	route.Prober
	Run(ctx context.Context, addr, appName string, req *wire.RunRequest) (wire.Reply, error)
	Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
}

// Options configures a [HandOver].
type Options struct {
	// Store keeps fires, runs and jobs. It must be set.
	Store Store
	// Sender calls executors. It must be set.
	Sender Sender
	// Scheduler says in which term the node acts, and learns what a hand-over finds out. It must be
	// set.
	Scheduler Scheduler
	// Queue stores the runs for executors that take them from a queue. Nil lets such runs fail.
	Queue Queuer
	// Connected returns since when this node is connected to the broker, as for
	// [xxladapter.HearsQueue]; nil means that it has none.
	Connected func() time.Time
	// OnEvent is called with each [Event]. A panic in it is logged. Nil ignores them.
	OnEvent func(Event)
	// TraceParent returns the W3C trace context under which the executor continues the run of a log
	// row, and an empty one for a run that is not traced. Nil traces none.
	TraceParent func(*xxladapter.Log) string
	// OnCallback is called for each result that an executor reported, with what it has changed, on
	// the goroutine that stores it. A panic in it is logged. Nil ignores them.
	OnCallback func(outcome string)
	// RunTexts selects the runs whose log texts are stored. The default is
	// [xxladapter.TextsFailures].
	RunTexts xxladapter.TextPolicy
	// TextWanted is called when a result was stored whose text is to be fetched. Nil leaves it to
	// the next poll for texts.
	TextWanted func()
	Logger     *slog.Logger // nil means slog.Default()
}

// A HandOver hands fires over to executors. Its methods may be called from any goroutine.
type HandOver struct {
	opts      Options // with defaults; Queue, Connected and TraceParent may be nil
	routes    *route.Routes
	jitter    func() float64 // a random number from 0 to 1
	stats     stats
	queued    queuedRuns
	asking    *questioner
	takenOver takenOver
}

// NewHandOver returns a HandOver.
func NewHandOver(opts Options) (*HandOver, error) {
	switch {
	case opts.Store == nil:
		return nil, errors.New("trigger: Options.Store is nil, must be set")
	case opts.Sender == nil:
		return nil, errors.New("trigger: Options.Sender is nil, must be set")
	case opts.Scheduler == nil:
		return nil, errors.New("trigger: Options.Scheduler is nil, must be set")
	}
	if err := opts.RunTexts.Validate(); err != nil {
		return nil, fmt.Errorf("trigger: Options.RunTexts: %w", err)
	}
	if opts.OnEvent == nil {
		opts.OnEvent = func(Event) {}
	}
	if opts.OnCallback == nil {
		opts.OnCallback = func(string) {}
	}
	if opts.TextWanted == nil {
		opts.TextWanted = func() {}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	opts.OnEvent = contained(opts.Logger, "Options.OnEvent panicked", opts.OnEvent)
	opts.OnCallback = contained(opts.Logger, "Options.OnCallback panicked", opts.OnCallback)
	return &HandOver{opts: opts, routes: route.New(opts.Sender), jitter: rand.Float64, asking: newQuestioner()}, nil
}

// contained returns a listener that calls f and logs its panic: what f is called with has happened,
// and what follows from it must not be lost.
func contained[T any](logger *slog.Logger, what string, f func(T)) func(T) {
	return func(x T) {
		if err := recovered(func() error { f(x); return nil }); err != nil {
			logger.Error(what, "err", err)
		}
	}
}

// Stats counts the writes and requests of a [HandOver] that leases have prevented.
type Stats struct {
	Fenced   int64 // writes that the store refused because their term was over
	Withheld int64 // requests that were not sent because the lease was in doubt
}

type stats struct {
	fenced      atomic.Int64
	withheld    eachSecond
	unpublished eachSecond // failed attempts to put a run into a queue
	unseen      eachSecond // failed attempts to look for a run in a queue
	lost        eachSecond // runs that a queue no longer has
}

// Stats returns the current counters. It may be called at any time, from any goroutine.
func (h *HandOver) Stats() Stats {
	return Stats{Fenced: h.stats.fenced.Load(), Withheld: h.stats.withheld.count.Load()}
}

// Fire hands one planned fire over: upstream's trigger procedure (XxlJobTrigger.trigger), with the
// fire claimed in place of a bare log row. A fire that is no longer planned is left to its owner,
// without an error. An error means that the store failed; the fire is then still planned, or
// claimed and found again by [HandOver.Resolve].
func (h *HandOver) Fire(ctx context.Context, f xxladapter.Fire) error {
	return h.act(func(by xxladapter.Term) error { return h.fire(ctx, by, f) })
}

// act runs f in the node's term, if there is one. If the store refuses the call because the term is
// over, the fire is left to the node that takes it over.
func (h *HandOver) act(f func(by xxladapter.Term) error) error {
	term, ok := h.opts.Scheduler.Term()
	if !ok {
		return nil
	}
	err := f(term)
	if errors.Is(err, xxladapter.ErrFenced) {
		h.stats.fenced.Add(1)
		h.opts.Logger.Warn(
			"store refused a call because the term is over", "node", term.Node, "term", term.Number, "err", err,
		)
		h.opts.Scheduler.Fenced(term)
		return nil
	}
	return err
}

// mayAct reports whether the node still acts in the term.
func (h *HandOver) mayAct(by xxladapter.Term) bool {
	term, ok := h.opts.Scheduler.Term()
	return ok && term == by
}

// earlyLimit limits how early a fire may be for the hand-over to wait for it. Clocks that are
// slewed differ by less. A fire that is earlier was handed out by a clock that was set back since,
// and the sweep finds it in time.
const earlyLimit = 20 * time.Millisecond

// isDue waits until f is due by the store's clock, which shows now. It returns false if that would
// take longer than earlyLimit, or if ctx ends.
func isDue(ctx context.Context, f xxladapter.Fire, now time.Time) bool {
	wait := f.Due.Sub(now)
	if wait <= 0 {
		return true
	}
	if wait > earlyLimit {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

func (h *HandOver) fire(ctx context.Context, term xxladapter.Term, f xxladapter.Fire) error {
	planned, err := h.load(ctx, f)
	if errors.Is(err, xxladapter.ErrNotFound) {
		// The job was removed after this fire had been planned as its retry or child.
		_, err = h.settleFire(ctx, term, xxladapter.Settlement{FireID: f.ID})
		return err
	}
	if err != nil {
		return err
	}
	asked := time.Now()
	now, err := h.opts.Store.Now(ctx)
	if err != nil {
		return fmt.Errorf("read store clock: %w", err)
	}
	if !isDue(ctx, f, now) {
		h.opts.Scheduler.Early(now, asked)
		return nil
	}

	shards := planned.destinations(ctx, now)
	logs := make([]*xxladapter.Log, len(shards))
	for i := range shards {
		logs[i] = planned.newLog(shards[i], now)
	}
	fires, err := h.claim(ctx, term, f, logs)
	if errors.Is(err, xxladapter.ErrConflict) || errors.Is(err, xxladapter.ErrEarly) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("claim fire %d: %w", f.ID, err)
	}
	if len(fires) != len(shards) {
		return fmt.Errorf("claim fire %d: store returned %d fires for %d shards", f.ID, len(fires), len(shards))
	}
	if err := recovered(func() error { return planned.handOverAll(ctx, fires, logs, shards) }); err != nil {
		return &claimedError{err}
	}
	return nil
}

// A claimedError is why the outcome of a claimed fire is not stored. The fire may have been sent,
// so it must not be claimed again: a claim in doubt would find the old one, and send the run a
// second time.
type claimedError struct{ error }

func (e *claimedError) Unwrap() error { return e.error }

// handOverAll hands the claimed shards of a fire over, one for any job but a broadcast.
func (r *run) handOverAll(
	ctx context.Context, fires []xxladapter.Fire, logs []*xxladapter.Log, shards []destination,
) error {
	if len(shards) == 1 {
		return r.shard(fires[0], logs[0]).handOver(ctx, shards[0])
	}
	ctx = withPlace(ctx, nil) // no shard may leave the place of all
	var all errgroup.Group
	for i := range shards {
		all.Go(func() error {
			return recovered(func() error { return r.shard(fires[i], logs[i]).handOver(ctx, shards[i]) })
		})
	}
	return all.Wait()
}

// earlyClaims limits how often a fire that comes a little early is claimed, the first time
// included.
const earlyClaims = 3

// claim claims the fire, and again if it was a little early: the store's clock decides, and the
// estimate of it between two readings may be ahead.
func (h *HandOver) claim(
	ctx context.Context, by xxladapter.Term, f xxladapter.Fire, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	for attempt := 1; ; attempt++ {
		asked := time.Now()
		fires, err := h.claimOrFind(ctx, by, f, logs)
		var early *xxladapter.EarlyError
		if !errors.As(err, &early) {
			return fires, err
		}
		h.opts.Scheduler.Early(early.Now, asked)
		if attempt == earlyClaims || !isDue(ctx, f, early.Now) {
			return nil, err
		}
	}
}
