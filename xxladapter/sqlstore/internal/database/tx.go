package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// ReportSlots is the number of slots that the figures of a day have. Transactions with different
// slots do not wait for each other; each chooses one at random.
const ReportSlots = 16

// A session runs statements: a connection, a transaction on one, or a pool.
type session interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// A Tx is a transaction on one connection, or the single statement of [Writer.WriteOne]. It
// prepares each statement once per connection, unless [Dialect.Cached] leaves that to the driver.
type Tx struct {
	session
	Dialect  *Dialect
	prepared map[string]*sql.Stmt // by their text
	Slot     int                  // of the figures, 0 to ReportSlots-1
}

// NewTx returns a Tx that prepares its statements once, on the connection's first use of each.
func NewTx(on session, d *Dialect) *Tx {
	return &Tx{session: on, Dialect: d, prepared: map[string]*sql.Stmt{}}
}

// A Row is the current row of a result.
type Row interface{ Scan(dest ...any) error }

// run runs the query with its prepared statement, or leaves preparing to the driver.
func run[T any](ctx context.Context, t *Tx, query string, args []any,
	direct func(context.Context, string, ...any) (T, error), prepared func(*sql.Stmt, context.Context, ...any) (T, error)) (T, error) {

	query, args = t.Dialect.Text(query), t.Dialect.arguments(args)
	if t.Dialect.Cached {
		return direct(ctx, query, args...)
	}
	stmt := t.prepared[query]
	if stmt == nil {
		var err error
		if stmt, err = t.PrepareContext(ctx, query); err != nil {
			var none T
			return none, fmt.Errorf("prepare %q: %w", query, err)
		}
		t.prepared[query] = stmt
	}
	return prepared(stmt, ctx, args...)
}

// ClosePrepared closes the statements. Statements of a [sql.Conn] are not closed with it, and an
// open one keeps SQLite from folding the write-ahead log into the database file.
func (t *Tx) ClosePrepared() error {
	var errs []error
	for _, stmt := range t.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}

func (t *Tx) result(ctx context.Context, query string, args []any) (sql.Result, error) {
	return run(ctx, t, query, args, t.ExecContext, (*sql.Stmt).ExecContext)
}

// Exec runs a statement and returns how many rows it changed.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	result, err := t.result(ctx, query, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Insert returns the id of the row that the statement inserted, or 0 if it inserted none.
func (t *Tx) Insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	if t.Dialect.Returning {
		err := t.Query(ctx, query+` RETURNING id`, args, func(r Row) error { return r.Scan(&id) })
		return id, err
	}
	result, err := t.result(ctx, query, args)
	if err != nil {
		return 0, err
	}
	if changed, err := result.RowsAffected(); changed == 0 || err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Query calls scan for each row. scan must not use the transaction.
func (t *Tx) Query(ctx context.Context, query string, args []any, scan func(Row) error) error {
	rows, err := run(ctx, t, query, args, t.QueryContext, (*sql.Stmt).QueryContext)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}

// Has reports whether the query selects anything.
func (t *Tx) Has(ctx context.Context, query string, args ...any) (bool, error) {
	found := false
	err := t.Query(ctx, query, args, func(Row) error {
		found = true
		return nil
	})
	return found, err
}

// Select runs a query that is not worth preparing and calls scan for each row.
func Select(ctx context.Context, on interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, args []any, scan func(Row) error) error {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}

// scanAll calls scan for each row and closes the rows.
func scanAll(rows *sql.Rows, scan func(Row) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// selectTerm reads the number of the last term from the one row of xxlwheel_term.
const selectTerm = `SELECT last FROM xxlwheel_term`

// LockTerm waits for the row at which renewals wait for each other, and returns the number of the
// last term.
func (t *Tx) LockTerm(ctx context.Context) (last int64, err error) {
	err = t.Query(ctx, selectTerm+t.Dialect.Lock, nil, func(r Row) error { return r.Scan(&last) })
	return last, err
}
