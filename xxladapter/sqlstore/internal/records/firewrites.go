package records

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/leases"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	selectLogStates = `SELECT id, trigger_time, trigger_code, handle_code, executor_address FROM xxl_job_log WHERE `
	// setEnded writes a result together with its settlement.
	setEnded = `UPDATE xxl_job_log SET trigger_code = ?, trigger_msg = ?, handle_time = ?, handle_code = ?, handle_msg = ? WHERE id = ?`
)

// RunFires runs a batch of fire calls in one write: a few reads for the whole batch, and one
// statement for each row that changes. It is a transaction for [NewFireQueue] on a database whose
// round trips cost nothing and whose only writer needs no locks.
func (s *Store) RunFires(ctx context.Context, batch []*FireCall) (again bool, err error) {
	var own error // of the batch's statements; then nothing has been stored
	err = s.Writes.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		own = s.runFires(ctx, tx, batch)
		return own
	})
	return own != nil, err
}

func (s *Store) runFires(ctx context.Context, tx *database.Tx, batch []*FireCall) error {
	rows, err := s.readFires(ctx, tx, batch)
	if err != nil {
		return err
	}
	return s.writeFires(ctx, tx, s.DecideFires(batch, rows))
}

// readFires reads what the batch is about.
func (s *Store) readFires(ctx context.Context, tx *database.Tx, batch []*FireCall) (rows FireRows, err error) {
	about, rows := AboutOf(batch), NewFireRows(batch)
	for term := range about.Terms {
		if rows.Holds[term], err = leases.Holds(ctx, tx, term, s.Clock()); err != nil {
			return rows, err
		}
	}
	if rows.Now, err = s.serverTime(ctx, tx); err != nil {
		return rows, err
	}
	reading := func(query, column string, ids []int64, scan func(database.Row) error) error {
		if len(ids) == 0 {
			return nil
		}
		these, args := s.Dialect.Among(column, ids)
		return tx.Query(ctx, query+these, args, scan)
	}
	scanFire := func(r database.Row) error {
		fire, err := ScanFire(r)
		rows.Fires[fire.ID] = fire
		return err
	}
	const fires = `SELECT ` + FireColumns + ` FROM xxlwheel_fire WHERE `
	if err := reading(fires, "id", about.Fires, scanFire); err != nil {
		return rows, err
	}
	if err := reading(fires, "log_id", about.Ended, scanFire); err != nil {
		return rows, err
	}
	return rows, reading(selectLogStates, "id", about.Logs, func(r database.Row) error {
		var id int64
		var l LogState
		err := r.Scan(&id, database.Datetime(&l.Triggered), &l.TriggerCode, &l.HandleCode, database.Text(&l.Address))
		rows.Logs[id] = l
		return err
	})
}

// writeFires writes what was decided for a batch.
func (s *Store) writeFires(ctx context.Context, tx *database.Tx, work FireWork) error {
	for _, c := range work.Claims {
		if err := s.storeClaim(ctx, tx, &c.Claimed, c.Claim); err != nil {
			return err
		}
	}
	for _, id := range work.Ambiguous {
		if _, err := tx.Exec(ctx, makeAmbiguous, id); err != nil {
			return err
		}
	}
	if err := RemoveFires(ctx, tx, work.Removed); err != nil {
		return err
	}
	for _, c := range work.Triggered {
		if _, err := tx.Exec(ctx, runs.SetTriggered, c.Log.After.TriggerCode, c.Log.Msg, c.LogID); err != nil {
			return err
		}
	}
	for _, c := range work.Accepted {
		if _, err := tx.Exec(
			ctx, runs.SetAccepted, c.Log.After.TriggerCode, c.Log.Msg, c.Log.Address, c.LogID,
		); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(work.Handled, work.Together) {
		if err := s.writeResult(ctx, tx, c); err != nil {
			return err
		}
	}
	if err := writeRuns(ctx, tx, work.Runs); err != nil {
		return err
	}
	return s.Count(ctx, tx, work.Moved)
}

// writeResult writes a result, with its settlement if that is written together.
func (s *Store) writeResult(ctx context.Context, tx *database.Tx, c *FireCall) (err error) {
	at, after := s.Dialect.Datetime(c.Log.At), c.Log.After
	if c.Settled == nil {
		_, err = tx.Exec(
			ctx, runs.SetHandled, after.TriggerCode, at, after.HandleCode, database.OrNull(c.Log.Msg), c.LogID,
		)
	} else {
		_, err = tx.Exec(
			ctx, setEnded, after.TriggerCode, c.Settled.Log.Msg, at, after.HandleCode, database.OrNull(c.Log.Msg),
			c.LogID,
		)
	}
	if err != nil || !c.WantText {
		return err
	}
	_, err = tx.Exec(ctx, runs.WantText, c.LogID, database.ToMilli(s.Clock().Add(xxladapter.TextDelay)))
	return err
}

// writeRuns writes the histories of a batch's runs.
func writeRuns(ctx context.Context, t *database.Tx, work RunWork) error {
	for _, h := range work.Recorded {
		if err := runs.AddHistory(ctx, t, transition.RunChange{Kind: transition.RecordRun, History: *h}); err != nil {
			return err
		}
	}
	for _, h := range work.Extended {
		if err := runs.AddHistory(ctx, t, transition.RunChange{Kind: transition.ExtendRun, History: *h}); err != nil {
			return err
		}
	}
	return nil
}

// A LogState is the state of a log row with its address and its trigger time, which determines the
// day that the row counts for.
type LogState struct {
	Triggered time.Time
	Address   string
	transition.LogState
}
