package journaled

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// sharedApplied is the row of a store with a shared journal.
type sharedApplied struct {
	applied
	store     string // the store's id, by which its log is found
	run       string // State.Run, if a change of it is a loss
	fire, log int64  // the ids that were given last
	// at is when the tables last had all that the log had. doubt is set when the log was lost:
	// fires due up to then may or may not have been sent. Zero means that no log was lost.
	at, doubt time.Time
}

const (
	selectShared = `SELECT state, store, generation, pen, settled, runs, plans, fire, log, at_ms, doubt_ms, run FROM xxlwheel_redis WHERE id = 1`
	insertShared = `INSERT INTO xxlwheel_redis (id, state, store, generation, pen, settled, runs, plans, fire, log, at_ms, doubt_ms, run, turn)
		VALUES (1, 'new', ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', 0)`
	takeShared = `UPDATE xxlwheel_redis SET state = 'open', generation = ?, pen = ?, settled = ?, runs = ?, plans = ?, fire = ?, log = ?, doubt_ms = ?, run = ?, turn = turn + 1
		WHERE id = 1`
	// moveShared changes nothing once another process has read the tables.
	moveShared   = `UPDATE xxlwheel_redis SET settled = ?, runs = ?, plans = ?, fire = ?, log = ?, at_ms = ?, turn = turn + 1 WHERE id = 1 AND generation = ? AND pen = ?`
	markClosed   = `UPDATE xxlwheel_redis SET state = 'closed', turn = turn + 1 WHERE id = 1 AND pen = ?`
	numberFires  = `UPDATE xxlwheel_redis SET fire = ? WHERE id = 1 AND fire < ?`
	selectGiven  = `SELECT COALESCE(MAX(id), 0) FROM `
	anyLeaseHeld = `SELECT COUNT(*) FROM xxlwheel_lease WHERE until_ms > ?`
)

func readShared(
	query func(query string, scan func(database.Row) error) error, lock string,
) (m sharedApplied, found bool, err error) {
	err = query(selectShared+lock, func(r database.Row) error {
		var at, doubt int64
		var generation int64
		found = true
		err := r.Scan(
			database.Text(&m.state), database.Text(&m.store), &generation, &m.pen, &m.settled, &m.runs, &m.plans,
			&m.fire, &m.log, &at, &doubt, database.Text(&m.run),
		)
		m.generation, m.at, m.doubt = uint64(generation), timeOf(at), timeOf(doubt)
		return err
	})
	return m, found, err
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func msOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// prepareShared returns the id of the store, and creates it if there is none. It refuses a store
// that processes without a shared journal use.
func prepareShared(ctx context.Context, s *records.Store) (id string, err error) {
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		query := func(query string, scan func(database.Row) error) error { return tx.Query(ctx, query, nil, scan) }
		m, found, err := readShared(query, tx.Dialect.Lock)
		if err != nil || found && m.state == stateOpen {
			id = m.store
			return err
		}
		if err := refusePlain(ctx, tx, s.Clock()); err != nil {
			return err
		}
		if err := refuseJava(ctx, tx, s.Clock()); err != nil {
			return err
		}
		if id = m.store; found {
			return nil
		}
		id = rand.Text()
		_, err = tx.Exec(ctx, insertShared, id)
		return err
	})
	return id, err
}

// refusePlain returns an error if a process has a lease.
//
// REQUIRES: no process with a shared journal has a lease.
func refusePlain(ctx context.Context, tx *database.Tx, now time.Time) error {
	held := 0
	err := tx.Query(ctx, anyLeaseHeld, []any{now.UnixMilli()}, func(r database.Row) error { return r.Scan(&held) })
	if err == nil && held > 0 {
		err = errors.New(
			"a scheduler uses the store without the shared log, must be stopped, and its lease must expire",
		)
	}
	return err
}

// ErrShared says that tables lack what a shared log has.
var ErrShared = errors.New("what happened last is in a shared log, not in the tables: open the store with its log, or stop the last scheduler that has it, which brings everything into the tables")

// CheckPlain returns [ErrShared] if the tables lack what a shared log has.
func CheckPlain(ctx context.Context, s *records.Store) error {
	query := func(query string, scan func(database.Row) error) error { return s.Query(ctx, query, nil, scan) }
	m, _, err := readShared(query, "")
	if err == nil && m.state == stateOpen {
		err = ErrShared
	}
	return err
}

// storeShared stores the positions that a cut applies, if this process still has the pen.
func (f *front) storeShared(ctx context.Context, tx *database.Tx, c *cut) error {
	changed, err := tx.Exec(ctx, moveShared, c.applied.settled, c.applied.runs, c.applied.plans, c.lastFire, c.lastLog,
		msOf(c.at), int64(c.applied.generation), c.applied.pen)
	if err == nil && changed == 0 {
		err = errPen
	}
	if err != nil {
		return err
	}
	return f.reserveLogs(ctx, tx, c.lastLog)
}

// sharedIDs returns the highest ids that were given.
func sharedIDs(ctx context.Context, tx *database.Tx) (fire, log int64, err error) {
	m, _, err := readShared(
		func(query string, scan func(database.Row) error) error { return tx.Query(ctx, query, nil, scan) }, "",
	)
	if err != nil {
		return 0, 0, err
	}
	for table, last := range map[string]*int64{"xxlwheel_fire": &m.fire, "xxl_job_log": &m.log} {
		err := tx.Query(ctx, selectGiven+table, nil, func(r database.Row) error {
			var id int64
			err := r.Scan(&id)
			*last = max(*last, id)
			return err
		})
		if err != nil {
			return 0, 0, err
		}
	}
	return m.fire, m.log, nil
}

// reserve ensures that a table gives only ids above last.
func reserve(ctx context.Context, tx *database.Tx, table string, last int64) error {
	if last == 0 {
		return nil
	}
	statements := tx.Dialect.ReserveWithin
	if statements == nil {
		statements = tx.Dialect.ReserveIDs
	}
	for _, statement := range statements(table, last) {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// rememberFires stores the highest fire id that was given, because the row with that id may already
// be deleted.
func rememberFires(ctx context.Context, tx *database.Tx, last int64) error {
	_, err := tx.Exec(ctx, numberFires, last, last)
	return err
}

// closeLimit limits how long a close waits for the pen, and how long its transaction may last
// beside the time for its rows. It is twice as long as a process that has died keeps the pen. With
// the 4 s in which a node tries to give back its lease, a process whose servers do not answer ends
// before a supervisor kills it: Docker does after 10 s.
const closeLimit = 2 * sharedlog.Life

// closeShared writes everything to the tables and gives the log up. Only the last process says that
// the tables need no log: the others hold leases.
//
// If the log or the tables do not answer for [closeLimit], it returns an error. Nothing is lost
// then: every acknowledged change is in the log, and the next process that has the pen writes it to
// the tables.
//
// REQUIRES: f.mu is not held, because the transaction takes it.
func (f *front) closeShared(ctx context.Context) error {
	err := f.shared.flush.Write(with(
		ctx, scope{needs: all, changes: true, closing: true},
	), func(ctx context.Context, tx *database.Tx) error {
		// A process may get its first term at this moment, because the state still is open.
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		held := 0
		err := tx.Query(
			ctx, anyLeaseHeld, []any{f.Clock().UnixMilli()}, func(r database.Row) error { return r.Scan(&held) },
		)
		if err != nil || held > 0 {
			return err
		}
		if !f.besideJava() { // otherwise reserveLogs has done it
			// A process without the log gets its ids from the table. The memory is locked, so no
			// id is given meanwhile.
			if err := reserve(ctx, tx, "xxl_job_log", f.m.lastLog); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, markClosed, f.applied.pen)
		return err
	})
	close(f.shared.stop)
	f.shared.ended.Wait()
	return errors.Join(err, f.journal.Close())
}
