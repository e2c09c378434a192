package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	updateGlue = `UPDATE xxl_job_info SET glue_type = ?, glue_source = ?, glue_remark = ?, glue_updatetime = ? WHERE id = ?`

	hasGlue    = `SELECT 1 FROM xxl_job_logglue WHERE job_id = ? LIMIT 1`
	insertGlue = `INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, add_time, update_time) VALUES (?, ?, ?, ?, ?, ?)`
	// The inner SELECT is a derived table, because MySQL does not select from the table that it
	// deletes from.
	dropOldGlue = `DELETE FROM xxl_job_logglue WHERE job_id = ? AND id NOT IN (SELECT id FROM
		(SELECT id FROM xxl_job_logglue WHERE job_id = ? ORDER BY update_time DESC, id DESC LIMIT ?) AS newest)`
	selectVersions = `SELECT id, job_id, glue_type, glue_source, glue_remark, add_time FROM xxl_job_logglue
		WHERE job_id = ? ORDER BY update_time DESC, id DESC LIMIT ?`
)

// saveGlue stores the source of is as a new version and removes the oldest ones. If the job has no
// version yet, the source of was becomes the first one. REQUIRES: the job is locked.
func (t *Tx) saveGlue(ctx context.Context, was, is *xxladapter.Job, now time.Time) error {
	if has, err := t.has(ctx, hasGlue, is.ID); err != nil {
		return err
	} else if !has {
		if err := t.addGlue(ctx, was, was.GlueUpdated); err != nil {
			return err
		}
	}
	if err := t.addGlue(ctx, is, now); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, dropOldGlue, is.ID, is.ID, xxladapter.MaxGlueVersions); err != nil {
		return err
	}
	_, err := t.Exec(ctx, updateGlue, string(is.GlueType), is.GlueSource, is.GlueRemark, t.Dialect.Datetime(is.GlueUpdated), is.ID)
	return err
}

func (t *Tx) addGlue(ctx context.Context, j *xxladapter.Job, added time.Time) error {
	at := t.Dialect.Datetime(added)
	_, err := t.Exec(ctx, insertGlue, j.ID, string(j.GlueType), j.GlueSource, j.GlueRemark, at, at)
	return err
}

// GlueVersions implements [xxladapter.Store].
func (s *Store) GlueVersions(ctx context.Context, jobID int64) ([]*xxladapter.GlueVersion, error) {
	var list []*xxladapter.GlueVersion
	err := s.Query(ctx, selectVersions, []any{jobID, xxladapter.MaxGlueVersions}, func(r Row) error {
		var v xxladapter.GlueVersion
		list = append(list, &v)
		return r.Scan(&v.ID, &v.JobID, Text(&v.Type), Text(&v.Source), Text(&v.Remark), Datetime(&v.Added))
	})
	return list, err
}
