package metrics

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// Sources are the functions that are called on each scrape, several at once if scrapes overlap. All
// must be set, except Queued, and Election if Elector is empty.
type Sources struct {
	Scheduler func() scheduler.Stats
	Wheel     func() hashedwheel.Stats
	Loads     func() []trigger.Load
	// Groups, Reports and PartitionMoves are called at most every ten seconds, however often the
	// metrics are scraped.
	Groups         func(context.Context) ([]*xxladapter.Group, error)
	Reports        func(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error)
	PartitionMoves func(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error)
	// Queued returns the state of the queue of each app. It is called at most every ten seconds,
	// too; nil means that there is no queue.
	Queued func(context.Context) (map[string]xxladapter.QueueState, error)
	// Elector is the address of the elector; empty means that there is none. Election returns what
	// the elector says of this node.
	Elector  string
	Election func() xxladapter.Election
}

const (
	storeEvery = 10 * time.Second
	// storeLimit limits the time for which the store may delay a scrape, and the time for which the
	// queue may. Figures that come later are left out.
	storeLimit = 2 * time.Second
)

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

var (
	held           = gauge("ring_fires", "Fires in the wheel or being handed over.")
	poolWaiting    = gauge("pool_waiting", "Fires that wait for a free place, by pool.", "pool")
	poolInFlight   = gauge("pool_in_flight", "Fires that are being handed over, by pool.", "pool")
	planned        = gauge("partition_planned", "1 for each partition of jobs that this node plans.", "partition")
	leads          = gauge("leads", "1 if this node leads, 0 if it stands by; absent in the scheduling mode all.")
	elector        = gauge("elector_state", "1 for what the elector says of this node: elected, waits, or away if it does not answer; absent without an elector.", "elector", "state")
	term           = gauge("term", "Number of this node's term; 0 without a lease.")
	terms          = gauge("terms_total", "Terms that this node has had.")
	presencesEnded = gauge(
		"presences_ended_total", "Ended presences of other nodes whose planned fires this node has armed as well.",
	)
	spread  = gauge("spread_fires_total", "Fires that a leader planned for another scheduler: sent by this one as the leader, received from a leader, kept because the other one did not take them; absent in the scheduling mode all.", "way")
	dropped = gauge(
		"wheel_dropped_total", "Fires dropped from the wheel because this node had lost their term or partition.",
	)
	skew     = gauge("clock_skew_seconds", "Time by which this machine's clock is ahead of the store's.")
	online   = gauge("executors_online", "Addresses of executors, by app.", "app")
	runsOpen = gauge("runs_open", "Triggers in progress: about to be sent, or without a result.")
	lastMove = gauge(
		"last_partition_move_timestamp_seconds",
		"When partitions last changed hands, by cause: joined, stopped, drained, skewed, died, lapsed.",
		"cause",
	)
	queued = gauge("queued_runs", "Runs in the queue that no executor has acknowledged, by app; absent without a queue, or if it does not answer.", "app")
	oldest = gauge(
		"queued_oldest_timestamp_seconds", "When the oldest run in the queue was published, by app.", "app",
	)
	repeated = gauge("queued_runs_redelivered", "Runs in the queue that were delivered more than once, by app.", "app")
	storeUp  = gauge("store_up", "1 if the store answered the last read of its figures.")

	wheelPending = gauge("wheel_pending", "Pending timeouts of the wheel.")
	wheelFired   = gauge("wheel_fired_total", "Timeouts that the wheel has fired.")
	wheelWakeUps = gauge("wheel_wakeups_total", "Wake-ups of the wheel's worker.")
	wheelLag     = gauge("wheel_tick_lag_seconds", "Time by which the wheel's last tick began late.")
	wheelLate    = gauge("wheel_lateness_max_seconds", "Largest lateness of a timeout of the wheel.")

	descriptions = []*prometheus.Desc{
		held, poolWaiting, poolInFlight, planned, leads, elector, term, terms, presencesEnded, spread, dropped, skew, online,
		runsOpen, lastMove, queued, oldest, repeated, storeUp,
		wheelPending, wheelFired, wheelWakeUps, wheelLag, wheelLate,
	}
)

// Watch adds the figures of sources. It may be called once; a second call panics.
func (m *Metrics) Watch(s Sources) { m.registry.MustRegister(&watcher{sources: s}) }

// A watcher reads its sources when it is collected.
type watcher struct {
	sources Sources

	// Lock order: the two are never held together, so that a slow queue does not delay the store's
	// figures.

	mu      sync.Mutex // guards the fields below
	asked   time.Time
	figures storeFigures

	queueMu    sync.Mutex // guards the fields below
	queueAsked time.Time
	inQueue    map[string]xxladapter.QueueState // by app; nil if the queue did not answer
}

// storeFigures are the results of one read of the store. They are not changed afterwards.
type storeFigures struct {
	ok       bool // false means that the store did not answer
	groups   []*xxladapter.Group
	openRuns int64
	latest   map[xxladapter.MoveCause]time.Time // when partitions last changed hands
}

// Describe implements [prometheus.Collector].
func (w *watcher) Describe(to chan<- *prometheus.Desc) {
	for _, d := range descriptions {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (w *watcher) Collect(to chan<- prometheus.Metric) {
	value := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	s := w.sources.Scheduler()
	value(held, float64(s.Held))
	if s.Holds {
		value(term, float64(s.Term.Number))
		for partition := range s.Partitions.All() {
			value(planned, 1, strconv.Itoa(partition))
		}
		switch s.Role {
		case xxladapter.NodeLeads:
			value(leads, 1)
		case xxladapter.NodeStandby:
			value(leads, 0)
		}
	} else {
		value(term, 0)
	}
	if w.sources.Elector != "" {
		value(elector, 1, w.sources.Elector, string(w.sources.Election().State()))
	}
	count(terms, s.Terms)
	count(presencesEnded, s.PresencesEnded)
	if s.Mode == xxladapter.SchedulingLeader {
		count(spread, s.Spread.Sent, "sent")
		count(spread, s.Spread.Received, "received")
		count(spread, s.Spread.Kept, "kept")
	}
	count(dropped, s.Dropped)
	value(skew, s.Skew.Seconds())

	waiting, flying := map[string]int{"fast": 0, "slow": 0}, map[string]int{}
	for _, l := range w.sources.Loads() {
		waiting[l.Pool] += l.Waiting
		flying[l.Pool] += l.InFlight
	}
	for pool, n := range waiting {
		value(poolWaiting, float64(n), pool)
		value(poolInFlight, float64(flying[pool]), pool)
	}

	wheel := w.sources.Wheel()
	value(wheelPending, float64(wheel.Pending))
	count(wheelFired, wheel.Fired)
	count(wheelWakeUps, wheel.WakeUps)
	value(wheelLag, wheel.TickLag.Seconds())
	value(wheelLate, wheel.LatenessMax.Seconds())

	for app, s := range w.askQueue() {
		value(queued, float64(s.Runs), app)
		if !s.Oldest.IsZero() { // it was acknowledged while the queue was asked
			value(oldest, float64(s.Oldest.UnixMilli())/1000, app)
		}
		value(repeated, float64(s.Redelivered), app)
	}

	stored := w.askStore()
	if !stored.ok {
		value(storeUp, 0)
		return
	}
	value(storeUp, 1)
	value(runsOpen, float64(stored.openRuns))
	apps := map[string]int{}
	for _, g := range stored.groups {
		apps[g.AppName] += len(g.Addresses)
	}
	for app, n := range apps {
		value(online, float64(n), app)
	}
	for cause, at := range stored.latest {
		value(lastMove, float64(at.UnixMilli())/1000, string(cause))
	}
}

// askQueue returns the state of the queue of each app. It asks the queue at most every ten seconds,
// under the lock, so that scrapes at the same time ask once.
func (w *watcher) askQueue() map[string]xxladapter.QueueState {
	if w.sources.Queued == nil {
		return nil
	}
	w.queueMu.Lock()
	defer w.queueMu.Unlock()
	if w.queueAsked.IsZero() || time.Since(w.queueAsked) >= storeEvery {
		ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
		defer cancel()
		found, err := w.sources.Queued(ctx)
		if err != nil {
			found = nil
		}
		w.queueAsked, w.inQueue = time.Now(), found
	}
	return w.inQueue
}

// askStore returns the figures of the store, which it reads again once they are older than
// storeEvery. It may be called concurrently: each scrape collects in a goroutine of its own, and
// waits for the one that reads.
func (w *watcher) askStore() storeFigures {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked.IsZero() || time.Since(w.asked) >= storeEvery {
		w.figures = w.readStore()
		w.asked = time.Now()
	}
	return w.figures
}

// readStore asks the store.
func (w *watcher) readStore() (f storeFigures) {
	ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
	defer cancel()
	groups, err := w.sources.Groups(ctx)
	var reports []xxladapter.DailyReport
	if err == nil {
		reports, err = w.sources.Reports(ctx, time.Time{}, time.Time{})
	}
	var moves []xxladapter.PartitionMove
	if err == nil {
		moves, err = w.sources.PartitionMoves(ctx, xxladapter.KeptMoves)
	}
	if err != nil {
		return f
	}
	f = storeFigures{ok: true, groups: groups, latest: map[xxladapter.MoveCause]time.Time{}}
	for _, h := range slices.Backward(moves) { // the newest last
		f.latest[h.Cause] = h.At
	}
	for _, r := range reports {
		f.openRuns += r.Running
	}
	return f
}
