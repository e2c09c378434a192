package memstore

import (
	"context"
	"slices"
	"time"
)

// BeatNode implements [xxladapter.Store]. A silent node without fires is
// returned one last time as it is forgotten. A claim makes its node known
// again, so that no fire can belong to a node that nobody watches.
func (s *Store) BeatNode(ctx context.Context, node string, life time.Duration) ([]string, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	s.nodes[node] = now
	limit := now.Add(-life)
	var dead []string
	for name, beat := range s.nodes {
		if !beat.Before(limit) {
			continue
		}
		dead = append(dead, name)
		if !s.ownsFire(name) {
			delete(s.nodes, name)
		}
	}
	slices.Sort(dead)
	return dead, nil
}

func (s *Store) ownsFire(node string) bool {
	for _, f := range s.fires {
		if f.Node == node {
			return true
		}
	}
	return false
}
