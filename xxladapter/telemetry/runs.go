package telemetry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// The keys of the attributes of spans. Times need none, because each span has its own.
const (
	keyJob     = attribute.Key("xxlwheel.job.id")
	keyName    = attribute.Key("xxlwheel.job.name")
	keyApp     = attribute.Key("xxlwheel.app")
	keyRun     = attribute.Key("xxlwheel.run.id") // the id of the log row
	keyType    = attribute.Key("xxlwheel.trigger.type")
	keyAttempt = attribute.Key("xxlwheel.attempt")
	keyShard   = attribute.Key("xxlwheel.shard")
	keyLate    = attribute.Key("xxlwheel.late_ms")
	keyAddress = attribute.Key("xxlwheel.executor.address")
	keyCode    = attribute.Key("xxlwheel.code")
	keyLink    = attribute.Key("xxlwheel.link") // what a link leads to
	keyNode    = attribute.Key("xxlwheel.node")
)

// TraceParent returns the W3C trace context under which an executor continues the run of a log row,
// or "" if the run is not traced. It is for trigger.Options.
func (t *Telemetry) TraceParent(l *xxladapter.Log) string {
	if t == nil {
		return ""
	}
	ids := idsOf(l.JobID, l.ID, l.TriggerTime)
	if t.flags(ids).IsSampled() {
		return "00-" + ids.trace.String() + "-" + ids.send.String() + "-01"
	}
	return ""
}

// flags says whether the trace is recorded. Nodes with the same sampling share make the same
// decision.
func (t *Telemetry) flags(ids runIDs) trace.TraceFlags {
	d := t.sampler.ShouldSample(sdktrace.SamplingParameters{TraceID: ids.trace})
	return trace.TraceFlags(0).WithSampled(d.Decision == sdktrace.RecordAndSample)
}

// Event records the spans of an event. It is for trigger.Options.OnEvent.
func (t *Telemetry) Event(e trigger.Event) {
	if t == nil || e.Began.IsZero() {
		return
	}
	ids := idsOf(e.JobID, e.LogID, e.Began)
	flags := t.flags(ids)
	if !flags.IsSampled() {
		return
	}
	ctx := ids.under(context.Background(), ids.fire, flags)
	switch e.Kind {
	case trigger.EventResult:
		t.span(ctx, "result", e.At, e.At, failure(e.Code == xxladapter.ResultOK, e),
			trace.WithAttributes(keyJob.Int64(e.JobID), keyRun.Int64(e.LogID), keyCode.Int(e.Code)))
	case trigger.EventAmbiguous:
		t.send(ctx, e)
	default:
		t.parents.of(e.Fire.Parent, func(parent *xxladapter.Log) { t.fire(ids, e, parent) })
		if e.Fire.ID != 0 && !e.Fire.Claimed.IsZero() {
			t.span(ctx, "wait", e.Fire.Due, e.Fire.Claimed, "", trace.WithAttributes(keyNode.String(e.Fire.Owner.Node)))
		}
		t.send(context.WithValue(ctx, chosenKey{}, chosenID{span: ids.send}), e)
	}
}

// fire records the span of the whole hand-over, which is the parent of the others. parent is the
// run that the fire retries or follows, or nil.
func (t *Telemetry) fire(ids runIDs, e trigger.Event, parent *xxladapter.Log) {
	begin, attributes := e.Began,
		[]attribute.KeyValue{keyJob.Int64(e.JobID), keyRun.Int64(e.LogID), keyCode.Int(e.Code)}
	if f := e.Fire; f.ID != 0 {
		begin = f.Due
		attributes = append(
			attributes, keyName.String(e.Job), keyApp.String(e.App), keyType.String(string(f.Type)),
			keyAttempt.Int(max(f.Attempt, 1)),
		)
		if !e.Sent.IsZero() {
			attributes = append(attributes, keyLate.Int64(e.Sent.Sub(f.Due).Milliseconds()))
		}
		if f.ShardTotal > 1 {
			attributes = append(attributes, keyShard.String(fmt.Sprintf("%d/%d", f.ShardIndex, f.ShardTotal)))
		}
	}
	opts := []trace.SpanStartOption{trace.WithAttributes(attributes...)}
	if parent != nil {
		opts = append(opts, trace.WithLinks(t.link(e.Fire, parent)))
	}
	ctx := context.WithValue(context.Background(), chosenKey{}, chosenID{ids.trace, ids.fire})
	t.span(
		ctx, strings.TrimSuffix("fire "+e.Job, " "), begin, later(e.Acknowledged, later(e.Sent, e.Fire.Claimed)),
		failure(e.Kind == trigger.EventSent, e), opts...,
	)
}

// send records the span of the request, if one was sent.
func (t *Telemetry) send(ctx context.Context, e trigger.Event) {
	if e.Sent.IsZero() {
		return
	}
	t.span(ctx, "send", e.Sent, e.Acknowledged, failure(e.Kind == trigger.EventSent, e),
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(keyAddress.String(e.Address), keyCode.Int(e.Code)))
}

// link returns a link to the run that the fire retries or follows.
func (t *Telemetry) link(f xxladapter.Fire, parent *xxladapter.Log) trace.Link {
	ids := idsOf(parent.JobID, parent.ID, parent.TriggerTime)
	to := "retries"
	if f.Type != xxladapter.TriggerRetry {
		to = "follows"
	}
	return trace.Link{
		SpanContext: trace.NewSpanContext(
			trace.SpanContextConfig{TraceID: ids.trace, SpanID: ids.fire, TraceFlags: t.flags(ids), Remote: true},
		),
		Attributes: []attribute.KeyValue{keyLink.String(to), keyRun.Int64(parent.ID)},
	}
}

// span records a span that has ended. An empty failure is success. An end that is missing, or is
// before begin because clocks differ, counts as begin.
func (t *Telemetry) span(
	ctx context.Context, name string, begin, end time.Time, failure string, opts ...trace.SpanStartOption,
) {
	_, s := t.tracer.Start(ctx, name, append(opts, trace.WithTimestamp(begin))...)
	if failure != "" {
		s.SetStatus(codes.Error, failure)
	}
	s.End(trace.WithTimestamp(later(begin, end)))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// failure returns the error text of an event, or "" if ok.
func failure(ok bool, e trigger.Event) string {
	switch {
	case ok:
		return ""
	case e.Msg == "":
		return fmt.Sprintf("code %d", e.Code)
	}
	return e.Msg
}
