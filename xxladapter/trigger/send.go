package trigger

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A sendOutcome is what is known about a run request after it.
type sendOutcome struct {
	at   time.Time // when the request left
	kind EventKind // EventSent, EventFailed or EventAmbiguous
	code int
	msg  string
	// sent and acknowledged are those of [xxladapter.Settlement].
	sent, acknowledged time.Time

	answered bool // by the executor
	unknown  bool // EventFailed without knowing, and the job is not to be retried
	// withheld says why nothing was sent, with nothing known: the fire stays claimed. It is empty
	// otherwise.
	withheld string
}

// Why a request is withheld.
const (
	leaseInDoubt = "the lease is in doubt"
	drainOver    = "the drain is over"
)

func failed(at time.Time, msg string) sendOutcome {
	return sendOutcome{at: at, kind: EventFailed, code: xxladapter.ResultFail, msg: msg}
}

// skipped ends a hand-over whose outcome is unknown and stays so.
func skipped(at time.Time, msg string) sendOutcome {
	o := failed(at, xxladapter.ReasonUnknown+", and not sent again as the job says: "+msg)
	o.code, o.unknown = xxladapter.ResultUnknown, true
	return o
}

func (h *HandOver) send(ctx context.Context, by xxladapter.Term, addr, appName string, req *wire.RunRequest) sendOutcome {
	began := time.Now()
	var waited atomic.Int64 // from then until the last question before a write, in nanoseconds
	may := func() bool {
		waited.Store(int64(time.Since(began)))
		return h.mayAct(by)
	}
	if !may() {
		return sendOutcome{withheld: leaseInDoubt}
	}
	sent := h.storeTime(ctx)
	reply, err := h.opts.Sender.Run(sendOnlyIf(ctx, may), addr, appName, req)
	at := began.Add(time.Duration(waited.Load()))
	switch {
	case errors.Is(err, errWithheld):
		return sendOutcome{withheld: leaseInDoubt}
	case errors.Is(err, ErrOutcomeUnknown):
		return sendOutcome{at: at, kind: EventAmbiguous, msg: err.Error(), sent: sent}
	case err != nil && ctx.Err() != nil: // which says nothing about the executor
		return sendOutcome{withheld: drainOver}
	case err != nil:
		return failed(at, err.Error()) // no executor has it
	}
	o := sendOutcome{at: at, kind: EventSent, code: wire.CodeOK, msg: reply.Msg}
	// A repeat says that the executor has this log id already: an earlier attempt arrived.
	if reply.Code != wire.CodeOK && !isRepeat(reply.Msg) {
		o = failed(at, reply.Msg)
		if reply.Code > 0 {
			o.code = reply.Code
		}
	}
	o.answered, o.sent, o.acknowledged = true, sent, h.storeTime(ctx)
	return o
}

// storeTime returns the time of the store's clock, by which histories are written. It is zero if
// the store fails, since no run depends on its history.
func (h *HandOver) storeTime(ctx context.Context) time.Time {
	now, err := h.opts.Store.Now(context.WithoutCancel(ctx))
	if err != nil {
		return time.Time{}
	}
	return now
}

// settleGrace is the time that a settlement gets beyond its hand-over.
const settleGrace = 3 * time.Second

// lingering returns a context that ends a while after ctx does. The caller calls done.
func lingering(ctx context.Context, by time.Duration) (_ context.Context, done func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, cancel) })
	return longer, func() { stop(); cancel() }
}

// settle stores the outcome of a hand-over. One that was withheld stores nothing: the fire stays
// claimed, for the next start of this node or for the node that takes it over.
func (h *HandOver) settle(ctx context.Context, f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log, o sendOutcome) error {
	if o.withheld != "" {
		h.logWithheld(ctx, f, o.withheld)
		return nil
	}
	if o.kind == EventAmbiguous && job.Settings.Ambiguous == xxladapter.AmbiguousSkip {
		sent := o.sent
		o = skipped(o.at, o.msg)
		o.sent = sent
	}
	s := xxladapter.Settlement{FireID: f.ID, LogID: l.ID, Code: o.code, Sent: o.sent, Acknowledged: o.acknowledged}
	// The outcome must be stored even when the caller is being stopped: an outcome that is lost
	// here has to be found out after the restart.
	storing, done := lingering(ctx, settleGrace)
	defer done()
	switch o.kind {
	case EventAmbiguous:
		s.State = xxladapter.FireAmbiguous
		h.opts.Logger.Warn("hand-over without an answer", "job", job.ID, "log", l.ID, "address", l.Address, "cause", o.msg)
	case EventFailed:
		// What follows is due by the store's clock; this node's may be off.
		now, err := h.opts.Store.Now(storing)
		if err != nil {
			return fmt.Errorf("read store clock: %w", err)
		}
		now = now.Truncate(time.Millisecond)
		if !o.unknown {
			s.Next = retry(l, job, f.Addresses, now, h.jitter())
		}
		s.Resume = ResumeAfter(job, now)
	}
	s.Msg = triggerMsg(f, job, group, l, o, s.Next)
	if o.kind == EventSent {
		s.AwaitResult = true
		leavePlace(ctx)
	}
	planned, err := h.settleFire(storing, f.Owner, s)
	if err != nil {
		return fmt.Errorf("settle fire %d: %w", f.ID, err) // the node that settles it reports it
	}
	h.opts.OnEvent(Event{
		Kind: o.kind, Job: job.Name, JobID: job.ID, App: group.AppName, Fire: f, LogID: l.ID, Began: l.TriggerTime,
		Address: l.Address, At: o.at, Sent: o.sent, Acknowledged: o.acknowledged, Code: o.code, Msg: o.msg,
	})
	h.followed(planned, s.Resume)
	return nil
}

// logWithheld logs that a fire was not sent. A lease in doubt concerns thousands of fires.
func (h *HandOver) logWithheld(ctx context.Context, f xxladapter.Fire, why string) {
	msg, attrs := "not sent, "+why, []any{"job", f.JobID, "fire", f.ID, "term", f.Owner.Number}
	if why == leaseInDoubt {
		h.stats.withheld.log(ctx, h.opts.Logger, msg, "withheld", attrs...)
		return
	}
	h.opts.Logger.Warn(msg, attrs...)
}
