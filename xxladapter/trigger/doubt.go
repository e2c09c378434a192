package trigger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// doubtAttempts is how often a call is made whose answers the store loses. What is in
// doubt after that is left to the sweep, or to the executor's next report.
const doubtAttempts = 3

// claimOrFind claims the fire, and again when the answer is lost. Where the fire is not
// planned any more then, it looks whether the first claim has happened. If so nothing was sent
// yet, since only this call would: asking the executor, as for claims of unknown history, could
// only lose a run.
func (h *HandOver) claimOrFind(ctx context.Context, by xxladapter.Term, f xxladapter.Fire, logs []*xxladapter.Log) ([]xxladapter.Fire, error) {
	fires, err := h.opts.Store.ClaimFire(ctx, by, f.ID, logs)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a claim lost", "job", f.JobID, "fire", f.ID, "err", err)
		if fires, err = h.opts.Store.ClaimFire(ctx, by, f.ID, logs); !errors.Is(err, xxladapter.ErrConflict) {
			continue
		}
		found, lookErr := h.claimed(ctx, by, f)
		if lookErr != nil {
			return nil, fmt.Errorf("look for the claim: %w", lookErr)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return fires, err
}

// claimed are the shards of the fire, in their order, if it was claimed in the term.
// Open fires of a job with one due time are shards of one claim.
func (h *HandOver) claimed(ctx context.Context, by xxladapter.Term, f xxladapter.Fire) ([]xxladapter.Fire, error) {
	found, err := h.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		JobID: f.JobID, Owner: by, AfterDue: f.Due.Add(-time.Millisecond), AfterID: math.MaxInt64, DueBefore: f.Due.Add(time.Millisecond),
	})
	if err != nil || !slices.ContainsFunc(found, func(shard xxladapter.Fire) bool { return shard.ID == f.ID }) {
		return nil, err
	}
	slices.SortFunc(found, func(a, b xxladapter.Fire) int { return a.ShardIndex - b.ShardIndex })
	return found, nil
}

// settleFire settles, and settles again while the answer is lost: a settlement that has
// happened changes nothing the second time, and does not say what it planned.
func (h *HandOver) settleFire(ctx context.Context, by xxladapter.Term, s xxladapter.Settlement) (planned []xxladapter.Fire, err error) {
	planned, err = h.opts.Store.SettleFire(ctx, by, s)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a settlement lost", "fire", s.FireID, "log", s.LogID, "err", err)
		if planned, err = h.opts.Store.SettleFire(ctx, by, s); err == nil && len(planned) < len(s.Next) {
			h.opts.Scheduler.Sweep()
		}
	}
	return planned, err
}

// finishRun stores a result, and again while the answer is lost: the first one counts.
// applied is then true as well where it may have been another one that came first,
// since what follows is only that somebody looks.
func (h *HandOver) finishRun(ctx context.Context, r xxladapter.RunResult) (applied bool, planned []xxladapter.Fire, err error) {
	applied, planned, err = h.opts.Store.FinishRun(ctx, r)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a result lost", "log", r.LogID, "err", err)
		if _, planned, err = h.opts.Store.FinishRun(ctx, r); err == nil {
			if len(planned) < len(r.Next) {
				h.opts.Scheduler.Sweep()
			}
			return true, planned, nil
		}
	}
	return applied, planned, err
}

// takeOver takes the fire over, and again while the answer is lost. Where it is no longer
// the former owner's then, the first one may have happened: that is so if the node can take it over
// from itself.
func (h *HandOver) takeOver(ctx context.Context, by xxladapter.Term, f xxladapter.Fire) error {
	err := h.opts.Store.TakeOver(ctx, by, f.ID, f.Owner)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a take-over lost", "fire", f.ID, "err", err)
		if err = h.opts.Store.TakeOver(ctx, by, f.ID, f.Owner); errors.Is(err, xxladapter.ErrConflict) {
			err = h.opts.Store.TakeOver(ctx, by, f.ID, by)
		}
	}
	return err
}
