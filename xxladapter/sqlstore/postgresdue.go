package sqlstore

import (
	"context"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The statements that store all decisions of a scan. The jobs are locked by
// the transaction that read them, so the guard of advanceJob holds for each.
const (
	advanceJobs = `UPDATE xxl_job_info j SET trigger_last_time = d.last, trigger_next_time = d.next, trigger_status = d.status
		FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[]) AS d (id, last, next, status) WHERE j.id = d.id`

	// What another fire holds is left out.
	planDueFires = `INSERT INTO xxlwheel_fire (` + fireValues + `)
		SELECT d.job, d.group_id, d.due, d.index, d.total, d.type, 'planned', d.retries, d.param, d.addresses
		FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::integer[], ?::text[], ?::text[])
			WITH ORDINALITY AS d (job, group_id, due, index, total, type, retries, param, addresses, number)
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire f WHERE f.job_id = d.job AND f.due_ms = d.due)
		ORDER BY d.number
		ON CONFLICT DO NOTHING RETURNING id, job_id, due_ms`

	insertMisfires = `INSERT INTO xxlwheel_misfire (job_id, due_ms, until_ms, policy, at_ms)
		SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[])`
)

// storeTogether is [Store.store] for many decisions in three statements.
func storeTogether(ctx context.Context, s *Store, tx *tx, decisions []decided) ([]xxladapter.Fire, error) {
	if err := tx.advanceTogether(ctx, decisions); err != nil {
		return nil, err
	}
	if err := tx.misfireTogether(ctx, decisions); err != nil {
		return nil, err
	}
	var due []xxladapter.Fire
	for _, d := range decisions {
		for _, f := range d.Fires {
			f.JobID, f.GroupID = d.JobID, d.group
			due = append(due, f)
		}
	}
	ids, err := tx.planTogether(ctx, due)
	if err != nil {
		return nil, err
	}
	var planned []xxladapter.Fire
	for _, f := range due {
		at := dueTime{f.JobID, toMilli(f.Due)}
		if id, ok := ids[at]; ok {
			delete(ids, at) // a second fire of the same due time is another matter
			planned = append(planned, plannedAs(f, id))
			continue
		}
		f, ok, err := s.planDue(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		if ok {
			planned = append(planned, f)
		}
	}
	return planned, nil
}

func (t *tx) advanceTogether(ctx context.Context, decisions []decided) error {
	if len(decisions) == 0 {
		return nil
	}
	var (
		ids, lasts, nexts []int64
		statuses          []int16
	)
	for _, d := range decisions {
		status := int16(1)
		if d.Stop {
			status = 0
		}
		ids, lasts, nexts = append(ids, d.JobID), append(lasts, toMilli(d.Last)), append(nexts, toMilli(d.Next))
		statuses = append(statuses, status)
	}
	_, err := t.exec(ctx, advanceJobs, ids, lasts, nexts, statuses)
	return err
}

func (t *tx) misfireTogether(ctx context.Context, decisions []decided) error {
	var (
		jobs, dues, untils, ats []int64
		policies                []string
	)
	for _, d := range decisions {
		for _, m := range d.Misfires {
			jobs, dues, untils = append(jobs, d.JobID), append(dues, toMilli(m.Due)), append(untils, toMilli(m.Until))
			policies, ats = append(policies, string(m.Policy)), append(ats, toMilli(m.At))
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	_, err := t.exec(ctx, insertMisfires, jobs, dues, untils, policies, ats)
	return err
}

// A dueTime is what at most one planned fire has.
type dueTime struct{ job, due int64 }

// planTogether plans the fires whose due times are free and returns their ids.
func (t *tx) planTogether(ctx context.Context, fires []xxladapter.Fire) (map[dueTime]int64, error) {
	if len(fires) == 0 {
		return nil, nil
	}
	var (
		jobs, groups, dues     []int64
		indexes, totals, retry []int32
		types                  []string
		params, addresses      []*string
		seen                   = make(map[dueTime]int64, len(fires))
	)
	for _, f := range fires {
		at := dueTime{f.JobID, toMilli(f.Due)}
		if _, again := seen[at]; again {
			continue
		}
		seen[at] = 0
		jobs, groups, dues = append(jobs, at.job), append(groups, f.GroupID), append(dues, at.due)
		indexes, totals, retry = append(indexes, int32(f.ShardIndex)), append(totals, int32(f.ShardTotal)), append(retry, int32(f.RetryCount))
		types = append(types, string(f.Type))
		params, addresses = append(params, validTextOf(f.Param)), append(addresses, textOrNull(strings.Join(f.Addresses, ",")))
	}
	clear(seen)
	err := t.query(ctx, planDueFires, []any{jobs, groups, dues, indexes, totals, types, retry, params, addresses}, func(r row) error {
		var (
			id int64
			at dueTime
		)
		err := r.Scan(&id, &at.job, &at.due)
		seen[at] = id
		return err
	})
	return seen, err
}

func validTextOf(s *string) *string {
	if s == nil {
		return nil
	}
	valid := validText(*s)
	return &valid
}
