// Package nodes serves the calls about nodes of the management API: which ones hold a lease and how
// their partitions have moved, and draining one. It reads and changes only the store; a drained
// node learns from the store that it is drained.
package nodes

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A Store shows the nodes, lets one retire, and keeps the audit.
type Store interface {
	Leases(ctx context.Context) ([]xxladapter.Lease, error)
	PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error)
	Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error
	api.Trail
}

// Options configures a [Server].
type Options struct {
	Store   Store  // must be set
	Elector string // address of this node's elector, without secrets; empty means that it has none
}

// A Server serves the calls about nodes. Create it with [New].
type Server struct{ opts Options }

// New returns the server.
func New(opts Options) *Server { return &Server{opts} }

// Calls returns the calls about nodes, each with what it needs of its caller.
func (s *Server) Calls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/nodes", api.Viewer, "List the nodes that hold a lease.", s.list),
		api.WithBody("POST /api/v1/nodes/drain", api.Admin.ForAll(),
			"Let a node plan nothing more until it is started again.", s.drain).
			Requiring("node").
			Noting("Its partitions move to the others, and its hand-overs continue."),
	}
}
