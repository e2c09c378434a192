// Package audit serves the calls that read the audit: lists of who changed what, exports, and a
// check of the chain of its rows. [Server.ShownActors] decides what a caller may know of the actor
// who made a change, for calls of other packages too. Rows are written by stores and by the calls
// that change something.
package audit

import (
	"context"
	"log/slog"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A Store keeps the audit, and knows the groups that exist for the caller.
type Store interface {
	AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error)
	AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error)
	Groups(ctx context.Context) ([]*xxladapter.Group, error)
}

// Options configures a [Server]. All fields must be set.
type Options struct {
	Store  Store
	Heavy  api.Places // of calls that read much
	Logger *slog.Logger
}

// A Server serves the calls that read the audit. Create it with [New].
type Server struct{ opts Options }

// New returns the server.
func New(opts Options) *Server { return &Server{opts} }

// Calls returns the calls that read the audit, each with what it needs of its caller.
func (s *Server) Calls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/audit", api.Viewer.ForAll(), "List who changed what, oldest or newest first.", s.list),
		api.WithoutBody("GET /api/v1/audit/export", api.Viewer.ForAll(),
			"Download the audit as JSON lines or as CSV.", s.export).
			Producing(api.JSONLines, api.CSV),
		api.WithoutBody("GET /api/v1/audit/verify", api.Viewer.ForAll(),
			"Check that no row of the audit was changed, removed or inserted.", s.verify).
			Within(s.opts.Heavy),
	}
}
