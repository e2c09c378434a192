package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A tx is a transaction on one connection. The statements it runs are prepared
// once in the connection's life.
type tx struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt // by their text
}

// A row is the current row of a result.
type row interface{ Scan(dest ...any) error }

func (t *tx) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := t.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	t.prepared[query] = stmt
	return stmt, nil
}

// close gives the connection back without its statements. Those prepared on a
// [sql.Conn] are not closed with it, and one that is left open keeps SQLite from
// folding the write-ahead log into the database file.
func (t *tx) close() error {
	var errs []error
	for _, stmt := range t.prepared {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, t.conn.Close())...)
}

// exec returns how many rows the statement changed.
func (t *tx) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	stmt, err := t.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// insert returns the id of the row that the statement inserted, or 0 if it
// inserted none.
func (t *tx) insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	stmt, err := t.prepare(ctx, query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	if changed, err := result.RowsAffected(); changed == 0 || err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// query hands each row to scan, which must not use the transaction.
func (t *tx) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	stmt, err := t.prepare(ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}

// has reports whether the query selects anything.
func (t *tx) has(ctx context.Context, query string, args ...any) (bool, error) {
	found := false
	err := t.query(ctx, query, args, func(row) error {
		found = true
		return nil
	})
	return found, err
}

func scanAll(rows *sql.Rows, scan func(row) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
