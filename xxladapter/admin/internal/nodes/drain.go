package nodes

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A nodeDrainForm names a node.
type nodeDrainForm struct {
	Node string `json:"node" doc:"A node that holds a lease, as the list of nodes shows it." example:"web-1:4711:9f3a61c2"`
}

// drain takes a node's partitions away. The node learns of that when it next renews its lease,
// within a second, and retires in its later terms too.
func (s *Server) drain(ctx context.Context, _ api.None, form nodeDrainForm) (no api.None, err error) {
	leases, err := s.opts.Store.Leases(ctx)
	if err != nil {
		return no, err
	}
	i := slices.IndexFunc(leases, func(l xxladapter.Lease) bool { return l.Node == form.Node })
	if i < 0 {
		return no, xxladapter.NotFoundf(errorrule.NoLease, "node %q holds no lease", form.Node)
	}
	lease := leases[i]
	record, err := api.Witness(ctx, s.opts.Store)
	if err != nil {
		return no, err
	}
	if err := s.opts.Store.Retire(ctx, lease.Term, xxladapter.MoveDrained); err != nil {
		return no, err
	}
	object := xxladapter.AuditObject{Kind: xxladapter.AuditNode, Name: lease.Node}
	return no, record(object, xxladapter.Fields{
		{Name: "drained", Value: true}, {Name: "term", Value: lease.Number},
	})
}
