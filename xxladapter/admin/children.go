package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// checkChildren refuses child jobs that do not exist, and children that would trigger the job
// again: a cycle never ends. Upstream only checks that a job is not its own child.
func (s *Server) checkChildren(ctx context.Context, j *xxladapter.Job) error {
	seen := map[int64]bool{}
	var walk func(path, ids []int64) error
	walk = func(path, ids []int64) error {
		for _, id := range ids {
			if id == j.ID && len(path) > 0 { // Validate has refused a job that is its own child
				return xxladapter.Invalidf("childJobIds contains %d, must not lead back to job %d: %s",
					path[0], j.ID, pathText(append([]int64{j.ID}, append(path, id)...)))
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			child, err := s.opts.Store.Job(ctx, id)
			switch {
			case errors.Is(err, xxladapter.ErrNotFound) && len(path) == 0:
				return xxladapter.Invalidf("childJobIds contains %d, must be the id of another job", id)
			case errors.Is(err, xxladapter.ErrNotFound):
				continue // removed meanwhile; nothing follows from it
			case err != nil:
				return err
			}
			if err := walk(append(slices.Clone(path), id), child.ChildIDs); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(nil, j.ChildIDs)
}

func pathText(ids []int64) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprint(id)
	}
	return strings.Join(words, " > ")
}
