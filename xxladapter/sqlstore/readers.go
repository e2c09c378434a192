package sqlstore

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// readers is the pool of connections that only read, beside the writer and
// never waiting for it. Filters lead to few different queries, so each is
// prepared once; the pool closes them with its connections.
type readers struct {
	db       *sql.DB
	dialect  *dialect
	prepared sync.Map // of *sql.Stmt by query
	// repeat reports whether a query that failed like this may succeed when it
	// is repeated; nil: none.
	repeat func(error) bool
}

func (r *readers) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	query, args = r.dialect.text(query), r.dialect.arguments(args)
	if r.dialect.cached {
		begun := time.Now()
		rows, err := r.db.QueryContext(ctx, query, args...)
		for attempt := 1; err != nil && attempt < readAttempts && r.repeat != nil && r.repeat(err) && ctx.Err() == nil &&
			time.Since(begun) < writeLife; attempt++ {
			rows, err = r.db.QueryContext(ctx, query, args...)
		}
		if err != nil {
			return err
		}
		return scanAll(rows, scan)
	}
	prepared, ok := r.prepared.Load(query)
	if !ok {
		stmt, err := r.db.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		var raced bool
		if prepared, raced = r.prepared.LoadOrStore(query, stmt); raced {
			_ = stmt.Close()
		}
	}
	rows, err := prepared.(*sql.Stmt).QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}
