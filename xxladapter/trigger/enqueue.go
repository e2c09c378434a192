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
	// queueCheck is how long a run lies in the queue before it is looked for there.
	queueCheck = 30 * time.Second
	// queueRetry is the pause after a publication that failed.
	queueRetry = 5 * time.Second
)

// A queuedRun is what this node knows about a run in a queue.
type queuedRun struct {
	position uint64 // 0 means that nobody knows whether it is stored
	key      string // under which it was published
	check    time.Time
	doubt    *doubt // what executors have said, guarded by the mutex of queuedRuns; nil means nothing
}

// queuedRuns holds what this node knows about runs in queues, by fire. It forgets a run that nobody
// has asked about for a while, because runs that were accepted are not reported to it.
type queuedRuns struct {
	mu      sync.Mutex // guards the fields below
	byFire  map[int64]queuedRun
	cleaned time.Time
}

// due returns what is known about a run, and whether it is to be looked for at now.
func (q *queuedRuns) due(fireID int64, now time.Time) (known queuedRun, due bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known = q.byFire[fireID]
	return known, !now.Before(known.check)
}

func (q *queuedRuns) note(fireID int64, r queuedRun, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.put(fireID, r, now)
}

// forget forgets what is known about a run.
func (q *queuedRuns) forget(fireID int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.byFire, fireID)
}

// put notes what is known about a run, as note does. REQUIRES: q.mu is held.
func (q *queuedRuns) put(fireID int64, r queuedRun, now time.Time) {
	if q.byFire == nil {
		q.byFire = map[int64]queuedRun{}
	}
	q.byFire[fireID] = r
	if now.Sub(q.cleaned) < queueCheck {
		return
	}
	q.cleaned = now
	for id, old := range q.byFire {
		if now.Sub(old.check) > 4*queueCheck {
			delete(q.byFire, id)
		}
	}
}

// enqueue publishes a claimed fire under a key. Without a Queuer, and for a run that the queue can
// never store, the hand-over has failed. Any other error leaves the fire to the sweep: the broker
// may be down, or full.
func (h *HandOver) enqueue(ctx context.Context, f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log, req *wire.RunRequest, key string) error {
	if !h.mayAct(f.Owner) {
		return h.settle(ctx, f, job, group, l, sendOutcome{withheld: leaseInDoubt})
	}
	if h.opts.Queue == nil {
		return h.settle(ctx, f, job, group, l, failed(time.Now(), errNoBroker.Error()))
	}
	at := time.Now()
	position, err := h.opts.Queue.Enqueue(ctx, l.Address, group.AppName, key, req)
	if errors.Is(err, ErrRefused) {
		return h.settle(ctx, f, job, group, l, failed(at, err.Error()))
	}
	now := time.Now()
	if err != nil {
		h.stats.unpublished.log(ctx, h.opts.Logger, "run not published; trying again", "attempts", "job", job.ID, "log", l.ID, "address", l.Address, "err", err)
		h.queued.note(f.ID, queuedRun{check: now.Add(queueRetry)}, now)
		return nil
	}
	h.queued.note(f.ID, queuedRun{position: position, key: key, check: now.Add(queueCheck)}, now)
	h.opts.OnEvent(Event{
		Kind: EventSent, Job: job.Name, JobID: job.ID, App: group.AppName, Fire: f, LogID: l.ID, Began: l.TriggerTime,
		Address: l.Address, At: at, Code: wire.CodeOK, Msg: "in the queue",
	})
	return nil
}

// queueKey returns the key of a run's first publication.
func queueKey(logID int64) string { return strconv.FormatInt(logID, 10) }

// requeue looks for the run of an open fire in the queue, and publishes it again if it is not
// there. A run for an executor that is no longer registered has failed: no executor has begun it.
func (h *HandOver) requeue(ctx context.Context, f xxladapter.Fire, known queuedRun, to xxladapter.QueueAddress, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log) error {
	inDoubt := f.State == xxladapter.FireAmbiguous && known.key == ""
	if to.Instance != "" && h.opts.Queue != nil && !slices.Contains(membersOf(f, group), l.Address) {
		o := failed(time.Now(), "the executor is gone, and had not begun the run")
		if inDoubt {
			o = failed(time.Now(), xxladapter.ReasonUnknown+", and the executor is gone")
		}
		if err := h.settle(ctx, f, job, group, l, o); err != nil || known.position == 0 {
			return err
		}
		if err := h.opts.Queue.Dequeue(ctx, l.Address, known.position); err != nil { // the run would be refused if it was asked for
			h.opts.Logger.Warn("run that was given up stays in the queue", "log", l.ID, "err", err)
		}
		return nil
	}
	if inDoubt && h.opts.Queue != nil {
		if settled, err := h.settleDoubt(ctx, f, to, job, group, l); settled || err != nil {
			return err
		}
	}
	key := queueKey(l.ID)
	if known.position != 0 {
		now := time.Now()
		held, err := h.opts.Queue.Queued(ctx, l.Address, known.position, known.key)
		if err != nil || held {
			if err != nil {
				h.opts.Logger.Warn("run not looked for in the queue", "log", l.ID, "err", err)
			}
			known.check = now.Add(queueCheck)
			h.queued.note(f.ID, known, now)
			return nil
		}
		// The queue may still know the key of a run that it no longer has.
		key += "-" + strconv.FormatInt(now.UnixMilli(), 10)
		h.opts.Logger.Warn("run is not in the queue and has not begun; publishing it again", "job", job.ID, "log", l.ID, "address", l.Address)
	}
	return h.enqueue(ctx, f, job, group, l, h.runRequest(f, job, l), key)
}

// membersOf returns the addresses that a fire may go to: those that it names, or its group's.
func membersOf(f xxladapter.Fire, group *xxladapter.Group) []string {
	if len(f.Addresses) > 0 {
		return f.Addresses
	}
	return group.Addresses
}

// Accept gives runs to executors that have taken them from a queue, as
// [xxladapter.RunStore.AcceptRuns] does.
func (h *HandOver) Accept(ctx context.Context, list []xxladapter.Accepted) ([]bool, error) {
	may, err := h.opts.Store.AcceptRuns(ctx, list)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to accepted runs lost", "runs", len(list), "err", err)
		may, err = h.opts.Store.AcceptRuns(ctx, list)
	}
	if err != nil {
		return nil, fmt.Errorf("accept %d runs: %w", len(list), err)
	}
	return may, nil
}

// anyOf returns the address for a run that a route has given to addr. If any executor of the app
// may have the run, anyOf returns the address of all of them, so that one with a free place takes
// it. While one of the group is drained, addr is kept, because the drained one would take runs too.
func anyOf(route xxladapter.RouteStrategy, f xxladapter.Fire, group *xxladapter.Group, addr string, now time.Time) string {
	to, queued := xxladapter.ParseQueueAddress(addr)
	if !queued || len(f.Addresses) > 0 || len(group.Undrained(group.Addresses, now)) < len(group.Addresses) {
		return addr
	}
	switch route {
	case xxladapter.RouteRandom, xxladapter.RouteRound, xxladapter.RouteLFU, xxladapter.RouteLRU, xxladapter.RouteFailover, xxladapter.RouteBusyover:
		return xxladapter.QueueAddress{App: to.App}.String()
	}
	return addr
}
