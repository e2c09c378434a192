package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The statements that store all decisions of a scan. The transaction that read the jobs has locked
// them, so the guard of advanceJob in package records holds for each.
const (
	lockDue = `SELECT ` + records.JobColumns + allDue + records.InOrder + ` FOR UPDATE SKIP LOCKED`

	// allDue is [records.AllDue]. It sorts by a column that it does not compare for equality, so
	// that only xxlwheel_fire_due_of_job serves a connection that must not sort. For a table that
	// was empty when it was vacuumed all indexes cost the same, and the planner would read all
	// fires for each job when there are many again.
	allDue = records.DueOrBehind + ` AND (SELECT 1` + records.BehindFires + `
		AND xxlwheel_fire.job_id BETWEEN xxl_job_info.id AND xxl_job_info.id ORDER BY xxlwheel_fire.job_id LIMIT 1) IS NULL`

	// countLocked counts the due jobs that are not in a list: those whose rows are locked.
	// Arguments: those of AllDue, the list, and a limit.
	countLocked = `SELECT COUNT(*) FROM (SELECT 1` + allDue +
		` AND id NOT IN (SELECT unnest(?::bigint[])) LIMIT ?) AS locked`

	advanceJobs = `UPDATE xxl_job_info j SET trigger_last_time = d.last, trigger_next_time = d.next, trigger_status = d.status
		FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[]) AS d (id, last, next, status) WHERE j.id = d.id`

	// Due times that another fire has are left out. They are looked up as in allDue. The statement
	// fails if another session plans a fire for a free one at the same time: ON CONFLICT would
	// prevent that, but take half as long again for each row.
	planDueFires = `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
		SELECT d.job, d.group_id, d.due, d.index, d.total, d.type, 'planned', d.retries, d.param, d.addresses, d.attempt, d.parent
		FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::integer[], ?::integer[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::integer[], ?::bigint[])
			AS d (job, group_id, due, index, total, type, retries, param, addresses, attempt, parent)
		WHERE (SELECT 1 FROM xxlwheel_fire f WHERE f.job_id BETWEEN d.job AND d.job AND f.due_ms = d.due ORDER BY f.job_id LIMIT 1) IS NULL
		RETURNING id, job_id, due_ms`

	// If the job already has a misfire of the same pause, that one gets a later end.
	insertMisfires = `INSERT INTO xxlwheel_misfire AS m (job_id, due_ms, until_ms, policy, at_ms, pause_id, calendar)
		SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::text[])
		ON CONFLICT (job_id, pause_id) WHERE pause_id IS NOT NULL DO UPDATE SET until_ms = greatest(m.until_ms, excluded.until_ms), at_ms = excluded.at_ms`
)

// acts implements [records.Acts] for PostgreSQL.
type acts struct{ records.Standard }

// Claimable locks due jobs as it reads them, and skips those that another session holds. It counts
// the skipped ones if fewer jobs than the limit were read.
func (a *acts) Claimable(
	_ context.Context, by xxladapter.Term, ahead time.Duration, limit int,
) (records.DueReader, error) {
	return func(ctx context.Context, tx *database.Tx, now time.Time) (due []*xxladapter.Job, locked int, err error) {
		args := records.AllDueArgs(by.Node, now, ahead)
		due, err = records.Due(ctx, tx, lockDue, append(args, max(limit, 0)))
		if err != nil || len(due) >= limit {
			return due, 0, err
		}
		ids := make([]int64, len(due))
		for i, j := range due {
			ids[i] = j.ID
		}
		err = tx.Query(ctx, countLocked, append(args, ids, max(limit-len(due), 0)), func(r database.Row) error {
			return r.Scan(&locked)
		})
		return due, locked, err
	}, nil
}

// errPlannedMeanwhile means that another session has planned a fire for a due time that was free.
// The transaction finds that fire when it is repeated.
var errPlannedMeanwhile = errors.New("another session has planned for the same due time")

// StoreDecisions stores all decisions with three statements, and each fire whose due time is taken
// with further ones.
func (a *acts) StoreDecisions(
	ctx context.Context, tx *database.Tx, decisions []records.Decided,
) ([]xxladapter.Fire, error) {
	if err := advanceTogether(ctx, tx, decisions); err != nil {
		return nil, err
	}
	if err := misfireTogether(ctx, tx, decisions); err != nil {
		return nil, err
	}
	var due []xxladapter.Fire
	for _, d := range decisions {
		for _, f := range d.Fires {
			f.JobID, f.GroupID = d.JobID, d.Group
			due = append(due, f)
		}
	}
	ids, err := planTogether(ctx, tx, due)
	if duplicateIn(err) == "xxlwheel_fire" {
		return nil, fmt.Errorf("%w: %w", errPlannedMeanwhile, err)
	}
	if err != nil {
		return nil, err
	}
	planned := make([]xxladapter.Fire, 0, len(due))
	for _, f := range due {
		at := records.DueTimeOf(f)
		if id, ok := ids[at]; ok {
			delete(ids, at) // a second fire with the same due time gets another one
			planned = append(planned, records.PlannedAs(f, id))
			continue
		}
		f, ok, err := a.Store.PlanDue(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		if ok {
			planned = append(planned, f)
		}
	}
	return planned, nil
}

func advanceTogether(ctx context.Context, t *database.Tx, decisions []records.Decided) error {
	jobs := make([]database.MovedJob, len(decisions))
	for i, d := range decisions {
		jobs[i] = database.MovedJob{
			ID: d.JobID, Last: database.ToMilli(d.Last), Next: database.ToMilli(d.Next), Status: 1,
		}
		if d.Stop {
			jobs[i].Status = 0
		}
	}
	return records.MoveJobs(ctx, t, jobs)
}

// moveTogether returns the statement that moves all jobs.
func moveTogether(jobs []database.MovedJob) (query string, args []any) {
	var (
		ids, lasts, nexts []int64
		statuses          []int16
	)
	for _, j := range jobs {
		ids, lasts, nexts, statuses = append(ids, j.ID), append(lasts, j.Last), append(nexts, j.Next),
			append(statuses, int16(j.Status))
	}
	return advanceJobs, []any{ids, lasts, nexts, statuses}
}

func misfireTogether(ctx context.Context, t *database.Tx, decisions []records.Decided) error {
	var (
		jobs, dues, untils, ats []int64
		strategies, calendars   []string
		pauses                  []*int64
	)
	for _, d := range decisions {
		for _, m := range d.Misfires {
			jobs, dues, untils = append(jobs, d.JobID), append(dues, database.ToMilli(m.Due)),
				append(untils, database.ToMilli(m.Until))
			strategies, ats = append(strategies, string(m.Strategy)), append(ats, database.ToMilli(m.At))
			calendars = append(calendars, m.Calendar)
			if m.PauseID != 0 {
				pauses = append(pauses, &m.PauseID)
			} else {
				pauses = append(pauses, nil)
			}
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	_, err := t.Exec(ctx, insertMisfires, jobs, dues, untils, strategies, ats, pauses, calendars)
	return err
}

// planTogether plans the fires whose due times are free and returns their ids.
func planTogether(ctx context.Context, t *database.Tx, fires []xxladapter.Fire) (map[records.DueTime]int64, error) {
	if len(fires) == 0 {
		return nil, nil
	}
	var (
		jobs, groups, dues, parents      []int64
		indexes, totals, retry, attempts []int32
		types                            []string
		params, addresses                []*string
		seen                             = make(map[records.DueTime]int64, len(fires))
	)
	for _, f := range fires {
		at := records.DueTimeOf(f)
		if _, again := seen[at]; again {
			continue
		}
		seen[at] = 0
		jobs, groups, dues = append(jobs, at.Job), append(groups, f.GroupID), append(dues, at.Due)
		indexes, totals, retry = append(indexes, int32(f.ShardIndex)), append(totals, int32(f.ShardTotal)),
			append(retry, int32(f.RetryCount))
		types = append(types, string(f.Type))
		attempts, parents = append(attempts, int32(f.Attempt)), append(parents, f.Parent)
		params, addresses = append(params, validTextOf(f.Param)),
			append(addresses, textOrNull(strings.Join(f.Addresses, ",")))
	}
	clear(seen)
	err := t.Query(ctx, planDueFires, []any{
		jobs, groups, dues, indexes, totals, types, retry, params, addresses, attempts, parents,
	}, func(r database.Row) error {
		var (
			id int64
			at records.DueTime
		)
		err := r.Scan(&id, &at.Job, &at.Due)
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
