package api

import (
	"context"
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Trail is the part of a store that keeps the audit.
type Trail interface {
	AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error
	AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error)
	AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error)
}

// recordAttempts limits how often a row is appended while the store's answers are lost.
const recordAttempts = 3

// Witness is called before the call in ctx does something that the store does not audit by itself.
// It returns a function that audits that, even if the caller has left. If the store's answer is
// lost, the function looks for the row and appends it again if there is none. An attempt that takes
// effect only after that look makes a second row.
func Witness(ctx context.Context, trail Trail) (record func(xxladapter.AuditObject, xxladapter.Fields) error, err error) {
	before, err := trail.AuditEnds(ctx)
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	return func(o xxladapter.AuditObject, fields xxladapter.Fields) error {
		err := trail.AppendAudit(ctx, o, fields)
		for attempt := 1; errors.Is(err, xxladapter.ErrInDoubt) && attempt < recordAttempts; attempt++ {
			rows, readErr := trail.AuditRows(ctx, xxladapter.AuditFilter{
				Kind: o.Kind, ObjectID: o.ID, AfterID: before.Last.ID,
			})
			if readErr != nil {
				return errors.Join(err, readErr)
			}
			for _, r := range rows {
				if r.Object == o && r.Actor == xxladapter.ActorOf(ctx) && r.Call == xxladapter.CallOf(ctx) {
					return nil
				}
			}
			err = trail.AppendAudit(ctx, o, fields)
		}
		return err
	}, nil
}
