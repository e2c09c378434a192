package memstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A held is the lease of a node.
type held struct {
	number  int64 // of the term
	retired bool
	mode    xxladapter.SchedulingMode
	elected xxladapter.Election
	until   time.Time
	life    time.Duration
	ended   time.Time // the value of until when its presence was seen to end; zero means not seen
	report  xxladapter.NodeReport
}

// Lease implements [xxladapter.Store].
func (s *Store) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	return s.lease(ctx, node, life, nil)
}

// Lead implements [xxladapter.Store].
func (s *Store) Lead(
	ctx context.Context, node string, life time.Duration, e xxladapter.Election,
) (xxladapter.Lease, error) {
	if err := e.Validate(); err != nil {
		return xxladapter.Lease{}, err
	}
	return s.lease(ctx, node, life, &e)
}

// lease gives or renews a lease; election is nil for Lease.
func (s *Store) lease(
	ctx context.Context, node string, life time.Duration, election *xxladapter.Election,
) (xxladapter.Lease, error) {
	if node == "" || life < time.Millisecond {
		return xxladapter.Lease{}, fmt.Errorf(
			"memstore: node is %q and life %v, must be set and at least 1ms", node, life,
		)
	}
	if err := s.enter(ctx); err != nil {
		return xxladapter.Lease{}, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	for _, name := range slices.Sorted(maps.Keys(s.leases)) {
		if l := s.leases[name]; !l.until.After(now) {
			delete(s.leases, name)
			why := xxladapter.MoveLapsed
			if l.ended.Equal(l.until) {
				why = xxladapter.MoveDied
			}
			s.addPartitionMove(xxladapter.Term{Node: name, Number: l.number}, why, s.partitionsOf(name).Len(), now)
		}
	}
	for name, l := range s.leases {
		// A lease that lasts longer than its life was given before the clock was set back.
		if l.until.Sub(now) > l.life {
			l.until = now.Add(l.life)
			s.leases[name] = l
		}
	}
	life = life.Truncate(time.Millisecond)
	lease, lives := s.leases[node]
	if !lives {
		s.lastTerm++
		lease.number, lease.mode = s.lastTerm, xxladapter.SchedulingAll
		if election != nil {
			lease.mode = xxladapter.SchedulingLeader
		}
	}
	if election != nil && lease.mode == xxladapter.SchedulingLeader {
		lease.elected = *election
	}
	had := lives && s.partitionsOf(node) != 0
	lease.until, lease.life = now.Add(life), life
	s.leases[node] = lease
	if !lease.retired {
		s.deal(node)
	}
	if !had {
		s.addPartitionMove(
			xxladapter.Term{Node: node, Number: lease.number}, xxladapter.MoveJoined, s.partitionsOf(node).Len(), now,
		)
	}
	return xxladapter.Lease{
		Term:  xxladapter.Term{Node: node, Number: lease.number},
		Until: lease.until,
		Mode:  lease.mode, Election: lease.elected, Retired: lease.retired,
		Partitions: s.partitionsOf(node),
		Dead:       s.deadOwners(),

		NextLapse: s.nextLapse(node),
		Others:    s.othersOf(node),
		Quiet:     s.quiet(now),
	}, nil
}

// nextLapse returns when the first lease of another node expires.
func (s *Store) nextLapse(node string) (first time.Time) {
	for name, l := range s.leases {
		if name != node && (first.IsZero() || l.until.Before(first)) {
			first = l.until
		}
	}
	return first
}

// othersOf returns the terms of the other nodes that get partitions.
func (s *Store) othersOf(node string) []xxladapter.Term {
	var others []xxladapter.Term
	for name, l := range s.leases {
		if name != node && !l.retired {
			others = append(others, xxladapter.Term{Node: name, Number: l.number})
		}
	}
	slices.SortFunc(others, func(a, b xxladapter.Term) int { return cmp.Compare(a.Number, b.Number) })
	return others
}

// quiet reports whether no open fire is due.
func (s *Store) quiet(now time.Time) bool {
	for _, f := range s.fires {
		if !f.Due.After(now) {
			return false
		}
	}
	return true
}

// deal gives node its partitions.
func (s *Store) deal(node string) {
	takers := s.takers()
	var candidates []xxladapter.Candidate
	for _, taker := range takers {
		if s.leases[taker].mode == xxladapter.SchedulingLeader {
			candidates = append(candidates, xxladapter.Candidate{Node: taker, Election: s.leases[taker].elected})
		}
	}
	if len(candidates) < len(takers) {
		xxladapter.Deal(&s.owners, takers, node)
		return
	}
	xxladapter.DealToLeader(&s.owners, candidates, node)
}

// takers returns the nodes that get partitions.
func (s *Store) takers() []string {
	var nodes []string
	for node, l := range s.leases {
		if !l.retired {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// deadOwners returns the ended terms that own fires.
func (s *Store) deadOwners() []xxladapter.Term {
	var dead []xxladapter.Term
	for _, f := range s.fires {
		if f.State != xxladapter.FirePlanned && !s.holds(f.Owner) {
			dead = append(dead, f.Owner)
		}
	}
	slices.SortFunc(dead, func(a, b xxladapter.Term) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Number, b.Number))
	})
	return slices.Compact(dead)
}

func (s *Store) partitionsOf(node string) xxladapter.PartitionSet {
	var set xxladapter.PartitionSet
	for partition, owner := range s.owners {
		if owner == node {
			set = set.With(partition)
		}
	}
	return set
}

// holds reports whether the term is its node's current one, with a lease that has not expired.
func (s *Store) holds(term xxladapter.Term) bool {
	lease, leased := s.leases[term.Node]
	return leased && lease.number == term.Number && toMilli(s.clock()).Before(lease.until)
}

// fence returns an error unless the term holds.
func (s *Store) fence(by xxladapter.Term) error {
	if !s.holds(by) {
		return transition.Fenced(by)
	}
	return nil
}

// Retire implements [xxladapter.Store].
func (s *Store) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	lease, leased := s.leases[term.Node]
	if !leased || lease.number != term.Number {
		return nil
	}
	if why == xxladapter.MoveDrained && !slices.ContainsFunc(s.takers(), func(node string) bool {
		return node != term.Node && s.holds(xxladapter.Term{Node: node, Number: s.leases[node].number})
	}) {
		return xxladapter.Conflictf(errorrule.LastNode, "no other node can plan jobs, one must")
	}
	lease.retired = true
	s.leases[term.Node] = lease
	s.addPartitionMove(term, why, s.partitionsOf(term.Node).Len(), toMilli(s.clock()))
	for partition, owner := range s.owners {
		if owner == term.Node {
			s.owners[partition] = ""
		}
	}
	return nil
}

// Resign implements [xxladapter.Store].
func (s *Store) Resign(ctx context.Context, term xxladapter.Term) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if s.leases[term.Node].number == term.Number {
		delete(s.leases, term.Node)
		s.addPartitionMove(term, xxladapter.MoveStopped, s.partitionsOf(term.Node).Len(), toMilli(s.clock()))
	}
	return nil
}

// Leases implements [xxladapter.Store].
func (s *Store) Leases(ctx context.Context) ([]xxladapter.Lease, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.Lease
	for _, node := range slices.Sorted(maps.Keys(s.leases)) {
		l := s.leases[node]
		term := xxladapter.Term{Node: node, Number: l.number}
		if s.holds(term) {
			found = append(found, xxladapter.Lease{
				Term: term, Until: l.until, Mode: l.mode, Election: l.elected, Retired: l.retired,
				Partitions: s.partitionsOf(node), Report: l.report,
			})
		}
	}
	return found, nil
}
