package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// anyID completes the query of a [database.Entity] for several rows.
const anyID = ` WHERE id = ANY($1)`

// A lookup reads rows of several tables on one connection.
type lookup struct{ pool *pgxpool.Pool }

// read answers a batch. It replaces a connection that was lost.
func (p *lookup) read(ctx context.Context, calls []*database.Lookup) error {
	err := p.once(ctx, calls)
	for attempt := 1; err != nil && attempt < network.ReadAttempts && repeats(err) && ctx.Err() == nil; attempt++ {
		err = p.once(ctx, calls)
	}
	return err
}

func (p *lookup) once(ctx context.Context, calls []*database.Lookup) error {
	var batch pgx.Batch
	queueLookup(&batch, calls, &records.JobEntity)
	queueLookup(&batch, calls, &registry.GroupEntity)
	queueLookup(&batch, calls, &runs.LogEntity)
	return p.pool.SendBatch(ctx, &batch).Close()
}

func queueLookup[T any](batch *pgx.Batch, calls []*database.Lookup, e *database.Entity[T]) {
	ids := e.IDs(calls)
	if len(ids) == 0 {
		return
	}
	batch.Queue(e.Query+anyID, ids).Query(func(rows pgx.Rows) error {
		found := make(map[int64]*T, len(ids))
		for rows.Next() {
			row, err := e.Scan(rows)
			if err != nil {
				return err
			}
			found[e.ID(row)] = row
		}
		e.Answer(calls, found, nil)
		return rows.Err()
	})
}
