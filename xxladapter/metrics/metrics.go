package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// namespace is the prefix of every metric. The product's tables, variables and headers have it,
// too.
const namespace = "xxlwheel"

var (
	// lateness goes up to a minute, because a job may have a longer window than the usual five
	// seconds, after which a fire is a misfire.
	lateness = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	// A call to an executor gives up after 3 s, and a wait for a lock after 5 s on SQLite and after
	// 1 s on a database server.
	callTimes = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	runTimes  = []float64{.1, .5, 1, 5, 10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}
	dueJobs   = []float64{0, 1, 10, 50, 100, 500, 1000, 2500, 5000, 10_000}
)

// A Metrics holds the figures of one node. Its methods may be called from any goroutine.
type Metrics struct {
	registry *prometheus.Registry

	fires, ambiguous, callbacks, misfires, alarms, storeErrors *prometheus.CounterVec
	blocked, fenced, scanCapped, scanLocked, deleted           prometheus.Counter
	lateness, runTime, scanTime, scanWait, scanDue             prometheus.Histogram
	handOver, storeOps                                         *prometheus.HistogramVec
}

// New returns metrics with a registry of their own, which includes the metrics of the Go runtime
// and the process.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)

	m.fires = m.counters("fires_total", "Hand-overs to executors, by their immediate outcome.", "result")
	m.ambiguous = m.counters(
		"ambiguous_total", "Hand-overs without an answer that were settled later, by outcome.", "resolution",
	)
	m.lateness = m.histogram(
		"fire_lateness_seconds", "Time from the due time of a scheduled fire until its request was sent.", lateness,
	)
	m.handOver = m.histograms(
		"hand_over_duration_seconds", "Time from the request to the executor until its outcome is stored.", callTimes,
		"outcome",
	)
	m.misfires = m.counters(
		"misfires_total", "Misfires, by misfire strategy; DO_NOTHING fires nothing, so that due times have no run.",
		"strategy",
	)
	m.blocked = m.counter(
		"duplicate_fire_blocked_total", "Claims of fires that this node or another had claimed before, or that had been dropped.",
	)
	m.callbacks = m.counters("callbacks_total", "Results that executors reported, by effect.", "outcome")
	m.runTime = m.histogram(
		"run_duration_seconds", "Time from the trigger of a run, in whole seconds, until its result is stored.",
		runTimes,
	)
	m.scanTime = m.histogram("scan_duration_seconds", "Time to claim the due jobs.", callTimes)
	m.scanWait = m.histogram(
		"scan_lock_wait_seconds", "Part of a scan before the first decision: waiting for the lock and reading.",
		callTimes,
	)
	m.scanDue = m.histogram("scan_due_jobs", "Due jobs that a scan found.", dueJobs)
	m.scanCapped = m.counter("scan_capped_total", "Scans that reached their limit of jobs.")
	m.scanLocked = m.counter(
		"scan_locked_jobs_total",
		"Due jobs that scans skipped because another session held their rows, counted in each scan.",
	)
	m.fenced = m.counter("fenced_writes_total", "Calls that the store refused because the term was over.")
	m.storeOps = m.histograms("store_op_duration_seconds", "Duration of calls of the store.", callTimes, "op")
	m.storeErrors = m.counters(
		"store_errors_total", "Calls of the store that failed, except refusals that the contract names.", "op",
	)
	m.alarms = m.counters("alarms_total", "Alarms, by channel and outcome.", "channel", "result")
	m.deleted = m.counter("retention_rows_deleted_total", "Log rows deleted by age or on request.")

	// Labels whose count may stay 0 for long exist from the start, so that the first increase is
	// visible.
	for _, result := range []string{"sent", "failed", "ambiguous"} {
		m.fires.WithLabelValues(result)
		m.handOver.WithLabelValues(result)
	}
	for _, resolution := range []string{"sent", "failed"} {
		m.ambiguous.WithLabelValues(resolution)
	}
	for _, outcome := range []string{
		trigger.CallbackApplied, trigger.CallbackDuplicate, trigger.CallbackLate, trigger.CallbackUnknown,
	} {
		m.callbacks.WithLabelValues(outcome)
	}
	for _, strategy := range xxladapter.MisfireStrategy("").Values() {
		m.misfires.WithLabelValues(string(strategy))
	}
	return m
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(
		prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets},
	)
	m.registry.MustRegister(h)
	return h
}

func (m *Metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(
		prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels,
	)
	m.registry.MustRegister(h)
	return h
}

// Registry returns the registry that has the metrics.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Event counts an event of trigger.Options.OnEvent.
func (m *Metrics) Event(e trigger.Event) {
	if e.Kind == trigger.EventResult {
		if !e.Began.IsZero() {
			m.runTime.Observe(max(e.At.Sub(e.Began), 0).Seconds())
		}
		return
	}
	result := map[trigger.EventKind]string{
		trigger.EventSent: "sent", trigger.EventFailed: "failed", trigger.EventAmbiguous: "ambiguous",
	}[e.Kind]
	m.fires.WithLabelValues(result).Inc()
	writtenOff := e.Fire.ID == 0 // nobody knows when its request left
	if !writtenOff {
		m.handOver.WithLabelValues(result).Observe(time.Since(e.At).Seconds())
	}
	switch {
	case writtenOff, e.Fire.State == xxladapter.FireAmbiguous:
		if e.Kind != trigger.EventAmbiguous {
			m.ambiguous.WithLabelValues(result).Inc()
		}
	case e.Fire.Type == xxladapter.TriggerCron && !e.Sent.IsZero():
		// Due times are the store's, and so is Sent, unlike At. The histogram has no buckets below
		// 0, so an early fire counts as punctual.
		m.lateness.Observe(max(e.Sent.Sub(e.Fire.Due), 0).Seconds())
	}
}

// Misfire counts a misfire of scheduler.Options.OnMisfire. It leaves out due times in pauses and on
// days without work: they are meant to have no run, and an alert on DO_NOTHING would fire for each.
func (m *Metrics) Misfire(x xxladapter.Misfire) {
	if x.Kind() == xxladapter.MisfireLate {
		m.misfires.WithLabelValues(string(x.Strategy)).Inc()
	}
}

// Callback counts a result of trigger.Options.OnCallback.
func (m *Metrics) Callback(outcome string) { m.callbacks.WithLabelValues(outcome).Inc() }

// AlarmChannel makes the counters of a channel of alarms exist, so that its first failure is
// visible as an increase.
func (m *Metrics) AlarmChannel(channel string, results ...string) {
	for _, result := range results {
		m.alarms.WithLabelValues(channel, result)
	}
}

// Alarm counts an alarm of alarm.Options.OnAlarm.
func (m *Metrics) Alarm(channel, result string) { m.alarms.WithLabelValues(channel, result).Inc() }
