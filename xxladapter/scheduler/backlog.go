package scheduler

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A backlog remembers how far the sweep has come with the planned fires that are due. As long as
// one query returns all of them, each sweep arms them all. Beyond that, most of them belong to an
// app that takes no more, and the longer it hangs, the more it would cost to read them all each
// second. Then a sweep reads only what can have changed: fires that became due since, fires that
// found no place and have one now, and fires that were given back. In addition it cycles through
// the whole backlog, one query a second, so that nothing depends on this memory alone.
type backlog struct {
	short bool            // the last round was one query
	at    xxladapter.Fire // the last fire that the current round has read; id 0 starts a new round
	until time.Time       // every fire due before that has been armed once
	again time.Time       // the value of until at the end of the last sweep that reached back
}

const (
	// freshOverlap is how far the query for fires that became due reaches back in a sweep by the
	// clock, because a fire may be planned for a time that has passed when it is committed. Other
	// sweeps do not reach back: each app that gets room asks for one, so a second may have many.
	freshOverlap = 5 * time.Second

	// offerQueries limits the queries by which one sweep offers refused fires again.
	offerQueries = 8

	// againLimit limits how many returned fires are remembered. The round finds the others.
	againLimit = 10_000
)

// armPlanned arms planned fires of the partitions that are due before until: all of them if
// partitions have arrived.
func (s *Scheduler) armPlanned(
	ctx context.Context, partitions xxladapter.PartitionSet, until time.Time, tick, arrived bool,
) error {
	planned := xxladapter.FireFilter{State: xxladapter.FirePlanned, Partitions: partitions, DueBefore: until}
	if arrived {
		s.backlog = backlog{}
		if err := s.armAll(ctx, planned); err != nil {
			return err
		}
		s.backlog.until, s.backlog.again = until, until
		return s.offerAgain(ctx, planned)
	}
	if tick {
		if err := s.arm(s.givenBack.take()); err != nil {
			return err
		}
	}
	if tick || s.backlog.short {
		if err := s.armRound(ctx, planned); err != nil {
			return err
		}
	}
	if err := s.offerAgain(ctx, planned); err != nil {
		return err
	}
	if !s.backlog.short {
		fresh := planned
		fresh.AfterDue, fresh.AfterID = s.backlog.fresh(until, tick), math.MaxInt64
		if err := s.armAll(ctx, fresh); err != nil {
			return err
		}
	}
	if tick || s.backlog.short {
		s.backlog.again = until
	}
	s.backlog.until = until
	return nil
}

// fresh returns the due time after which a sweep looks for fires that became due before until.
func (b *backlog) fresh(until time.Time, tick bool) time.Time {
	from, back := b.until, time.Millisecond // a fire that is due at b.until is not armed yet
	if tick || from.IsZero() {
		from, back = b.again, freshOverlap
	}
	if from.IsZero() || from.After(until) {
		from = until
	}
	return from.Add(-back)
}

// armAll arms all fires that the filter selects.
func (s *Scheduler) armAll(ctx context.Context, filter xxladapter.FireFilter) error {
	for ctx.Err() == nil {
		last, more, err := s.armSome(ctx, filter)
		if !more || err != nil {
			return err
		}
		filter.AfterDue, filter.AfterID = last.Due, last.ID
	}
	return ctx.Err()
}

// armSome arms the fires that one query returns. more is true if there may be others after last.
func (s *Scheduler) armSome(
	ctx context.Context, filter xxladapter.FireFilter,
) (last xxladapter.Fire, more bool, err error) {
	planned, more, err := s.somePlanned(ctx, filter)
	if err != nil {
		return last, false, err
	}
	if len(planned) > 0 {
		last = planned[len(planned)-1]
	}
	return last, more, s.arm(planned)
}

// somePlanned returns the fires of one query. more is true if there may be others after them.
func (s *Scheduler) somePlanned(
	ctx context.Context, filter xxladapter.FireFilter,
) (planned []xxladapter.Fire, more bool, err error) {
	filter.Limit = s.page
	planned, err = s.opts.Store.OpenFires(ctx, filter)
	return planned, err == nil && len(planned) == s.page, err
}

func (s *Scheduler) arm(fires []xxladapter.Fire) error {
	for _, f := range fires {
		if err := s.ring.arm(f); err != nil {
			return err
		}
	}
	return nil
}

// armRound arms the next part of the backlog.
func (s *Scheduler) armRound(ctx context.Context, filter xxladapter.FireFilter) error {
	begins := s.backlog.at.ID == 0
	filter.AfterDue, filter.AfterID = s.backlog.at.Due, s.backlog.at.ID
	last, more, err := s.armSome(ctx, filter)
	if err != nil {
		return err
	}
	s.backlog.short = begins && !more
	s.backlog.at = xxladapter.Fire{}
	if more {
		s.backlog.at = last
	}
	return nil
}

// offerAgain arms fires that the pool has refused and may have room for now, until it refuses them
// again.
func (s *Scheduler) offerAgain(ctx context.Context, filter xxladapter.FireFilter) error {
	for range offerQueries {
		due, id, ok := s.opts.Pool.Refused()
		if !ok {
			return nil
		}
		filter.AfterDue, filter.AfterID = due, id-1
		if id <= 1 {
			filter.AfterDue, filter.AfterID = due.Add(-time.Millisecond), math.MaxInt64
		}
		refused, more, err := s.somePlanned(ctx, filter)
		if err != nil {
			return err
		}
		var last *xxladapter.Fire
		if more {
			last = &refused[len(refused)-1]
		}
		s.opts.Pool.Offered(due, id, last)
		if err := s.arm(refused); err != nil {
			return err
		}
	}
	return nil
}

// forgetRefused has the pool forget which fires it has refused, since none of them is this node's
// to offer again.
func (s *Scheduler) forgetRefused() {
	if due, id, ok := s.opts.Pool.Refused(); ok {
		s.opts.Pool.Offered(due, id, nil)
	}
}

// Again remembers a fire whose hand-over was interrupted, for the next sweep by the clock. Beyond
// 10,000 of them it remembers none; the round through the backlog finds those.
func (s *Scheduler) Again(f xxladapter.Fire) { s.givenBack.add(f) }

// givenBack are fires that were handed out and may still be planned.
type givenBack struct {
	mu    sync.Mutex // guards fires
	fires []xxladapter.Fire
}

func (g *givenBack) add(f xxladapter.Fire) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.fires) < againLimit {
		g.fires = append(g.fires, f)
	}
}

func (g *givenBack) take() []xxladapter.Fire {
	g.mu.Lock()
	defer g.mu.Unlock()
	fires := g.fires
	g.fires = nil
	return fires
}
