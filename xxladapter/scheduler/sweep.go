package scheduler

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	sweepPace = 1 * time.Second

	// nodeLife is how long a node may be silent before its claimed fires are
	// taken over. It is several sweeps, so that a slow store is not taken for a
	// dead node.
	nodeLife = 4 * time.Second

	// claimLife is how long a fire that this node claimed may stay unsettled
	// without being held: settling it failed.
	claimLife = 10 * time.Second

	// sweepLimit is how many fires one query of a sweep takes.
	sweepLimit = 5000
)

func (s *Scheduler) sweepLoop(ctx context.Context) {
	ticker := time.NewTicker(sweepPace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.broom:
		}
		// A fire that is planned for this moment belongs to it as well.
		if err := s.sweep(ctx, time.Millisecond); err != nil && ctx.Err() == nil {
			s.opts.Logger.Error("sweep failed", "err", err)
		}
	}
}

// sweepUntilDone repeats the first sweep until it succeeds or ctx ends.
func (s *Scheduler) sweepUntilDone(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.sweep(ctx, s.opts.Window)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.opts.Logger.Error("first sweep failed", "err", err)
		s.pause(ctx, busyPace)
	}
}

// sweep tells the store that this node lives and picks up what nobody holds:
// planned fires due up to ahead from now, and fires without a known outcome
// that were claimed by this node or by one that is gone.
func (s *Scheduler) sweep(ctx context.Context, ahead time.Duration) error {
	lease, err := s.opts.Store.Lease(ctx, s.opts.Node, nodeLife)
	if err != nil {
		return err
	}
	s.lease.Store(&lease)
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	s.clock.seen(now)
	if err := s.armPlanned(ctx, lease.Shards, now.Add(ahead)); err != nil {
		return err
	}
	for _, term := range append(lease.Dead, lease.Term) {
		if err := s.resolveOf(ctx, term, term == lease.Term, now); err != nil {
			return err
		}
	}
	return nil
}

// armPlanned arms the planned fires of the shards that are due before until. It goes through
// all of them: the first ones may be those of an app that takes no more, and
// must not hide the rest.
func (s *Scheduler) armPlanned(ctx context.Context, shards xxladapter.ShardSet, until time.Time) error {
	filter := xxladapter.FireFilter{State: xxladapter.FirePlanned, Shards: shards, DueBefore: until, Limit: sweepLimit}
	for ctx.Err() == nil {
		planned, err := s.opts.Store.OpenFires(ctx, filter)
		if err != nil {
			return err
		}
		for _, f := range planned {
			if err := s.ring.arm(f); err != nil {
				return err
			}
			filter.AfterDue, filter.AfterID = f.Due, f.ID
		}
		if len(planned) < sweepLimit {
			return nil
		}
	}
	return ctx.Err()
}

// resolveOf starts to find out what became of a term's open hand-overs.
func (s *Scheduler) resolveOf(ctx context.Context, term xxladapter.Term, own bool, now time.Time) error {
	open, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{Owner: term, Limit: sweepLimit})
	if err != nil {
		return err
	}
	for _, f := range open {
		if own && f.State == xxladapter.FireClaimed && now.Sub(f.Claimed) < claimLife {
			continue // being sent
		}
		if !s.ring.hold(f.ID) {
			continue
		}
		if !s.opts.Pool.Resolve(f, func() { s.ring.release(f.ID) }) {
			s.ring.release(f.ID) // no place for its app; the next sweep goes on
		}
	}
	return nil
}
