package records

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	insertOrder = `INSERT INTO xxlwheel_order (job_id, fire_id, idem_key, request, created_ms) VALUES (?, ?, ?, ?, ?)`
	selectOrder = `SELECT id, job_id, fire_id, idem_key, request, created_ms, log_ids,
		(SELECT COUNT(*) FROM xxlwheel_fire WHERE xxlwheel_fire.id = xxlwheel_order.fire_id) FROM xxlwheel_order`
	selectNameOf = `SELECT job_desc FROM xxl_job_info WHERE id = ?`
	orderByID    = selectOrder + ` WHERE id = ?`
	orderByKey   = selectOrder + ` WHERE job_id = ? AND idem_key = ?`
	// A server that forgets its ids may have given the fire's id before.
	setOrderLogs = `UPDATE xxlwheel_order SET log_ids = ? WHERE fire_id = ? AND job_id = ? AND log_ids IS NULL`
)

// PlanOrder implements [xxladapter.Store].
func (s *Store) PlanOrder(
	ctx context.Context, f xxladapter.Fire, key, request string,
) (o *xxladapter.Order, fire xxladapter.Fire, err error) {
	if err := s.Dialect.Widths.CheckOverride(f.Param); err != nil {
		return nil, xxladapter.Fire{}, err
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		o, fire = nil, xxladapter.Fire{}
		var stored any // NULL for an order without a key
		if key != "" {
			stored = key
			// Orders with the same key wait for each other here.
			if err := lockJob(ctx, tx, f.JobID); err != nil {
				return err
			}
			if o, err = order(ctx, tx, orderByKey, f.JobID, key); err != nil || o != nil {
				return err
			}
		}
		if fire, err = s.planFrom(ctx, tx, f); err != nil {
			return err
		}
		created := database.ToMilli(s.Clock())
		id, err := tx.Insert(ctx, insertOrder, f.JobID, fire.ID, stored, request, created)
		o = &xxladapter.Order{
			ID: id, JobID: f.JobID, FireID: fire.ID, Key: key, Request: request, Created: database.FromMilli(created),
			Open: true,
		}
		if err != nil || xxladapter.CallOf(ctx) == "" {
			return err
		}
		job := xxladapter.Job{ID: f.JobID, GroupID: fire.GroupID}
		if err := tx.Query(
			ctx, selectNameOf, []any{f.JobID}, func(r database.Row) error { return r.Scan(database.Text(&job.Name)) },
		); err != nil {
			return err
		}
		return s.Record(ctx, tx, job.Audited(), nil, o.Fields(&fire))
	})
	if err != nil {
		return nil, xxladapter.Fire{}, err
	}
	return o, fire, nil
}

// Order implements [xxladapter.Store].
func (s *Store) Order(ctx context.Context, id int64) (*xxladapter.Order, error) {
	o, err := order(ctx, s, orderByID, id)
	if err == nil && o == nil {
		err = xxladapter.Absent("order", id)
	}
	return o, err
}

// OrderByKey implements [xxladapter.Store].
func (s *Store) OrderByKey(ctx context.Context, jobID int64, key string) (*xxladapter.Order, error) {
	return order(ctx, s, orderByKey, jobID, key)
}

// A querier is the database or a transaction on it.
type querier interface {
	Query(ctx context.Context, query string, args []any, scan func(database.Row) error) error
}

// order returns the order that the query finds, or nil.
func order(ctx context.Context, on querier, query string, args ...any) (o *xxladapter.Order, err error) {
	err = on.Query(ctx, query, args, func(r database.Row) (err error) {
		o, err = scanOrder(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

func scanOrder(r database.Row) (*xxladapter.Order, error) {
	var (
		o    xxladapter.Order
		open int
	)
	err := r.Scan(
		&o.ID, &o.JobID, &o.FireID, database.Text(&o.Key), database.Text(&o.Request), database.Milli(&o.Created),
		database.IDList(&o.LogIDs), &open,
	)
	o.Open = open > 0
	return &o, err
}

// claimOrder records the log rows of a fire that was ordered.
func claimOrder(ctx context.Context, t *database.Tx, claimed []xxladapter.Fire) error {
	ids := make([]int64, len(claimed))
	for i, f := range claimed {
		ids[i] = f.LogID
	}
	_, err := t.Exec(ctx, setOrderLogs, database.JoinIDs(ids), claimed[0].ID, claimed[0].JobID)
	return err
}
