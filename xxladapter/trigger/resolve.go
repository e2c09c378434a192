package trigger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// resolveLimit limits how long a silent executor is asked about an ambiguous run before the run is
// written off as failed.
const resolveLimit = 30 * time.Second

// Resolve settles a fire whose hand-over has no known outcome, because no answer came or because
// the node that claimed it is gone, by the job's [xxladapter.AmbiguousStrategy]. A repeated request
// has the same log id and trigger time. While the executor does not answer, the fire stays
// ambiguous and is resolved again, until 30 s have passed since its claim and since this node took
// it over, if it did; then it has failed. The error is the store's; the fire then stays as it is.
func (h *HandOver) Resolve(ctx context.Context, f xxladapter.Fire) error {
	return h.act(func(by xxladapter.Term) error { return h.resolve(ctx, by, f) })
}

func (h *HandOver) resolve(ctx context.Context, term xxladapter.Term, f xxladapter.Fire) error {
	if f.Owner != term {
		h.queued.forget(f.LogID) // the store may have lost what has happened to the run since
		h.takenOver.note(f.ID, time.Now())
	}
	connected := time.Unix(0, 0) // without a broker nothing was interrupted
	if h.opts.Connected != nil {
		connected = h.opts.Connected()
	}
	inQueue, due := h.queued.due(f.LogID, time.Now(), connected)
	if !due {
		return nil
	}
	err := h.takeFire(ctx, term, f)
	if errors.Is(err, xxladapter.ErrConflict) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take over fire %d: %w", f.ID, err)
	}
	f.Owner = term
	l, err := h.opts.Store.Log(ctx, f.LogID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		_, err = h.settleFire(ctx, term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID})
		return err
	}
	if err != nil {
		return fmt.Errorf("load run %d: %w", f.LogID, err)
	}
	r, err := h.load(ctx, f)
	if errors.Is(err, xxladapter.ErrNotFound) {
		_, err = h.settleFire(ctx, term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID})
		return err
	}
	if err != nil {
		return err
	}
	if l.GroupID > 0 && l.GroupID != r.group.ID {
		// The job was moved. The executor that may have the run is of the former group's app.
		was := h.readGroup(ctx, l.GroupID)
		if was.err != nil {
			return was.err
		}
		r.group = was.group
	}
	if f.Param != nil {
		l.Param = *f.Param // the row may have no room for all of it
	}
	l.TriggerTime = triggerTime(l.TriggerTime, f.Claimed)
	r.log = l
	if to, queued := xxladapter.ParseQueueAddress(l.Address); queued && l.HandleCode == xxladapter.ResultNone {
		return r.requeue(ctx, inQueue, to)
	}
	return r.settle(ctx, r.findOut(ctx))
}

// triggerTime returns the trigger time of a claimed run, as its row has it. Upstream's tables have
// civil times, which name two instants while clocks are set back; of these it returns the one of
// the claim. Zones change by multiples of half an hour, and clocks of nodes and stores are much
// closer than that.
func triggerTime(stored, claimed time.Time) time.Time {
	return stored.Add(claimed.Sub(stored).Round(30 * time.Minute))
}

// A resolution says what to do about a hand-over without a known outcome.
type resolution int

const (
	resolveAsk    resolution = iota // ask the executor's log, by [xxladapter.AmbiguousProbe]
	resolveResend                   // by [xxladapter.AmbiguousResend]
	resolveSkip                     // by [xxladapter.AmbiguousSkip]
	resolveSent                     // there is a result, so the request has arrived
	resolveUnsent                   // there was nobody to send it to
)

// resolutionOf chooses by the job's strategy and the log row of the hand-over.
func resolutionOf(strategy xxladapter.AmbiguousStrategy, l *xxladapter.Log) resolution {
	switch {
	case l.HandleCode != xxladapter.ResultNone:
		return resolveSent
	case l.Address == "":
		return resolveUnsent
	case strategy == xxladapter.AmbiguousSkip:
		return resolveSkip
	case strategy == xxladapter.AmbiguousResend:
		return resolveResend
	}
	return resolveAsk
}

// findOut finds out what became of a run request that may have been sent.
func (r *run) findOut(ctx context.Context) sendOutcome {
	at := time.Now()
	switch resolutionOf(r.job.Settings.Ambiguous, r.log) {
	case resolveSent:
		return sendOutcome{at: at, kind: EventSent, code: wire.CodeOK, msg: "has a result"}
	case resolveUnsent:
		return failed(at, "no executor address")
	case resolveSkip:
		return skipped(at, "its answer was lost")
	case resolveResend:
		// A refused connection says nothing about the request before it.
		o := r.send(ctx, r.request())
		if o.answered || o.withheld != "" {
			return o
		}
		return r.unanswered(ctx, at, o.msg)
	}
	req := wire.LogRequest{
		LogID: wire.Int(r.log.ID), LogTime: wire.Int(r.log.TriggerTime.UnixMilli()), FromLine: noLine,
	}
	result, err := r.opts.Sender.Log(ctx, r.log.Address, r.group.AppName, req)
	if err != nil {
		return r.unanswered(ctx, at, err.Error())
	}
	if !neverBegan(result) {
		return sendOutcome{at: at, kind: EventSent, code: wire.CodeOK, msg: "began, by its log"}
	}
	now, err := r.opts.Store.Now(ctx)
	if err != nil {
		return sendOutcome{at: at, kind: EventAmbiguous, msg: err.Error()}
	}
	if result.LogsAge > 0 && int64(result.LogsAge) < now.Sub(r.fire.Claimed).Milliseconds() {
		o := failed(at, xxladapter.ReasonUnknown+": the executor's logs begin after the hand-over")
		o.code, o.unknown = xxladapter.ResultUnknown, true
		return o
	}
	// It may still wait in the executor's queue, which knows its log id and refuses a second one:
	// send treats that as taken.
	return r.send(ctx, r.request())
}

// unanswered leaves the outcome open for the next sweep, until resolveLimit has passed since the
// claim, and since the node took the run over, because the node before it may not have asked the
// executor. If the store's clock was set back to before the claim, the claim's age is unknown, and
// resolveLimit begins now.
func (r *run) unanswered(ctx context.Context, at time.Time, msg string) sendOutcome {
	// The claim was made by the store's clock.
	now, err := r.opts.Store.Now(ctx)
	if err != nil || ctx.Err() != nil {
		return sendOutcome{at: at, kind: EventAmbiguous, msg: msg}
	}
	since, age := r.takenOver.of(r.fire.ID), now.Sub(r.fire.Claimed)
	if age < 0 && since.IsZero() {
		since = time.Now()
		r.takenOver.note(r.fire.ID, since)
	}
	if (age < 0 || age > resolveLimit) && time.Since(since) > resolveLimit {
		return failed(at, xxladapter.ReasonUnknown+", and the executor does not say: "+msg)
	}
	return sendOutcome{at: at, kind: EventAmbiguous, msg: msg}
}

// noLine is a line that no log has: whether there is a log is all that matters, and executors of
// XXL-JOB reply with all lines from the requested one on, which may be more than a reply may have.
const noLine = math.MaxInt32

// neverBegan reports whether the executor surely has no log of the run. The text is upstream's
// (XxlJobFileAppender.readLog); an executor that answers something else gets the benefit of the
// doubt, because skipping one run does less harm than running it twice.
func neverBegan(r wire.LogResult) bool {
	return r.End && r.ToLine == 0 && strings.HasPrefix(r.Content, wire.MsgNoLogFile)
}
