package trigger

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// settleDoubt settles a run that an executor may have taken from the queue although the store does
// not know it, because it has lost what it confirmed last. It asks the executors that can have the
// run, unless the job's setting ambiguous decides. It returns false if none has taken it: then it
// can be published again.
//
// An executor that does not answer is asked again until it does, or is no longer registered.
func (h *HandOver) settleDoubt(ctx context.Context, f xxladapter.Fire, to xxladapter.QueueAddress, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log) (settled bool, err error) {
	switch job.Settings.Ambiguous {
	case xxladapter.AmbiguousSkip:
		return true, h.settle(ctx, f, job, group, l, skipped(time.Now(), "the store has lost whether an executor took it"))
	case xxladapter.AmbiguousResend:
		return false, nil
	}
	for _, addr := range takersOf(f, group, to) {
		took, err := h.opts.Queue.Taken(ctx, addr, group.AppName, l)
		switch {
		case errors.Is(err, ErrNotTold):
		case err != nil:
			h.opts.Logger.Warn("executor does not say whether it took a run; asking again", "log", l.ID, "address", addr, "err", err)
			now := time.Now()
			h.queued.note(f.ID, queuedRun{check: now.Add(queueRetry)}, now)
			return true, nil
		case took:
			_, err := h.Accept(ctx, []xxladapter.Accepted{{LogID: l.ID, Address: addr}})
			return true, err
		}
	}
	return false, nil
}

// takersOf returns the addresses of the executors that may have taken a run for to.
func takersOf(f xxladapter.Fire, group *xxladapter.Group, to xxladapter.QueueAddress) (addrs []string) {
	if to.Instance != "" {
		return []string{to.String()}
	}
	for _, addr := range membersOf(f, group) {
		if q, queued := xxladapter.ParseQueueAddress(addr); queued && q.App == to.App && q.Instance != "" {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}
