package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/gather"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// A batchWriter writes to a database through one connection. It takes the waiting writes, at most
// [records.MaxBatch], runs them in one transaction and syncs once for all of them: with many
// callers a durable write costs a fraction of a sync.
//
// Each write has its own savepoint, so a failing one rolls back only its own changes.
type batchWriter struct {
	db    *sql.DB
	conn  *sql.Conn // does not wait for locks by itself, see lockwait.go
	tx    *database.Tx
	queue *gather.Queue[*write]
	front database.Front // nil means that the tables have everything

	lockWait time.Duration // for other processes
}

// A write is one waiting call.
type write struct {
	ctx    context.Context
	apply  func(context.Context, *database.Tx) error
	single bool // a single statement
	err    error

	// panicked is a text with the value that apply panicked with and the stack; nil means that it
	// did not panic. The panic continues in the goroutine that called Write, which may recover from
	// it; here it would end the process.
	panicked any
}

// run runs apply; a panic counts as its failure.
func (w *write) run(tx *database.Tx) (err error) {
	defer func() {
		if w.panicked = recover(); w.panicked != nil {
			w.panicked = fmt.Sprintf("%v\n\n%s", w.panicked, debug.Stack())
			err = errors.New("sqlstore: panic in a write")
		}
	}()
	// A cancelled caller must not interrupt a write halfway.
	return w.apply(context.WithoutCancel(w.ctx), tx)
}

// newBatchWriter creates the writer of db and takes ownership of db. Its writes wait for those of
// other processes for lockWait at most.
func newBatchWriter(
	ctx context.Context, db *sql.DB, d *database.Dialect, lockWait time.Duration,
) (*batchWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	b := &batchWriter{db: db, conn: conn, tx: database.NewTx(conn, d), lockWait: lockWait}
	b.queue = &gather.Queue[*write]{Run: b.run, Limit: records.MaxBatch, Stay: true}
	return b, nil
}

// Write returns when apply's changes are durable, or were rolled back. If ctx ends before a batch
// takes the write, apply never runs; after that, ctx has no effect.
func (b *batchWriter) Write(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	return b.join(&write{ctx: ctx, apply: apply})
}

// WriteOne writes by a single statement, which runs without a transaction if it is alone.
func (b *batchWriter) WriteOne(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	return b.join(&write{ctx: ctx, apply: apply, single: true})
}

// join waits in the queue until the writer has run w, or its caller leaves.
func (b *batchWriter) join(w *write) error {
	if err := b.queue.Do(w.ctx, w); err != nil {
		return err
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	return w.err
}

// Close waits for the running batch and closes the database.
//
// REQUIRES: no call of Write is made or waits.
func (b *batchWriter) Close() error {
	b.queue.Wait()
	return errors.Join(b.tx.ClosePrepared(), b.conn.Close(), b.db.Close())
}

func (b *batchWriter) run(batch []*write) {
	if err := b.commit(batch); err != nil {
		for _, w := range batch {
			w.err = err
		}
	}
}

// commit runs the batch in one transaction. It returns an error if no write took effect; otherwise
// each write has its own.
func (b *batchWriter) commit(batch []*write) (err error) {
	if len(batch) == 1 && batch[0].single && b.front == nil {
		batch[0].err = inDoubt(b.withLock(func() error { return batch[0].run(b.tx) }))
		return nil
	}
	ctx := context.Background()
	var front database.FrontTx = nothingHeld{}
	if b.front != nil {
		calls := make([]context.Context, len(batch))
		for i, w := range batch {
			calls[i] = w.ctx
		}
		front = b.front.Begin(calls)
	}
	defer func() { front.End(err == nil) }()
	begin := func() error {
		_, err := b.tx.Exec(ctx, "BEGIN IMMEDIATE")
		return err
	}
	if err := b.withLock(begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// An error here adds nothing: SQLite may have rolled back by itself.
			_, _ = b.tx.Exec(ctx, "ROLLBACK")
		}
	}()
	if err := front.Before(ctx, b.tx); err != nil {
		return err
	}
	for _, w := range batch {
		if w.err, err = b.runOne(w); err != nil {
			return err
		}
	}
	if err := front.After(ctx, b.tx); err != nil {
		return err
	}
	if _, err := b.tx.Exec(ctx, "COMMIT"); err != nil {
		return inDoubt(fmt.Errorf("commit: %w", err))
	}
	return nil
}

// inDoubt marks the error of a commit that the disk has failed. If only the sync of SQLite's log
// has failed, the log has the whole commit: this process does not see it, but a crash brings it
// back unless a later commit has taken its place.
func inDoubt(err error) error {
	return database.InDoubt(err, func(err error) bool { return !hasCode(err, sqlite3.SQLITE_IOERR) })
}

// runOne runs one write between savepoints. failed is the write's own error. err means that the
// transaction is lost: SQLite gives up a whole transaction after errors such as a full disk.
func (b *batchWriter) runOne(w *write) (failed, err error) {
	ctx := context.Background()
	if _, err := b.tx.Exec(ctx, "SAVEPOINT one"); err != nil {
		return nil, fmt.Errorf("savepoint: %w", err)
	}
	if failed = w.run(b.tx); failed != nil {
		if _, err := b.tx.Exec(ctx, "ROLLBACK TO one"); err != nil {
			return nil, errors.Join(failed, err)
		}
	}
	if _, err := b.tx.Exec(ctx, "RELEASE one"); err != nil {
		return nil, errors.Join(failed, err)
	}
	return failed, nil
}

// nothingHeld is the [database.FrontTx] of a database whose tables have everything.
type nothingHeld struct{}

func (nothingHeld) Before(context.Context, *database.Tx) error { return nil }
func (nothingHeld) After(context.Context, *database.Tx) error  { return nil }
func (nothingHeld) End(bool)                                   {}
