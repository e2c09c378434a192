package trigger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A run for a queue is published while its fire stays claimed. The fire is settled when an executor
// asks for the run ([HandOver.Accept]). Until then the sweep, which finds every claimed fire of
// this node, looks whether the queue still has it: what is not accepted has not begun, so that it
// may be published again at any time.

const (
	// queueCheck is how long a run lies in the queue before it is looked for there, unless the
	// connection to the queue has been interrupted.
	queueCheck = 30 * time.Second
	// queueRetry is the pause after a publication that failed.
	queueRetry = 5 * time.Second
)

// A queuedRun is what this node knows about a run in a queue.
type queuedRun struct {
	position uint64    // 0 means that nobody knows whether it is stored
	key      string    // under which it was published
	noted    time.Time // when all this was noted
	check    time.Time
	gone     time.Time // when the executor that it is for was first found gone; zero if it is there
	doubt    *doubt    // what executors have said, guarded by the mutex of queuedRuns; nil means nothing
}

// queuedRuns holds what this node knows about runs in queues, by log id. It forgets the runs that
// this node gives to executors, and a run that nobody has asked about for a while, because another
// node may have given it.
type queuedRuns struct {
	mu      sync.Mutex // guards the fields below
	byRun   map[int64]queuedRun
	cleaned time.Time
}

// due returns what is known about a run, and whether it is to be looked for now. connected is the
// zero time while the queue is away: then nothing is looked for that was noted before. Otherwise a
// run is looked for if its time has come, or if it was noted before the queue was away, which may
// have lost it.
func (q *queuedRuns) due(logID int64, now, connected time.Time) (known queuedRun, due bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known, noted := q.byRun[logID]
	if connected.IsZero() {
		if noted {
			known.check = now // it is asked about, and not to be forgotten
			q.byRun[logID] = known
		}
		return known, !noted
	}
	return known, !now.Before(known.check) || known.noted.Before(connected)
}

func (q *queuedRuns) note(logID int64, r queuedRun, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(logID, r, now)
}

// forget forgets what is known about runs.
func (q *queuedRuns) forget(logIDs ...int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range logIDs {
		delete(q.byRun, id)
	}
}

// put notes what is known about a run, as note does.
//
// REQUIRES: q.mu is held.
func (q *queuedRuns) put(logID int64, r queuedRun, now time.Time) {
	if q.byRun == nil {
		q.byRun = map[int64]queuedRun{}
	}
	r.noted = now
	q.byRun[logID] = r
	if now.Sub(q.cleaned) < queueCheck {
		return
	}
	q.cleaned = now
	for id, old := range q.byRun {
		if now.Sub(old.check) > 4*queueCheck {
			delete(q.byRun, id)
		}
	}
}

// enqueue publishes a claimed fire under a key. Without a Queuer, and for a run that the queue can
// never store, the hand-over has failed. Any other error leaves the fire to the sweep: the broker
// may be down, or full.
func (r *run) enqueue(ctx context.Context, req *wire.RunRequest, key string) error {
	if !r.mayAct(r.fire.Owner) {
		return r.settle(ctx, sendOutcome{withheld: leaseInDoubt})
	}
	if r.opts.Queue == nil {
		return r.settle(ctx, failed(time.Now(), errNoBroker.Error()))
	}
	at, sent := time.Now(), r.storeTime(ctx)
	position, err := r.opts.Queue.Enqueue(ctx, r.log.Address, r.group.AppName, key, req)
	if errors.Is(err, ErrRefused) {
		return r.settle(ctx, failed(at, err.Error()))
	}
	now := time.Now()
	if err != nil {
		r.stats.unpublished.log(ctx, r.opts.Logger, "run not published; trying again", "attempts",
			"job", r.job.ID, "run", r.log.ID, "address", r.log.Address, "err", err)
		r.queued.note(r.log.ID, queuedRun{check: now.Add(queueRetry)}, now)
		return nil
	}
	r.queued.note(r.log.ID, queuedRun{position: position, key: key, check: now.Add(queueCheck)}, now)
	if key != queueKey(r.log.ID) {
		return nil // its first publication was reported
	}
	e := r.event(EventSent)
	e.At, e.Sent, e.Code, e.Msg = at, sent, wire.CodeOK, "in the queue"
	r.opts.OnEvent(e)
	return nil
}

// queueKey returns the key of a run's first publication.
func queueKey(logID int64) string { return strconv.FormatInt(logID, 10) }

// requeue looks for the run of an open fire in the queue, and publishes it again if it is not
// there. A run for an executor that is unregistered at two looks, queueCheck apart, has failed: no
// executor has begun it. One look is not enough, because an executor that restarts deregisters. A
// look at a time when the executor could not have registered again does not count.
func (r *run) requeue(ctx context.Context, known queuedRun, to xxladapter.QueueAddress) error {
	inDoubt := r.fire.State == xxladapter.FireAmbiguous && known.key == ""
	if to.Instance != "" && r.opts.Queue != nil && !slices.Contains(r.addresses(), r.log.Address) {
		now := time.Now()
		switch {
		case !xxladapter.HearsQueue(r.opts.Connected, now):
			known.gone, known.check = time.Time{}, now.Add(queueRetry)
			r.queued.note(r.log.ID, known, now)
			return nil
		case known.gone.IsZero():
			known.gone = now
		}
		if now.Sub(known.gone) < queueCheck {
			known.check = known.gone.Add(queueCheck)
			r.queued.note(r.log.ID, known, now)
			return nil
		}
		// This node may not know where the run is stored, since another may have published it. What
		// else waits there is given up as well, or published again if the executor comes back. A
		// broker that cannot clear the queue may keep the executor away, too.
		if err := r.opts.Queue.Clear(ctx, r.log.Address); err != nil && !errors.Is(err, ErrRefused) {
			r.opts.Logger.Warn("run of an executor that is gone is not given up, its queue was not cleared",
				"run", r.log.ID, "address", r.log.Address, "err", err)
			known.gone, known.check = time.Time{}, now.Add(queueRetry)
			r.queued.note(r.log.ID, known, now)
			return nil
		}
		o := failed(time.Now(), "the executor is gone, and had not begun the run")
		if inDoubt {
			o = failed(time.Now(), xxladapter.ReasonUnknown+", and the executor is gone")
		}
		return r.settle(ctx, o)
	}
	known.gone = time.Time{}
	if inDoubt && r.opts.Queue != nil {
		if settled, err := r.settleDoubt(ctx, to); settled || err != nil {
			return err
		}
	}
	key := queueKey(r.log.ID)
	if known.position != 0 {
		now := time.Now()
		held, err := r.opts.Queue.Queued(ctx, r.log.Address, known.position, known.key)
		if err != nil || held {
			if err != nil {
				r.stats.unseen.log(
					ctx, r.opts.Logger, "run not looked for in the queue; trying again", "attempts",
					"run", r.log.ID, "err", err,
				)
			}
			known.check = now.Add(queueCheck)
			r.queued.note(r.log.ID, known, now)
			return nil
		}
		// The queue may still know the key of a run that it no longer has.
		key += "-" + strconv.FormatInt(now.UnixMilli(), 10)
		r.stats.lost.log(
			ctx, r.opts.Logger, "run is not in the queue and has not begun; publishing it again", "runs",
			"job", r.job.ID, "run", r.log.ID, "address", r.log.Address,
		)
	}
	return r.enqueue(ctx, r.request(), key)
}

// Accept gives runs to executors that have taken them from a queue, as
// [xxladapter.RunStore.AcceptRuns] does.
func (h *HandOver) Accept(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	may, err := h.opts.Store.AcceptRuns(ctx, list)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to accepted runs lost", "runs", len(list), "err", err)
		may, err = h.opts.Store.AcceptRuns(ctx, list)
	}
	if err != nil {
		return nil, fmt.Errorf("accept %d runs: %w", len(list), err)
	}
	var given []int64
	for i := range list {
		if may[i] {
			given = append(given, list[i].LogID)
		}
	}
	h.queued.forget(given...)
	return may, nil
}
