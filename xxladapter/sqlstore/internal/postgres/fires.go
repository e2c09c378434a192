package postgres

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// fireGroups runs a group of fire calls in one transaction of two round trips.
type fireGroups struct {
	store *records.Store
	pool  *pgxpool.Pool
}

// once runs a group once.
func (f *fireGroups) once(ctx context.Context, group []*records.FireCall) (again bool, err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return false, err // goes to the callers: a single call would get no connection either
	}
	defer conn.Release() // closes the connection if it is left in a transaction
	now := f.store.Clock()
	group = slices.DeleteFunc(slices.Clone(group), func(c *records.FireCall) bool {
		c.Err = fit(c, now)
		return c.Err != nil
	})
	if len(group) == 0 {
		return false, nil
	}
	moved := records.Changes{}
	for {
		holds, err := f.apply(ctx, conn, group, now, moved)
		if err != nil {
			return true, err
		}
		held := inTerm(group, holds)
		if len(held) == len(group) {
			break
		}
		// The statements also ran for calls whose term is over. They are rolled back, and the group
		// runs again without those calls.
		if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
			return true, err
		}
		if len(held) == 0 {
			return false, nil
		}
		group, moved = held, records.Changes{}
	}
	var batch pgx.Batch
	f.queueEarly(&batch, group)
	countTogether(f.store, &batch, moved)
	batch.Queue("COMMIT")
	if err = conn.SendBatch(ctx, &batch).Close(); answered(err) {
		return true, err // the server answered with an error, so nothing was committed
	}
	return false, records.InDoubt(err, answered)
}

// inTerm returns the calls that need no term or whose term holds, and sets Err of the others.
func inTerm(group []*records.FireCall, holds map[xxladapter.Term]bool) []*records.FireCall {
	held := make([]*records.FireCall, 0, len(group))
	for _, c := range group {
		if c.Finish != nil || holds[c.By] {
			held = append(held, c)
		} else {
			c.Err = transition.Fenced(c.By)
		}
	}
	return held
}

// queueFence queues the question which terms of the calls hold. holds is complete once the batch is
// closed.
func queueFence(batch *pgx.Batch, group []*records.FireCall, now time.Time) (holds map[xxladapter.Term]bool) {
	holds = map[xxladapter.Term]bool{}
	var nodes []string
	var numbers []int64
	for _, c := range group {
		if _, known := holds[c.By]; !known && c.Finish == nil {
			holds[c.By] = false
			nodes, numbers = append(nodes, c.By.Node), append(numbers, c.By.Number)
		}
	}
	if len(nodes) > 0 {
		batch.Queue(groupHolds, nodes, numbers, records.ToMilli(now)).Query(func(rows pgx.Rows) error {
			var held xxladapter.Term
			_, err := pgx.ForEachRow(rows, []any{&held.Node, &held.Number}, func() error {
				holds[held] = true
				return nil
			})
			return err
		})
	}
	return holds
}

// apply begins the transaction, runs the statements of the group in one round trip, and adds their
// changes of the daily figures to moved. It also runs the statements of calls whose term is over,
// since the leases are read in the same round trip.
func (f *fireGroups) apply(ctx context.Context, conn *pgxpool.Conn, group []*records.FireCall, now time.Time, moved records.Changes) (holds map[xxladapter.Term]bool, err error) {
	var (
		batch                    pgx.Batch
		claims, settles, results []*records.FireCall
	)
	for _, c := range group {
		c.Err = nil
		switch {
		case c.Claim != nil:
			claims = append(claims, c)
		case c.Settle != nil:
			settles = append(settles, c)
		default:
			results = append(results, c)
		}
	}
	// Groups of other nodes may lock the same rows. A statement locks rows in the order of its
	// arguments, so all groups sort them alike.
	slices.SortFunc(claims, byLogThenFire)
	slices.SortFunc(settles, byLogThenFire)
	slices.SortFunc(results, byLogThenFire)
	batch.Queue("BEGIN")
	holds = queueFence(&batch, group, now)
	// Fires first, then log rows.
	if len(claims) > 0 {
		f.queueClaims(&batch, claims, records.ToMilli(now), moved)
	}
	queueRemovals(&batch, settles, results)
	if len(settles) > 0 {
		f.queueTriggered(&batch, settles, moved)
	}
	if len(results) > 0 {
		f.queueHandled(&batch, results, now, moved)
	}
	return holds, conn.SendBatch(ctx, &batch).Close()
}

// countTogether queues what [records.Store.Count] does.
func countTogether(s *records.Store, batch *pgx.Batch, c records.Changes) {
	slot := rand.IntN(records.ReportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(c), time.Time.Compare) {
		if n := c[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.Queue(s.Dialect.Text(s.Dialect.AddToSlot), s.Dialect.Datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
}

// fit returns the error of a settlement or a result that is invalid whatever its rows are, and sets
// its message, truncated to the column.
func fit(c *records.FireCall, now time.Time) error {
	if c.Claim != nil {
		return nil
	}
	open := transition.Rows{Holds: true, Log: &transition.LogState{}}
	var change transition.Change
	var err error
	if c.Settle != nil {
		change, err = transition.Settle(open, c.By, *c.Settle)
	} else {
		change, err = transition.Finish(open, *c.Finish, now)
	}
	c.Log = change.Log
	return err
}
