package runs

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
)

// The log rows of a removed job are deleted in chunks: to delete a million of them in the
// transaction that removes the job would block all other transactions for seconds. A table
// remembers the job until no row is left, and for a minute more: observers learn of the removal
// only by looking at the table, see [xxladapter.Marks]. A negative last_log_id says that no row is
// left, and since when, in milliseconds.
const (
	lastLog       = `SELECT MAX(id) FROM xxl_job_log`
	insertRemoved = `INSERT INTO xxlwheel_removed_job (job_id, last_log_id) VALUES (?, ?)`
	firstRemoved  = `SELECT job_id, last_log_id FROM xxlwheel_removed_job WHERE last_log_id > 0 ORDER BY job_id LIMIT 1`
	emptyRemoved  = `UPDATE xxlwheel_removed_job SET last_log_id = ? WHERE job_id = ?`

	// oldRemoved are the jobs to forget. Argument: the last_log_id of the youngest one.
	oldRemoved  = ` FROM xxlwheel_removed_job WHERE last_log_id < 0 AND last_log_id >= ?`
	removedLife = time.Minute

	selectRowsOf = `SELECT id FROM xxl_job_log WHERE job_id = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?`
)

var (
	// selectOpen returns the trigger times of the rows in a batch that have no outcome.
	selectOpen    = `SELECT trigger_time FROM xxl_job_log WHERE handle_code = 0 AND trigger_code IN (0, 200) AND id IN ` + batchOfIDs
	deleteRemoved = `DELETE FROM xxl_job_log WHERE id IN ` + batchOfIDs

	// forgetRemoved follows the last chunk. Alarms may have been recorded since the job was
	// removed.
	forgetRemoved = []string{
		`DELETE FROM xxlwheel_alarm WHERE job_id = ? AND NOT EXISTS (SELECT 1 FROM xxl_job_info WHERE xxl_job_info.id = xxlwheel_alarm.job_id)`,
		`DELETE FROM xxlwheel_alarm_claim WHERE job_id = ? AND NOT EXISTS (SELECT 1 FROM xxl_job_info WHERE xxl_job_info.id = xxlwheel_alarm_claim.job_id)`,
		`DELETE FROM xxlwheel_last_result WHERE job_id = ? AND NOT EXISTS (SELECT 1 FROM xxl_job_info WHERE xxl_job_info.id = xxlwheel_last_result.job_id)`,
	}
)

// NoteRemoved records that the jobs were removed and that their log rows have to be deleted.
//
// REQUIRES: no further log row of the jobs can be written.
func NoteRemoved(ctx context.Context, t *database.Tx, now time.Time, jobs []int64) error {
	var last int64
	if err := t.Query(
		ctx, lastLog, nil, func(r database.Row) error { return r.Scan(database.Integer(&last)) },
	); err != nil {
		return err
	}
	if last == 0 {
		last = -database.ToMilli(now)
	}
	if err := t.DeleteOf(ctx, `DELETE FROM xxlwheel_removed_job WHERE `, "job_id", jobs); err != nil {
		return err
	}
	rows := make([][]any, len(jobs))
	for i, id := range jobs {
		rows[i] = []any{id, last}
	}
	return t.InsertAll(ctx, insertRemoved, rows)
}

// purgeRemoved deletes the next rows of the first removed job.
func (s *Store) purgeRemoved(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	if p.UntilID == 0 {
		p.AfterID = 0
		err := s.db.Query(ctx, firstRemoved, nil, func(r database.Row) error { return r.Scan(&p.JobID, &p.UntilID) })
		if p.UntilID == 0 || err != nil {
			return xxladapter.Purged{Next: p, Done: true}, errors.Join(err, s.forgetOldRemoved(ctx))
		}
	}
	ids, err := s.db.Ids(ctx, selectRowsOf, []any{p.JobID, p.AfterID, p.UntilID, limit})
	if err != nil {
		return xxladapter.Purged{}, err
	}
	uncounted, err := s.figures.MayBeUncounted(ctx, ids)
	if err != nil {
		return xxladapter.Purged{}, err
	}
	last := len(ids) < limit
	purged := xxladapter.Purged{Next: p}
	var begin time.Time
	err = s.db.WriteBy(ctx, s.db.BulkWrites, func(ctx context.Context, tx *database.Tx) (err error) {
		begin = time.Now()
		gone := figures.Changes{}
		purged.Rows, err = s.deleteCounted(ctx, tx, deleteRemoved, ids, uncounted, func(batch []any) error {
			return tx.Query(ctx, selectOpen+tx.Dialect.Lock, batch, func(r database.Row) error {
				var triggered time.Time
				err := r.Scan(database.Datetime(&triggered))
				s.figures.AddStatus(gone, triggered, xxladapter.LogRunning, -1)
				return err
			})
		})
		if err != nil {
			return err
		}
		if last {
			for _, statement := range forgetRemoved {
				if _, err := tx.Exec(ctx, statement, p.JobID); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, emptyRemoved, -database.ToMilli(s.db.Clock()), p.JobID); err != nil {
				return err
			}
		}
		return s.figures.Count(ctx, tx, gone)
	})
	if err != nil {
		return xxladapter.Purged{}, err
	}
	purged.Held = time.Since(begin)
	if last {
		purged.Next = xxladapter.LogPurge{Removed: true, Unalarmed: p.Unalarmed}
	} else {
		purged.Next.AfterID = ids[len(ids)-1]
	}
	return purged, nil
}

// forgetOldRemoved forgets the removed jobs that have had no log row for removedLife.
func (s *Store) forgetOldRemoved(ctx context.Context) error {
	youngest := -database.ToMilli(s.db.Clock().Add(-removedLife))
	if old, err := s.db.Finds(ctx, `SELECT 1`+oldRemoved, youngest); !old || err != nil {
		return err
	}
	return s.db.WriteBy(ctx, s.db.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `DELETE`+oldRemoved, youngest)
		return err
	})
}
