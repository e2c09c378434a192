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

// doubtAttempts limits how often a call is made whose answers are lost. After that the outcome is
// left to the sweep, or to the next report of the executor.
const doubtAttempts = 3

// claimOrFind claims the fire, and claims it again if the answer is lost. If the fire is no longer
// planned then, it checks whether the first claim has happened. In that case nothing was sent yet,
// because only this call would send: asking the executor, as for other claims without an outcome,
// could only lose a run.
func (h *HandOver) claimOrFind(
	ctx context.Context, by xxladapter.Term, f xxladapter.Fire, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	fires, err := h.opts.Store.ClaimFire(ctx, by, f.ID, logs)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a claim lost", "job", f.JobID, "fire", f.ID, "err", err)
		if fires, err = h.opts.Store.ClaimFire(ctx, by, f.ID, logs); !errors.Is(err, xxladapter.ErrConflict) {
			continue
		}
		found, readErr := h.claimed(ctx, by, f)
		if readErr != nil {
			return nil, fmt.Errorf("look for the claim: %w", readErr)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return fires, err
}

// claimed returns the shards of the fire, by index, if it was claimed in the term. Open fires of a
// job with the same due time are the shards of one claim. An ambiguous fire was sent, by an earlier
// hand-over of it.
func (h *HandOver) claimed(ctx context.Context, by xxladapter.Term, f xxladapter.Fire) ([]xxladapter.Fire, error) {
	found, err := h.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		JobID: f.JobID, State: xxladapter.FireClaimed, Owner: by,
		AfterDue: f.Due.Add(-time.Millisecond), AfterID: math.MaxInt64, DueBefore: f.Due.Add(time.Millisecond),
	})
	if err != nil || !slices.ContainsFunc(found, func(shard xxladapter.Fire) bool { return shard.ID == f.ID }) {
		return nil, err
	}
	slices.SortFunc(found, func(a, b xxladapter.Fire) int { return a.ShardIndex - b.ShardIndex })
	return found, nil
}

// settleFire settles, and settles again if the answer is lost: a settlement that has happened
// changes nothing the second time, and does not return what it planned.
func (h *HandOver) settleFire(
	ctx context.Context, by xxladapter.Term, s xxladapter.Settlement,
) (planned []xxladapter.Fire, err error) {
	planned, err = h.opts.Store.SettleFire(ctx, by, s)
	s.AwaitResult = false // it has waited
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a settlement lost", "fire", s.FireID, "run", s.LogID, "err", err)
		if planned, err = h.opts.Store.SettleFire(ctx, by, s); err == nil && len(planned) < len(s.Next) {
			h.opts.Scheduler.Sweep()
		}
	}
	return planned, err
}

// finishRun stores a result, and stores it again if the answer is lost: the first result counts.
// After a lost answer applied is true even if another result came first: the caller then reports a
// result that is not stored, and a sweep may find nothing.
func (h *HandOver) finishRun(
	ctx context.Context, r xxladapter.RunResult,
) (applied bool, planned []xxladapter.Fire, err error) {
	applied, planned, err = h.opts.Store.FinishRun(ctx, r)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a result lost", "run", r.LogID, "err", err)
		if _, planned, err = h.opts.Store.FinishRun(ctx, r); err == nil {
			if len(planned) < len(r.Next) {
				h.opts.Scheduler.Sweep()
			}
			return true, planned, nil
		}
	}
	return applied, planned, err
}

// takeFire takes the fire over, and tries again if the answer is lost. If the fire no longer
// belongs to the former owner then, the first attempt may have happened: it has if the node can
// take the fire over from itself.
func (h *HandOver) takeFire(ctx context.Context, by xxladapter.Term, f xxladapter.Fire) error {
	err := h.opts.Store.TakeFire(ctx, by, f.ID, f.Owner)
	for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < doubtAttempts; attempt++ {
		h.opts.Logger.Warn("answer to a take-over lost", "fire", f.ID, "err", err)
		if err = h.opts.Store.TakeFire(ctx, by, f.ID, f.Owner); errors.Is(err, xxladapter.ErrConflict) {
			err = h.opts.Store.TakeFire(ctx, by, f.ID, by)
		}
	}
	return err
}
