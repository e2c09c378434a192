package audit

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// ShownActors returns a function that leaves out what the caller may not know of an actor: the
// address unless the caller is an administrator of all groups, and the name of an app whose group
// does not exist for the caller.
func (s *Server) ShownActors(ctx context.Context) (func(xxladapter.Actor) xxladapter.Actor, error) {
	if api.IsAdmin(ctx) {
		return func(a xxladapter.Actor) xxladapter.Actor { return a }, nil
	}
	groups, err := s.opts.Store.Groups(ctx)
	return func(a xxladapter.Actor) xxladapter.Actor {
		a.Address = ""
		isApp := func(g *xxladapter.Group) bool { return g.AppName == a.Name }
		if a.Kind == xxladapter.ActorExecutor && !slices.ContainsFunc(groups, isApp) {
			a.Name = ""
		}
		return a
	}, err
}
