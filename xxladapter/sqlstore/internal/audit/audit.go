package audit

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// The rows of the audit form a chain. A transaction that appends locks the one row of
// xxlwheel_audit_end until it ends, so that no two rows follow the same one. It does so last, after
// all other locks, and then only inserts its rows, moves the end and commits. Rows are appended
// only for changes by people and programs, and for schedules that end.
const (
	selectAuditEnd = `SELECT anchor_id, anchor_hash, last_id, last_hash FROM xxlwheel_audit_end WHERE id = 1`
	moveAuditEnd   = `UPDATE xxlwheel_audit_end SET last_id = ?, last_hash = ? WHERE id = 1`
	moveAnchor     = `UPDATE xxlwheel_audit_end SET anchor_id = ?, anchor_hash = ? WHERE id = 1`

	auditColumns = `id, at_ms, actor_kind, actor_name, actor_address, called,
		object_kind, object_id, object_name, job_id, group_id, changes, previous_hash, hash`
	insertAudit = `INSERT INTO xxlwheel_audit (` + auditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// firstYoung finds the first row that is not old. Rows behind it stay, even if the clock was
	// set back and they are older.
	firstYoung = `SELECT id FROM xxlwheel_audit WHERE id <= ? AND at_ms >= ? ORDER BY id LIMIT 1`
	selectHash = `SELECT hash FROM xxlwheel_audit WHERE id = ?`
	dropAudit  = `DELETE FROM xxlwheel_audit WHERE id <= ?`
)

// lockEnd returns the ends of the chain and locks them until the transaction ends.
func lockEnd(ctx context.Context, t *database.Tx) (ends xxladapter.AuditEnds, err error) {
	if err = t.Query(ctx, selectAuditEnd+t.Dialect.Lock, nil, scanEnds(&ends)); err == nil && ends.Last.Hash == "" {
		err = errors.New("table xxlwheel_audit_end has no row, must have the one that xxlwheel created it with")
	}
	return ends, err
}

func scanEnds(ends *xxladapter.AuditEnds) func(database.Row) error {
	return func(r database.Row) error {
		ends.Anchor.Hash, ends.Last.Hash = xxladapter.AuditGenesis, xxladapter.AuditGenesis
		var anchor, last string
		err := r.Scan(&ends.Anchor.ID, database.Text(&anchor), &ends.Last.ID, database.Text(&last))
		if anchor != "" {
			ends.Anchor.Hash = anchor
		}
		if last != "" {
			ends.Last.Hash = last
		}
		return err
	}
}

// Record appends the row of a change, if ctx has a call and any field differs. Call it last in a
// transaction: it locks the end of the chain, and other transactions wait for that lock until the
// commit.
func (s *Store) Record(
	ctx context.Context, tx *database.Tx, o xxladapter.AuditObject, before, after xxladapter.Fields,
) error {
	if xxladapter.CallOf(ctx) == "" {
		return nil
	}
	changes := xxladapter.DiffFields(before, after)
	if len(changes) == 0 {
		return nil
	}
	return s.RecordAll(ctx, tx, []Change{{o, changes}})
}

// A Change lists the fields of an object that a call has changed.
type Change struct {
	object  xxladapter.AuditObject
	changes []xxladapter.FieldChange // at least one
}

// AppendChange appends the change of an object, if any field differs.
func AppendChange(to []Change, o xxladapter.AuditObject, before, after xxladapter.Fields) []Change {
	if changes := xxladapter.DiffFields(before, after); len(changes) > 0 {
		to = append(to, Change{o, changes})
	}
	return to
}

// RecordAll records many changes.
//
// REQUIRES: ctx has a call.
func (s *Store) RecordAll(ctx context.Context, tx *database.Tx, all []Change) error {
	if len(all) == 0 {
		return nil
	}
	ends, err := lockEnd(ctx, tx)
	if err != nil {
		return err
	}
	rows, now := make([]xxladapter.AuditRow, len(all)), s.db.Clock()
	for i, a := range all {
		rows[i] = xxladapter.NewAuditRow(ctx, ends.Last, now, a.object, a.changes)
		ends.Last = rows[i].Position()
	}
	return appendAudit(ctx, tx, rows...)
}

// A Stop is the end of a job's schedule.
type Stop struct {
	JobID, GroupID int64
	Name           string // of the job
	Reason         string
}

// RecordStops appends a row for each job whose schedule has ended.
func (s *Store) RecordStops(ctx context.Context, tx *database.Tx, node string, now time.Time, stops []Stop) error {
	if len(stops) == 0 {
		return nil
	}
	ends, err := lockEnd(ctx, tx)
	if err != nil {
		return err
	}
	rows := make([]xxladapter.AuditRow, len(stops))
	for i, stop := range stops {
		o := xxladapter.AuditObject{
			Kind: xxladapter.AuditJob, ID: stop.JobID, Name: stop.Name, JobID: stop.JobID, GroupID: stop.GroupID,
		}
		rows[i] = xxladapter.NewStopRow(ends.Last, now, node, stop.Reason, o)
		ends.Last = rows[i].Position()
	}
	return appendAudit(ctx, tx, rows...)
}

// appendAudit inserts rows that follow the last one.
//
// REQUIRES: lockEnd was called.
func appendAudit(ctx context.Context, t *database.Tx, rows ...xxladapter.AuditRow) error {
	values := make([][]any, len(rows))
	for i, r := range rows {
		values[i] = []any{r.ID, database.ToMilli(r.At), string(r.Actor.Kind), r.Actor.Name, r.Actor.Address, r.Call,
			r.Object.Kind, r.Object.ID, r.Object.Name, r.Object.JobID, r.Object.GroupID, r.ChangesText(),
			r.Previous, r.Hash}
	}
	if err := t.InsertAll(ctx, insertAudit, values); err != nil {
		return err
	}
	last := rows[len(rows)-1]
	_, err := t.Exec(ctx, moveAuditEnd, last.ID, last.Hash)
	return err
}

// AppendAudit implements [xxladapter.Store].
func (s *Store) AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error {
	return s.db.Write(
		ctx, func(ctx context.Context, tx *database.Tx) error { return s.Record(ctx, tx, o, nil, fields) },
	)
}

// AuditRows implements [xxladapter.Store].
func (s *Store) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	var where database.Conditions
	for _, text := range []struct{ condition, value string }{{`actor_name = ?`, f.Actor}, {`object_kind = ?`, f.Kind}} {
		if text.value != "" {
			where.Add(text.condition, text.value)
		}
	}
	for _, id := range []struct {
		condition string
		value     int64
	}{{`object_id = ?`, f.ObjectID}, {`job_id = ?`, f.JobID}, {`group_id = ?`, f.GroupID}} {
		if id.value != 0 {
			where.Add(id.condition, id.value)
		}
	}
	if f.NoOrders {
		where.Add(`changes NOT LIKE ?`, xxladapter.OrderChanges+"%")
	}
	if !f.From.IsZero() {
		where.Add(`at_ms >= ?`, database.CeilMilli(f.From))
	}
	if !f.Before.IsZero() {
		where.Add(`at_ms < ?`, database.CeilMilli(f.Before))
	}
	order := where.PageByID(f.AfterID, f.Newest)
	query, args := where.Selecting(`SELECT `+auditColumns+` FROM xxlwheel_audit`, order, f.Limit)
	var found []xxladapter.AuditRow
	err := s.db.Query(ctx, query, args, func(r database.Row) error {
		row, err := scanAudit(r)
		found = append(found, row)
		return err
	})
	return found, err
}

func scanAudit(r database.Row) (row xxladapter.AuditRow, err error) {
	var changes string
	err = r.Scan(&row.ID, database.Milli(&row.At), database.Text(&row.Actor.Kind), database.Text(&row.Actor.Name),
		database.Text(&row.Actor.Address), database.Text(&row.Call),
		database.Text(&row.Object.Kind), &row.Object.ID, database.Text(&row.Object.Name), &row.Object.JobID,
		&row.Object.GroupID,
		database.Text(&changes), database.Text(&row.Previous), database.Text(&row.Hash))
	if json.Unmarshal([]byte(changes), &row.Changes) != nil || row.ChangesText() != changes {
		// Another program has changed the text, which the row must not hide.
		damaged, _ := json.Marshal(changes)
		row.Changes = []xxladapter.FieldChange{{Field: "damaged", After: damaged}}
	}
	return row, err
}

// AuditEnds implements [xxladapter.Store].
func (s *Store) AuditEnds(ctx context.Context) (ends xxladapter.AuditEnds, err error) {
	err = s.db.Query(ctx, selectAuditEnd, nil, scanEnds(&ends))
	return ends, err
}

// PurgeAudit implements [xxladapter.Store].
func (s *Store) PurgeAudit(ctx context.Context, before time.Time, limit int) (rows int, err error) {
	err = s.db.WriteBy(ctx, s.db.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		rows = 0
		ends, err := lockEnd(ctx, tx)
		if err != nil {
			return err
		}
		last := min(ends.Anchor.ID+int64(limit), ends.Last.ID)
		err = tx.Query(ctx, firstYoung, []any{last, database.CeilMilli(before)}, func(r database.Row) error {
			err := r.Scan(&last)
			last--
			return err
		})
		if err != nil || last <= ends.Anchor.ID {
			return err
		}
		anchor := xxladapter.AuditPosition{ID: last}
		if err := tx.Query(
			ctx, selectHash, []any{last}, func(r database.Row) error { return r.Scan(database.Text(&anchor.Hash)) },
		); err != nil {
			return err
		}
		deleted, err := tx.Exec(ctx, dropAudit, last)
		if err != nil {
			return err
		}
		rows = int(deleted)
		_, err = tx.Exec(ctx, moveAnchor, anchor.ID, anchor.Hash)
		return err
	})
	return rows, err
}
