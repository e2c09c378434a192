package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	updateGlue = `UPDATE xxl_job_info SET glue_type = ?, glue_source = ?, glue_remark = ?, glue_updatetime = ? WHERE id = ?`

	hasGlue = `SELECT 1 FROM xxl_job_logglue WHERE job_id = ? LIMIT 1`
	// InsertGlue inserts a version of a script.
	InsertGlue = `INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, add_time, update_time) VALUES (?, ?, ?, ?, ?, ?)`
	// The newest versions have the highest ids, whereas the clock may have been set back between
	// two. The inner SELECT is a derived table, because MySQL does not select from the table that
	// it deletes from.
	dropOldGlue = `DELETE FROM xxl_job_logglue WHERE job_id = ? AND id NOT IN (SELECT id FROM
		(SELECT id FROM xxl_job_logglue WHERE job_id = ? ORDER BY id DESC LIMIT ?) AS newest)`
	selectVersions = `SELECT id, job_id, glue_type, glue_source, glue_remark, add_time FROM xxl_job_logglue
		WHERE job_id = ? ORDER BY id DESC LIMIT ?`
)

// saveGlue stores the changed source as a new version and removes the oldest ones. If the job has
// no version yet, the source before the change becomes the first one.
//
// REQUIRES: the job is locked.
func saveGlue(ctx context.Context, t *database.Tx, was, is *xxladapter.Job, now time.Time) error {
	if has, err := t.Has(ctx, hasGlue, is.ID); err != nil {
		return err
	} else if !has {
		if err := addGlue(ctx, t, was, was.GlueUpdated); err != nil {
			return err
		}
	}
	if err := addGlue(ctx, t, is, now); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, dropOldGlue, is.ID, is.ID, xxladapter.MaxGlueVersions); err != nil {
		return err
	}
	_, err := t.Exec(
		ctx, updateGlue, string(is.GlueType), is.GlueSource, is.GlueRemark, t.Dialect.Datetime(is.GlueUpdated), is.ID,
	)
	return err
}

func addGlue(ctx context.Context, t *database.Tx, j *xxladapter.Job, added time.Time) error {
	at := t.Dialect.Datetime(added)
	_, err := t.Exec(ctx, InsertGlue, j.ID, string(j.GlueType), j.GlueSource, j.GlueRemark, at, at)
	return err
}

// GlueVersions implements [xxladapter.Store].
func (s *Store) GlueVersions(ctx context.Context, jobID int64) ([]*xxladapter.GlueVersion, error) {
	var list []*xxladapter.GlueVersion
	err := s.Query(ctx, selectVersions, []any{jobID, xxladapter.MaxGlueVersions}, func(r database.Row) error {
		var v xxladapter.GlueVersion
		list = append(list, &v)
		return r.Scan(
			&v.ID, &v.JobID, database.Text(&v.Type), database.Text(&v.Source), database.Text(&v.Remark),
			database.Datetime(&v.Added),
		)
	})
	return list, err
}
