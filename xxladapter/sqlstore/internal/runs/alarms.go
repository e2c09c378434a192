package runs

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// failedAndOpen repeats the condition of the partial index that serves it.
	failedAndOpen = `alarm_status = 0 AND handle_code <> 200 AND (handle_code <> 0 OR trigger_code NOT IN (0, 200))`

	// SelectFailed reads failed runs that no alarm has judged. Arguments: after which id, and the
	// limit.
	SelectFailed = `SELECT id, job_id, executor_fail_retry_count, trigger_time, handle_time FROM xxl_job_log
		WHERE ` + failedAndOpen + ` AND id > ? ORDER BY id LIMIT ?`

	alarmColumns      = `job_id, version, raised, in_a_row, since_log_id, last_log_id, sent_ms`
	selectAlarmStates = `SELECT ` + alarmColumns + ` FROM xxlwheel_alarm WHERE `
	// SelectRaised reads the states of raised alarms.
	SelectRaised  = selectAlarmStates + `raised = 1`
	setAlarmState = `UPDATE xxlwheel_alarm SET version = version + 1, raised = ?, in_a_row = ?, since_log_id = ?, last_log_id = ?, sent_ms = ?
		WHERE job_id = ? AND version = ?`

	setAlarmStatus = `UPDATE xxl_job_log SET alarm_status = ? WHERE id = ? AND alarm_status = ?`

	claimColumns = `log_id, recovered, job_id, node, claimed_ms, attempts`
	insertClaim  = `INSERT INTO xxlwheel_alarm_claim (` + claimColumns + `) VALUES (?, ?, ?, ?, ?, 1)`
	// removeClaim removes a claim left over from a row that somebody opened again.
	removeClaim = `DELETE FROM xxlwheel_alarm_claim WHERE log_id = ? AND recovered = ?`
	// SelectStale reads old claims. Arguments: the latest time of the claim, and the limit.
	SelectStale = `SELECT ` + claimColumns +
		` FROM xxlwheel_alarm_claim WHERE claimed_ms <= ? ORDER BY claimed_ms, log_id LIMIT ?`

	// The attempts show whether the claim was renewed since it was read.
	renewClaim = `UPDATE xxlwheel_alarm_claim SET node = ?, claimed_ms = ?, attempts = attempts + 1
		WHERE log_id = ? AND recovered = ? AND node = ? AND attempts = ?`
	settleClaim = `DELETE FROM xxlwheel_alarm_claim WHERE log_id = ? AND recovered = ? AND node = ? AND attempts = ?`
)

// FailedRuns implements [xxladapter.Store].
func (s *Store) FailedRuns(ctx context.Context, after int64, limit int) ([]xxladapter.FailedRun, error) {
	var failed []xxladapter.FailedRun
	err := s.db.Query(ctx, SelectFailed, []any{after, limit}, func(r database.Row) error {
		var f xxladapter.FailedRun
		var triggered time.Time
		err := r.Scan(&f.LogID, &f.JobID, &f.RetryCount, database.Datetime(&triggered), database.Datetime(&f.At))
		if f.At.IsZero() {
			f.At = triggered
		}
		failed = append(failed, f)
		return err
	})
	return failed, err
}

// alarmStatesAtOnce limits the jobs whose states one query reads, so that its text stays short.
const alarmStatesAtOnce = 1000

// AlarmStates implements [xxladapter.Store].
func (s *Store) AlarmStates(ctx context.Context, jobIDs []int64) ([]xxladapter.AlarmState, error) {
	states := map[int64]xxladapter.AlarmState{}
	for _, id := range jobIDs {
		states[id] = xxladapter.AlarmState{JobID: id}
	}
	keep := func(r database.Row) error {
		state, err := scanAlarmState(r)
		states[state.JobID] = state
		return err
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(states)), alarmStatesAtOnce) {
		condition, args := s.db.Dialect.Among("job_id", part)
		if err := s.db.Query(ctx, selectAlarmStates+condition, args, keep); err != nil {
			return nil, err
		}
	}
	if err := s.db.Query(ctx, SelectRaised, nil, keep); err != nil {
		return nil, err
	}
	var list []xxladapter.AlarmState
	for _, id := range slices.Sorted(maps.Keys(states)) {
		list = append(list, states[id])
	}
	return list, nil
}

func scanAlarmState(r database.Row) (xxladapter.AlarmState, error) {
	var s xxladapter.AlarmState
	var raised int64
	err := r.Scan(&s.JobID, &s.Version, &raised, &s.InARow, &s.SinceID, &s.LastID, database.Milli(&s.Sent))
	s.Raised = raised != 0
	return s, err
}

// DecideAlarms implements [xxladapter.Store].
func (s *Store) DecideAlarms(
	ctx context.Context, node string, decisions []xxladapter.AlarmDecision,
) ([]xxladapter.AlarmClaim, error) {
	var claimed []xxladapter.AlarmClaim
	err := s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		claimed = nil
		now := s.db.Clock()
		for _, d := range decisions {
			claims, err := s.decideAlarm(ctx, tx, node, d, now)
			if err != nil {
				return err
			}
			claimed = append(claimed, claims...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

func (s *Store) decideAlarm(
	ctx context.Context, tx *database.Tx, node string, d xxladapter.AlarmDecision, now time.Time,
) ([]xxladapter.AlarmClaim, error) {
	job := d.Before.JobID
	if d.Before.Version == 0 {
		if _, err := tx.Exec(ctx, s.db.Dialect.KnowAlarm, job); err != nil {
			return nil, err
		}
	}
	changed, err := tx.Exec(ctx, setAlarmState, database.Bit(d.After.Raised), d.After.InARow, d.After.SinceID,
		d.After.LastID,
		database.ToMilli(d.After.Sent), job, d.Before.Version)
	if changed == 0 || err != nil {
		return nil, err
	}
	for _, id := range d.Quiet {
		if _, err := tx.Exec(ctx, setAlarmStatus, xxladapter.AlarmNotNeeded, id, xxladapter.AlarmOpen); err != nil {
			return nil, err
		}
	}
	var claimed []xxladapter.AlarmClaim
	claim := func(logID int64, recovered bool) error {
		if _, err := tx.Exec(ctx, removeClaim, logID, database.Bit(recovered)); err != nil {
			return err
		}
		claimed = append(claimed, xxladapter.AlarmClaim{
			LogID: logID, JobID: job, Recovered: recovered, Node: node, At: database.FromMilli(database.ToMilli(now)),
			Attempts: 1,
		})
		_, err := tx.Exec(ctx, insertClaim, logID, database.Bit(recovered), job, node, database.ToMilli(now))
		return err
	}
	for _, id := range d.Alarm {
		changed, err := tx.Exec(ctx, setAlarmStatus, xxladapter.AlarmTaken, id, xxladapter.AlarmOpen)
		if err != nil {
			return nil, err
		}
		if changed > 0 {
			if err := claim(id, false); err != nil {
				return nil, err
			}
		}
	}
	if d.Recovered != 0 {
		if err := claim(d.Recovered, true); err != nil {
			return nil, err
		}
	}
	return claimed, nil
}

// StaleAlarms implements [xxladapter.Store].
func (s *Store) StaleAlarms(ctx context.Context, age time.Duration, limit int) ([]xxladapter.AlarmClaim, error) {
	var stale []xxladapter.AlarmClaim
	err := s.db.Query(ctx, SelectStale, []any{
		database.ToMilli(s.db.Clock().Add(-age)), limit,
	}, func(r database.Row) error {
		var c xxladapter.AlarmClaim
		var recovered int64
		err := r.Scan(&c.LogID, &recovered, &c.JobID, database.Text(&c.Node), database.Milli(&c.At), &c.Attempts)
		c.Recovered = recovered != 0
		stale = append(stale, c)
		return err
	})
	return stale, err
}

// RenewAlarms implements [xxladapter.Store].
func (s *Store) RenewAlarms(
	ctx context.Context, node string, claims []xxladapter.AlarmClaim,
) ([]xxladapter.AlarmClaim, error) {
	var renewed []xxladapter.AlarmClaim
	err := s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		renewed = nil
		now := database.ToMilli(s.db.Clock())
		for _, c := range claims {
			changed, err := tx.Exec(ctx, renewClaim, node, now, c.LogID, database.Bit(c.Recovered), c.Node, c.Attempts)
			if err != nil {
				return err
			}
			if changed > 0 {
				c.Node, c.At, c.Attempts = node, database.FromMilli(now), c.Attempts+1
				renewed = append(renewed, c)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return renewed, nil
}

// SettleAlarms implements [xxladapter.Store].
func (s *Store) SettleAlarms(ctx context.Context, claims []xxladapter.AlarmClaim, status int) error {
	return s.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, c := range claims {
			changed, err := tx.Exec(ctx, settleClaim, c.LogID, database.Bit(c.Recovered), c.Node, c.Attempts)
			if err != nil {
				return err
			}
			if changed == 0 || c.Recovered {
				continue
			}
			if _, err := tx.Exec(ctx, setAlarmStatus, status, c.LogID, xxladapter.AlarmTaken); err != nil {
				return err
			}
		}
		return nil
	})
}
