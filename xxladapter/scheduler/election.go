package scheduler

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Fit reports whether this node plans jobs, or could if it were elected: it holds a lease, and it
// has neither been drained nor begun to stop.
func (s *Scheduler) Fit() bool {
	g := s.grant.Load()
	return g.holds() && !g.Retired && !s.retired.Load()
}

// Renew brings the next renewal of the lease forward to now, because the node's election has
// changed.
func (s *Scheduler) Renew() { signal(s.renewal) }

// lease acquires or renews the lease: by Lead in leader mode, otherwise by Lease.
func (s *Scheduler) lease(ctx context.Context) (xxladapter.Lease, error) {
	if s.opts.Mode != xxladapter.SchedulingLeader {
		return s.opts.Store.Lease(ctx, s.opts.Node, leaseLife)
	}
	return s.opts.Store.Lead(ctx, s.opts.Node, leaseLife, s.opts.Election())
}
