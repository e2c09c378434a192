package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	sweepPace = 1 * time.Second

	// claimLife is how long shards of a broadcast that this node claimed may stay unsettled. The
	// ring holds the fire that they came from and not each of them, so it does not know whether one
	// is being sent. Any other claim that is not held has lost its answer or its settlement.
	claimLife = 10 * time.Second

	// sweepLimit limits the fires of one query of a sweep.
	sweepLimit = 5000
)

func (s *Scheduler) sweepLoop(ctx context.Context) {
	ticker := time.NewTicker(sweepPace)
	defer ticker.Stop()
	var overdue <-chan time.Time // nil unless fires that were left to other nodes are to be looked for
	failing := outage{logger: s.opts.Logger, level: slog.LevelError, begins: "sweep failed", ends: "sweeps work again"}
	for {
		tick := false
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if s.grant.Load().quiet() && !s.setBack(s.clock.now()) {
				continue
			}
			tick = true
		case <-s.sweepNow:
		case <-s.overdueNow:
			if overdue == nil {
				overdue = time.After(overduePace)
			}
			continue
		case <-overdue:
			overdue = nil
			if err := s.armOverdue(ctx); err != nil && ctx.Err() == nil {
				failing.note(err) // the next sweep tells whether the outage is over
			}
			continue
		}
		if err := s.sweep(ctx, tick); ctx.Err() == nil && !errors.Is(err, errNoLease) {
			failing.note(err)
		}
	}
}

// sweep finds the fires that nobody holds. It arms planned fires of this node's partitions that are
// due, and, after new partitions have arrived, also those that are due within the window. Planned
// fires of other partitions are armed once they are late. It resolves claimed fires without a known
// outcome: those of its own term, and in its partitions those of terms that are over. A sweep by
// the clock continues through the backlog, see [backlog].
func (s *Scheduler) sweep(ctx context.Context, tick bool) error {
	if !s.grant.Load().holds() {
		return errNoLease
	}
	ctx, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	asked := time.Now()
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	s.clock.seen(now, asked)
	if err := s.armSuspected(ctx, now); err != nil {
		return err
	}
	ahead := time.Millisecond // fires that are due at this very moment are included
	// The grant is read after arrived, which adopt sets once the grant has the new partitions.
	arrived := s.arrived.Swap(false)
	g := s.grant.Load()
	arrived = arrived && g.Partitions != 0
	if arrived {
		ahead = s.opts.Window
	}
	if err := s.sweepUntil(ctx, g, now, now.Add(ahead), tick, arrived); err != nil {
		if arrived {
			s.arrived.Store(true)
		}
		return err
	}
	return nil
}

// setBack reports whether the store's clock was set back and has not made up for it since. Until
// then a fire that was claimed before is due in the future, and no look at due fires finds it.
func (s *Scheduler) setBack(now time.Time) bool {
	now = now.Round(0)
	if s.shown.Sub(now) >= sweepPace {
		s.stepped = time.Now()
	}
	s.shown = now
	if now.After(s.latest) {
		s.latest = now
	}
	return s.latest.Sub(now) >= sweepPace // estimates differ by less
}

// sweepUntil does the work of sweep. It arms the fires of this node's own partitions that are due
// before until; arrived says whether some of these partitions are new.
func (s *Scheduler) sweepUntil(ctx context.Context, g *grant, now, until time.Time, tick, arrived bool) (err error) {
	if setBack := s.setBack(now); len(g.Dead) == 0 && !setBack {
		// Most of the time nothing is open, and one query shows it.
		open, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{DueBefore: until, Limit: 1})
		if len(open) == 0 || err != nil {
			if err == nil {
				s.backlog = backlog{short: true, until: until, again: until}
				s.forgetRefused()
			}
			return err
		}
	}
	if g.Partitions != 0 { // an empty set would select all partitions
		if err := s.armPlanned(ctx, g.Partitions, until, tick, arrived); err != nil {
			return err
		}
	} else {
		s.forgetRefused()
	}
	if g.Partitions != 0 || g.Role() == xxladapter.NodeStandby {
		if err := s.armOrphans(ctx, g.Partitions, now); err != nil {
			return err
		}
	}
	if g.Partitions != 0 {
		for _, dead := range g.Dead {
			if _, err := s.resolveOf(
				ctx, xxladapter.FireFilter{Owner: dead, Partitions: g.Partitions}, time.Time{},
			); err != nil {
				return err
			}
		}
	}
	// Runs that wait in a queue stay open, so the next sweep continues behind those of this one.
	own := xxladapter.FireFilter{Owner: g.Term, AfterDue: s.resolved.Due, AfterID: s.resolved.ID}
	s.resolved, err = s.resolveOf(ctx, own, now)
	return err
}

const (
	// orphanAge is how late a planned fire may be before nodes that do not own its partition arm it
	// as well: its owner is gone, frozen or overwhelmed, and the partitions move only when its
	// lease expires.
	orphanAge = 1 * time.Second

	// orphanLimit limits how many of them one sweep takes, because an overwhelmed owner races for
	// them too.
	orphanLimit = 500
)

func (s *Scheduler) armOrphans(ctx context.Context, own xxladapter.PartitionSet, now time.Time) error {
	if own == xxladapter.AllPartitions {
		return nil // they are armed already
	}
	orphans, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		State: xxladapter.FirePlanned, DueBefore: now.Add(-orphanAge), Limit: orphanLimit,
	})
	if err != nil {
		return err
	}
	return s.arm(orphans)
}

// resolveOf starts resolving open hand-overs, as many as one query returns. It returns the last of
// them, or the zero Fire if the query has returned all. Shards of a broadcast that were just
// claimed at now are left alone, unless now is zero: they are being sent.
func (s *Scheduler) resolveOf(
	ctx context.Context, filter xxladapter.FireFilter, now time.Time,
) (last xxladapter.Fire, err error) {
	filter.Limit = s.page
	open, err := s.opts.Store.OpenFires(ctx, filter)
	if err != nil {
		return last, err
	}
	if len(open) == s.page {
		last = open[len(open)-1]
	}
	for _, f := range open {
		if f.State == xxladapter.FireClaimed && f.ShardTotal > 1 && !now.IsZero() && s.justClaimed(f, now) {
			continue
		}
		a := s.ring.hold(f, nil)
		if a == nil {
			continue
		}
		if !s.opts.Pool.Resolve(f, func() { s.ring.release(a) }) {
			s.ring.release(a) // no place for its app; the next sweep retries
		}
	}
	return last, nil
}

// justClaimed reports whether a fire was claimed less than claimLife ago. A claim that lies further
// ahead than a sweep lasts was made before the clock was set back.
func (s *Scheduler) justClaimed(f xxladapter.Fire, now time.Time) bool {
	if f.Claimed.After(now.Add(scanLimit)) {
		return time.Since(s.stepped) < claimLife
	}
	return f.Claimed.After(now.Add(-claimLife))
}
