package trigger

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	unknown  bool // EventFailed although the outcome is not known; the job is not retried
	// withheld says why the request was not sent; the fire then stays claimed. Empty means that it
	// was not withheld.
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

// skipped returns the outcome of a hand-over that stays unknown and is not repeated.
func skipped(at time.Time, msg string) sendOutcome {
	o := failed(at, xxladapter.ReasonUnknown+", and not sent again as the job says: "+msg)
	o.code, o.unknown = xxladapter.ResultUnknown, true
	return o
}

// send sends the request of a run to its address, as long as the node acts in the claim's term.
func (r *run) send(ctx context.Context, req *wire.RunRequest) sendOutcome {
	began := time.Now()
	var waited atomic.Int64 // from began to the last call of may, in nanoseconds
	may := func() bool {
		waited.Store(int64(time.Since(began)))
		return r.mayAct(r.fire.Owner)
	}
	if !may() {
		return sendOutcome{withheld: leaseInDoubt}
	}
	sent := r.storeTime(ctx)
	reply, err := r.opts.Sender.Run(sendOnlyIf(ctx, may), r.log.Address, r.group.AppName, req)
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
	// A repeat says that the executor has this log id already: an earlier request arrived.
	if reply.Code != wire.CodeOK && !isRepeat(reply.Msg) {
		o = failed(at, reply.Msg)
		if reply.Code > 0 && reply.Code <= math.MaxInt32 { // the tables have 32 bits
			o.code = reply.Code
		}
	}
	o.answered, o.sent, o.acknowledged = true, sent, r.storeTime(ctx)
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
func (r *run) settle(ctx context.Context, o sendOutcome) error {
	if o.withheld != "" {
		r.logWithheld(ctx, o.withheld)
		return nil
	}
	if o.kind == EventAmbiguous && r.job.Settings.Ambiguous == xxladapter.AmbiguousSkip {
		sent := o.sent
		o = skipped(o.at, o.msg)
		o.sent = sent
	}
	s := xxladapter.Settlement{
		FireID: r.fire.ID, LogID: r.log.ID, Code: o.code, Sent: o.sent, Acknowledged: o.acknowledged,
	}
	// The outcome must be stored even when the caller is being stopped: an outcome that is lost
	// here has to be found out after the restart.
	storing, done := lingering(ctx, settleGrace)
	defer done()
	switch o.kind {
	case EventAmbiguous:
		s.State = xxladapter.FireAmbiguous
		r.opts.Logger.Warn("hand-over without an answer",
			"job", r.job.ID, "run", r.log.ID, "address", r.log.Address, "cause", o.msg)
	case EventFailed:
		// What follows is due by the store's clock; this node's may be off.
		now, err := r.opts.Store.Now(storing)
		if err != nil {
			return fmt.Errorf("read store clock: %w", err)
		}
		now = now.Truncate(time.Millisecond)
		if !o.unknown {
			s.Next = retry(r.log, r.job, r.fire.Addresses, now, r.jitter())
		}
		s.Resume = ResumeAfter(r.job, now)
	}
	s.Msg = r.message(o, s.Next)
	if o.kind == EventSent {
		s.AwaitResult = true
		leavePlace(ctx)
	}
	planned, err := r.settleFire(storing, r.fire.Owner, s)
	if err != nil {
		return fmt.Errorf("settle fire %d: %w", r.fire.ID, err) // the node that settles it reports it
	}
	if o.kind == EventFailed && r.isTaken(storing) {
		return nil
	}
	e := r.event(o.kind)
	e.At, e.Sent, e.Acknowledged, e.Code, e.Msg = o.at, o.sent, o.acknowledged, o.code, o.msg
	r.opts.OnEvent(e)
	r.followed(planned, s.Resume)
	return nil
}

// isTaken reports whether an executor has taken the run from a queue before a failure was stored:
// the store then has nothing of the failure.
func (r *run) isTaken(ctx context.Context) bool {
	if !xxladapter.IsQueueAddress(r.log.Address) {
		return false
	}
	l, err := r.opts.Store.Log(ctx, r.log.ID)
	return err == nil && l.TriggerCode == xxladapter.ResultOK
}

// logWithheld logs that a fire was not sent. A lease in doubt concerns thousands of fires.
func (r *run) logWithheld(ctx context.Context, why string) {
	msg, attrs := "not sent, "+why, []any{"job", r.fire.JobID, "fire", r.fire.ID, "term", r.fire.Owner.Number}
	if why == leaseInDoubt {
		r.stats.withheld.log(ctx, r.opts.Logger, msg, "withheld", attrs...)
		return
	}
	r.opts.Logger.Warn(msg, attrs...)
}
