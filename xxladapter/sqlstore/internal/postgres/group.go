package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// The statements of a group, each for all calls of a kind. Fires are locked before log rows, as
// everywhere. Except for what fit checks, they state the rule of package transition in SQL: a
// change of that rule is made here too.
const (
	groupHolds = `SELECT l.node, l.term FROM xxlwheel_lease l
		JOIN unnest($1::text[], $2::bigint[]) AS r (node, term) USING (node, term) WHERE l.until_ms > $3`

	groupClaim = `WITH r AS (
			SELECT * FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[],
				$11::text[], $12::integer[], $13::timestamp[], $14::integer[], $15::text[], $16::timestamp[], $17::integer[], $18::text[], $19::smallint[])
			AS r (fire, owner, number, l_group, l_job, l_address, l_handler, l_param, l_sharding, l_retries,
				l_trigger_time, l_trigger_code, l_trigger_msg, l_handle_time, l_handle_code, l_handle_msg, l_alarm)
		), claimed AS (
			UPDATE xxlwheel_fire f SET state = 'claimed', shard_total = CASE f.shard_total WHEN 0 THEN 1 ELSE f.shard_total END,
				node = owner, term = number, log_id = nextval($1::regclass), claimed_ms = $2
			FROM r WHERE f.id = r.fire AND f.state = 'planned' AND f.trigger_type NOT IN ('MANUAL', 'API')
				AND f.due_ms <= (SELECT coalesce($20::bigint, ` + clock + `))
			RETURNING f.*, l_group, l_job, l_address, l_handler, l_param, l_sharding, l_retries,
				l_trigger_time, l_trigger_code, l_trigger_msg, l_handle_time, l_handle_code, l_handle_msg, l_alarm
		), logged AS (
			INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param,
				executor_sharding_param, executor_fail_retry_count,
				trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
			SELECT log_id, l_group, l_job, l_address, l_handler, l_param, l_sharding, l_retries,
				l_trigger_time, l_trigger_code, l_trigger_msg, l_handle_time, l_handle_code, l_handle_msg, l_alarm
			FROM claimed
		)
		SELECT ` + records.FireColumns + ` FROM claimed`
	// groupEarly reads the due times of planned fires that were not claimed, and the time. Such a
	// fire is not due yet, or it belongs to an order and is claimed alone.
	groupEarly = `SELECT id, due_ms, coalesce($2::bigint, ` + clock + `) FROM xxlwheel_fire WHERE id = ANY($1) AND state = 'planned'`

	groupRemove = `DELETE FROM xxlwheel_fire f USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS r (fire, node, term)
		WHERE f.id = r.fire AND (f.state = 'planned' OR f.node = r.node AND f.term = r.term)`
	// Settlements, and results (fire 0), remove fires in one statement, so that they lock fires in
	// one order. IS NOT DISTINCT FROM keeps the planner from using the index on node, which
	// finds all fires of the term.
	groupClose = `DELETE FROM xxlwheel_fire f USING unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS r (log, fire, node, term)
		WHERE f.log_id = r.log AND CASE r.fire WHEN 0 THEN EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = r.log)
			ELSE f.id = r.fire AND f.node IS NOT DISTINCT FROM r.node AND f.term = r.term END`
	groupAmbiguous = `UPDATE xxlwheel_fire f SET state = 'ambiguous' FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS r (fire, node, term)
		WHERE f.id = r.fire AND f.node IS NOT DISTINCT FROM r.node AND f.term = r.term`
	// A settlement is refused if its fire is still there and is not ambiguous under its term:
	// another term owns that fire, or none does.
	groupTriggered = `WITH r AS (
			SELECT *, EXISTS (SELECT 1 FROM xxlwheel_fire f WHERE f.id = fire
				AND NOT (ambiguous AND f.state = 'ambiguous' AND f.node = owner AND f.term = number)) AS refused
			FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bool[], $5::bigint[], $6::integer[], $7::text[])
			AS r (fire, owner, number, ambiguous, log, code, msg)
		), before AS (
			SELECT l.id, l.trigger_time, l.trigger_code, l.handle_code, r.fire, r.code, r.msg FROM r JOIN xxl_job_log l ON l.id = r.log
			WHERE NOT r.refused AND r.code <> 0 FOR UPDATE OF l
		), written AS (
			UPDATE xxl_job_log l SET trigger_code = b.code, trigger_msg = b.msg
			FROM before b WHERE l.id = b.id
			RETURNING b.fire, b.trigger_time, b.trigger_code, b.handle_code
		)
		SELECT r.fire, r.refused, w.fire IS NOT NULL, w.trigger_time, coalesce(w.trigger_code, 0), coalesce(w.handle_code, 0)
		FROM r LEFT JOIN written w USING (fire) WHERE r.refused OR w.fire IS NOT NULL`

	groupHandled = `WITH r AS (
			SELECT * FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::bool[]) AS r (log, code, msg, want_text)
		), handled AS (
			UPDATE xxl_job_log l SET handle_time = $1, handle_code = r.code, handle_msg = r.msg,
				trigger_code = CASE l.trigger_code WHEN 0 THEN 200 ELSE l.trigger_code END
			FROM r WHERE l.id = r.log AND l.handle_code = 0
			RETURNING l.id, l.trigger_time, l.trigger_code, r.want_text
		), wanted AS (
			INSERT INTO xxlwheel_log_fetch (log_id, attempts, due_ms) SELECT id, 0, $6 FROM handled WHERE want_text
		)
		SELECT r.log, h.id IS NOT NULL, h.trigger_time, coalesce(h.trigger_code, 0)
		FROM r LEFT JOIN handled h ON h.id = r.log WHERE EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = r.log)`
)

const logIDs = "xxl_job_log_id_seq" // the sequence of xxl_job_log.id

// byLogThenFire compares calls in the order in which groups lock rows.
func byLogThenFire(a, b *records.FireCall) int {
	return cmp.Or(cmp.Compare(a.LogID, b.LogID), cmp.Compare(a.FireID, b.FireID))
}

// textOrNull returns s as PostgreSQL accepts it, or nil (NULL) if s is empty.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	s = validText(s)
	return &s
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

func nodeOf(c *records.FireCall) string    { return c.By.Node }
func numberOf(c *records.FireCall) int64   { return c.By.Number }
func ambiguousOf(c *records.FireCall) bool { return c.Settle.State == xxladapter.FireAmbiguous }

func (f *fireGroups) queueClaims(batch *pgx.Batch, calls []*records.FireCall, now int64, moved records.Changes) {
	of := func(value func(*xxladapter.Log) string) []string {
		return records.ColumnOf(calls, func(c *records.FireCall) string { return validText(value(c.Claim)) })
	}
	orNull := func(value func(*xxladapter.Log) string) []*string {
		return records.ColumnOf(calls, func(c *records.FireCall) *string { return textOrNull(value(c.Claim)) })
	}
	number := func(value func(*xxladapter.Log) int) []int32 {
		return records.ColumnOf(calls, func(c *records.FireCall) int32 { return int32(value(c.Claim)) })
	}
	batch.Queue(groupClaim, logIDs, now, records.ColumnOf(calls, records.FireIDOf), records.ColumnOf(calls, nodeOf), records.ColumnOf(calls, numberOf),
		records.ColumnOf(calls, func(c *records.FireCall) int64 { return c.Claim.GroupID }),
		records.ColumnOf(calls, func(c *records.FireCall) int64 { return c.Claim.JobID }),
		orNull(func(l *xxladapter.Log) string { return l.Address }),
		of(func(l *xxladapter.Log) string { return l.Handler }),
		of(func(l *xxladapter.Log) string { return l.Param }),
		orNull(func(l *xxladapter.Log) string { return l.Sharding }),
		number(func(l *xxladapter.Log) int { return l.RetryCount }),
		records.ColumnOf(calls, func(c *records.FireCall) *time.Time { return timeOrNull(c.Claim.TriggerTime) }),
		number(func(l *xxladapter.Log) int { return l.TriggerCode }),
		orNull(func(l *xxladapter.Log) string { return l.TriggerMsg }),
		records.ColumnOf(calls, func(c *records.FireCall) *time.Time { return timeOrNull(c.Claim.HandleTime) }),
		number(func(l *xxladapter.Log) int { return l.HandleCode }),
		orNull(func(l *xxladapter.Log) string { return l.HandleMsg }),
		records.ColumnOf(calls, func(c *records.FireCall) int16 { return int16(c.Claim.AlarmStatus) }), f.store.OwnTime(),
	).Query(func(rows pgx.Rows) error {
		byFire := byID(calls, records.FireIDOf)
		for _, c := range calls {
			c.Err = records.ErrAlone // unless claimed below: the fire is not planned, not due, or belongs to an order
		}
		for rows.Next() {
			fire, err := records.ScanFire(rows)
			if err != nil {
				return err
			}
			c := byFire[fire.ID]
			c.Claimed, c.Err = fire, nil
			f.store.AddOutcome(moved, c.Claim.TriggerTime, c.Claim.Outcome(), 1)
		}
		return rows.Err()
	})
}

// queueEarly queues the question which unclaimed fires are not due yet, and sets their EarlyError.
func (f *fireGroups) queueEarly(batch *pgx.Batch, group []*records.FireCall) {
	var refused []*records.FireCall
	for _, c := range group {
		if c.Claim != nil && c.Err != nil {
			refused = append(refused, c)
		}
	}
	if len(refused) == 0 {
		return
	}
	batch.Queue(groupEarly, records.ColumnOf(refused, records.FireIDOf), f.store.OwnTime()).Query(func(rows pgx.Rows) error {
		byFire := byID(refused, records.FireIDOf)
		var fire xxladapter.Fire
		var now int64
		_, err := pgx.ForEachRow(rows, []any{&fire.ID, records.Milli(&fire.Due), &now}, func() error {
			if now < records.ToMilli(fire.Due) {
				byFire[fire.ID].Err = &xxladapter.EarlyError{FireID: fire.ID, Due: fire.Due, Now: time.UnixMilli(now).UTC()}
			}
			return nil
		})
		return err
	})
}

// queueRemovals queues the removal of fires that are done, and marks those in doubt as ambiguous.
func queueRemovals(batch *pgx.Batch, settles, results []*records.FireCall) {
	var removed, doubted []*records.FireCall
	for _, c := range settles {
		if ambiguousOf(c) {
			doubted = append(doubted, c)
		} else {
			removed = append(removed, c)
		}
	}
	if len(doubted) > 0 {
		batch.Queue(groupAmbiguous, records.ColumnOf(doubted, records.FireIDOf), records.ColumnOf(doubted, nodeOf), records.ColumnOf(doubted, numberOf))
	}
	closed := slices.SortedFunc(slices.Values(slices.Concat(removed, results)), byLogThenFire)
	if len(closed) > 0 {
		batch.Queue(groupClose, records.ColumnOf(closed, records.LogIDOf), records.ColumnOf(closed, records.FireIDOf), records.ColumnOf(closed, nodeOf), records.ColumnOf(closed, numberOf))
	}
	if len(removed) > 0 { // fires that groupClose did not find by their log row, such as planned ones
		batch.Queue(groupRemove, records.ColumnOf(removed, records.FireIDOf), records.ColumnOf(removed, nodeOf), records.ColumnOf(removed, numberOf))
	}
}

func (f *fireGroups) queueTriggered(batch *pgx.Batch, calls []*records.FireCall, moved records.Changes) {
	batch.Queue(groupTriggered, records.ColumnOf(calls, records.FireIDOf), records.ColumnOf(calls, nodeOf), records.ColumnOf(calls, numberOf),
		records.ColumnOf(calls, ambiguousOf), records.ColumnOf(calls, records.LogIDOf),
		records.ColumnOf(calls, func(c *records.FireCall) int32 { return int32(c.Settle.Code) }),
		records.ColumnOf(calls, func(c *records.FireCall) string { return c.Log.Msg }),
	).Query(func(rows pgx.Rows) error {
		byFire := byID(calls, records.FireIDOf)
		var (
			id               int64
			refused, written bool
			before           records.LogState
		)
		_, err := pgx.ForEachRow(rows, []any{&id, &refused, &written, records.Datetime(&before.Triggered), &before.TriggerCode, &before.HandleCode}, func() error {
			c := byFire[id]
			if refused {
				c.Err = xxladapter.Conflictf("fire %d is not owned by node %q in term %d", id, c.By.Node, c.By.Number)
				return nil
			}
			after := before.LogState
			after.TriggerCode = c.Settle.Code
			f.store.MoveOutcome(moved, before.Triggered, transition.LogChange{Before: before.LogState, After: after})
			return nil
		})
		return err
	})
}

func (f *fireGroups) queueHandled(batch *pgx.Batch, calls []*records.FireCall, now time.Time, moved records.Changes) {
	batch.Queue(groupHandled, dialect.Datetime(now), records.ColumnOf(calls, records.LogIDOf),
		records.ColumnOf(calls, func(c *records.FireCall) int32 { return int32(c.Finish.Code) }),
		records.ColumnOf(calls, func(c *records.FireCall) *string { return textOrNull(c.Log.Msg) }),
		records.ColumnOf(calls, func(c *records.FireCall) bool { return c.Finish.WantText }), records.ToMilli(now.Add(xxladapter.TextDelay)),
	).Query(func(rows pgx.Rows) error {
		byLog := byID(calls, records.LogIDOf)
		for _, c := range calls {
			c.Err = records.NoLog(c.LogID)
		}
		var (
			id      int64
			applied bool
			before  records.LogState // a trigger code of 0 is read as 200: without a result both count as running
		)
		_, err := pgx.ForEachRow(rows, []any{&id, &applied, records.Datetime(&before.Triggered), &before.TriggerCode}, func() error {
			c := byLog[id]
			c.Applied, c.Err = applied, nil
			if applied {
				after := before.LogState
				after.HandleCode = c.Finish.Code
				f.store.MoveOutcome(moved, before.Triggered, transition.LogChange{Before: before.LogState, After: after})
			}
			return nil
		})
		return err
	})
}

func byID(calls []*records.FireCall, id func(*records.FireCall) int64) map[int64]*records.FireCall {
	found := make(map[int64]*records.FireCall, len(calls))
	for _, c := range calls {
		found[id(c)] = c
	}
	return found
}
