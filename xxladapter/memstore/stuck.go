package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// WriteOffStuck implements [xxladapter.Store].
func (s *Store) WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*xxladapter.Log, error) {
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
		if l.TriggerCode == xxladapter.ResultNone && l.HandleCode == xxladapter.ResultNone &&
			!l.TriggerTime.IsZero() && !l.TriggerTime.After(until) && s.firesOf[id] == nil {
			l.TriggerCode, l.TriggerMsg = code, msg
			written = append(written, copyLog(l))
		}
	}
	return written, nil
}
