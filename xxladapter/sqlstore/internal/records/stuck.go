package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// SelectStuck reads rows without any outcome, which are few at any time. SQLite and PostgreSQL have
// a partial index of them.
const SelectStuck = `SELECT id FROM xxl_job_log
	WHERE trigger_code = 0 AND handle_code = 0 AND trigger_time <= ?
	AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE log_id = xxl_job_log.id)
	ORDER BY id LIMIT ?`

// WriteOffStuck implements [xxladapter.Store].
func (s *Store) WriteOffStuck(
	ctx context.Context, age time.Duration, limit, code int, msg string,
) ([]*xxladapter.Log, error) {
	if found, err := s.Finds(ctx, SelectStuck, s.Dialect.Datetime(s.Clock().Add(-age)), 1); !found || err != nil {
		return nil, err
	}
	var written []*xxladapter.Log
	err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		written = nil
		var ids []int64
		until := s.Dialect.Datetime(s.Clock().Add(-age))
		err := tx.Query(ctx, SelectStuck, []any{until, limit}, func(r database.Row) error {
			var id int64
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			rows, err := rowsOfRun(ctx, tx, id)
			if err != nil {
				return err
			}
			// The row may have got an outcome since it was read.
			change := transition.WriteOff(rows.Rows, code, msg)
			if change.Log.Columns == transition.NoColumns {
				continue
			}
			if _, err := s.carryOut(ctx, tx, change, rows, s.Clock()); err != nil {
				return err
			}
			err = tx.Query(ctx, `SELECT `+runs.LogColumns+
				` FROM xxl_job_log WHERE id = ?`, []any{id}, func(r database.Row) error {
				l, err := runs.ScanLog(r)
				written = append(written, l)
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}
