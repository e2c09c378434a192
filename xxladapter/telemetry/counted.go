package telemetry

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// spanCounts count the spans that have ended, and those that the collector accepted or not. The
// remaining spans wait, or were dropped because the queue was full.
type spanCounts struct{ ended, sent, failed prometheus.Counter }

// countSpans returns counts that are metrics of the registry, if there is one.
func countSpans(registry Registry) (c spanCounts) {
	spans := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "xxlwheel", Name: "telemetry_spans_total",
		Help: "Spans of runs: ended, and of these sent to the collector or failed. The rest waits or was dropped because the queue was full.",
	}, []string{"state"})
	if registry != nil {
		registry.MustRegister(spans)
	}
	return spanCounts{spans.WithLabelValues("ended"), spans.WithLabelValues("sent"), spans.WithLabelValues("failed")}
}

// A countedExporter counts what it exports.
type countedExporter struct {
	sdktrace.SpanExporter
	spanCounts
}

// ExportSpans implements [sdktrace.SpanExporter].
func (e countedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.failed.Add(float64(len(spans)))
	} else {
		e.sent.Add(float64(len(spans)))
	}
	return err
}

// A countedProcessor counts spans that end, before the next processor queues or drops them.
type countedProcessor struct {
	sdktrace.SpanProcessor
	spanCounts
}

// OnEnd implements [sdktrace.SpanProcessor].
func (p countedProcessor) OnEnd(s sdktrace.ReadOnlySpan) {
	if s.SpanContext().IsSampled() {
		p.ended.Inc()
	}
	p.SpanProcessor.OnEnd(s)
}
