package records

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/leases"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// FireColumns are the columns of a stored fire, in the order in which ScanFire reads them.
	FireColumns = `id, job_id, group_id, due_ms, shard_index, shard_total, trigger_type, state,
		retry_count, param, addresses, attempt, parent_log_id, node, term, log_id, claimed_ms`
	// FireValues are the columns that planning a fire sets.
	FireValues = `job_id, group_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count, param, addresses,
		attempt, parent_log_id`

	selectGroupOf  = `SELECT job_group FROM xxl_job_info WHERE id = ?`
	selectDueTimes = `SELECT DISTINCT due_ms FROM xxlwheel_fire WHERE job_id = ? AND due_ms >= ? ORDER BY due_ms`

	selectFire  = `SELECT ` + FireColumns + ` FROM xxlwheel_fire WHERE id = ?`
	claimFire   = `UPDATE xxlwheel_fire SET state = 'claimed', shard_total = ?, node = ?, term = ?, log_id = ?, claimed_ms = ? WHERE id = ?`
	insertShard = `INSERT INTO xxlwheel_fire (` + FireValues + `, node, term, log_id, claimed_ms)
		VALUES (?, ?, ?, ?, ?, ?, 'claimed', ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	takeFire      = `UPDATE xxlwheel_fire SET node = ?, term = ? WHERE id = ?`
	removeFire    = `DELETE FROM xxlwheel_fire WHERE id = ?`
	makeAmbiguous = `UPDATE xxlwheel_fire SET state = 'ambiguous' WHERE id = ?`

	// planAttempts limits how often another session may take a due time between the read that found
	// it free and the write that uses it.
	planAttempts = 100
)

// PlanFires implements [xxladapter.Store].
func (s *Store) PlanFires(ctx context.Context, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	var planned []xxladapter.Fire
	err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		planned, err = s.planAll(ctx, tx, fires)
		return err
	})
	if err != nil {
		return nil, err
	}
	return planned, nil
}

func (s *Store) planAll(ctx context.Context, tx *database.Tx, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	var planned []xxladapter.Fire
	for _, f := range fires {
		f, err := s.planFrom(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		planned = append(planned, f)
	}
	return planned, nil
}

// planFrom plans f at the first free millisecond that is not before its due time. The group of a
// job that does not exist is 0.
//
// Invariant: the open fires of a job with the same due time are the shards of one claimed fire. Any
// open fire therefore occupies its due time, whatever its shard.
func (s *Store) planFrom(ctx context.Context, tx *database.Tx, f xxladapter.Fire) (xxladapter.Fire, error) {
	f.GroupID = 0
	if err := tx.Query(
		ctx, selectGroupOf, []any{f.JobID}, func(r database.Row) error { return r.Scan(&f.GroupID) },
	); err != nil {
		return xxladapter.Fire{}, err
	}
	for range planAttempts {
		planned, ok, err := s.planAt(ctx, tx, f)
		if ok || err != nil {
			return planned, err
		}
		free, err := freeFrom(ctx, tx, f.JobID, database.ToMilli(f.Due))
		if err != nil {
			return xxladapter.Fire{}, err
		}
		f.Due = database.FromMilli(free)
	}
	return xxladapter.Fire{}, fmt.Errorf(
		"plan a fire of job %d: other sessions took every free due time, the last one %d ms", f.JobID,
		database.ToMilli(f.Due),
	)
}

// freeFrom returns the first free millisecond of the job that is not before due.
func freeFrom(ctx context.Context, t *database.Tx, jobID, due int64) (int64, error) {
	err := t.Query(ctx, selectDueTimes, []any{jobID, due}, func(r database.Row) error {
		var taken int64
		err := r.Scan(&taken)
		if taken == due {
			due++
		}
		return err
	})
	return due, err
}

// planAt plans f at its due time. ok is false if another fire has that due time.
func (s *Store) planAt(
	ctx context.Context, tx *database.Tx, f xxladapter.Fire,
) (_ xxladapter.Fire, ok bool, err error) {
	due := database.ToMilli(f.Due)
	id, err := tx.Insert(ctx, s.Dialect.PlanFire, f.JobID, f.GroupID, due, f.ShardIndex, f.ShardTotal, string(f.Type),
		f.RetryCount, f.Param, database.JoinAddresses(f.Addresses), f.Attempt, f.Parent, f.JobID, due)
	if err != nil && s.Acts.Taken(err) {
		return xxladapter.Fire{}, false, nil
	}
	if id == 0 || err != nil {
		return xxladapter.Fire{}, false, err
	}
	return PlannedAs(f, id), true, nil
}

// PlannedAs returns f as it is stored when it is planned under id.
func PlannedAs(f xxladapter.Fire, id int64) xxladapter.Fire {
	planned := copyOf(f)
	planned.ID = id
	planned.Due = database.FromMilli(database.ToMilli(f.Due))
	planned.State = xxladapter.FirePlanned
	planned.Owner, planned.LogID, planned.Claimed = xxladapter.Term{}, 0, time.Time{}
	return planned
}

// copyOf returns a deep copy of f.
func copyOf(f xxladapter.Fire) xxladapter.Fire {
	f.Addresses = append([]string(nil), f.Addresses...)
	if f.Param != nil {
		param := *f.Param
		f.Param = &param
	}
	return f
}

// OpenFires implements [xxladapter.Store].
func (s *Store) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	var where database.Conditions
	if f.JobID != 0 {
		where.Add(`job_id = ?`, f.JobID)
	}
	where.AddJobsOf(s.Dialect, f.Groups)
	if f.State != "" {
		where.Add(`state = ?`, string(f.State))
	}
	if f.Owner != (xxladapter.Term{}) {
		where.Add(`node = ? AND term = ?`, f.Owner.Node, f.Owner.Number)
	}
	where.AddIDs(s.Dialect, `id`, f.IDs)
	if f.Partitions != 0 && f.Partitions != xxladapter.AllPartitions {
		where.AddPartitions(`job_id`, f.Partitions)
	}
	if !f.DueBefore.IsZero() {
		// Rounded up: a due time within the millisecond of the limit is before it.
		where.Add(`due_ms < ?`, f.DueBefore.Add(time.Millisecond-time.Nanosecond).UnixMilli())
	}
	if f.AfterID != 0 {
		after := database.ToMilli(f.AfterDue)
		// The first condition excludes earlier due times, and can use an index.
		where.Add(`due_ms >= ? AND (due_ms > ? OR id > ?)`, after, after, f.AfterID)
	}
	query, args := where.Selecting(`SELECT `+FireColumns+` FROM xxlwheel_fire`, `due_ms, id`, f.Limit)
	var found []xxladapter.Fire
	by := s.SweepReads
	if xxladapter.IsForUser(ctx) {
		by = nil
	}
	err := s.QueryBy(ctx, by, query, args, func(r database.Row) error {
		fire, err := ScanFire(r)
		found = append(found, fire)
		return err
	})
	return found, err
}

// ClaimFire implements [xxladapter.Store].
func (s *Store) ClaimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	sent := time.Now()
	claimed, err := s.claimFire(ctx, by, id, logs)
	var early *xxladapter.EarlyError
	if s.Server != nil && errors.As(err, &early) {
		s.Server.Saw(early.Now, sent)
	}
	return claimed, err
}

func (s *Store) claimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	if s.Fires != nil && len(logs) == 1 {
		call := &FireCall{By: by, FireID: id, Claim: logs[0].Fitted()}
		if err := s.Batch(ctx, call); err == nil {
			return []xxladapter.Fire{call.Claimed}, nil
		} else if !errors.Is(err, ErrAlone) {
			return nil, err
		}
	}
	var claimed []xxladapter.Fire
	err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		rows := transition.Rows{}
		if rows.Holds, err = leases.Holds(ctx, tx, by, s.Clock()); err != nil {
			return err
		}
		if rows.Fire, err = lockFire(ctx, tx, id); err != nil {
			return err
		}
		now, err := s.serverTime(ctx, tx)
		if err != nil {
			return err
		}
		if claimed, err = transition.Claim(rows, by, id, len(logs), database.FromMilli(now)); err != nil {
			return err
		}
		begun := figures.Changes{}
		for i, l := range logs {
			if err := s.storeClaim(ctx, tx, &claimed[i], l); err != nil {
				return err
			}
			s.AddStatus(begun, l.TriggerTime, l.Status(), 1)
		}
		if claimed[0].Type.Ordered() {
			if err := claimOrder(ctx, tx, claimed); err != nil {
				return err
			}
		}
		return s.Count(ctx, tx, begun)
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// storeClaim stores a claimed fire with its log row. A fire without an id is inserted.
func (s *Store) storeClaim(ctx context.Context, tx *database.Tx, f *xxladapter.Fire, l *xxladapter.Log) (err error) {
	if f.LogID, err = s.InsertLog(ctx, tx, l); err != nil {
		return err
	}
	if f.ID != 0 {
		_, err = tx.Exec(
			ctx, claimFire, f.ShardTotal, f.Owner.Node, f.Owner.Number, f.LogID, database.ToMilli(f.Claimed), f.ID,
		)
		return err
	}
	f.ID, err = tx.Insert(ctx, insertShard, f.JobID, f.GroupID, database.ToMilli(f.Due), f.ShardIndex, f.ShardTotal,
		string(f.Type),
		f.RetryCount, f.Param, database.JoinAddresses(f.Addresses), f.Attempt, f.Parent, f.Owner.Node, f.Owner.Number,
		f.LogID, database.ToMilli(f.Claimed))
	return err
}

// TakeFire implements [xxladapter.Store].
func (s *Store) TakeFire(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error {
	return s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		now := s.Clock()
		rows := transition.Rows{}
		if rows.Holds, err = leases.Holds(ctx, tx, by, now); err != nil {
			return err
		}
		if rows.Fire, err = lockFire(ctx, tx, id); err != nil {
			return err
		}
		formerHolds, err := leases.Holds(ctx, tx, from, now)
		if err != nil {
			return err
		}
		if err := transition.TakeFire(rows, by, id, from, formerHolds); err != nil {
			return err
		}
		if err := runs.AddHistory(ctx, tx, transition.TakenOver(*rows.Fire, by, now)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, takeFire, by.Node, by.Number, id)
		return err
	})
}

// SettleFire implements [xxladapter.Store].
func (s *Store) SettleFire(
	ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement,
) (planned []xxladapter.Fire, err error) {
	if s.Fires != nil && len(settled.Next) == 0 && settled.Resume.JobID == 0 {
		err := s.Batch(ctx, &FireCall{By: by, FireID: settled.FireID, LogID: settled.LogID, Settle: &settled})
		if !errors.Is(err, ErrAlone) {
			return nil, err
		}
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		now := s.Clock()
		rows, err := rowsOfFire(ctx, tx, by, now, settled.FireID, settled.LogID)
		if err != nil {
			return err
		}
		change, err := transition.Settle(rows.Rows, by, settled)
		if err != nil {
			return err
		}
		planned, err = s.carryOut(ctx, tx, change, rows, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return planned, nil
}

// ScanFire reads a fire from a row of FireColumns.
func ScanFire(r database.Row) (xxladapter.Fire, error) {
	var f xxladapter.Fire
	err := r.Scan(&f.ID, &f.JobID, &f.GroupID, database.Milli(&f.Due), &f.ShardIndex, &f.ShardTotal,
		database.Text(&f.Type), database.Text(&f.State),
		&f.RetryCount, &f.Param, database.AddressList(&f.Addresses), &f.Attempt, &f.Parent,
		database.Text(&f.Owner.Node), &f.Owner.Number, database.Integer(&f.LogID), database.Milli(&f.Claimed))
	return f, err
}

// OwnTime returns the time for statements that read the server's clock when they get NULL: nil if
// the store follows the server's clock, the store's own clock in ms otherwise.
func (s *Store) OwnTime() any {
	if s.Server != nil {
		return nil
	}
	return database.ToMilli(s.Clock())
}

// serverTime reads the store's clock, in ms. It asks the server rather than use the store's
// estimate, which runs ahead after the server's clock was set back.
func (s *Store) serverTime(ctx context.Context, tx *database.Tx) (now int64, err error) {
	if s.Server == nil {
		return database.ToMilli(s.Clock()), nil
	}
	err = tx.Query(ctx, `SELECT `+s.Dialect.Clock, nil, func(r database.Row) error { return r.Scan(&now) })
	return now, err
}

// A DueTime is a job and a due time in ms. At most one planned fire has it.
type DueTime struct{ Job, Due int64 }

// DueTimeOf returns the due time of f, truncated to the millisecond.
func DueTimeOf(f xxladapter.Fire) DueTime { return DueTime{f.JobID, database.ToMilli(f.Due)} }
