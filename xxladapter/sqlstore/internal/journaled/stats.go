package journaled

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// FoldStats implements [xxladapter.Store]. The rows that it counts were stored long before.
func (s *Store) FoldStats(ctx context.Context, limit int) (xxladapter.StatWork, error) {
	return s.Store.FoldStats(with(ctx, counts), limit)
}

// Stats implements [xxladapter.Store].
func (s *Store) Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error) {
	return s.Store.Stats(with(ctx, apart), f)
}

// PurgeStats implements [xxladapter.Store].
func (s *Store) PurgeStats(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.Store.PurgeStats(with(ctx, apart), before, limit)
}
