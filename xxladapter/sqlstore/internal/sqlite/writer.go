package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/gather"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// A groupWriter writes to a database through one connection. It takes all waiting writes, runs them
// in one transaction and syncs once for all of them: with many callers a durable write costs a
// fraction of a sync.
//
// Each write has its own savepoint, so a failing one rolls back only its own changes.
type groupWriter struct {
	db    *sql.DB
	conn  *sql.Conn
	tx    *records.Tx
	queue *gather.Queue[*write]
	front records.Front // nil means that the tables have everything
}

// A write is one waiting call.
type write struct {
	ctx    context.Context
	apply  func(context.Context, *records.Tx) error
	single bool // a single statement
	err    error

	// panicked is the value that apply panicked with. The panic continues in the goroutine that
	// called Write, which may recover from it; here it would end the process.
	panicked any
}

// run runs apply; a panic counts as its failure.
func (w *write) run(tx *records.Tx) (err error) {
	defer func() {
		if w.panicked = recover(); w.panicked != nil {
			w.panicked = fmt.Sprintf("%v\n\n%s", w.panicked, debug.Stack())
			err = errors.New("sqlstore: panic in a write")
		}
	}()
	// A cancelled caller must not interrupt a write halfway.
	return w.apply(context.WithoutCancel(w.ctx), tx)
}

// newGroupWriter creates the writer of db and takes ownership of db.
func newGroupWriter(ctx context.Context, db *sql.DB, d *records.Dialect) (*groupWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	g := &groupWriter{db: db, conn: conn, tx: records.NewTx(conn, d)}
	g.queue = &gather.Queue[*write]{Run: g.run, Limit: records.MaxGroup, Stay: true}
	return g, nil
}

// Write returns when apply's changes are durable, or were rolled back. If ctx ends before apply
// runs, apply never runs; after that, ctx has no effect.
func (g *groupWriter) Write(ctx context.Context, apply func(context.Context, *records.Tx) error) error {
	return g.join(&write{ctx: ctx, apply: apply})
}

// WriteOne writes by a single statement, which runs without a transaction if it is alone.
func (g *groupWriter) WriteOne(ctx context.Context, apply func(context.Context, *records.Tx) error) error {
	return g.join(&write{ctx: ctx, apply: apply, single: true})
}

// join waits in the queue until the writer has run w, or its caller leaves.
func (g *groupWriter) join(w *write) error {
	if err := g.queue.Do(w.ctx, w); err != nil {
		return err
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	return w.err
}

// Close waits for the running group and closes the database. REQUIRES: no call of Write is made or
// waits.
func (g *groupWriter) Close() error {
	g.queue.Wait()
	return errors.Join(g.tx.ClosePrepared(), g.conn.Close(), g.db.Close())
}

func (g *groupWriter) run(group []*write) {
	if err := g.commit(group); err != nil {
		for _, w := range group {
			w.err = err
		}
	}
}

// commit runs the group in one transaction. It returns an error if no write took effect; otherwise
// each write has its own.
func (g *groupWriter) commit(group []*write) (err error) {
	if len(group) == 1 && group[0].single && g.front == nil {
		group[0].err = group[0].run(g.tx)
		return nil
	}
	ctx := context.Background()
	var front records.FrontTx = nothingHeld{}
	if g.front != nil {
		calls := make([]context.Context, len(group))
		for i, w := range group {
			calls[i] = w.ctx
		}
		front = g.front.Begin(calls)
	}
	defer func() { front.End(err == nil) }()
	if _, err := g.tx.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if err != nil {
			// An error here adds nothing: SQLite may have rolled back by itself.
			_, _ = g.tx.Exec(ctx, "ROLLBACK")
		}
	}()
	if err := front.Before(ctx, g.tx); err != nil {
		return err
	}
	for _, w := range group {
		if w.err, err = g.runOne(w); err != nil {
			return err
		}
	}
	if err := front.After(ctx, g.tx); err != nil {
		return err
	}
	if _, err := g.tx.Exec(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// runOne runs one write between savepoints. failed is the write's own error. err means that the
// transaction is lost: SQLite gives up a whole transaction after errors such as a full disk.
func (g *groupWriter) runOne(w *write) (failed, err error) {
	ctx := context.Background()
	if _, err := g.tx.Exec(ctx, "SAVEPOINT one"); err != nil {
		return nil, fmt.Errorf("savepoint: %w", err)
	}
	if failed = w.run(g.tx); failed != nil {
		if _, err := g.tx.Exec(ctx, "ROLLBACK TO one"); err != nil {
			return nil, errors.Join(failed, err)
		}
	}
	if _, err := g.tx.Exec(ctx, "RELEASE one"); err != nil {
		return nil, errors.Join(failed, err)
	}
	return failed, nil
}

// nothingHeld is the [records.FrontTx] of a database whose tables have everything.
type nothingHeld struct{}

func (nothingHeld) Before(context.Context, *records.Tx) error { return nil }
func (nothingHeld) After(context.Context, *records.Tx) error  { return nil }
func (nothingHeld) End(bool)                                  {}
