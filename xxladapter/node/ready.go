package node

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
)

// A leaseLister is the part of a store that the checks need.
type leaseLister interface {
	Leases(ctx context.Context) ([]xxladapter.Lease, error)
}

// checks returns the conditions under which a node can do its work. The version of the tables is
// not among them, because a store with other tables does not open.
func checks(store leaseLister, stats func() scheduler.Stats, name string) []admin.Check {
	return []admin.Check{
		{Name: "store", Do: func(ctx context.Context) error {
			_, err := store.Leases(ctx)
			return err
		}},
		{Name: "lease", Do: func(ctx context.Context) error {
			leases, err := store.Leases(ctx)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(leases, func(l xxladapter.Lease) bool { return l.Node == name }) {
				return xxladapter.Refusef(xxladapter.CodeFenced, errorrule.NodeNoLease, "this node holds no lease")
			}
			return nil
		}},
		{Name: "clock", Do: func(context.Context) error {
			if s := stats(); s.Skewed {
				return xxladapter.Refusef(xxladapter.CodeConflict, errorrule.ClockApart,
					"differs by %v from the store's, must be within the limit", s.Skew)
			}
			return nil
		}},
	}
}
