package runs

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// purgeable is the condition under which a row may be deleted. The deleting statement checks it
	// again, because the row was chosen before.
	purgeable = `(handle_code <> 0 OR trigger_code NOT IN (0, 200))
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE xxlwheel_fire.log_id = xxl_job_log.id)`

	// alarmed is the further condition where alarms are sent.
	alarmed = `(handle_code = 200 OR alarm_status NOT IN (0, -1))
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_alarm_claim WHERE xxlwheel_alarm_claim.log_id = xxl_job_log.id)`

	// notEndingFailures excludes the first success after a failure that alarms remember.
	notEndingFailures = `NOT EXISTS (SELECT 1 FROM xxlwheel_alarm
			WHERE xxlwheel_alarm.job_id = xxl_job_log.job_id AND xxlwheel_alarm.last_log_id < xxl_job_log.id
			AND NOT EXISTS (SELECT 1 FROM xxl_job_log AS earlier WHERE earlier.job_id = xxl_job_log.job_id
				AND earlier.id > xxlwheel_alarm.last_log_id AND earlier.id < xxl_job_log.id AND earlier.handle_code = 200))`

	// PurgeBatch is the number of rows that one statement deletes. All statements have the same
	// number of arguments, so that there is one text to prepare.
	PurgeBatch = 100

	// HighestOfOld makes databases use the index on trigger_time. For a bare MAX(id) they expect to
	// find it sooner from the other end, through all young rows.
	HighestOfOld = `SELECT MAX(id + 0) FROM xxl_job_log`

	// A running backfill finds its runs by their orders. The inner SELECT is a derived table,
	// because MySQL does not select from the table that it deletes from.
	purgeOrders = `DELETE FROM xxlwheel_order WHERE id IN (SELECT id FROM (SELECT id FROM xxlwheel_order WHERE created_ms < ?
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE xxlwheel_fire.id = xxlwheel_order.fire_id)
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_backfill WHERE xxlwheel_backfill.job_id = xxlwheel_order.job_id
			AND xxlwheel_backfill.state = 'RUNNING') ORDER BY created_ms LIMIT ?) AS old)`
)

var (
	batchOfIDs = `(?` + strings.Repeat(`, ?`, PurgeBatch-1) + `)`

	// DeletePurgeable deletes those rows of a batch that may be deleted, and DeleteAlarmed only
	// those that alarms no longer need.
	DeletePurgeable = `DELETE FROM xxl_job_log WHERE id IN ` + batchOfIDs + ` AND ` + purgeable
	DeleteAlarmed   = DeletePurgeable + ` AND ` + alarmed
	// A row that stayed keeps its text and its history.
	dropBelonging = []string{
		`DELETE FROM xxlwheel_log_text WHERE log_id IN ` + batchOfIDs + ` AND NOT EXISTS (SELECT 1 FROM xxl_job_log WHERE id = log_id)`,
		`DELETE FROM xxlwheel_log_fetch WHERE log_id IN ` + batchOfIDs + ` AND NOT EXISTS (SELECT 1 FROM xxl_job_log WHERE id = log_id)`,
		`DELETE FROM xxlwheel_run WHERE log_id IN ` + batchOfIDs +
			` AND NOT EXISTS (SELECT 1 FROM xxl_job_log WHERE id = log_id)`,
	}
	// ownTables are those whose rows belong to log rows and stay when another tool deletes these.
	ownTables = []string{"xxlwheel_log_text", "xxlwheel_run"}
)

const (
	// belowLog finds what belongs to log rows that another tool has deleted.
	belowLog = ` WHERE log_id < (SELECT MIN(id) FROM xxl_job_log)`
	// lastOfOld finds the last row of a chunk. Argument: how many rows come before.
	lastOfOld = `SELECT log_id FROM %s` + belowLog + ` ORDER BY log_id LIMIT 1 OFFSET ?`
	// dropOld deletes a chunk. Argument: the last row.
	dropOld = `DELETE FROM %s` + belowLog + ` AND log_id <= ?`
)

// PurgeLogs implements [xxladapter.Store]. It chooses rows without a lock and deletes them by id,
// in a transaction of their own.
func (s *Store) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	if p.Removed {
		return s.purgeRemoved(ctx, p, limit)
	}
	whole := p.JobID == 0 && p.GroupID == 0 // what belongs to no row goes with the last rows, too
	if p.UntilID == 0 {
		var err error
		if p.UntilID, err = s.lastToPurge(ctx, p); err != nil {
			return xxladapter.Purged{}, err
		}
	}
	purged := xxladapter.Purged{Next: p, Done: true}
	var ids []int64
	if p.UntilID > p.AfterID {
		var err error
		query, args := s.PurgeFrom(p).Selecting(`SELECT id FROM xxl_job_log`, `id`, limit)
		if ids, err = s.db.Ids(ctx, query, args); err != nil {
			return xxladapter.Purged{}, err
		}
	}
	if len(ids) == 0 && !whole && !p.Orders() {
		return purged, nil
	}
	remove := DeleteAlarmed
	if p.Unalarmed {
		remove = DeletePurgeable
	}
	uncounted, err := s.figures.MayBeUncounted(ctx, ids)
	if err != nil {
		return xxladapter.Purged{}, err
	}
	var begin time.Time
	var most int64 // orders that were deleted, or rows of one table that belonged to nothing
	err = s.db.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		begin, most = time.Now(), 0
		if purged.Rows, err = s.deleteCounted(ctx, tx, remove, ids, uncounted, nil); err != nil {
			return err
		}
		if p.Orders() {
			if most, err = tx.Exec(ctx, purgeOrders, database.ToMilli(p.Before), limit); err != nil {
				return err
			}
		}
		if whole && len(ids) < limit {
			for _, table := range ownTables {
				n, err := dropOldOf(ctx, tx, table, limit)
				if err != nil {
					return err
				}
				most = max(most, n)
			}
		}
		if purged.Rows == 0 {
			return nil
		}
		return s.audit.Record(ctx, tx, p.Audited(), nil, p.Fields())
	})
	if err != nil {
		return xxladapter.Purged{}, err
	}
	purged.Held = time.Since(begin)
	if len(ids) > 0 {
		purged.Next.AfterID = ids[len(ids)-1]
	}
	purged.Done = len(ids) < limit && most < int64(limit)
	return purged, nil
}

// dropOldOf deletes up to limit rows of a table that belong to log rows that another tool has
// deleted: a Java admin may have deleted those of a day.
func dropOldOf(ctx context.Context, t *database.Tx, table string, limit int) (deleted int64, err error) {
	last := int64(math.MaxInt64)
	if err := t.Query(
		ctx, fmt.Sprintf(lastOfOld, table), []any{limit - 1}, func(r database.Row) error { return r.Scan(&last) },
	); err != nil {
		return 0, err
	}
	return t.Exec(ctx, fmt.Sprintf(dropOld, table), last)
}

// deleteCounted deletes rows as deleteRows does, and also adds them to the statistics if any may be
// missing there.
func (s *Store) deleteCounted(ctx context.Context, tx *database.Tx, statement string, ids []int64, uncounted bool,
	first func(batch []any) error) (deleted int, err error) {

	if !uncounted {
		return deleteRows(ctx, tx, statement, ids, first)
	}
	err = s.figures.CountingDeleted(ctx, tx, ids, func() (err error) {
		deleted, err = deleteRows(ctx, tx, statement, ids, first)
		return err
	})
	return deleted, err
}

// deleteRows deletes log rows and what belongs to them, in batches. It calls first, unless that is
// nil, before each batch is deleted. The statement may leave rows that must stay.
func deleteRows(
	ctx context.Context, t *database.Tx, statement string, ids []int64, first func(batch []any) error,
) (deleted int, err error) {
	for rest := ids; len(rest) > 0; rest = rest[min(PurgeBatch, len(rest)):] {
		batch := IDArgs(rest)
		if first != nil {
			if err := first(batch); err != nil {
				return 0, err
			}
		}
		n, err := t.Exec(ctx, statement, batch...)
		if err != nil {
			return 0, err
		}
		deleted += int(n)
		for _, statement := range dropBelonging {
			if _, err := t.Exec(ctx, statement, batch...); err != nil {
				return 0, err
			}
		}
	}
	return deleted, nil
}

// IDArgs returns the first ids as the arguments of a batch, filled up with the last id.
//
// REQUIRES: ids is not empty.
func IDArgs(ids []int64) []any {
	args := make([]any, PurgeBatch)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}

// lastToPurge returns the highest id that p concerns, or 0 if there is none.
func (s *Store) lastToPurge(ctx context.Context, p xxladapter.LogPurge) (id int64, err error) {
	first := func(r database.Row) error { return r.Scan(database.Integer(&id)) }
	of := conditionsOf(p)
	if p.KeepNewest > 0 {
		query, args := of.Selecting(`SELECT id FROM xxl_job_log`, `id DESC`, 1)
		err = s.db.Query(ctx, query+` OFFSET ?`, append(args, p.KeepNewest), first)
		return id, err
	}
	highest := `SELECT MAX(id) FROM xxl_job_log`
	if !p.Before.IsZero() {
		of.Add(`trigger_time < ?`, s.before(p))
		highest = HighestOfOld
	}
	query, args := of.Where(highest)
	err = s.db.Query(ctx, query, args, first)
	return id, err
}

// before returns the limit for a column of whole seconds.
func (s *Store) before(p xxladapter.LogPurge) any {
	return s.db.Dialect.Datetime(p.Before.Add(time.Second - time.Nanosecond))
}

func conditionsOf(p xxladapter.LogPurge) (c database.Conditions) {
	if p.JobID != 0 {
		c.Add(`job_id = ?`, p.JobID)
	}
	if p.GroupID != 0 {
		c.Add(`job_group = ?`, p.GroupID)
	}
	return c
}

// PurgeFrom selects the rows to delete within the bounds of p.
func (s *Store) PurgeFrom(p xxladapter.LogPurge) *database.Conditions {
	c := conditionsOf(p)
	c.Add(`id > ? AND id <= ?`, p.AfterID, p.UntilID)
	if !p.Before.IsZero() {
		c.Add(`trigger_time < ?`, s.before(p))
	}
	if p.Successes {
		c.Add(`handle_code = 200`)
		c.Add(notEndingFailures)
	}
	c.Add(purgeable)
	if !p.Unalarmed {
		c.Add(alarmed)
	}
	return &c
}
