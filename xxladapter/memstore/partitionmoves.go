package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// addPartitionMove records a move unless partitions is 0, and drops the oldest moves beyond
// [xxladapter.KeptMoves].
func (s *Store) addPartitionMove(term xxladapter.Term, why xxladapter.MoveCause, partitions int, at time.Time) {
	if partitions == 0 {
		return
	}
	s.lastMove++
	s.moves = append(s.moves, xxladapter.PartitionMove{
		ID: s.lastMove, At: at, Cause: why, Term: term, Partitions: partitions,
	})
	if over := len(s.moves) - xxladapter.KeptMoves; over > 0 {
		s.moves = slices.Delete(s.moves, 0, over)
	}
}

// PartitionMoves implements [xxladapter.PartitionMoveStore].
func (s *Store) PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	found := slices.Clone(s.moves[max(0, len(s.moves)-limit):])
	slices.Reverse(found)
	return found, nil
}

// PresenceEnded implements [xxladapter.PartitionMoveStore].
func (s *Store) PresenceEnded(ctx context.Context, term xxladapter.Term) error {
	return s.changeLease(ctx, term, func(l *held) { l.ended = l.until })
}

// ReportNode implements [xxladapter.LeaseStore].
func (s *Store) ReportNode(ctx context.Context, term xxladapter.Term, r xxladapter.NodeReport) error {
	return s.changeLease(ctx, term, func(l *held) { l.report = r })
}

// changeLease changes the lease of a term that is not over.
func (s *Store) changeLease(ctx context.Context, term xxladapter.Term, change func(*held)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if lease, leased := s.leases[term.Node]; leased && lease.number == term.Number {
		change(&lease)
		s.leases[term.Node] = lease
	}
	return nil
}
