package telemetry

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TraceRuns returns a function for executor.Options.Trace. It gives each run a span of provider,
// below the one of the scheduler that sent it. The handler's context has the span, so that what the
// handler does with instrumented libraries appears below it. A service passes its own provider.
func TraceRuns(
	provider trace.TracerProvider,
) func(context.Context, *executor.Run) (context.Context, func(code int, msg string)) {
	tracer := provider.Tracer(scope)
	return func(ctx context.Context, run *executor.Run) (context.Context, func(code int, msg string)) {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": run.TraceParent})
		attributes := []attribute.KeyValue{keyJob.Int64(run.JobID), keyRun.Int64(run.LogID)}
		if run.ShardTotal > 1 {
			attributes = append(attributes, keyShard.String(fmt.Sprintf("%d/%d", run.ShardIndex, run.ShardTotal)))
		}
		ctx, span := tracer.Start(
			ctx, "run "+run.Handler, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(attributes...),
		)
		return ctx, func(code int, msg string) {
			span.SetAttributes(keyCode.Int(code))
			if code != wire.CodeOK {
				span.SetStatus(codes.Error, msg)
			}
			span.End()
		}
	}
}

// TraceRuns returns what the function TraceRuns does for the provider of t. It returns nil for a
// nil t.
func (t *Telemetry) TraceRuns() func(context.Context, *executor.Run) (context.Context, func(code int, msg string)) {
	if t == nil {
		return nil
	}
	return TraceRuns(t.traces)
}
