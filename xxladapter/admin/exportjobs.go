package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A declaredQuery selects what is declared.
type declaredQuery struct {
	AppName        string `query:"appName" doc:"Only the group with this app name."`
	Owner          string `query:"owner" doc:"Only jobs that this owner has declared."`
	WithoutRunning bool   `query:"withoutRunning" doc:"Leave out whether schedules are on."`
}

type declaredFormat struct {
	declaredQuery
	Format string `query:"format" doc:"json, the default, or yaml."`
}

// export declares the jobs that exist for the caller. A job without a key is declared with one made
// of its name.
func (s *Server) export(ctx context.Context, q declaredQuery) (no declare.Document, err error) {
	state, err := s.exportedState(ctx, q)
	if err != nil {
		return no, err
	}
	return *state.Export(declare.Export{App: q.AppName, Owner: q.Owner, WithoutRunning: q.WithoutRunning}), nil
}

func (s *Server) exportedState(ctx context.Context, q declaredQuery) (*declare.State, error) {
	for _, text := range []struct{ param, value string }{{"appName", q.AppName}, {"owner", q.Owner}} {
		if err := api.CheckSearch(text.param, text.value); err != nil {
			return nil, err
		}
	}
	state, err := s.groupsAndKeys(ctx)
	if err != nil {
		return nil, err
	}
	groups := map[int64]bool{}
	for _, g := range state.Groups {
		groups[g.ID] = q.AppName == "" || q.AppName == g.AppName
	}
	return state, s.readJobs(ctx, state, groups)
}

// exportJobs returns declarations as a file in YAML, or in JSON.
func (s *Server) exportJobs(ctx context.Context, q declaredFormat) (api.Download, error) {
	doc, err := s.export(ctx, q.declaredQuery)
	if err != nil {
		return nil, err
	}
	var text []byte
	kind := api.YAML
	switch q.Format {
	case "yaml":
		text, err = doc.YAML()
	case "", "json":
		kind = "application/json"
		text, err = doc.JSON()
	default:
		return nil, xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be %s", "format", q.Format, errorrule.Or{"json", "yaml"})
	}
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(text) // the caller may be gone
	}, err
}

// keepKeys stores the keys that exported jobs have by their names alone, so that a file still fits
// after a job was renamed. Jobs of groups in which the caller is no editor get none.
func (s *Server) keepKeys(ctx context.Context, q declaredQuery) (no keysKept, err error) {
	kept := 0 // by all tries: what one has stored, the next one no longer finds
	for tries := 0; ; tries++ {
		state, err := s.exportedState(ctx, q)
		if err != nil {
			return no, err
		}
		d := declare.MissingKeys(state)
		d.Jobs = slices.DeleteFunc(d.Jobs, func(j xxladapter.DeclaredJob) bool {
			return api.Allow(ctx, j.GroupID, noSuchGroup(j.GroupID)) != nil || q.AppName != "" && j.App != q.AppName
		})
		for part := range slices.Chunk(d.Jobs, maxDeclared) {
			if _, err = s.opts.Store.Declare(ctx, &xxladapter.Declaration{Jobs: part}); err != nil {
				break
			}
			kept += len(part)
		}
		if err == nil {
			return keysKept{kept}, nil
		}
		if !errors.Is(err, xxladapter.ErrConflict) || tries == 2 {
			return no, err
		}
	}
}

type keysKept struct {
	Kept int `json:"kept" doc:"How many jobs have got a key."`
}
