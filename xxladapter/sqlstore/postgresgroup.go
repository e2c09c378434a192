package sqlstore

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The statements of a group of calls: one for all calls of a kind. Fires are
// locked before log rows, as everywhere.
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
				AND f.due_ms <= (SELECT coalesce($20::bigint, ` + postgresClock + `))
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
		SELECT ` + fireColumns + ` FROM claimed`
	// groupEarly has what was planned and not claimed, and the time: it was not due, or
	// has to go alone.
	groupEarly = `SELECT id, due_ms, coalesce($2::bigint, ` + postgresClock + `) FROM xxlwheel_fire WHERE id = ANY($1) AND state = 'planned'`

	groupRemove = `DELETE FROM xxlwheel_fire f USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS r (fire, node, term)
		WHERE f.id = r.fire AND (f.state = 'planned' OR f.node = r.node AND f.term = r.term)`
	// Settlements, and results with a fire of 0, remove fires in one statement,
	// so that they lock them in one order. With an equals sign the node would be a
	// way to all fires of its term.
	groupClose = `DELETE FROM xxlwheel_fire f USING unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS r (log, fire, node, term)
		WHERE f.log_id = r.log AND CASE r.fire WHEN 0 THEN EXISTS (SELECT 1 FROM xxl_job_log l WHERE l.id = r.log)
			ELSE f.id = r.fire AND f.node IS NOT DISTINCT FROM r.node AND f.term = r.term END`
	groupAmbiguous = `UPDATE xxlwheel_fire f SET state = 'ambiguous' FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS r (fire, node, term)
		WHERE f.id = r.fire AND f.node IS NOT DISTINCT FROM r.node AND f.term = r.term`
	// A fire that is neither gone nor ambiguous as it should be is another
	// term's, or nobody's.
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

// byLogThenFire is the order in which groups lock rows.
func byLogThenFire(a, b *fireCall) int {
	return cmp.Or(cmp.Compare(a.logID, b.logID), cmp.Compare(a.fireID, b.fireID))
}

// columnOf is one argument of all calls.
func columnOf[T any](calls []*fireCall, value func(*fireCall) T) []T {
	column := make([]T, len(calls))
	for i, c := range calls {
		column[i] = value(c)
	}
	return column
}

// textOrNull is the text as PostgreSQL accepts it, or NULL for none.
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

func fireIDOf(c *fireCall) int64   { return c.fireID }
func nodeOf(c *fireCall) string    { return c.by.Node }
func numberOf(c *fireCall) int64   { return c.by.Number }
func logIDOf(c *fireCall) int64    { return c.logID }
func ambiguousOf(c *fireCall) bool { return c.settle.State == xxladapter.FireAmbiguous }

func (f *postgresFires) queueClaims(batch *pgx.Batch, calls []*fireCall, now int64, moved changes) {
	of := func(value func(*xxladapter.Log) string) []string {
		return columnOf(calls, func(c *fireCall) string { return validText(value(c.claim)) })
	}
	orNull := func(value func(*xxladapter.Log) string) []*string {
		return columnOf(calls, func(c *fireCall) *string { return textOrNull(value(c.claim)) })
	}
	number := func(value func(*xxladapter.Log) int) []int32 {
		return columnOf(calls, func(c *fireCall) int32 { return int32(value(c.claim)) })
	}
	batch.Queue(groupClaim, logIDs, now, columnOf(calls, fireIDOf), columnOf(calls, nodeOf), columnOf(calls, numberOf),
		columnOf(calls, func(c *fireCall) int64 { return c.claim.GroupID }),
		columnOf(calls, func(c *fireCall) int64 { return c.claim.JobID }),
		orNull(func(l *xxladapter.Log) string { return l.Address }),
		of(func(l *xxladapter.Log) string { return l.Handler }),
		of(func(l *xxladapter.Log) string { return l.Param }),
		orNull(func(l *xxladapter.Log) string { return l.Sharding }),
		number(func(l *xxladapter.Log) int { return l.RetryCount }),
		columnOf(calls, func(c *fireCall) *time.Time { return timeOrNull(c.claim.TriggerTime) }),
		number(func(l *xxladapter.Log) int { return l.TriggerCode }),
		orNull(func(l *xxladapter.Log) string { return l.TriggerMsg }),
		columnOf(calls, func(c *fireCall) *time.Time { return timeOrNull(c.claim.HandleTime) }),
		number(func(l *xxladapter.Log) int { return l.HandleCode }),
		orNull(func(l *xxladapter.Log) string { return l.HandleMsg }),
		columnOf(calls, func(c *fireCall) int16 { return int16(c.claim.AlarmStatus) }), f.store.ownTime(),
	).Query(func(rows pgx.Rows) error {
		byFire := byID(calls, fireIDOf)
		for _, c := range calls {
			c.err = errAlone // it is not planned, or its order is to be told, which only few fires have
		}
		for rows.Next() {
			fire, err := scanFire(rows)
			if err != nil {
				return err
			}
			c := byFire[fire.ID]
			c.claimed, c.err = fire, nil
			f.store.add(moved, c.claim.TriggerTime, c.claim.Outcome(), 1)
		}
		return rows.Err()
	})
}

// queueEarly tells the claims that found no planned fire whether they came early.
func (f *postgresFires) queueEarly(batch *pgx.Batch, group []*fireCall) {
	var refused []*fireCall
	for _, c := range group {
		if c.claim != nil && c.err != nil {
			refused = append(refused, c)
		}
	}
	if len(refused) == 0 {
		return
	}
	batch.Queue(groupEarly, columnOf(refused, fireIDOf), f.store.ownTime()).Query(func(rows pgx.Rows) error {
		byFire := byID(refused, fireIDOf)
		var fire xxladapter.Fire
		var now int64
		_, err := pgx.ForEachRow(rows, []any{&fire.ID, milli{&fire.Due}, &now}, func() error {
			if now < toMilli(fire.Due) {
				byFire[fire.ID].err = tooEarly(fire, now)
			}
			return nil
		})
		return err
	})
}

// queueRemovals closes fires, or makes them ambiguous.
func queueRemovals(batch *pgx.Batch, settles, results []*fireCall) {
	var removed, doubted []*fireCall
	for _, c := range settles {
		if ambiguousOf(c) {
			doubted = append(doubted, c)
		} else {
			removed = append(removed, c)
		}
	}
	if len(doubted) > 0 {
		batch.Queue(groupAmbiguous, columnOf(doubted, fireIDOf), columnOf(doubted, nodeOf), columnOf(doubted, numberOf))
	}
	closed := slices.SortedFunc(slices.Values(slices.Concat(removed, results)), byLogThenFire)
	if len(closed) > 0 {
		batch.Queue(groupClose, columnOf(closed, logIDOf), columnOf(closed, fireIDOf), columnOf(closed, nodeOf), columnOf(closed, numberOf))
	}
	if len(removed) > 0 { // those that are left are not those of the log rows, or have none
		batch.Queue(groupRemove, columnOf(removed, fireIDOf), columnOf(removed, nodeOf), columnOf(removed, numberOf))
	}
}

func (f *postgresFires) queueTriggered(batch *pgx.Batch, calls []*fireCall, moved changes) {
	batch.Queue(groupTriggered, columnOf(calls, fireIDOf), columnOf(calls, nodeOf), columnOf(calls, numberOf),
		columnOf(calls, ambiguousOf), columnOf(calls, logIDOf),
		columnOf(calls, func(c *fireCall) int32 { return int32(c.settle.Code) }),
		columnOf(calls, func(c *fireCall) string { return validText(c.settle.Msg) }),
	).Query(func(rows pgx.Rows) error {
		byFire := byID(calls, fireIDOf)
		var (
			id               int64
			refused, written bool
			before           logState
		)
		_, err := pgx.ForEachRow(rows, []any{&id, &refused, &written, datetime{&before.triggered}, &before.triggerCode, &before.handleCode}, func() error {
			c := byFire[id]
			if refused {
				c.err = notOwned(id, c.by)
				return nil
			}
			after := before
			after.triggerCode = c.settle.Code
			f.store.move(moved, before, after)
			return nil
		})
		return err
	})
}

func (f *postgresFires) queueHandled(batch *pgx.Batch, calls []*fireCall, now time.Time, moved changes) {
	batch.Queue(groupHandled, postgresDialect.datetime(now), columnOf(calls, logIDOf),
		columnOf(calls, func(c *fireCall) int32 { return int32(c.finish.Code) }),
		columnOf(calls, func(c *fireCall) *string { return textOrNull(c.finish.Msg) }),
		columnOf(calls, func(c *fireCall) bool { return c.finish.WantText }), toMilli(now.Add(xxladapter.TextDelay)),
	).Query(func(rows pgx.Rows) error {
		byLog := byID(calls, logIDOf)
		for _, c := range calls {
			c.err = noLog(c.logID)
		}
		var (
			id      int64
			applied bool
			before  logState // but for a trigger code of 0, which means the same as 200 without a result
		)
		_, err := pgx.ForEachRow(rows, []any{&id, &applied, datetime{&before.triggered}, &before.triggerCode}, func() error {
			c := byLog[id]
			c.applied, c.err = applied, nil
			if applied {
				after := before
				after.handleCode = c.finish.Code
				f.store.move(moved, before, after)
			}
			return nil
		})
		return err
	})
}

func byID(calls []*fireCall, id func(*fireCall) int64) map[int64]*fireCall {
	found := make(map[int64]*fireCall, len(calls))
	for _, c := range calls {
		found[id(c)] = c
	}
	return found
}
