package scheduler

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
)

const (
	// takeLimit is how many hints a node takes at once. Each reads the store.
	takeLimit = 4

	// readLimit limits the time for which a hint may wait for the store.
	readLimit = 5 * time.Second

	// overduePace is the time between two looks for fires that were left to other nodes and that
	// nobody has claimed.
	overduePace = 200 * time.Millisecond

	// overdueLimit limits how many of them one look takes. The sweep finds the others.
	overdueLimit = 1000
)

// sharing keeps the choice among the same nodes from one scan to the next.
type sharing struct {
	nodes  []xxladapter.Term // this one first
	choice *spread.Choice
}

// of returns the choice among this node and the others.
func (s *sharing) of(by xxladapter.Spread, own xxladapter.Term, others []*follower) *spread.Choice {
	nodes := []xxladapter.Term{own}
	for _, f := range others {
		nodes = append(nodes, f.Term)
	}
	if s.choice == nil || !slices.Equal(nodes, s.nodes) {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = n.Node
		}
		s.nodes, s.choice = nodes, spread.NewChoice(by, names)
	}
	return s.choice
}

// share gives planned fires to other nodes, and returns those that this one hands over itself: all
// of them, unless it leads and spreads. Each of the others gets its fires in hints of at most
// [spread.MaxFires]. This node keeps fires that are already late, and fires due after the window: a
// node that got a hint about the latter would look for them too early.
func (s *Scheduler) share(ctx context.Context, by xxladapter.Term, planned []xxladapter.Fire) (own []xxladapter.Fire) {
	others := s.followers.ready()
	if len(others) == 0 || len(planned) == 0 {
		return planned
	}
	choice := s.sharing.of(s.opts.Spread, by, others)
	now := s.clock.now()
	late, far := now.Add(-orphanAge), now.Add(s.opts.Window)
	parts := make([][]*armed, len(others))
	for _, f := range planned {
		to := 0
		if f.Due.After(late) && !f.Due.After(far) {
			to = choice.Of(f.JobID)
		}
		if to == 0 {
			own = append(own, f)
			continue
		}
		if a, err := s.ring.leave(f, others[to-1]); err == nil && a != nil {
			parts[to-1] = append(parts[to-1], a)
		}
	}
	for i, part := range parts {
		for chunk := range slices.Chunk(part, spread.MaxFires) {
			s.give(ctx, by, others[i], chunk)
		}
	}
	return own
}

// give sends fires to another node, and takes them back if that fails.
func (s *Scheduler) give(ctx context.Context, by xxladapter.Term, to *follower, fires []*armed) {
	s.followers.begin(to)
	s.sending.Go(func() {
		ids := make([]int64, len(fires))
		for i, a := range fires {
			ids[i] = a.id
		}
		slices.Sort(ids)
		err := s.opts.SendHint(ctx, to.address, spread.Hint{From: by, To: to.Term, Fires: ids})
		if err != nil && ctx.Err() != nil {
			return // this node stops, and the store has the fires
		}
		s.followers.end(to, err)
		if err == nil {
			s.stats.sent.Add(int64(len(fires)))
			return
		}
		s.stats.kept.Add(int64(len(fires)))
		s.takeBack(fires)
	})
}

// takeBack arms fires that were left to another node.
func (s *Scheduler) takeBack(fires []*armed) {
	for _, a := range fires {
		if s.ring.takeBack(a) != nil {
			return // the wheel has stopped
		}
	}
	if _, ok := s.Term(); !ok {
		s.dropAll() // it stepped down before these were armed
	}
}

// armOverdue arms planned fires that are late by orphanAge, whoever was to hand them over.
func (s *Scheduler) armOverdue(ctx context.Context) error {
	g := s.grant.Load()
	if !g.holds() || g.Partitions == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	fires, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		State: xxladapter.FirePlanned, Partitions: g.Partitions,
		DueBefore: s.clock.now().Add(-orphanAge), Limit: overdueLimit,
	})
	if err != nil {
		return err
	}
	return s.arm(fires)
}

// TakeHint arms fires that the leader wants this node to hand over. It reads them from the store,
// so that a hint can name nothing but what any node may claim. The error is an [xxladapter.Error]
// if the hint is not for this node: it is not in [xxladapter.SchedulingLeader], leads itself, has
// retired, has another term, or shares no store with the sender. It is [spread.ErrBusy] if several
// hints are being taken already.
func (s *Scheduler) TakeHint(ctx context.Context, h spread.Hint) error {
	if err := s.mayTake(h); err != nil {
		return err
	}
	select {
	case s.taking <- struct{}{}:
		defer func() { <-s.taking }()
	default:
		return spread.ErrBusy
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	fires, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		State: xxladapter.FirePlanned, IDs: h.Fires, DueBefore: s.clock.now().Add(armAhead),
	})
	if err != nil {
		return err
	}
	if err := s.arm(fires); err != nil {
		return err
	}
	if _, ok := s.Term(); !ok || s.retired.Load() {
		s.dropAll() // it stepped down before these were armed
		return errStandsNotBy
	}
	s.stats.received.Add(int64(len(fires)))
	return nil
}

// errStandsNotBy refuses a hint at a node that leads, has retired or has just stepped down.
var errStandsNotBy = xxladapter.Conflictf(errorrule.TakesNoFires, "this node does not stand by, it takes no fires")

// mayTake returns an error unless the hint is for this node in its term.
func (s *Scheduler) mayTake(h spread.Hint) error {
	g := s.grant.Load()
	switch {
	case s.opts.Mode != xxladapter.SchedulingLeader:
		return xxladapter.Conflictf(errorrule.TakesNoFires, "this node is in the scheduling mode %s, it takes no fires",
			s.opts.Mode)
	case !g.holds():
		return xxladapter.Conflictf(errorrule.NodeNoLease, "this node holds no lease, it takes no fires")
	case g.Term != h.To:
		return xxladapter.Conflictf(errorrule.OtherTerm, "fires are for node %q in term %d, this is node %q in term %d",
			h.To.Node, h.To.Number, g.Node, g.Number)
	case !slices.Contains(g.Others, h.From):
		return xxladapter.Conflictf(errorrule.NoLease, "node %q in term %d holds no lease of this store",
			h.From.Node, h.From.Number)
	case s.retired.Load() || g.Role() != xxladapter.NodeStandby:
		return errStandsNotBy
	}
	return nil
}
