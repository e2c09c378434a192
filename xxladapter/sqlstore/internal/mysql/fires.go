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
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The statements of a group, each for all its calls. Every statement names its index, because on
// a small table the server would choose a full scan, which waits for rows that others have locked.
// Fires are locked before log rows, as everywhere.
const (
	groupLeases    = `SELECT node, term, COALESCE(?, ` + clock + `) FROM xxlwheel_lease WHERE until_ms > ? AND (node, term) IN (`
	groupFires     = `SELECT ` + records.FireColumns + ` FROM xxlwheel_fire FORCE INDEX (PRIMARY) WHERE id IN (`
	groupFiresOf   = `SELECT ` + records.FireColumns + ` FROM xxlwheel_fire FORCE INDEX (xxlwheel_fire_log) WHERE log_id IN (`
	groupLogStates = `SELECT id, trigger_time, trigger_code, handle_code, executor_address FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN (`

	// groupClaimed follows the INSERT of the log rows and counts their ids from the first one.
	groupClaimed = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'claimed', node = ?, term = ?, claimed_ms = ?,
		log_id = LAST_INSERT_ID() + ? * (FIELD(id,`
	groupDoubted = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'ambiguous' WHERE id IN (`
	// groupRemoved joins the ids as a table, because a DELETE from one table accepts no index hint.
	groupRemoved = `DELETE f FROM (SELECT ? AS id`
)

// fireGroups runs a group of fire calls in one transaction of two round trips: one reads and locks
// the rows, one changes them and commits.
type fireGroups struct {
	store  *records.Store
	idStep int64   // the server's auto_increment_increment: how far apart the ids of one INSERT are
	db     *sql.DB // one connection, which accepts several statements at once; its lock wait is short
}

// once runs a group once. A group that waits too long for a row is rolled back and its calls are
// made alone, so that only the calls about that row wait for it.
func (f *fireGroups) once(ctx context.Context, group []*records.FireCall) (again bool, err error) {
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
	rows, err := f.read(ctx, conn, group, now)
	if err != nil {
		return true, fmt.Errorf("read: %w", err)
	}
	work := f.store.DecideFires(group, rows)
	if err := f.write(ctx, conn, work, now); err != nil {
		err = fmt.Errorf("write: %w", err)
		if answered(err) || unsent(err) { // the server skips the rest of a batch, COMMIT included, after an error
			return true, err
		}
		return false, records.InDoubt(err, answered)
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

// read begins the transaction, and locks and reads the rows that the group is about.
func (f *fireGroups) read(ctx context.Context, conn *sql.Conn, group []*records.FireCall, now time.Time) (records.FireRows, error) {
	var (
		batch packet
		scans []func(records.Row) error // one for each SELECT
		about = records.AboutOf(group)
		rows  = records.NewFireRows(group)
	)
	selecting := func(query string, ids []int64, scan func(records.Row) error) {
		if len(ids) > 0 {
			batch.add(query)
			batch.ids(ids)
			batch.write(") FOR UPDATE")
			scans = append(scans, scan)
		}
	}
	batch.add("START TRANSACTION")
	if len(about.Terms) > 0 {
		batch.add(groupLeases, f.store.OwnTime(), records.ToMilli(now))
		before := ""
		for term := range about.Terms {
			batch.write(before+"(?,?)", term.Node, term.Number)
			before = ","
		}
		batch.write(")")
		scans = append(scans, func(r records.Row) error {
			var held xxladapter.Term
			err := r.Scan(&held.Node, &held.Number, &rows.Now)
			rows.Holds[held] = true
			return err
		})
	}
	scanFire := func(r records.Row) error {
		fire, err := records.ScanFire(r)
		rows.Fires[fire.ID] = fire
		return err
	}
	selecting(groupFires, about.Fires, scanFire)
	selecting(groupFiresOf, about.Ended, scanFire)
	selecting(groupLogStates, about.Logs, func(r records.Row) error {
		var id int64
		var l records.LogState
		err := r.Scan(&id, records.Datetime(&l.Triggered), &l.TriggerCode, &l.HandleCode, records.Text(&l.Address))
		rows.Logs[id] = l
		return err
	})
	return rows, batch.query(ctx, conn, scans)
}

// write writes the decisions and commits.
func (f *fireGroups) write(ctx context.Context, conn *sql.Conn, work records.FireWork, now time.Time) error {
	var batch packet
	inserts := f.claim(&batch, work.Claims)
	if len(work.Ambiguous) > 0 {
		batch.add(groupDoubted)
		batch.ids(work.Ambiguous)
		batch.write(")")
	}
	for i, id := range work.Removed {
		if i == 0 {
			batch.add(groupRemoved, id)
		} else {
			batch.write(" UNION ALL SELECT ?", id)
		}
	}
	if len(work.Removed) > 0 {
		batch.write(") r STRAIGHT_JOIN xxlwheel_fire f FORCE INDEX (PRIMARY) ON f.id = r.id")
	}
	settle(&batch, work.Triggered)
	settle(&batch, work.Accepted)
	f.finish(&batch, work.Handled, now)
	f.finish(&batch, work.Together, now)
	addHistories(&batch, work.Runs)
	// Last, as in [records.Store.Count].
	slot := rand.IntN(records.ReportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(work.Moved), time.Time.Compare) {
		if n := work.Moved[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.add(f.store.Dialect.AddToSlot, f.store.Dialect.Datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
	batch.add("COMMIT")
	ids, err := batch.exec(ctx, conn)
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
	statement int // its place in the batch
	claims    []*records.FireCall
}

func (f *fireGroups) claim(batch *packet, claims []*records.FireCall) (inserts []insertedLogs) {
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
		inserts = append(inserts, insertedLogs{batch.insert(records.InsertLog, rows), mine})
		fires := records.ColumnOf(mine, records.FireIDOf)
		batch.add(groupClaimed, by.Node, by.Number, records.ToMilli(mine[0].Claimed.Claimed), f.idStep)
		batch.ids(fires)
		batch.write(") - 1), shard_total = ")
		batch.byID(fires, records.ColumnOf(mine, func(c *records.FireCall) any { return c.Claimed.ShardTotal }))
		batch.write(" WHERE id IN (")
		batch.ids(fires)
		batch.write(")")
		claims = others
	}
	return inserts
}

// settle writes settlements, or accepted runs with their addresses.
func settle(batch *packet, calls []*records.FireCall) {
	if len(calls) == 0 {
		return
	}
	logs := records.ColumnOf(calls, records.LogIDOf)
	batch.add("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_code = ")
	batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.TriggerCode }))
	batch.write(", trigger_msg = ")
	batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.Msg }))
	if calls[0].Accept != nil {
		batch.write(", executor_address = ")
		batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.Address }))
	}
	batch.write(" WHERE id IN (")
	batch.ids(logs)
	batch.write(")")
}

// finish writes results, all with their settlements or all without.
func (f *fireGroups) finish(batch *packet, calls []*records.FireCall, now time.Time) {
	if len(calls) == 0 {
		return
	}
	logs := records.ColumnOf(calls, records.LogIDOf)
	batch.add("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = ", f.store.Dialect.Datetime(calls[0].Log.At))
	batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.HandleCode }))
	batch.write(", handle_msg = ")
	batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return records.OrNull(c.Log.Msg) }))
	batch.write(", trigger_code = ")
	batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Log.After.TriggerCode }))
	if calls[0].Settled != nil {
		batch.write(", trigger_msg = ")
		batch.byID(logs, records.ColumnOf(calls, func(c *records.FireCall) any { return c.Settled.Log.Msg }))
	}
	batch.write(" WHERE id IN (")
	batch.ids(logs)
	batch.write(")")
	var wanted [][]any
	for _, c := range calls {
		if c.WantText {
			wanted = append(wanted, []any{c.LogID, records.ToMilli(now.Add(xxladapter.TextDelay))})
		}
	}
	if len(wanted) > 0 {
		batch.insert(records.WantText, wanted)
	}
}
