package records

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// Each due time takes dueWidth characters and a comma, so that a part of them can be read.
const dueWidth = 14

const (
	insertBackfill  = `INSERT INTO xxlwheel_backfill (job_id, state, changed, progress, dues) VALUES (?, ?, ?, ?, ?)`
	updateBackfill  = `UPDATE xxlwheel_backfill SET state = ?, changed = ?, progress = ? WHERE id = ?`
	selectBackfill  = `SELECT id, job_id, state, changed, progress FROM xxlwheel_backfill`
	selectNextDues  = `SELECT SUBSTR(dues, ?, ?) FROM xxlwheel_backfill WHERE id = ?`
	selectDues      = `SELECT dues FROM xxlwheel_backfill WHERE id = ?`
	runningBackfill = `SELECT 1 FROM xxlwheel_backfill WHERE job_id = ? AND state = 'RUNNING'`
	jobOfBackfill   = `SELECT job_id FROM xxlwheel_backfill WHERE id = ?`
	dropOrphaned    = `DELETE FROM xxlwheel_backfill WHERE id = ?
		AND NOT EXISTS (SELECT 1 FROM xxl_job_info WHERE xxl_job_info.id = xxlwheel_backfill.job_id)`
	// dropBackfilled is completed with the job. Claimed fires stay until they are settled.
	dropBackfilled = dropPlanned + ` AND trigger_type = 'BACKFILL'`
)

// CreateBackfill implements [xxladapter.Store].
func (s *Store) CreateBackfill(ctx context.Context, b *xxladapter.Backfill) (id int64, err error) {
	if err := s.Dialect.Widths.CheckOverride(b.Param); err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := lockJob(ctx, tx, b.JobID); err != nil {
			return err
		}
		running, err := tx.Has(ctx, runningBackfill, b.JobID)
		if err != nil {
			return err
		}
		if running {
			return xxladapter.Conflictf(errorrule.BackfillRunning,
				"a backfill of job %d is running, must end or be cancelled first",
				b.JobID)
		}
		is := xxladapter.NewBackfill(b, 0, s.Clock())
		id, err = tx.Insert(
			ctx, insertBackfill, is.JobID, string(is.State), is.Changed, progressText(is), joinDues(is.Dues),
		)
		if err != nil {
			return err
		}
		is.ID = id
		return s.recordOfJob(ctx, tx, is.JobID, is.Fields())
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// recordOfJob appends an audit row of a job with fields that it did not have before, if ctx has a
// call.
func (s *Store) recordOfJob(ctx context.Context, tx *database.Tx, id int64, fields xxladapter.Fields) error {
	if xxladapter.CallOf(ctx) == "" {
		return nil
	}
	job := xxladapter.Job{ID: id}
	err := tx.Query(ctx, `SELECT job_group, job_desc FROM xxl_job_info WHERE id = ?`, []any{id}, func(r database.Row) error {
		return r.Scan(&job.GroupID, database.Text(&job.Name))
	})
	if err != nil {
		return err
	}
	return s.Record(ctx, tx, job.Audited(), nil, fields)
}

// AdvanceBackfill implements [xxladapter.Store]. It deletes a backfill whose job another program
// has removed, which would otherwise be running forever.
func (s *Store) AdvanceBackfill(ctx context.Context, b *xxladapter.Backfill) (planned []xxladapter.Fire, err error) {
	var absent error
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		planned, absent = nil, nil
		is, err := lockBackfill(ctx, tx, b.ID)
		if errors.Is(err, xxladapter.ErrNotFound) {
			absent = err
			_, err = tx.Exec(ctx, dropOrphaned, b.ID)
			return err
		}
		if err != nil {
			return err
		}
		if err := is.Advance(b); err != nil {
			return err
		}
		if is.Wants() > 0 {
			if planned, err = s.planBackfill(ctx, tx, is); err != nil {
				return err
			}
		}
		is.Settle(s.Clock())
		return saveBackfill(ctx, tx, is)
	})
	if err = cmp.Or(err, absent); err != nil {
		return nil, err
	}
	return planned, nil
}

// planBackfill plans the next due times, up to the first one that another fire of the job has.
func (s *Store) planBackfill(
	ctx context.Context, tx *database.Tx, b *xxladapter.Backfill,
) (planned []xxladapter.Fire, err error) {
	var text string
	const each = dueWidth + 1
	err = tx.Query(ctx, selectNextDues, []any{b.Planned*each + 1, b.Wants() * each, b.ID}, func(r database.Row) error {
		return r.Scan(database.Text(&text))
	})
	if err != nil {
		return nil, err
	}
	var group int64
	if err := tx.Query(
		ctx, selectGroupOf, []any{b.JobID}, func(r database.Row) error { return r.Scan(&group) },
	); err != nil {
		return nil, err
	}
	created := database.ToMilli(s.Clock())
	for _, due := range splitDues(text) {
		f := b.Fire(due)
		f.GroupID = group
		f, ok, err := s.planAt(ctx, tx, f)
		if err != nil || !ok {
			return planned, err
		}
		order, err := tx.Insert(ctx, insertOrder, b.JobID, f.ID, nil, "", created)
		if err != nil {
			return nil, err
		}
		b.HasPlanned(due, order)
		planned = append(planned, f)
	}
	return planned, nil
}

// CancelBackfill implements [xxladapter.Store].
func (s *Store) CancelBackfill(ctx context.Context, id int64) error {
	return s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		is, err := lockBackfill(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := is.Cancel(s.Clock()); err != nil {
			return err
		}
		if err := dropFires(ctx, tx, []int64{is.JobID}, dropBackfilled); err != nil {
			return err
		}
		if err := saveBackfill(ctx, tx, is); err != nil {
			return err
		}
		return s.recordOfJob(
			ctx, tx, is.JobID, xxladapter.Fields{{Name: "backfill", Value: is.ID}, {Name: "cancelled", Value: true}},
		)
	})
}

// lockBackfill reads a backfill without its due times, and locks its job and then itself until the
// transaction ends.
func lockBackfill(ctx context.Context, t *database.Tx, id int64) (b *xxladapter.Backfill, err error) {
	var job int64
	if err := t.Query(ctx, jobOfBackfill, []any{id}, func(r database.Row) error { return r.Scan(&job) }); err != nil {
		return nil, err
	}
	if job == 0 {
		return nil, noBackfill(id)
	}
	if err := lockJob(ctx, t, job); errors.Is(err, xxladapter.ErrNotFound) {
		return nil, noBackfill(id) // it is removed with its job
	} else if err != nil {
		return nil, err
	}
	err = t.Query(ctx, selectBackfill+` WHERE id = ?`+t.Dialect.Lock, []any{id}, func(r database.Row) (err error) {
		b, err = scanBackfill(r)
		return err
	})
	if err == nil && b == nil {
		err = noBackfill(id)
	}
	return b, err
}

func saveBackfill(ctx context.Context, t *database.Tx, b *xxladapter.Backfill) error {
	_, err := t.Exec(ctx, updateBackfill, string(b.State), b.Changed, progressText(b), b.ID)
	return err
}

// Backfill implements [xxladapter.Store].
func (s *Store) Backfill(ctx context.Context, id int64) (b *xxladapter.Backfill, err error) {
	err = s.Query(ctx, selectBackfill+` WHERE id = ?`, []any{id}, func(r database.Row) (err error) {
		b, err = scanBackfill(r)
		return err
	})
	if err == nil && b == nil {
		err = noBackfill(id)
	}
	if err != nil {
		return nil, err
	}
	err = s.Query(ctx, selectDues, []any{id}, func(r database.Row) error {
		var text string
		err := r.Scan(database.Text(&text))
		b.Dues = splitDues(text)
		return err
	})
	return b, err
}

// Backfills implements [xxladapter.Store].
func (s *Store) Backfills(ctx context.Context, f xxladapter.BackfillFilter) (found []*xxladapter.Backfill, err error) {
	var where database.Conditions
	if f.JobID != 0 {
		where.Add(`job_id = ?`, f.JobID)
	}
	where.AddJobsOf(s.Dialect, f.Groups)
	if f.State != "" {
		where.Add(`state = ?`, string(f.State))
	}
	if f.Before != 0 {
		where.Add(`id < ?`, f.Before)
	}
	query, args := where.Selecting(selectBackfill, `id DESC`, f.Limit)
	err = s.Query(ctx, query, args, func(r database.Row) error {
		b, err := scanBackfill(r)
		found = append(found, b)
		return err
	})
	return found, err
}

func scanBackfill(r database.Row) (*xxladapter.Backfill, error) {
	var b xxladapter.Backfill
	var progress string
	if err := r.Scan(&b.ID, &b.JobID, database.Text(&b.State), &b.Changed, database.Text(&progress)); err != nil {
		return nil, err
	}
	if json.Unmarshal([]byte(progress), &b.BackfillProgress) != nil {
		b.BackfillProgress = xxladapter.BackfillProgress{}
	}
	return &b, nil
}

func progressText(b *xxladapter.Backfill) string {
	text, err := json.Marshal(b.BackfillProgress)
	if err != nil {
		panic(err) // texts, numbers and times that JSON has
	}
	return string(text)
}

func joinDues(dues []time.Time) string {
	var b strings.Builder
	for _, due := range dues {
		fmt.Fprintf(&b, "%0*d,", dueWidth, due.UnixMilli())
	}
	return b.String()
}

func splitDues(text string) (dues []time.Time) {
	for part := range strings.SplitSeq(text, ",") {
		if ms, err := strconv.ParseInt(part, 10, 64); err == nil {
			dues = append(dues, time.UnixMilli(ms).UTC())
		}
	}
	return dues
}

func noBackfill(id int64) error {
	return xxladapter.Absent("backfill", id)
}
