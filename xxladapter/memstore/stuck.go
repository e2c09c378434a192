package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// WriteOffStuck implements [xxladapter.Store].
func (s *Store) WriteOffStuck(
	ctx context.Context, age time.Duration, limit, code int, msg string,
) ([]*xxladapter.Log, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	until := s.clock().Add(-age)
	var written []*xxladapter.Log
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		l := s.logs[id]
		if len(written) == limit {
			break
		}
		if l.TriggerTime.IsZero() || l.TriggerTime.After(until) {
			continue
		}
		state := transition.StateOf(l)
		change := transition.WriteOff(transition.Rows{Fire: s.firesOf[id], Log: &state}, code, msg)
		if change.Log.Columns != transition.NoColumns {
			s.applyChange(change, 0, id)
			written = append(written, copyLog(l))
		}
	}
	return written, nil
}
