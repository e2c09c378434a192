package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	versionColumns = `job_id, number, at_ms, updated_ms, actor_kind, actor_name, actor_address, called, state`
	selectVersion  = `SELECT ` + versionColumns + ` FROM xxlwheel_job_version`
	insertVersion  = `INSERT INTO xxlwheel_job_version (` + versionColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// oldVersions finds versions whose successor is old. A job's versions have ascending times, so
	// deleting a part of the result leaves no gap.
	oldVersions = `SELECT v.job_id, v.number FROM xxlwheel_job_version v
		JOIN xxlwheel_job_version n ON n.job_id = v.job_id AND n.number = v.number + 1
		WHERE n.at_ms < ? ORDER BY v.at_ms, v.job_id, v.number LIMIT ?`
	dropJobVersion = `DELETE FROM xxlwheel_job_version WHERE job_id = ? AND number = ?`
)

// RecordVersions appends the versions that edits add.
//
// REQUIRES: the transaction holds the jobs' locks.
func (s *Store) RecordVersions(ctx context.Context, tx *database.Tx, changes []*transition.JobChange) error {
	var old []int64
	for _, c := range changes {
		if c.Was != nil && c.Is != nil {
			old = append(old, c.Is.ID)
		}
	}
	last := map[int64]*xxladapter.JobVersion{}
	err := tx.EachOf(ctx, selectVersion+
		` v WHERE number = (SELECT MAX(number) FROM xxlwheel_job_version n WHERE n.job_id = v.job_id) AND `,
		"job_id", old, ``, func(r database.Row) error {
			v, err := scanVersion(r)
			last[v.JobID] = v
			return err
		})
	if err != nil {
		return err
	}
	var rows [][]any
	for _, c := range changes {
		if c.Is == nil {
			continue
		}
		for _, v := range xxladapter.NextVersions(ctx, last[c.Is.ID], c.Was, c.Is, s.Clock()) {
			rows = append(rows, []any{v.JobID, v.Number, database.ToMilli(v.At), database.ToMilli(v.Job.Updated),
				string(v.Actor.Kind), v.Actor.Name, v.Actor.Address, v.Call, v.Job.VersionText()})
		}
	}
	return tx.InsertAll(ctx, insertVersion, rows)
}

func scanVersion(r database.Row) (*xxladapter.JobVersion, error) {
	var (
		v       xxladapter.JobVersion
		updated time.Time
		state   string
	)
	err := r.Scan(&v.JobID, &v.Number, database.Milli(&v.At), database.Milli(&updated), database.Text(&v.Actor.Kind),
		database.Text(&v.Actor.Name), database.Text(&v.Actor.Address),
		database.Text(&v.Call), database.Text(&state))
	v.Job = xxladapter.ParseVersion(v.JobID, state, updated)
	return &v, err
}

// JobVersions implements [xxladapter.Store].
func (s *Store) JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error) {
	var where database.Conditions
	where.Add(`job_id = ?`, f.JobID)
	if f.Number != 0 {
		where.Add(`number = ?`, f.Number)
	}
	if !f.Updated.IsZero() {
		where.Add(`updated_ms <= ?`, database.ToMilli(f.Updated))
	}
	if !f.Until.IsZero() {
		where.Add(`at_ms <= ?`, database.ToMilli(f.Until))
	}
	if f.Before != 0 {
		where.Add(`number < ?`, f.Before)
	}
	query, args := where.Selecting(selectVersion, `number DESC`, f.Limit)
	var found []*xxladapter.JobVersion
	err := s.Query(ctx, query, args, func(r database.Row) error {
		v, err := scanVersion(r)
		found = append(found, v)
		return err
	})
	return found, err
}

// PurgeJobVersions implements [xxladapter.Store].
func (s *Store) PurgeJobVersions(ctx context.Context, before time.Time, limit int) (rows int, err error) {
	type key struct{ job, number int64 }
	var old []key
	err = s.Query(ctx, oldVersions, []any{database.CeilMilli(before), limit}, func(r database.Row) error {
		var k key
		err := r.Scan(&k.job, &k.number)
		old = append(old, k)
		return err
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = s.WriteBy(ctx, s.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		rows = 0
		for _, k := range old {
			deleted, err := tx.Exec(ctx, dropJobVersion, k.job, k.number)
			if err != nil {
				return err
			}
			rows += int(deleted)
		}
		return nil
	})
	return rows, err
}
