package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// The statements of a batch, each for all its calls. Every statement that looks for rows and locks
// them names its index, because on a small table the server would choose a full scan, which waits
// for rows that others have locked. Fires are locked before log rows, as everywhere.
const (
	batchLeases = `SELECT node, term, COALESCE(?, ` + clock +
		`) FROM xxlwheel_lease WHERE until_ms > ? AND (node, term) IN (`
	batchFires   = `SELECT ` + records.FireColumns + ` FROM xxlwheel_fire FORCE INDEX (PRIMARY) WHERE id IN (`
	batchFiresOf = `SELECT ` + records.FireColumns +
		` FROM xxlwheel_fire FORCE INDEX (xxlwheel_fire_log) WHERE log_id IN (`
	batchLogStates = `SELECT id, trigger_time, trigger_code, handle_code, executor_address FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN (`

	// batchClaimed follows the INSERT of the log rows and counts their ids from the first one.
	batchClaimed = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'claimed', node = ?, term = ?, claimed_ms = ?,
		log_id = LAST_INSERT_ID() + ? * (FIELD(id,`
	batchDoubted = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'ambiguous' WHERE id IN (`
	// batchRemoved joins the ids as a table, because a DELETE from one table accepts no index hint.
	batchRemoved = `DELETE f FROM (SELECT ? AS id`
)

// fireBatches runs a batch of fire calls in one transaction of two round trips: one reads and locks
// the rows, one changes them and commits.
type fireBatches struct {
	store  *records.Store
	idStep int64   // the server's auto_increment_increment: how far apart the ids of one INSERT are
	db     *sql.DB // one connection, which accepts several statements at once; its lock wait is short
}

// once runs a batch once. A batch that waits too long for a row is rolled back and its calls are
// made alone, so that only the calls about that row wait for it.
func (f *fireBatches) once(ctx context.Context, batch []*records.FireCall) (again bool, err error) {
	conn, err := f.db.Conn(ctx)
	if err != nil {
		return false, err // goes to the callers: a single call would get no connection either
	}
	defer func() {
		if err != nil {
			abandon(conn)
		}
		_ = conn.Close() // returns it to the pool
	}()
	now := f.store.Clock()
	rows, err := f.read(ctx, conn, batch, now)
	if err != nil {
		return true, fmt.Errorf("read: %w", err)
	}
	work := f.store.DecideFires(batch, rows)
	if err := f.write(ctx, conn, work, now); err != nil {
		err = fmt.Errorf("write: %w", err)
		if answered(err) || unsent(err) { // the server skips the rest of a packet, COMMIT included, after an error
			return true, err
		}
		return false, database.InDoubt(err, answered)
	}
	return false, nil
}

// answered reports whether the server sent err.
func answered(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server)
}

// unsent reports whether err occurred before anything was sent.
func unsent(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, driver.ErrSkip)
}

// abandon rolls back the transaction of conn, or closes conn if that fails.
func abandon(conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), network.QuickSilence)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// read begins the transaction, and locks and reads the rows that the batch is about.
func (f *fireBatches) read(
	ctx context.Context, conn *sql.Conn, batch []*records.FireCall, now time.Time,
) (records.FireRows, error) {
	var (
		statements packet
		scans      []func(database.Row) error // one for each SELECT
		about      = records.AboutOf(batch)
		rows       = records.NewFireRows(batch)
	)
	selecting := func(query string, ids []int64, scan func(database.Row) error) {
		if len(ids) > 0 {
			statements.add(query)
			statements.ids(ids)
			statements.write(") FOR UPDATE")
			scans = append(scans, scan)
		}
	}
	statements.add("START TRANSACTION")
	if len(about.Terms) > 0 {
		statements.add(batchLeases, f.store.OwnTime(), database.ToMilli(now))
		before := ""
		for term := range about.Terms {
			statements.write(before+"(?,?)", term.Node, term.Number)
			before = ","
		}
		statements.write(")")
		scans = append(scans, func(r database.Row) error {
			var held xxladapter.Term
			err := r.Scan(&held.Node, &held.Number, &rows.Now)
			rows.Holds[held] = true
			return err
		})
	}
	scanFire := func(r database.Row) error {
		fire, err := records.ScanFire(r)
		rows.Fires[fire.ID] = fire
		return err
	}
	selecting(batchFires, about.Fires, scanFire)
	selecting(batchFiresOf, about.Ended, scanFire)
	selecting(batchLogStates, about.Logs, func(r database.Row) error {
		var id int64
		var l records.LogState
		err := r.Scan(&id, database.Datetime(&l.Triggered), &l.TriggerCode, &l.HandleCode, database.Text(&l.Address))
		rows.Logs[id] = l
		return err
	})
	return rows, statements.query(ctx, conn, scans)
}

// write writes the decisions and commits.
func (f *fireBatches) write(ctx context.Context, conn *sql.Conn, work records.FireWork, now time.Time) error {
	var statements packet
	inserts := f.claim(&statements, work.Claims)
	if len(work.Ambiguous) > 0 {
		statements.add(batchDoubted)
		statements.ids(work.Ambiguous)
		statements.write(")")
	}
	for i, id := range work.Removed {
		if i == 0 {
			statements.add(batchRemoved, id)
		} else {
			statements.write(" UNION ALL SELECT ?", id)
		}
	}
	if len(work.Removed) > 0 {
		statements.write(") r STRAIGHT_JOIN xxlwheel_fire f FORCE INDEX (PRIMARY) ON f.id = r.id")
	}
	settle(&statements, work.Triggered)
	settle(&statements, work.Accepted)
	f.finish(&statements, work.Handled, now)
	f.finish(&statements, work.Together, now)
	addHistories(&statements, work.Runs)
	// Last, as in [figures.Store.Count].
	slot := rand.IntN(database.ReportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(work.Moved), time.Time.Compare) {
		if n := work.Moved[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			statements.add(
				f.store.Dialect.AddToSlot, f.store.Dialect.Datetime(day), slot, n.Running, n.Success, n.Failed,
			)
		}
	}
	statements.add("COMMIT")
	ids, err := statements.exec(ctx, conn)
	if err != nil {
		return err
	}
	for _, in := range inserts {
		for i, c := range in.claims {
			c.Claimed.LogID = ids[in.statement] + int64(i)*f.idStep
		}
	}
	return nil
}

// insertedLogs are the log rows of one INSERT.
type insertedLogs struct {
	statement int // its place in the packet
	claims    []*records.FireCall
}

func (f *fireBatches) claim(statements *packet, claims []*records.FireCall) (inserts []insertedLogs) {
	for len(claims) > 0 {
		by := claims[0].By // nearly always the term of all claims
		var mine, others []*records.FireCall
		for _, c := range claims {
			if c.By == by {
				mine = append(mine, c)
			} else {
				others = append(others, c)
			}
		}
		rows := make([][]any, len(mine))
		for i, c := range mine {
			rows[i] = f.store.LogValues(c.Claim)
		}
		inserts = append(inserts, insertedLogs{statements.insert(runs.InsertLog, rows), mine})
		fires := records.ColumnOf(mine, records.FireIDOf)
		statements.add(batchClaimed, by.Node, by.Number, database.ToMilli(mine[0].Claimed.Claimed), f.idStep)
		statements.ids(fires)
		statements.write(") - 1), shard_total = ")
		statements.byID(fires, records.ColumnOf(mine, func(c *records.FireCall) any { return c.Claimed.ShardTotal }))
		statements.write(" WHERE id IN (")
		statements.ids(fires)
		statements.write(")")
		claims = others
	}
	return inserts
}

// settle writes settlements, or accepted runs with their addresses.
func settle(statements *packet, calls []*records.FireCall) {
	if len(calls) == 0 {
		return
	}
	logs := records.ColumnOf(calls, records.LogIDOf)
	statements.add("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_code = ")
	statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.TriggerCode }))
	statements.write(", trigger_msg = ")
	statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.Msg }))
	if calls[0].Accept != nil {
		statements.write(", executor_address = ")
		statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.Address }))
	}
	statements.write(" WHERE id IN (")
	statements.ids(logs)
	statements.write(")")
}

// finish writes results, all with their settlements or all without.
func (f *fireBatches) finish(statements *packet, calls []*records.FireCall, now time.Time) {
	if len(calls) == 0 {
		return
	}
	logs := records.ColumnOf(calls, records.LogIDOf)
	statements.add(
		"UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = ",
		f.store.Dialect.Datetime(calls[0].Log.At),
	)
	statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.HandleCode }))
	statements.write(", handle_msg = ")
	statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return database.OrNull(c.Log.Msg) }))
	statements.write(", trigger_code = ")
	statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.TriggerCode }))
	if calls[0].Settled != nil {
		statements.write(", trigger_msg = ")
		statements.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Settled.Log.Msg }))
	}
	statements.write(" WHERE id IN (")
	statements.ids(logs)
	statements.write(")")
	var wanted [][]any
	for _, c := range calls {
		if c.WantText {
			wanted = append(wanted, []any{c.LogID, database.ToMilli(now.Add(xxladapter.TextDelay))})
		}
	}
	if len(wanted) > 0 {
		statements.insert(runs.WantText, wanted)
	}
}
