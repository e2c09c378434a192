package trigger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// resolveLimit limits how long a silent executor is asked about an ambiguous run before the run is
// written off as failed.
const resolveLimit = 30 * time.Second

// Resolve settles a fire whose hand-over has no known outcome, because no answer came or because
// the node that claimed it is gone, by the job's [xxladapter.AmbiguousPolicy]. A repeated request
// has the same log id and trigger time. While the executor does not answer, the fire stays
// ambiguous and is resolved again, until 30 s after its claim; then it has failed. The error is the
// store's; the fire then stays as it is.
func (h *HandOver) Resolve(ctx context.Context, f xxladapter.Fire) error {
	return h.act(func(by xxladapter.Term) error { return h.resolve(ctx, by, f) })
}

func (h *HandOver) resolve(ctx context.Context, term xxladapter.Term, f xxladapter.Fire) error {
	if f.Owner != term {
		h.queued.forget(f.ID) // the store may have lost what has happened to the run since
	}
	inQueue, due := h.queued.due(f.ID, time.Now())
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
		return fmt.Errorf("load log %d: %w", f.LogID, err)
	}
	job, group, err := h.load(ctx, f)
	if errors.Is(err, xxladapter.ErrNotFound) {
		_, err = h.settleFire(ctx, term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID})
		return err
	}
	if err != nil {
		return err
	}
	if to, queued := xxladapter.ParseQueueAddress(l.Address); queued && l.HandleCode == xxladapter.ResultNone {
		return h.requeue(ctx, f, inQueue, to, job, group, l)
	}
	return h.settle(ctx, f, job, group, l, h.findOut(ctx, f, job, group, l))
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

// resolutionOf chooses by the row of the hand-over and the job's setting ambiguous.
func resolutionOf(policy xxladapter.AmbiguousPolicy, l *xxladapter.Log) resolution {
	switch {
	case l.HandleCode != xxladapter.ResultNone:
		return resolveSent
	case l.Address == "":
		return resolveUnsent
	case policy == xxladapter.AmbiguousSkip:
		return resolveSkip
	case policy == xxladapter.AmbiguousResend:
		return resolveResend
	}
	return resolveAsk
}

// findOut finds out what became of a run request that may have been sent.
func (h *HandOver) findOut(ctx context.Context, f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log) sendOutcome {
	at := time.Now()
	switch resolutionOf(job.Settings.Ambiguous, l) {
	case resolveSent:
		return sendOutcome{at: at, kind: EventSent, code: wire.CodeOK, msg: "has a result"}
	case resolveUnsent:
		return failed(at, "no executor address")
	case resolveSkip:
		return skipped(at, "its answer was lost")
	case resolveResend:
		// A refused connection says nothing about the request before it.
		o := h.send(ctx, f.Owner, l.Address, group.AppName, h.runRequest(f, job, l))
		if o.answered || o.withheld != "" {
			return o
		}
		return h.unanswered(ctx, at, f, o.msg)
	}
	req := wire.LogRequest{LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: 1}
	result, err := h.opts.Sender.Log(ctx, l.Address, group.AppName, req)
	if err != nil {
		return h.unanswered(ctx, at, f, err.Error())
	}
	if !neverBegan(result) {
		return sendOutcome{at: at, kind: EventSent, code: wire.CodeOK, msg: "began, by its log"}
	}
	now, err := h.opts.Store.Now(ctx)
	if err != nil {
		return sendOutcome{at: at, kind: EventAmbiguous, msg: err.Error()}
	}
	if result.LogsAge > 0 && int64(result.LogsAge) < now.Sub(f.Claimed).Milliseconds() {
		o := failed(at, xxladapter.ReasonUnknown+": the executor's logs begin after the hand-over")
		o.code, o.unknown = xxladapter.ResultUnknown, true
		return o
	}
	// It may still wait in the executor's queue, which knows its log id and refuses a second one:
	// send treats that as taken.
	return h.send(ctx, f.Owner, l.Address, group.AppName, h.runRequest(f, job, l))
}

// unanswered leaves the outcome open for the next sweep until the limit.
func (h *HandOver) unanswered(ctx context.Context, at time.Time, f xxladapter.Fire, msg string) sendOutcome {
	// The claim was made by the store's clock.
	now, err := h.opts.Store.Now(ctx)
	if err == nil && ctx.Err() == nil && now.Sub(f.Claimed) > resolveLimit {
		return failed(at, xxladapter.ReasonUnknown+", and the executor does not say: "+msg)
	}
	return sendOutcome{at: at, kind: EventAmbiguous, msg: msg}
}

// neverBegan reports whether the executor surely has no log of the run. The text is upstream's
// (XxlJobFileAppender.readLog); an executor that answers something else gets the benefit of the
// doubt, because skipping one run does less harm than running it twice.
func neverBegan(r wire.LogResult) bool {
	return r.End && r.ToLine == 0 && strings.HasPrefix(r.Content, wire.MsgNoLogFile)
}
