package database

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// Readers run queries on a pool of connections, and do not wait for the writer. There are few
// different queries, so each is prepared once, unless [Dialect.Cached] leaves that to the driver;
// closing the pool closes the prepared statements. Some queries have a user's numbers in their
// text, so only the first mostPrepared are kept.
type Readers struct {
	DB       *sql.DB
	Dialect  *Dialect
	prepared sync.Map     // of *sql.Stmt by query
	kept     atomic.Int64 // statements in prepared
	// Repeat reports whether a query that failed like this may succeed when it is repeated. Nil
	// repeats none.
	Repeat func(error) bool
}

// mostPrepared limits the statements that are kept, because each takes memory. A few more may be
// kept if many queries come for the first time at once.
const mostPrepared = 512

func (r *Readers) query(ctx context.Context, query string, args []any, scan func(Row) error) error {
	query, args = r.Dialect.Text(query), r.Dialect.arguments(args)
	if r.Dialect.Cached {
		begun := time.Now()
		rows, err := r.DB.QueryContext(ctx, query, args...)
		for attempt := 1; err != nil && attempt < network.ReadAttempts && r.Repeat != nil && r.Repeat(err) &&
			ctx.Err() == nil &&
			time.Since(begun) < network.WriteLife; attempt++ {
			rows, err = r.DB.QueryContext(ctx, query, args...)
		}
		if err != nil {
			return err
		}
		return scanAll(rows, scan)
	}
	prepared, ok := r.prepared.Load(query)
	if !ok && r.kept.Load() >= mostPrepared {
		return Select(ctx, r.DB, query, args, scan)
	}
	if !ok {
		stmt, err := r.DB.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		var raced bool
		if prepared, raced = r.prepared.LoadOrStore(query, stmt); raced {
			_ = stmt.Close()
		} else {
			r.kept.Add(1)
		}
	}
	rows, err := prepared.(*sql.Stmt).QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, scan)
}
