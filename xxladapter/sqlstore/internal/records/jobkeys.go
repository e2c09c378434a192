package records

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// A row whose job another program has moved or removed does not count.
	keysOfJobs = ` FROM xxlwheel_job_key JOIN xxl_job_info ON xxl_job_info.id = xxlwheel_job_key.job_id
		AND xxl_job_info.job_group = xxlwheel_job_key.group_id`
	selectKeys = `SELECT job_id, group_id, job_key, owner` + keysOfJobs
	hasKey     = `SELECT 1` + keysOfJobs + ` WHERE group_id = ? AND job_key = ? AND job_id <> ?`
	dropKey    = `DELETE FROM xxlwheel_job_key WHERE group_id = ? AND job_key = ?`
	dropKeys   = `DELETE FROM xxlwheel_job_key WHERE `
	insertKey  = `INSERT INTO xxlwheel_job_key (job_id, group_id, job_key, owner) VALUES (?, ?, ?, ?)`
)

// JobKeys implements [xxladapter.Store].
func (s *Store) JobKeys(ctx context.Context, groupID int64) (keys []xxladapter.JobKey, err error) {
	var where database.Conditions
	if groupID != 0 {
		where.Add(`group_id = ?`, groupID)
	}
	query, args := where.Selecting(selectKeys, `job_id`, 0)
	err = s.Query(ctx, query, args, func(r database.Row) error {
		k, err := scanKey(r)
		keys = append(keys, k)
		return err
	})
	return keys, err
}

func scanKey(r database.Row) (k xxladapter.JobKey, err error) {
	err = r.Scan(&k.JobID, &k.GroupID, database.Text(&k.Key), database.Text(&k.Owner))
	return k, err
}

// A keyChange is the key of a job before and after a declaration; both are zero if nothing changes.
type keyChange struct{ before, after xxladapter.JobKey }

// setKeys gives declared jobs their keys and owners.
func setKeys(
	ctx context.Context, t *database.Tx, d *xxladapter.Declaration, jobs []*transition.JobChange,
) ([]keyChange, error) {
	var old []int64
	for i, c := range jobs {
		if d.Jobs[i].Key != "" && c.Was != nil {
			old = append(old, c.Is.ID)
		}
	}
	has, err := keysOf(ctx, t, old)
	if err != nil {
		return nil, err
	}
	changes := make([]keyChange, len(jobs))
	var rows [][]any
	old = nil
	for i, c := range jobs {
		was, is := has[c.Is.ID],
			xxladapter.JobKey{JobID: c.Is.ID, GroupID: c.Is.GroupID, Key: d.Jobs[i].Key, Owner: d.Jobs[i].Owner}
		if is.Key == "" || was == is {
			continue
		}
		free, err := freeKey(ctx, t, is)
		if err != nil {
			return nil, err
		}
		if !free {
			return nil, xxladapter.Conflictf(errorrule.KeyTaken, "%s is %q, must not be that of another job of group %d",
				"key", is.Key, is.GroupID)
		}
		changes[i] = keyChange{was, is}
		rows, old = append(rows, []any{is.JobID, is.GroupID, is.Key, database.OrNull(is.Owner)}), append(old, is.JobID)
	}
	if err := t.DeleteOf(ctx, dropKeys, "job_id", old); err != nil {
		return nil, err
	}
	seen := map[xxladapter.JobKey]bool{}
	for _, c := range changes {
		name := xxladapter.JobKey{GroupID: c.after.GroupID, Key: c.after.Key}
		if seen[name] && name.Key != "" {
			return nil, xxladapter.Conflictf(errorrule.KeyTaken, "%s is %q, must not be that of two jobs of group %d",
				"key", name.Key, name.GroupID)
		}
		seen[name] = true
	}
	return changes, t.InsertAll(ctx, insertKey, rows)
}

// keysOf returns the keys that jobs have, by their ids.
func keysOf(ctx context.Context, t *database.Tx, jobs []int64) (map[int64]xxladapter.JobKey, error) {
	has := map[int64]xxladapter.JobKey{}
	err := t.EachOf(ctx, selectKeys+` WHERE `, "job_id", jobs, ``, func(r database.Row) error {
		k, err := scanKey(r)
		has[k.JobID] = k
		return err
	})
	return has, err
}

// freeKey reports whether no other job of the group has the key, and removes rows that do not
// count.
func freeKey(ctx context.Context, t *database.Tx, k xxladapter.JobKey) (bool, error) {
	taken, err := t.Has(ctx, hasKey, k.GroupID, k.Key, k.JobID)
	if taken || err != nil {
		return false, err
	}
	_, err = t.Exec(ctx, dropKey, k.GroupID, k.Key)
	return true, err
}

// moveKeys lets keys follow their jobs to other groups, except where another job has the key.
//
// REQUIRES: the jobs are in their new groups.
func moveKeys(ctx context.Context, t *database.Tx, updated []*transition.JobChange) error {
	for _, c := range updated {
		if c.Was.GroupID == c.Is.GroupID {
			continue
		}
		is := xxladapter.JobKey{JobID: c.Is.ID, GroupID: c.Is.GroupID}
		err := t.Query(ctx, `SELECT job_key, owner FROM xxlwheel_job_key WHERE job_id = ? AND group_id = ?`, []any{
			c.Is.ID, c.Was.GroupID,
		},
			func(r database.Row) error { return r.Scan(database.Text(&is.Key), database.Text(&is.Owner)) })
		if err != nil {
			return err
		}
		if is.Key == "" {
			continue
		}
		if err := t.DeleteOf(ctx, dropKeys, "job_id", []int64{is.JobID}); err != nil {
			return err
		}
		free, err := freeKey(ctx, t, is)
		if err == nil && free {
			_, err = t.Exec(ctx, insertKey, is.JobID, is.GroupID, is.Key, database.OrNull(is.Owner))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
