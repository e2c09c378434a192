package memstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// DrainExecutor implements [xxladapter.Store].
func (s *Store) DrainExecutor(ctx context.Context, groupID int64, d xxladapter.Drain) error {
	return s.changeDrains(ctx, groupID, func(drains []xxladapter.Drain) ([]xxladapter.Drain, error) {
		return xxladapter.WithDrain(drains, d, s.clock())
	})
}

// UndrainExecutor implements [xxladapter.Store].
func (s *Store) UndrainExecutor(ctx context.Context, groupID int64, address string) error {
	return s.changeDrains(ctx, groupID, func(drains []xxladapter.Drain) ([]xxladapter.Drain, error) {
		return xxladapter.WithoutDrain(drains, address, s.clock())
	})
}

func (s *Store) changeDrains(
	ctx context.Context, groupID int64, change func([]xxladapter.Drain) ([]xxladapter.Drain, error),
) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	g := s.groups[groupID]
	if g == nil {
		return noGroup(groupID)
	}
	drains, err := change(g.Drains)
	if err != nil {
		return err
	}
	before := g.Fields()
	g.Drains = list(drains)
	s.record(ctx, g.Audited(), before, g.Fields())
	return nil
}
