package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// repetitions is how often a transaction is tried again after a deadlock, of
// which the server ends one side.
const repetitions = 10

// mysqlRepeats reports whether the server gave up a transaction that may
// succeed when it is tried again.
func mysqlRepeats(err error) bool { return isMySQL(err, mysqlDeadlock, mysqlChangedSince) }

// repeatable is mysqlRepeats for a group, in which one row that is locked for
// long must not fail all the others at once.
func repeatable(err error) bool { return mysqlRepeats(err) || isMySQL(err, mysqlLockWait) }

// pause keeps two transactions from meeting again and again.
func pause(attempt int) {
	time.Sleep(time.Duration(rand.Int64N(int64(attempt+1) * int64(5*time.Millisecond))))
}

// A mysqlWriter is the group commit of a database over the network: the group
// has no savepoints, which would cost a round trip for each write. If one fails
// after a change, the group is taken back and run again with them.
//
// Several groups run at once, because most of a group's time goes by between
// this process and the server.
type mysqlWriter struct {
	*groupCommit
	db      *sql.DB
	dialect *dialect
}

// mysqlGroups is how many groups run at once.
const mysqlGroups = 8

func newMySQLWriter(db *sql.DB, d *dialect) *mysqlWriter {
	m := &mysqlWriter{db: db, dialect: d}
	// Each has a slot of its own and always the same, so that two of them, of
	// whatever nodes, wait for each other at one slot or none.
	first := rand.IntN(reportSlots)
	var together []func([]*write) error
	for i := range mysqlGroups {
		slot := (first + i) % reportSlots
		together = append(together, func(group []*write) error { return m.commit(group, slot) })
	}
	m.groupCommit = newQueue(together...)
	return m
}

func (m *mysqlWriter) close() error {
	m.finish()
	return m.db.Close()
}

// errSpoiled says that a group has the changes of a write that failed.
var errSpoiled = errors.New("sqlstore: a write failed after a change")

func (m *mysqlWriter) commit(group []*write, slot int) error {
	savepoints := false
	for attempt := 0; ; {
		err := m.try(group, slot, savepoints)
		switch {
		case errors.Is(err, errSpoiled):
			savepoints = true
		case repeatable(err) && attempt < repetitions:
			pause(attempt)
			attempt++
		default:
			return err
		}
	}
}

func (m *mysqlWriter) try(group []*write, slot int, savepoints bool) (err error) {
	if len(group) == 0 {
		return nil
	}
	ctx := context.Background()
	transaction, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// An error here adds nothing: the connection is gone, and the
			// transaction with it.
			_ = transaction.Rollback()
		}
	}()
	t := &tx{session: transaction, dialect: m.dialect, slot: slot}
	for _, w := range group {
		if savepoints {
			if _, err := t.ExecContext(ctx, "SAVEPOINT one"); err != nil {
				return fmt.Errorf("savepoint: %w", err)
			}
		}
		before := t.changes
		w.err = w.run(t)
		switch {
		case w.err == nil:
		case repeatable(w.err):
			return w.err
		case t.changes == before: // it has only read
		case !savepoints:
			return errSpoiled
		default:
			if _, err := t.ExecContext(ctx, "ROLLBACK TO SAVEPOINT one"); err != nil {
				return errors.Join(w.err, err)
			}
		}
	}
	if err := transaction.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}
