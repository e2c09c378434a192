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
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// fireBatches runs a batch of fire calls in one transaction of two round trips: one reads and locks
// the rows, one changes them and commits.
type fireBatches struct {
	store *records.Store
	pool  *pgxpool.Pool

	// addUntil is the end, by the local clock, of the time in which batches expect stored histories
	// and add to them. Only runs whose fires are ambiguous or were taken over have a history before
	// they are settled. Later batches insert theirs without a look for one, which would slow the
	// statement. Batches run one after the other, so addUntil needs no lock.
	addUntil time.Time
}

// addFor is how long batches expect stored histories after they have met one: about as long as it
// takes to settle what a dead node had claimed.
const addFor = 10 * time.Second

// once makes the calls of a batch in one transaction. again asks for another attempt.
func (f *fireBatches) once(ctx context.Context, calls []*records.FireCall) (again bool, err error) {
	conn, err := f.pool.Acquire(ctx)
	if err != nil {
		return false, err // for the callers, who would fare no better alone
	}
	defer conn.Release() // closes the connection if it is left in a transaction
	now := f.store.Clock()
	rows, err := f.read(ctx, conn, calls, now)
	if err != nil {
		return true, err
	}
	work := f.store.DecideFires(calls, rows)
	if err = f.write(ctx, conn, work, now); answered(err) {
		if hasHistory(err) {
			f.addUntil = time.Now().Add(addFor)
		}
		return true, err // the server has refused it, so nothing was committed
	}
	return false, database.InDoubt(err, answered)
}

// read begins the transaction and locks what the batch is about: fires before log rows, and both
// in the order of their ids, since batches of other nodes may be about the same rows.
func (f *fireBatches) read(
	ctx context.Context, conn *pgxpool.Conn, calls []*records.FireCall, now time.Time,
) (records.FireRows, error) {
	var (
		batch pgx.Batch
		about = records.AboutOf(calls)
		rows  = records.NewFireRows(calls)
	)
	batch.Queue("BEGIN")
	if len(about.Terms) > 0 {
		f.queueLeases(&batch, about.Terms, now, &rows)
	}
	batch.Queue(batchFires, about.Fires, about.Ended).Query(func(found pgx.Rows) error {
		for found.Next() {
			fire, err := records.ScanFire(found)
			if err != nil {
				return err
			}
			rows.Fires[fire.ID] = fire
		}
		return found.Err()
	})
	if len(about.Logs) > 0 {
		batch.Queue(batchLogs, about.Logs).Query(func(found pgx.Rows) error {
			var id int64
			var l records.LogState
			_, err := pgx.ForEachRow(found, []any{
				&id, database.Datetime(&l.Triggered), &l.TriggerCode, &l.HandleCode, database.Text(&l.Address),
			}, func() error {
				rows.Logs[id] = l
				return nil
			})
			return err
		})
	}
	return rows, conn.SendBatch(ctx, &batch).Close()
}

// queueLeases asks which of the terms hold, and for the time.
func (f *fireBatches) queueLeases(
	batch *pgx.Batch, terms map[xxladapter.Term]bool, now time.Time, rows *records.FireRows,
) {
	var nodes []string
	var numbers []int64
	for term := range terms {
		nodes, numbers = append(nodes, term.Node), append(numbers, term.Number)
	}
	batch.Queue(
		batchLeases, nodes, numbers, database.ToMilli(now), f.store.OwnTime(),
	).Query(func(found pgx.Rows) error {
		var held xxladapter.Term
		_, err := pgx.ForEachRow(found, []any{&held.Node, &held.Number, &rows.Now}, func() error {
			rows.Holds[held] = true
			return nil
		})
		return err
	})
}

// write does the work and commits.
func (f *fireBatches) write(ctx context.Context, conn *pgxpool.Conn, work records.FireWork, now time.Time) error {
	var batch pgx.Batch
	if len(work.Claims) > 0 {
		queueClaims(&batch, work.Claims)
	}
	if len(work.Ambiguous) > 0 {
		batch.Queue(batchAmbiguous, work.Ambiguous)
	}
	if len(work.Removed) > 0 {
		batch.Queue(batchRemoved, work.Removed)
	}
	if len(work.Triggered) > 0 {
		queueTriggered(&batch, work.Triggered)
	}
	if len(work.Accepted) > 0 {
		queueAccepted(&batch, work.Accepted)
	}
	if len(work.Handled) > 0 {
		queueHandled(&batch, work.Handled, now)
	}
	if len(work.Together) > 0 {
		queueHandled(&batch, work.Together, now)
	}
	queueHistories(&batch, work.Runs, time.Now().Before(f.addUntil))
	f.queueCounts(&batch, work.Moved)
	batch.Queue("COMMIT")
	return conn.SendBatch(ctx, &batch).Close()
}

// queueCounts stores changes as [figures.Store.Count] does, but as a part of a batch.
func (f *fireBatches) queueCounts(batch *pgx.Batch, c figures.Changes) {
	slot, d := rand.IntN(database.ReportSlots), f.store.Dialect
	for _, day := range slices.SortedFunc(maps.Keys(c), time.Time.Compare) {
		if n := c[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.Queue(d.Text(d.AddToSlot), d.Datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
}
