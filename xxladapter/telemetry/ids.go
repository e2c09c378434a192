package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// runIDs are the ids of a run's trace: any node can derive them from the log row.
type runIDs struct {
	trace      trace.TraceID
	fire, send trace.SpanID
}

// idsOf returns the ids of a run. triggered is the log row's trigger time, in whole seconds; it
// distinguishes the runs of different stores that send to one collector.
func idsOf(jobID, logID int64, triggered time.Time) (ids runIDs) {
	text := []byte("xxlwheel run ")
	for _, n := range []int64{jobID, logID, triggered.Unix()} {
		text = binary.BigEndian.AppendUint64(text, uint64(n))
	}
	sum := sha256.Sum256(text)
	copy(ids.trace[:], sum[:16])
	copy(ids.fire[:], sum[16:24])
	copy(ids.send[:], sum[24:])
	return ids
}

// under returns a context in which spans are children of the given one.
func (ids runIDs) under(ctx context.Context, parent trace.SpanID, flags trace.TraceFlags) context.Context {
	return trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: ids.trace, SpanID: parent, TraceFlags: flags, Remote: true,
	}))
}

// A chosenID holds the ids for the next span of a context. A zero id is chosen at random.
type chosenID struct {
	trace trace.TraceID // of a span without a parent
	span  trace.SpanID
}

type chosenKey struct{}

// generator makes the ids that a context asks for, and random ones otherwise.
type generator struct{}

var _ sdktrace.IDGenerator = generator{}

// NewIDs implements [sdktrace.IDGenerator].
func (g generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	chosen, _ := ctx.Value(chosenKey{}).(chosenID)
	for !chosen.trace.IsValid() {
		binary.NativeEndian.PutUint64(chosen.trace[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(chosen.trace[8:], rand.Uint64())
	}
	return chosen.trace, g.NewSpanID(ctx, chosen.trace)
}

// NewSpanID implements [sdktrace.IDGenerator].
func (generator) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	chosen, _ := ctx.Value(chosenKey{}).(chosenID)
	for !chosen.span.IsValid() {
		binary.NativeEndian.PutUint64(chosen.span[:], rand.Uint64())
	}
	return chosen.span
}
