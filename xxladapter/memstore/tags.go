package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// CountTags implements [xxladapter.Store].
func (s *Store) CountTags(ctx context.Context, groups []int64) (found []xxladapter.TagCount, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	counts := map[string]int{}
	for _, j := range s.jobs {
		if !ofGroups(groups, j.GroupID) {
			continue
		}
		for _, tag := range j.Tags {
			counts[tag]++
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		found = append(found, xxladapter.TagCount{Tag: tag, Jobs: counts[tag]})
	}
	return found, nil
}
