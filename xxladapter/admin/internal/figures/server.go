// Package figures serves the calls about figures of the management API: statistics of runs by hour,
// group or job, and the counts of each day. It reads only the store, which counts runs some time
// after they end.
package figures

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A Store keeps the figures, and knows the groups and jobs that exist for the caller.
type Store interface {
	xxladapter.Clock
	Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error)
	Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error)

	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
	Groups(ctx context.Context) ([]*xxladapter.Group, error)
	Job(ctx context.Context, id int64) (*xxladapter.Job, error)
	JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error)
}

// A Server serves the calls about figures. Create it with [New].
type Server struct{ store Store }

// New returns the server.
func New(store Store) *Server { return &Server{store} }

// Calls returns the calls about figures, each with what it needs of its caller.
func (s *Server) Calls() []api.Call {
	return []api.Call{
		api.WithoutBody(
			"GET /api/v1/stats", api.Viewer,
			"Show how runs ended, how long they took and how late they were, by hour, group or job.", s.stats,
		),
		api.WithoutBody(
			"GET /api/v1/reports", api.Viewer.ForAll(),
			"Show how many runs of each day succeeded and failed, by the day of their trigger.", s.reports,
		),
	}
}
