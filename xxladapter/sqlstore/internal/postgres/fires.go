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

// fireGroups runs a group of fire calls in one transaction of two round
// trips.
type fireGroups struct {
	store *records.Store
	pool  *pgxpool.Pool
}

// once is a [fireTransaction].
func (f *fireGroups) once(ctx context.Context, group []*records.FireCall) (again bool, err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return false, err // for the callers, who would fare no better alone
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
		// What a call did whose term is over goes, and with it what the others did.
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
		return true, err // it is no commit
	}
	return false, records.InDoubt(err, answered)
}

// inTerm returns the calls whose term holds, or that need none, and gives the
// others their error.
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

// queueFence asks which of the terms hold that the calls act in. The answer is
// there when the batch has been closed.
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

// apply begins the transaction and runs the statements of the group, all in one
// round trip, and adds what they do to the figures. It runs those of calls whose
// term is over as well: that is known only at the end.
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
	// Other nodes' groups may be about the same rows. A group locks them in this
	// order, since a statement goes through its arguments one by one.
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

// countTogether is [Store.count] as a part of a batch.
func countTogether(s *records.Store, batch *pgx.Batch, c records.Changes) {
	slot := rand.IntN(records.ReportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(c), time.Time.Compare) {
		if n := c[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.Queue(s.Dialect.Text(s.Dialect.AddToSlot), s.Dialect.Datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
}

// fit refuses a settlement or a result that no row could take, and fits its message to the column.
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
