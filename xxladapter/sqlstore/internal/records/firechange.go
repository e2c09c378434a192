package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A call outside a batch locks and reads its rows, asks package transition what they become, and
// writes the answer.

// lockedRows are the rows of one call. The fire has only its state and the fields that its history
// needs.
type lockedRows struct {
	transition.Rows
	fireID, logID int64
	triggered     time.Time // of the log row
}

const (
	// selectRows reads lease, fire and log row in one statement. On SQLite, which needs no locks,
	// it is the only read of a call.
	selectRows = `SELECT (SELECT COUNT(*) FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?),
			f.id, f.state, f.node, f.term, f.log_id, f.due_ms, f.trigger_type, f.shard_index, f.shard_total, f.claimed_ms, f.attempt, f.parent_log_id,
			l.id, l.trigger_time, l.trigger_code, l.handle_code, l.executor_address
		FROM (SELECT 1 AS one) AS one LEFT JOIN xxl_job_log l ON l.id = ? LEFT JOIN xxlwheel_fire f ON `
	// SelectRowsByFire and SelectRowsByLog find the fire by its id and by its log row.
	SelectRowsByFire = selectRows + `f.id = ?`
	SelectRowsByLog  = selectRows + `f.log_id = ?`

	// LockFireByID and LockFireByLog select what lockRow locks.
	LockFireByID  = `SELECT id FROM xxlwheel_fire WHERE id = ?`
	LockFireByLog = `SELECT id FROM xxlwheel_fire WHERE log_id = ?`
	lockLog       = `SELECT id FROM xxl_job_log WHERE id = ?`
)

// rowsOfFire reads and locks the rows of a settlement.
func rowsOfFire(
	ctx context.Context, t *database.Tx, by xxladapter.Term, now time.Time, fireID, logID int64,
) (lockedRows, error) {
	if err := lockRow(ctx, t, LockFireByID, fireID); err != nil {
		return lockedRows{}, err
	}
	if err := lockRow(ctx, t, lockLog, logID); err != nil {
		return lockedRows{}, err
	}
	return readRows(ctx, t, SelectRowsByFire, by.Node, by.Number, database.ToMilli(now), logID, fireID)
}

// rowsOfRun reads and locks a log row, and its fire if that is still open.
func rowsOfRun(ctx context.Context, t *database.Tx, logID int64) (lockedRows, error) {
	if err := lockRow(ctx, t, LockFireByLog, logID); err != nil {
		return lockedRows{}, err
	}
	if err := lockRow(ctx, t, lockLog, logID); err != nil {
		return lockedRows{}, err
	}
	return readRows(ctx, t, SelectRowsByLog, "", 0, 0, logID, logID)
}

// lockRow locks the row that the query selects, if the database needs locks. Fires are locked
// before log rows, as everywhere, so that no two transactions deadlock.
func lockRow(ctx context.Context, t *database.Tx, query string, id int64) error {
	if t.Dialect.Lock == "" {
		return nil
	}
	_, err := t.Has(ctx, query+t.Dialect.Lock, id)
	return err
}

// readRows reads the rows that lockRow locked.
func readRows(ctx context.Context, t *database.Tx, query string, args ...any) (rows lockedRows, err error) {
	var (
		holds, triggerCode, handleCode, index, total, attempt int64
		fire                                                  xxladapter.Fire
	)
	err = t.Query(ctx, query, args, func(r database.Row) error {
		return r.Scan(&holds, database.Integer(&fire.ID), database.Text(&fire.State), database.Text(&fire.Owner.Node),
			database.Integer(&fire.Owner.Number),
			database.Integer(&fire.LogID), database.Milli(&fire.Due), database.Text(&fire.Type),
			database.Integer(&index), database.Integer(&total), database.Milli(&fire.Claimed),
			database.Integer(&attempt), database.Integer(&fire.Parent),
			database.Integer(&rows.logID), database.Datetime(&rows.triggered), database.Integer(&triggerCode),
			database.Integer(&handleCode), database.Text(&rows.Address))
	})
	rows.Holds = holds > 0
	if fire.ID != 0 {
		fire.ShardIndex, fire.ShardTotal, fire.Attempt = int(index), int(total), int(attempt)
		rows.Fire, rows.fireID = &fire, fire.ID
	}
	if rows.logID != 0 {
		rows.Log = &transition.LogState{TriggerCode: int(triggerCode), HandleCode: int(handleCode)}
	}
	return rows, err
}

// lockFire reads and locks an open fire. It returns nil if there is none.
func lockFire(ctx context.Context, t *database.Tx, id int64) (found *xxladapter.Fire, err error) {
	err = t.Query(ctx, selectFire+t.Dialect.Lock, []any{id}, func(r database.Row) error {
		f, err := ScanFire(r)
		found = &f
		return err
	})
	return found, err
}

// carryOut writes a change and returns the fires that it planned.
func (s *Store) carryOut(
	ctx context.Context, tx *database.Tx, c transition.Change, rows lockedRows, now time.Time,
) (planned []xxladapter.Fire, err error) {
	switch c.Fire {
	case transition.DoubtFire:
		_, err = tx.Exec(ctx, makeAmbiguous, rows.fireID)
	case transition.RemoveFire:
		_, err = tx.Exec(ctx, removeFire, rows.fireID)
	}
	if err != nil {
		return nil, err
	}
	switch l := c.Log; l.Columns {
	case transition.TriggerColumns:
		_, err = tx.Exec(ctx, runs.SetTriggered, l.After.TriggerCode, l.Msg, rows.logID)
	case transition.AcceptColumns:
		_, err = tx.Exec(ctx, runs.SetAccepted, l.After.TriggerCode, l.Msg, l.Address, rows.logID)
	case transition.HandleColumns:
		_, err = tx.Exec(
			ctx, runs.SetHandled, l.After.TriggerCode, s.Dialect.Datetime(l.At), l.After.HandleCode,
			database.OrNull(l.Msg), rows.logID,
		)
	}
	if err != nil {
		return nil, err
	}
	if err := runs.AddHistory(ctx, tx, c.Run); err != nil {
		return nil, err
	}
	if planned, err = s.planAll(ctx, tx, c.Next); err != nil {
		return nil, err
	}
	if _, err := s.resume(ctx, tx, c.Resume); err != nil {
		return nil, err
	}
	if c.WantText {
		if _, err := tx.Exec(
			ctx, runs.WantText, rows.logID, database.ToMilli(now.Add(xxladapter.TextDelay)),
		); err != nil {
			return nil, err
		}
	}
	moved := figures.Changes{}
	s.MoveStatus(moved, rows.triggered, c.Log)
	return planned, s.Count(ctx, tx, moved)
}
