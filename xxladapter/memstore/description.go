package memstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Describe implements [xxladapter.Store].
func (s *Store) Describe(ctx context.Context) (xxladapter.StoreDescription, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.StoreDescription{}, err
	}
	defer s.mu.Unlock()
	return xxladapter.StoreDescription{Kind: xxladapter.StoreMemory}, nil
}
