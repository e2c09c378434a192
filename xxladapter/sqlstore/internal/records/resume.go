package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	selectWaiting = `SELECT trigger_last_time FROM xxl_job_info
		WHERE id = ? AND trigger_status = 1 AND trigger_next_time = ?`
	hasFire    = `SELECT 1 FROM xxlwheel_fire WHERE job_id = ? LIMIT 1`
	hasOpenRun = `SELECT 1 FROM xxl_job_log
		WHERE trigger_code = 200 AND handle_code = 0 AND job_id = ? AND trigger_time >= ? LIMIT 1`
)

// ResumeJob implements [xxladapter.Store].
func (s *Store) ResumeJob(ctx context.Context, r xxladapter.Resume) (resumed bool, err error) {
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		resumed, err = s.resume(ctx, tx, r)
		return err
	})
	return resumed && err == nil, err
}

// resume sets the job's next time as r says. It locks the job first: if two shards end at the same
// time, the second one waits there and then sees that it is the last. Where the database shows the
// second one an older state, neither resumes the job, and ResumeJob does so later.
func (s *Store) resume(ctx context.Context, tx *database.Tx, r xxladapter.Resume) (bool, error) {
	if r.JobID == 0 {
		return false, nil
	}
	var last time.Time
	waiting := false
	err := tx.Query(ctx, selectWaiting+s.Dialect.Lock, []any{
		r.JobID, database.ToMilli(xxladapter.AfterRun),
	}, func(row database.Row) error {
		waiting = true
		return row.Scan(database.Milli(&last))
	})
	if !waiting || err != nil {
		return false, err
	}
	if open, err := tx.Has(ctx, hasFire, r.JobID); open || err != nil {
		return false, err
	}
	if open, err := tx.Has(ctx, hasOpenRun, r.JobID, s.Dialect.Datetime(last)); open || err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, setNext, database.ToMilli(r.Next), r.JobID)
	return err == nil, err
}
