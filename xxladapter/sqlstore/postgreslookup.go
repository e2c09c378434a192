package sqlstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// anyID completes the query of an [entity] for several rows.
const anyID = ` WHERE id = ANY($1)`

// postgresLookup runs a [lookup] by one connection.
type postgresLookup struct{ pool *pgxpool.Pool }

// read finds what there is of the ids. A connection that was lost is replaced.
func (p *postgresLookup) read(ctx context.Context, l *lookup) error {
	err := p.once(ctx, l)
	for attempt := 1; err != nil && attempt < readAttempts && postgresRepeats(err) && ctx.Err() == nil; attempt++ {
		err = p.once(ctx, l)
	}
	return err
}

func (p *postgresLookup) once(ctx context.Context, l *lookup) error {
	var batch pgx.Batch
	queueLookup(&batch, l, &jobEntity)
	queueLookup(&batch, l, &groupEntity)
	queueLookup(&batch, l, &logEntity)
	return p.pool.SendBatch(ctx, &batch).Close()
}

func queueLookup[T any](batch *pgx.Batch, l *lookup, e *entity[T]) {
	ids := l.ids[e.table]
	if len(ids) == 0 {
		return
	}
	batch.Queue(e.query+anyID, ids).Query(func(rows pgx.Rows) error {
		found := make(map[int64]any, len(ids))
		for rows.Next() {
			row, err := e.scan(rows)
			if err != nil {
				return err
			}
			found[e.id(row)] = row
		}
		l.found[e.table] = found
		return rows.Err()
	})
}
