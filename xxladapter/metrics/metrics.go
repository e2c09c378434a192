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

// namespace begins the name of every metric. Tables, variables and headers of the product begin with it too.
const namespace = "xxlwheel"

var (
	// Up to a minute: what is later than the window of five seconds is a misfire,
	// unless the job has a longer one.
	lateness = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	// A call to an executor gives up after 3 s, a store's lock wait after 5 s.
	callTimes = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	runTimes  = []float64{.1, .5, 1, 5, 10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600}
	dueJobs   = []float64{0, 1, 10, 50, 100, 500, 1000, 2500, 5000, 10_000}
)

// A Metrics is the numbers of one node. Its methods may be called from any
// goroutine.
type Metrics struct {
	registry *prometheus.Registry

	fires, ambiguous, callbacks, misfires, alarms, storeErrors *prometheus.CounterVec
	missed, blocked, fenced, scanCapped, scanLocked, deleted   prometheus.Counter
	lateness, runTime, scanTime, scanWait, scanDue             prometheus.Histogram
	dispatch, storeOps                                         *prometheus.HistogramVec
}

// New returns metrics with a registry of their own, which also has those of the
// Go runtime and the process.
func New() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	m.fires = m.counters("fires_total", "Hand-overs to executors, by what is known right after.", "result")
	m.ambiguous = m.counters("ambiguous_total", "Hand-overs without an answer that were settled later, by what had become of them.", "resolution")
	m.lateness = m.histogram("fire_lateness_seconds", "How long after its due time the request of a scheduled fire left.", lateness)
	m.dispatch = m.histograms("dispatch_duration_seconds", "From the request to the executor until its outcome is stored.", callTimes, "outcome")
	m.misfires = m.counters("misfires_total", "Misfire records, by the strategy that decided.", "policy")
	m.missed = m.counter("fires_missed_total", "Misfire records whose strategy fires nothing: due times without a run.")
	m.blocked = m.counter("duplicate_fire_blocked_total", "Fires that were to be claimed and had been, by this node or another.")
	m.callbacks = m.counters("callbacks_total", "Results that executors reported, by what they changed.", "outcome")
	m.runTime = m.histogram("run_duration_seconds", "From the trigger of a run, in whole seconds, until its result is stored.", runTimes)
	m.scanTime = m.histogram("scan_duration_seconds", "How long it takes to claim what is due.", callTimes)
	m.scanWait = m.histogram("scan_lock_wait_seconds", "The part of it before the first decision: the lock and the read.", callTimes)
	m.scanDue = m.histogram("scan_due_jobs", "Jobs that a scan found due.", dueJobs)
	m.scanCapped = m.counter("scan_capped_total", "Scans that found as many jobs as they may take.")
	m.scanLocked = m.counter("scan_locked_jobs_total", "Due jobs that scans passed by because another session held their rows, counted by each scan.")
	m.fenced = m.counter("fenced_writes_total", "Calls that the store refused because their term was over.")
	m.storeOps = m.histograms("store_op_duration_seconds", "Calls of the store.", callTimes, "op")
	m.storeErrors = m.counters("store_errors_total", "Calls of the store that failed by its own fault.", "op")
	m.alarms = m.counters("alarms_total", "Alarms, by channel and what became of them.", "channel", "result")
	m.deleted = m.counter("retention_rows_deleted_total", "Log rows deleted by age, or cleared by hand.")

	// What may stay 0 for long is there from the start, so that its rise is seen.
	for _, result := range []string{"sent", "failed", "ambiguous"} {
		m.fires.WithLabelValues(result)
		m.dispatch.WithLabelValues(result)
	}
	for _, resolution := range []string{"sent", "failed"} {
		m.ambiguous.WithLabelValues(resolution)
	}
	for _, outcome := range []string{trigger.CallbackApplied, trigger.CallbackDuplicate, trigger.CallbackLate, trigger.CallbackUnknown} {
		m.callbacks.WithLabelValues(outcome)
	}
	for _, policy := range xxladapter.MisfireStrategy("").Values() {
		m.misfires.WithLabelValues(string(policy))
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
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets})
	m.registry.MustRegister(h)
	return h
}

func (m *Metrics) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Event takes what trigger.Options.OnEvent reports.
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
	m.dispatch.WithLabelValues(result).Observe(time.Since(e.At).Seconds())
	switch {
	case e.Fire.State == xxladapter.FireAmbiguous:
		if e.Kind != trigger.EventAmbiguous {
			m.ambiguous.WithLabelValues(result).Inc()
		}
	case e.Fire.Type == xxladapter.TriggerCron:
		// Below 0 it would be early, which is for other eyes than a histogram's.
		m.lateness.Observe(max(e.At.Sub(e.Fire.Due), 0).Seconds())
	}
}

// Misfire takes what scheduler.Options.OnMisfire reports.
func (m *Metrics) Misfire(x xxladapter.Misfire) {
	m.misfires.WithLabelValues(string(x.Policy)).Inc()
	if x.Policy == xxladapter.MisfireDoNothing {
		m.missed.Inc()
	}
}

// Callback takes what trigger.Options.OnCallback reports.
func (m *Metrics) Callback(outcome string) { m.callbacks.WithLabelValues(outcome).Inc() }

// Alarm takes what alarm.Options.OnAlarm reports.
func (m *Metrics) Alarm(channel, result string) { m.alarms.WithLabelValues(channel, result).Inc() }
