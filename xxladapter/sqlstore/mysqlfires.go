package sqlstore

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
)

// The statements of a group, each for all its calls. Every one goes by an index,
// also where the table is so small that the server would rather walk through
// it: a walk waits for rows of others. Fires are locked before log rows, as
// everywhere.
const (
	groupLeases    = `SELECT node, term, COALESCE(?, ` + mysqlClock + `) FROM xxlwheel_lease WHERE until_ms > ? AND (node, term) IN (`
	groupFires     = `SELECT ` + fireColumns + ` FROM xxlwheel_fire FORCE INDEX (PRIMARY) WHERE id IN (`
	groupFiresOf   = `SELECT log_id, id FROM xxlwheel_fire FORCE INDEX (xxlwheel_fire_log) WHERE log_id IN (`
	groupLogStates = `SELECT id, trigger_time, trigger_code, handle_code FROM xxl_job_log FORCE INDEX (PRIMARY) WHERE id IN (`

	// groupClaimed follows the INSERT of the log rows, whose ids it knows by the first.
	groupClaimed = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'claimed', shard_total = GREATEST(shard_total, 1),
		node = ?, term = ?, claimed_ms = ?, log_id = LAST_INSERT_ID() + ? * (FIELD(id,`
	groupDoubted = `UPDATE xxlwheel_fire FORCE INDEX (PRIMARY) SET state = 'ambiguous' WHERE id IN (`
	// groupRemoved has the ids as a table, because a DELETE from one table takes
	// no advice about indexes.
	groupRemoved = `DELETE f FROM (SELECT ? AS id`
)

// mysqlFires runs a group of fire calls in one transaction of two round trips:
// one reads and locks the rows, one changes them and commits.
type mysqlFires struct {
	store *Store
	db    *sql.DB // one connection that takes batches, and waits for locks briefly
}

// once is a [fireTransaction]. A group that waits for a row for too long is
// taken back, so that only the calls about that row wait for it.
func (f *mysqlFires) once(ctx context.Context, group []*fireCall) (again bool, err error) {
	conn, err := f.db.Conn(ctx)
	if err != nil {
		return false, err // for the callers, who would fare no better alone
	}
	defer func() {
		if err != nil {
			abandon(conn)
		}
		_ = conn.Close() // gives it back to the pool
	}()
	now := f.store.clock()
	rows, err := f.read(ctx, conn, group, now)
	if err != nil {
		return true, fmt.Errorf("read: %w", err)
	}
	work := f.store.decideFires(group, rows, now)
	if err := f.write(ctx, conn, work, now); err != nil {
		err = fmt.Errorf("write: %w", err)
		if mysqlAnswered(err) || mysqlUnsent(err) { // the server runs nothing after an error
			return true, err
		}
		return false, inDoubt(err, mysqlAnswered)
	}
	return false, nil
}

// mysqlAnswered reports whether an error is the server's own.
func mysqlAnswered(err error) bool {
	var server *mysql.MySQLError
	return errors.As(err, &server)
}

// mysqlUnsent reports whether an error is from before anything was sent.
func mysqlUnsent(err error) bool {
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, driver.ErrSkip)
}

// abandon ends the transaction of a connection, or else the connection.
func abandon(conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), quickSilence)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// read begins the transaction and locks what the group is about.
func (f *mysqlFires) read(ctx context.Context, conn *sql.Conn, group []*fireCall, now time.Time) (fireRows, error) {
	var (
		batch              mysqlBatch
		scans              []func(row) error // of the statements that select
		terms              = map[xxladapter.Term]bool{}
		fires, ended, logs []int64
	)
	for _, c := range group {
		if c.finish == nil {
			terms[c.by] = true
			fires = append(fires, c.fireID)
		} else {
			ended = append(ended, c.logID)
		}
		if c.logID != 0 {
			logs = append(logs, c.logID)
		}
	}
	rows := fireRows{
		holds: map[xxladapter.Term]bool{}, fires: make(map[int64]xxladapter.Fire, len(fires)),
		ofLog: map[int64]int64{}, logs: make(map[int64]logState, len(logs)),
	}
	selecting := func(query string, ids []int64, scan func(row) error) {
		if len(ids) > 0 {
			batch.add(query)
			batch.ids(ids)
			batch.write(") FOR UPDATE")
			scans = append(scans, scan)
		}
	}
	batch.add("START TRANSACTION")
	if len(terms) > 0 {
		batch.add(groupLeases, f.store.ownTime(), toMilli(now))
		before := ""
		for term := range terms {
			batch.write(before+"(?,?)", term.Node, term.Number)
			before = ","
		}
		batch.write(")")
		scans = append(scans, func(r row) error {
			var held xxladapter.Term
			err := r.Scan(&held.Node, &held.Number, &rows.now)
			rows.holds[held] = true
			return err
		})
	}
	selecting(groupFires, fires, func(r row) error {
		fire, err := scanFire(r)
		rows.fires[fire.ID] = fire
		return err
	})
	selecting(groupFiresOf, ended, func(r row) error {
		var log, fire int64
		err := r.Scan(&log, &fire)
		rows.ofLog[log] = fire
		return err
	})
	selecting(groupLogStates, logs, func(r row) error {
		var id int64
		var l logState
		err := r.Scan(&id, datetime{&l.triggered}, &l.triggerCode, &l.handleCode)
		rows.logs[id] = l
		return err
	})
	return rows, batch.query(ctx, conn, scans)
}

// write does the work and commits.
func (f *mysqlFires) write(ctx context.Context, conn *sql.Conn, work fireWork, now time.Time) error {
	var batch mysqlBatch
	inserts := f.claim(&batch, work.claims, now)
	if len(work.ambiguous) > 0 {
		batch.add(groupDoubted)
		batch.ids(work.ambiguous)
		batch.write(")")
	}
	for i, id := range work.removed {
		if i == 0 {
			batch.add(groupRemoved, id)
		} else {
			batch.write(" UNION ALL SELECT ?", id)
		}
	}
	if len(work.removed) > 0 {
		batch.write(") r STRAIGHT_JOIN xxlwheel_fire f FORCE INDEX (PRIMARY) ON f.id = r.id")
	}
	settle(&batch, work.triggered)
	f.finish(&batch, work.handled, now)
	// Last, as in [Store.count].
	slot := rand.IntN(reportSlots)
	for _, day := range slices.SortedFunc(maps.Keys(work.moved), time.Time.Compare) {
		if n := work.moved[day]; n.Running != 0 || n.Success != 0 || n.Failed != 0 {
			batch.add(f.store.dialect.addToSlot, f.store.dialect.datetime(day), slot, n.Running, n.Success, n.Failed)
		}
	}
	batch.add("COMMIT")
	ids, err := batch.exec(ctx, conn)
	if err != nil {
		return err
	}
	for _, in := range inserts {
		for i, c := range in.claims {
			c.claimed.LogID = ids[in.statement] + int64(i)*f.store.dialect.idStep
		}
	}
	return nil
}

// insertedLogs are the log rows of one INSERT.
type insertedLogs struct {
	statement int // its place in the batch
	claims    []*fireCall
}

func (f *mysqlFires) claim(batch *mysqlBatch, claims []*fireCall, now time.Time) (inserts []insertedLogs) {
	for len(claims) > 0 {
		by := claims[0].by // of nearly always all
		var mine, others []*fireCall
		for _, c := range claims {
			if c.by == by {
				mine = append(mine, c)
			} else {
				others = append(others, c)
			}
		}
		rows := make([][]any, len(mine))
		for i, c := range mine {
			rows[i] = f.store.logValues(c.claim)
		}
		inserts = append(inserts, insertedLogs{batch.insert(insertLog, rows), mine})
		fires := columnOf(mine, fireIDOf)
		batch.add(groupClaimed, by.Node, by.Number, toMilli(now), f.store.dialect.idStep)
		batch.ids(fires)
		batch.write(") - 1) WHERE id IN (")
		batch.ids(fires)
		batch.write(")")
		claims = others
	}
	return inserts
}

func settle(batch *mysqlBatch, calls []*fireCall) {
	if len(calls) == 0 {
		return
	}
	logs := columnOf(calls, logIDOf)
	batch.add("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET trigger_code = ")
	batch.byID(logs, columnOf(calls, func(c *fireCall) any { return c.settle.Code }))
	batch.write(", trigger_msg = ")
	batch.byID(logs, columnOf(calls, func(c *fireCall) any { return c.settle.Msg }))
	batch.write(" WHERE id IN (")
	batch.ids(logs)
	batch.write(")")
}

func (f *mysqlFires) finish(batch *mysqlBatch, calls []*fireCall, now time.Time) {
	if len(calls) == 0 {
		return
	}
	logs := columnOf(calls, logIDOf)
	batch.add("UPDATE xxl_job_log FORCE INDEX (PRIMARY) SET handle_time = ?, handle_code = ", f.store.dialect.datetime(now))
	batch.byID(logs, columnOf(calls, func(c *fireCall) any { return c.finish.Code }))
	batch.write(", handle_msg = ")
	batch.byID(logs, columnOf(calls, func(c *fireCall) any { return orNull(c.finish.Msg) }))
	batch.write(", trigger_code = CASE trigger_code WHEN 0 THEN 200 ELSE trigger_code END WHERE id IN (")
	batch.ids(logs)
	batch.write(")")
	var wanted [][]any
	for _, c := range calls {
		if c.finish.WantText {
			wanted = append(wanted, []any{c.logID, toMilli(now.Add(xxladapter.TextDelay))})
		}
	}
	if len(wanted) > 0 {
		batch.insert(wantText, wanted)
	}
}
