package records

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
)

const (
	insertPause = `INSERT INTO xxlwheel_pause (group_id, note, begun_by, ended_by, from_ms, until_ms) VALUES (?, ?, ?, '', ?, ?)`
	endPause    = `UPDATE xxlwheel_pause SET until_ms = ?, ended_by = ? WHERE id = ?`
	hasGroup    = `SELECT 1 FROM xxl_job_group WHERE id = ?`
	onePause    = pauseColumns + ` WHERE id = ?`

	// plannedOf finds the planned fires of schedules, and ofGroup restricts it to those of a group.
	plannedOf = `SELECT id, job_id, due_ms, trigger_type FROM xxlwheel_fire WHERE state = 'planned' AND trigger_type IN ('CRON', 'MISFIRE')
		AND job_id IN (SELECT id FROM xxl_job_info`
	ofGroup = ` WHERE job_group = ?`

	insertMisfires = `INSERT INTO xxlwheel_misfire (job_id, due_ms, until_ms, policy, at_ms, pause_id, calendar) VALUES `
	misfireWidth   = 7

	// continueWaiting lets jobs that wait for the end of a run continue. Arguments: their next
	// time, and AfterRun.
	continueWaiting = `UPDATE xxl_job_info SET trigger_next_time = ? WHERE trigger_status = 1 AND trigger_next_time = ? AND `
)

// pauseBatch is the number of rows that one statement of a pause deletes or changes.
const pauseBatch = 1000

// CreatePause implements [xxladapter.Store].
func (s *Store) CreatePause(ctx context.Context, p xxladapter.Pause) (xxladapter.Pause, error) {
	var stored xxladapter.Pause
	err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := changeRestrictions(ctx, tx); err != nil {
			return err
		}
		if p.GroupID != 0 {
			found, err := tx.Has(ctx, hasGroup+s.Dialect.Share, p.GroupID)
			if err != nil {
				return err
			}
			if !found {
				return registry.NoGroup(p.GroupID)
			}
		}
		planned, err := lockPlanned(ctx, tx, &p)
		if err != nil {
			return err
		}
		// The pause begins after the last claim that the locks waited for: a fire that was claimed
		// instead of locked is not due later than that.
		now, err := s.serverTime(ctx, tx)
		if err != nil {
			return err
		}
		stored = p
		stored.From, stored.Until = database.FromMilli(now), database.FromMilli(database.ToMilli(p.Until))
		stored.By, stored.EndedBy = xxladapter.ActorOf(ctx).Text(), ""
		stored.ID, err = tx.Insert(ctx, insertPause, p.GroupID, p.Note, stored.By, now, database.ToMilli(stored.Until))
		if err != nil {
			return err
		}
		if err := dropPaused(ctx, tx, &stored, planned); err != nil {
			return err
		}
		return s.Record(ctx, tx, stored.Audited(), nil, stored.Fields())
	})
	if err != nil {
		return xxladapter.Pause{}, err
	}
	return stored, nil
}

// plannedFires are the planned fires of some schedules.
type plannedFires struct {
	ids  []int64
	jobs []int64
	// The first and the last due time by job, in ms: of the schedule's own fires, and of those that
	// make up for missed due times.
	dues, catchUps map[int64][2]int64
}

// misfire returns the first and the last due time, in ms, for the misfire of a job in a pause that
// begins at from. A fire that makes up for an earlier due time may be due long after that.
func (p *plannedFires) misfire(job, from int64) (due [2]int64) {
	due, own := p.dues[job]
	late, more := p.catchUps[job]
	if !more {
		return due
	}
	late = [2]int64{min(late[0], from), min(late[1], from)}
	if !own {
		return late
	}
	return [2]int64{min(due[0], late[0]), max(due[1], late[1])}
}

// lockPlanned reads and locks the planned fires of the schedules that a pause concerns until the
// transaction ends: nobody claims them meanwhile. It returns those that are due before the end of
// the pause.
func lockPlanned(ctx context.Context, t *database.Tx, of *xxladapter.Pause) (plannedFires, error) {
	query, args := plannedOf+`)`, []any(nil)
	if of.GroupID != 0 {
		query, args = plannedOf+ofGroup+`)`, []any{of.GroupID}
	}
	until := database.ToMilli(of.Until)
	p := plannedFires{dues: map[int64][2]int64{}, catchUps: map[int64][2]int64{}}
	err := t.Query(ctx, query+` ORDER BY id`+t.Dialect.Lock, args, func(r database.Row) error {
		var id, job, due int64
		var kind xxladapter.TriggerType
		err := r.Scan(&id, &job, &due, database.Text(&kind))
		if until != 0 && due >= until {
			return err
		}
		p.ids = append(p.ids, id)
		p.jobs = append(p.jobs, job)
		dues := p.dues
		if kind == xxladapter.TriggerMisfire {
			dues = p.catchUps
		}
		span, more := dues[job]
		if !more {
			span = [2]int64{due, due}
		}
		dues[job] = [2]int64{min(span[0], due), max(span[1], due)}
		return err
	})
	slices.Sort(p.jobs)
	p.jobs = slices.Compact(p.jobs)
	return p, err
}

// dropPaused replaces the planned fires of the schedules that a pause concerns by misfires.
//
// REQUIRES: the planned fires are locked.
func dropPaused(ctx context.Context, t *database.Tx, p *xxladapter.Pause, planned plannedFires) error {
	for ids := range slices.Chunk(planned.ids, pauseBatch) {
		if err := RemoveFires(ctx, t, ids); err != nil {
			return err
		}
	}
	var values []any
	for _, job := range planned.jobs {
		due := planned.misfire(job, database.ToMilli(p.From))
		values = append(
			values, job, due[0], due[1], string(xxladapter.MisfireDoNothing), database.ToMilli(p.From), p.ID, "",
		)
	}
	if err := t.InsertMany(ctx, insertMisfires, misfireWidth, values); err != nil {
		return err
	}
	for ids := range slices.Chunk(planned.jobs, pauseBatch) {
		condition, args := t.Dialect.Among("id", ids)
		args = append([]any{database.ToMilli(p.From), database.ToMilli(xxladapter.AfterRun)}, args...)
		if _, err := t.Exec(ctx, continueWaiting+condition, args...); err != nil {
			return err
		}
	}
	return nil
}

// EndPause implements [xxladapter.Store].
func (s *Store) EndPause(ctx context.Context, id int64) (xxladapter.Pause, error) {
	var stored xxladapter.Pause
	err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := changeRestrictions(ctx, tx); err != nil {
			return err
		}
		stored = xxladapter.Pause{}
		err := tx.Query(ctx, onePause, []any{id}, func(r database.Row) (err error) {
			stored, err = scanPause(r)
			return err
		})
		if err == nil && stored.ID == 0 {
			err = xxladapter.Absent("pause", id)
		}
		if err != nil {
			return err
		}
		now := database.FromMilli(database.ToMilli(s.Clock()))
		if !stored.HoldsAt(now) {
			return nil
		}
		before := stored.Fields()
		stored.Until, stored.EndedBy = now, xxladapter.ActorOf(ctx).Text()
		if _, err := tx.Exec(ctx, endPause, database.ToMilli(now), stored.EndedBy, id); err != nil {
			return err
		}
		return s.Record(ctx, tx, stored.Audited(), before, stored.Fields())
	})
	if err != nil {
		return xxladapter.Pause{}, err
	}
	return stored, nil
}

// Pauses implements [xxladapter.Store].
func (s *Store) Pauses(ctx context.Context, f xxladapter.PauseFilter) ([]xxladapter.Pause, error) {
	var where database.Conditions
	if f.Open {
		where.Add(`(until_ms = 0 OR until_ms > ?)`, database.ToMilli(s.Clock()))
	}
	if !f.Since.IsZero() {
		where.Add(`(until_ms = 0 OR until_ms > ?)`, database.ToMilli(f.Since))
	}
	if f.Groups != nil {
		condition, args := s.Dialect.Among("group_id", append([]int64{0}, f.Groups...))
		where.Add(condition, args...)
	}
	if f.AfterID != 0 {
		where.Add(`id < ?`, f.AfterID)
	}
	query, args := where.Selecting(pauseColumns, `id DESC`, f.Limit)
	var found []xxladapter.Pause
	err := s.Query(ctx, query, args, func(r database.Row) error {
		p, err := scanPause(r)
		found = append(found, p)
		return err
	})
	return found, err
}
