package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// anyID completes the query of an [records.Entity] for several rows.
const anyID = ` WHERE id = ANY($1)`

// lookup runs a [records.Lookup] by one connection.
type lookup struct{ pool *pgxpool.Pool }

// read finds what there is of the ids. A connection that was lost is replaced.
func (p *lookup) read(ctx context.Context, l *records.Lookup) error {
	err := p.once(ctx, l)
	for attempt := 1; err != nil && attempt < network.ReadAttempts && repeats(err) && ctx.Err() == nil; attempt++ {
		err = p.once(ctx, l)
	}
	return err
}

func (p *lookup) once(ctx context.Context, l *records.Lookup) error {
	var batch pgx.Batch
	queueLookup(&batch, l, &records.JobEntity)
	queueLookup(&batch, l, &records.GroupEntity)
	queueLookup(&batch, l, &records.LogEntity)
	return p.pool.SendBatch(ctx, &batch).Close()
}

func queueLookup[T any](batch *pgx.Batch, l *records.Lookup, e *records.Entity[T]) {
	ids := l.IDs[e.Table]
	if len(ids) == 0 {
		return
	}
	batch.Queue(e.Query+anyID, ids).Query(func(rows pgx.Rows) error {
		found := make(map[int64]any, len(ids))
		for rows.Next() {
			row, err := e.Scan(rows)
			if err != nil {
				return err
			}
			found[e.ID(row)] = row
		}
		l.Found[e.Table] = found
		return rows.Err()
	})
}
