package sqlstore

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// postgresFires runs a group of fire calls in one transaction of two round
// trips.
type postgresFires struct {
	store *Store
	pool  *pgxpool.Pool
}

// once is a [fireTransaction].
func (f *postgresFires) once(ctx context.Context, group []*fireCall) (again bool, err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return false, err // for the callers, who would fare no better alone
	}
	defer conn.Release() // closes the connection if it is left in a transaction
	now := f.store.clock()
	moved := changes{}
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
		group, moved = held, changes{}
	}
	var batch pgx.Batch
	f.queueEarly(&batch, group)
	f.store.countTogether(&batch, moved)
	batch.Queue("COMMIT")
	if err = conn.SendBatch(ctx, &batch).Close(); postgresAnswered(err) {
		return true, err // it is no commit
	}
	return false, inDoubt(err, postgresAnswered)
}

// inTerm returns the calls whose term holds, or that need none, and gives the
// others their error.
func inTerm(group []*fireCall, holds map[xxladapter.Term]bool) []*fireCall {
	held := make([]*fireCall, 0, len(group))
	for _, c := range group {
		if c.finish != nil || holds[c.by] {
			held = append(held, c)
		} else {
			c.err = fenced(c.by)
		}
	}
	return held
}

// queueFence asks which of the terms hold that the calls act in. The answer is
// there when the batch has been closed.
func queueFence(batch *pgx.Batch, group []*fireCall, now time.Time) (holds map[xxladapter.Term]bool) {
	holds = map[xxladapter.Term]bool{}
	var nodes []string
	var numbers []int64
	for _, c := range group {
		if _, known := holds[c.by]; !known && c.finish == nil {
			holds[c.by] = false
			nodes, numbers = append(nodes, c.by.Node), append(numbers, c.by.Number)
		}
	}
	if len(nodes) > 0 {
		batch.Queue(groupHolds, nodes, numbers, toMilli(now)).Query(func(rows pgx.Rows) error {
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
func (f *postgresFires) apply(ctx context.Context, conn *pgxpool.Conn, group []*fireCall, now time.Time, moved changes) (holds map[xxladapter.Term]bool, err error) {
	var (
		batch                    pgx.Batch
		claims, settles, results []*fireCall
	)
	for _, c := range group {
		c.err = nil
		switch {
		case c.claim != nil:
			claims = append(claims, c)
		case c.settle != nil:
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
		f.queueClaims(&batch, claims, toMilli(now), moved)
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
func (s *Store) countTogether(batch *pgx.Batch, c changes) {
	slot := rand.IntN(reportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(c), time.Time.Compare) {
		if n := c[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.Queue(s.dialect.text(s.dialect.addToSlot), s.dialect.datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
}

// move takes a log row from one outcome to another.
func (s *Store) move(c changes, before, after logState) {
	s.add(c, before.triggered, before.outcome(), -1)
	s.add(c, after.triggered, after.outcome(), 1)
}
