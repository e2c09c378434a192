package telemetry_test

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

func start(t *testing.T, opts telemetry.Options) *telemetry.Telemetry {
	t.Helper()
	opts.Service = "scheduler"
	sent, err := telemetry.Start(t.Context(), opts)
	require.NoError(t, err)
	return sent
}

// stop sends what is left, and ends the telemetry.
func stop(t *testing.T, sent *telemetry.Telemetry) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(t, sent.Stop(ctx))
}

// A site is a scheduler on a store in memory and an executor, each with telemetry of its own.
type site struct {
	store *memstore.Store
	group int64
	stop  func()
}

// open starts a site whose executor has the given handlers.
func open(t *testing.T, c *collector, handlers map[string]executor.HandlerFunc) *site {
	t.Helper()
	store := memstore.New(time.Now)
	scheduling := start(t, telemetry.Options{Endpoint: c.URL, Sample: 1, Parent: store.Log})
	running := start(t, telemetry.Options{Endpoint: c.URL, Sample: 1})
	n, err := node.New(node.Options{
		Store: store, Zone: time.UTC, AccessToken: "secret", Logger: slog.New(slog.DiscardHandler),
		OnEvent: scheduling.Event, TraceParent: scheduling.TraceParent,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	executing, leave := context.WithCancel(context.Background())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended, left := make(chan error, 1), make(chan error, 1)
	go func() { ended <- n.Run(ctx, ln) }()
	e, err := executor.New(executor.Options{
		Admins: []string{"http://" + ln.Addr().String()}, AppName: "orders", AccessToken: "secret", Listen: "127.0.0.1:0",
		DataDir: filepath.Join(t.TempDir(), "executor"), Logger: slog.New(slog.DiscardHandler), Trace: running.TraceRuns(),
	})
	require.NoError(t, err)
	for name, h := range handlers {
		require.NoError(t, e.Handle(name, h))
	}
	go func() { left <- e.Run(executing) }()
	<-e.Ready()
	s := &site{store: store}
	s.group, err = store.SaveGroup(t.Context(), &xxladapter.Group{
		AppName: "orders", Title: "Orders", AddressType: xxladapter.AddressManual, Addresses: []string{e.Address()},
	})
	require.NoError(t, err)
	s.stop = sync.OnceFunc(func() {
		leave()
		require.NoError(t, <-left)
		cancel()
		require.NoError(t, <-ended)
		stop(t, scheduling)
		stop(t, running)
	})
	t.Cleanup(s.stop)
	return s
}

func (s *site) job(t *testing.T, handler string, change func(*xxladapter.Job)) int64 {
	t.Helper()
	j := &xxladapter.Job{GroupID: s.group, Name: "job " + handler, Author: "a", Handler: handler}
	j.SetDefaults()
	change(j)
	id, err := xxladapter.CreateJob(t.Context(), s.store, j)
	require.NoError(t, err)
	return id
}

func (s *site) trigger(t *testing.T, job int64) {
	t.Helper()
	_, err := s.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1}})
	require.NoError(t, err)
}

// ended waits until exactly the given number of runs have results, and returns all log rows.
func (s *site) ended(t *testing.T, runs int) (logs []*xxladapter.Log) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		logs, err = s.store.Logs(t.Context(), xxladapter.LogFilter{})
		require.NoError(t, err)
		done := 0
		for _, l := range logs {
			if l.HandleCode != xxladapter.ResultNone {
				done++
			}
		}
		return done == runs
	}, 30*time.Second, 20*time.Millisecond)
	return logs
}

// TestARunIsOneTrace follows a run that succeeds, on a scheduler and an executor with providers of
// their own.
func TestARunIsOneTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	var inside trace.SpanContext
	s := open(t, c, map[string]executor.HandlerFunc{"close": func(ctx context.Context, run *executor.Run) error {
		inside = trace.SpanContextFromContext(ctx)
		return nil
	}})
	s.trigger(t, s.job(t, "close", func(*xxladapter.Job) {}))
	logs := s.ended(t, 1)
	s.stop()

	one := func(name string) *tracepb.Span {
		found := c.named(name)
		require.Len(t, found, 1, name)
		return found[0]
	}
	fire, wait, send, run, result := one("fire job close"), one("wait"), one("send"), one("run close"), one("result")
	require.Empty(t, fire.ParentSpanId)
	for child, parent := range map[*tracepb.Span]*tracepb.Span{wait: fire, send: fire, result: fire, run: send} {
		require.Equal(t, parent.SpanId, child.ParentSpanId, child.Name)
		require.Equal(t, fire.TraceId, child.TraceId, child.Name)
		require.GreaterOrEqual(t, child.EndTimeUnixNano, child.StartTimeUnixNano, child.Name)
	}
	require.LessOrEqual(t, fire.StartTimeUnixNano, wait.EndTimeUnixNano)
	require.LessOrEqual(t, wait.EndTimeUnixNano, send.StartTimeUnixNano)
	require.GreaterOrEqual(t, fire.EndTimeUnixNano, send.EndTimeUnixNano)
	id := inside.SpanID()
	require.Equal(t, run.SpanId, id[:], "what a handler does is below its run")
	require.Equal(t, logs[0].ID, number(fire.Attributes, "xxlwheel.run.id"))
	require.Equal(t, "orders", text(fire.Attributes, "xxlwheel.app"))
	require.Equal(t, "MANUAL", text(fire.Attributes, "xxlwheel.trigger.type"))
	require.Equal(t, int64(1), number(fire.Attributes, "xxlwheel.attempt"))
	require.GreaterOrEqual(t, number(fire.Attributes, "xxlwheel.late_ms"), int64(0))
	require.Equal(t, int64(200), number(result.Attributes, "xxlwheel.code"))
	require.Equal(t, tracepb.Span_SPAN_KIND_CLIENT, send.Kind)
	require.Equal(t, tracepb.Span_SPAN_KIND_CONSUMER, run.Kind)
	require.Equal(t, map[string]bool{"scheduler": true}, c.service)
}

// TestARetryIsLinked checks that a failed run and its retry are two traces, and that the second
// links to the first.
func TestARetryIsLinked(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := open(t, c, map[string]executor.HandlerFunc{"fail": func(context.Context, *executor.Run) error { panic("no") }})
	s.trigger(t, s.job(t, "fail", func(j *xxladapter.Job) { j.RetryCount = 1 }))
	s.ended(t, 2)
	s.stop()
	fires, runs, results := c.named("fire job fail"), c.named("run fail"), c.named("result")
	require.Len(t, fires, 2)
	require.Len(t, runs, 2)
	require.Len(t, results, 2)
	// The span of a fire ends while the run that it began continues, so the span of the retry may
	// come first.
	slices.SortFunc(fires, func(x, y *tracepb.Span) int { return cmp.Compare(len(x.Links), len(y.Links)) })
	require.NotEqual(t, fires[0].TraceId, fires[1].TraceId)
	require.Empty(t, fires[0].Links)
	require.Len(t, fires[1].Links, 1)
	require.Equal(t, fires[0].TraceId, fires[1].Links[0].TraceId)
	require.Equal(t, fires[0].SpanId, fires[1].Links[0].SpanId)
	require.Equal(t, "retries", text(fires[1].Links[0].Attributes, "xxlwheel.link"))
	require.Equal(t, int64(2), number(fires[1].Attributes, "xxlwheel.attempt"))
	for _, span := range append(runs, results...) {
		require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, span.Status.GetCode(), span.Name)
		require.Contains(t, span.Status.GetMessage(), "panic: no")
	}
}

// TestAnExecutorThatIsAway expects a span for the attempt, with its error, and none for a run.
func TestAnExecutorThatIsAway(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := open(t, c, nil)
	gone := httptest.NewServer(nil)
	gone.Close()
	group, err := s.store.Group(t.Context(), s.group)
	require.NoError(t, err)
	group.Addresses = []string{gone.URL}
	_, err = s.store.SaveGroup(t.Context(), group)
	require.NoError(t, err)
	s.trigger(t, s.job(t, "any", func(*xxladapter.Job) {}))
	require.Eventually(t, func() bool {
		logs, err := s.store.Logs(t.Context(), xxladapter.LogFilter{})
		require.NoError(t, err)
		return len(logs) == 1 && logs[0].TriggerCode != 0
	}, 30*time.Second, 20*time.Millisecond)
	s.stop()
	fires := c.named("fire job any")
	require.Len(t, fires, 1)
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, fires[0].Status.GetCode())
	require.Contains(t, fires[0].Status.GetMessage(), "connection refused")
	require.Empty(t, c.named("run any"))
}

// event returns the event of a run that was sent.
func event(log int64) trigger.Event {
	at := time.Unix(1_800_000_000, 0)
	return trigger.Event{
		Kind: trigger.EventSent, Job: "j", JobID: 1, LogID: log, Began: at, At: at, Sent: at, Acknowledged: at, Code: 200,
		Fire: xxladapter.Fire{ID: log, JobID: 1, Due: at, Claimed: at, Owner: xxladapter.Term{Node: "n"}},
	}
}

// TestNodesAgreeWhichRunsAreTraced compares two nodes, each of which records a part of a run.
func TestNodesAgreeWhichRunsAreTraced(t *testing.T) {
	c := newCollector(t)
	first, second := start(t, telemetry.Options{Endpoint: c.URL, Sample: 0.5}), start(t, telemetry.Options{Endpoint: c.URL, Sample: 0.5})
	const runs = 200
	traced := 0
	for log := range int64(runs) {
		e := event(log + 1)
		first.Event(e)
		e.Kind = trigger.EventResult
		second.Event(e)
		l := &xxladapter.Log{ID: e.LogID, JobID: e.JobID, TriggerTime: e.Began}
		require.Equal(t, first.TraceParent(l), second.TraceParent(l))
		if first.TraceParent(l) != "" {
			traced++
		}
	}
	stop(t, first)
	stop(t, second)
	require.InDelta(t, runs/2, traced, runs/4)
	require.Len(t, c.named("fire j"), traced)
	require.Len(t, c.named("result"), traced)
	fires := map[string]bool{}
	for _, s := range c.named("fire j") {
		fires[string(s.TraceId)+string(s.SpanId)] = true
	}
	for _, s := range c.named("result") {
		require.True(t, fires[string(s.TraceId)+string(s.ParentSpanId)])
	}
}

// TestNothingWaitsForADeadCollector records far more than the queue takes, while nobody answers.
func TestNothingWaitsForADeadCollector(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and never answers
	require.NoError(t, err)
	defer silent.Close()
	registry := prometheus.NewRegistry()
	var said strings.Builder
	sent := start(t, telemetry.Options{Endpoint: "http://" + silent.Addr().String(), Sample: 1, Metrics: registry, Logger: slog.New(slog.NewTextHandler(&said, nil))})
	const runs = 5000 // three spans each, and the queue has 2,048
	done := make(chan struct{})
	go func() {
		defer close(done)
		for log := range int64(runs) {
			sent.Event(event(log + 1))
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second): // one request alone waits 10 s for its answer
		require.Fail(t, "a run waits for the collector")
	}
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP xxlwheel_telemetry_spans_total Spans of runs: ended, and of these sent to the collector or failed. The rest waits or was dropped because the queue was full.
# TYPE xxlwheel_telemetry_spans_total counter
xxlwheel_telemetry_spans_total{state="ended"} 15000
xxlwheel_telemetry_spans_total{state="failed"} 0
xxlwheel_telemetry_spans_total{state="sent"} 0
`), "xxlwheel_telemetry_spans_total"))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	require.Error(t, sent.Stop(ctx), "the rest is lost, and the end does not wait")
}

// TestNoRunWaitsForItsParent uses a store that does not answer: the runs are recorded without
// links.
func TestNoRunWaitsForItsParent(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	asked := make(chan int64, 1)
	sent := start(t, telemetry.Options{Endpoint: c.URL, Sample: 1, Parent: func(ctx context.Context, logID int64) (*xxladapter.Log, error) {
		select {
		case asked <- logID:
		default:
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	const runs = 600 // more than maxParents
	for log := range int64(runs) {
		e := event(log + 1)
		e.Fire.Parent, e.Fire.Type = 7, xxladapter.TriggerRetry
		sent.Event(e)
	}
	require.Equal(t, int64(7), <-asked)
	stop(t, sent)
	fires := c.named("fire j")
	require.Len(t, fires, runs)
	for _, s := range fires {
		require.Empty(t, s.Links)
	}
}

// TestLogsAndMetricsAreSent checks that log records and metrics are sent to the collector, and that
// the given logger gets the records too.
func TestLogsAndMetricsAreSent(t *testing.T) {
	c := newCollector(t)
	registry := prometheus.NewRegistry()
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "xxlwheel_things_total", Help: "Things."})
	registry.MustRegister(counter)
	counter.Inc()
	sent := start(t, telemetry.Options{Endpoint: c.URL + "/", Sample: 1, Metrics: registry})
	var written strings.Builder
	logger := sent.Logger(slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: slog.LevelWarn})))
	logger.With("a", 1).WithGroup("g").Warn("both have this")
	logger.Info("nobody has this")
	stop(t, sent)
	require.Equal(t, []string{"both have this"}, c.lines)
	require.Contains(t, written.String(), "both have this")
	require.NotContains(t, written.String(), "nobody")
	require.True(t, c.metrics["xxlwheel_things_total"], "%v", c.metrics)
	require.True(t, c.metrics["xxlwheel_telemetry_spans_total"], "%v", c.metrics)
}

func TestWrongOptionsAreRefused(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                         `telemetry: Options.Endpoint is "", must be an http or https URL such as http://127.0.0.1:4318, without user, query and fragment`,
		"127.0.0.1:4318":           `telemetry: Options.Endpoint is "127.0.0.1:4318", must be`,
		"grpc://127.0.0.1:4317":    `telemetry: Options.Endpoint is "grpc://127.0.0.1:4317", must be`,
		"http://u:p@127.0.0.1:1/x": `must be an http or https URL`,
	} {
		_, err := telemetry.Start(t.Context(), telemetry.Options{Endpoint: endpoint, Sample: 1})
		require.ErrorContains(t, err, want)
	}
	for _, share := range []float64{-0.1, 1.1} {
		_, err := telemetry.Start(t.Context(), telemetry.Options{Endpoint: "http://127.0.0.1:4318", Sample: share})
		require.ErrorContains(t, err, "must be from 0 to 1")
	}
}

// TestNilSendsNothing checks that a nil Telemetry can be used, so that callers need not ask whether
// telemetry is on.
func TestNilSendsNothing(t *testing.T) {
	var off *telemetry.Telemetry
	off.Event(event(1))
	require.Empty(t, off.TraceParent(&xxladapter.Log{ID: 1}))
	require.Nil(t, off.TraceRuns())
	logger := slog.Default()
	require.Same(t, logger, off.Logger(logger))
	require.NoError(t, off.Stop(t.Context()))
}

// BenchmarkEvent shows what a run costs: nothing while telemetry is off.
func BenchmarkEvent(b *testing.B) {
	gone := httptest.NewServer(nil)
	gone.Close()
	on, err := telemetry.Start(b.Context(), telemetry.Options{Endpoint: gone.URL, Sample: 1, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	for name, t := range map[string]*telemetry.Telemetry{"off": nil, "on": on} {
		b.Run(name, func(b *testing.B) {
			e := event(1)
			l := &xxladapter.Log{ID: 1, JobID: 1, TriggerTime: e.Began}
			b.ReportAllocs()
			for b.Loop() {
				_ = t.TraceParent(l)
				t.Event(e)
			}
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_ = on.Stop(ctx) // nobody takes the rest
}
