package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// checkChildren refuses children that would trigger the job again: a cycle never ends. Upstream
// only checks that a job is not its own child. A child that is not in old must exist, and be one
// that the caller may trigger. One in old may have been removed: that must not hinder other edits.
func (s *Server) checkChildren(ctx context.Context, old []int64, j *xxladapter.Job) error {
	for _, id := range j.ChildIDs {
		if !slices.Contains(old, id) {
			if err := s.checkNewChild(ctx, id); err != nil {
				return err
			}
		}
	}
	// A cycle may lead through jobs that do not exist for the caller.
	all := access.WithRights(ctx, access.RightsForAll(xxladapter.RoleViewer))
	seen := map[int64]bool{}
	var walk func(path, ids []int64) error
	walk = func(path, ids []int64) error {
		for _, id := range ids {
			if id == j.ID && len(path) > 0 { // Validate has refused a job that is its own child
				return xxladapter.Invalidf(errorrule.ChildCycle, "%s contains %d, must not lead back to job %d: %s",
					"childJobIds", path[0], j.ID, s.pathText(ctx, append([]int64{j.ID}, append(path, id)...)))
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			child, err := s.opts.Store.Job(all, id)
			if errors.Is(err, xxladapter.ErrNotFound) {
				continue // it was removed, and nothing follows from it
			}
			if err != nil {
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

// checkNewChild refuses a child that does not exist for the caller, or that it may not trigger.
func (s *Server) checkNewChild(ctx context.Context, id int64) error {
	child, err := s.opts.Store.Job(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return noSuchChild(id)
	}
	if err != nil {
		return err
	}
	return api.AllowRole(ctx, xxladapter.RoleOperator, child.GroupID, noSuchChild(id))
}

func noSuchChild(id int64) error {
	return xxladapter.Invalidf(errorrule.Child, "%s contains %d, must be the id of another job", "childJobIds", id)
}

// pathText returns the ids of jobs as a text, with three dots for those that do not exist for the
// caller.
func (s *Server) pathText(ctx context.Context, ids []int64) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprint(id)
		if _, err := s.opts.Store.Job(ctx, id); err != nil && !api.SeesAll(ctx) {
			words[i] = "..."
		}
	}
	return strings.Join(words, " > ")
}
