package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The statements of a batch of calls: one for all rows of a kind.
const (
	batchLeases = `SELECT l.node, l.term, coalesce($4::bigint, ` + clock + `) FROM xxlwheel_lease l
		JOIN unnest($1::text[], $2::bigint[]) AS r (node, term) USING (node, term) WHERE l.until_ms > $3`

	// batchFires finds the fires of results by their log rows first, so that one statement locks
	// all fires, in one order.
	batchFires = `SELECT ` + records.FireColumns + ` FROM xxlwheel_fire WHERE id = ANY (ARRAY(
			SELECT unnest($1::bigint[])
			UNION ALL SELECT f.id FROM unnest($2::bigint[]) AS r (log) JOIN xxlwheel_fire f ON f.log_id = r.log
		)) ORDER BY id FOR UPDATE`
	batchLogs = `SELECT id, trigger_time, trigger_code, handle_code, executor_address FROM xxl_job_log WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE`

	batchClaim = `WITH r AS (
			SELECT *, nextval($1::regclass) AS log
			FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::integer[], $7::bigint[], $8::bigint[], $9::text[], $10::text[],
				$11::text[], $12::text[], $13::integer[], $14::timestamp[], $15::integer[], $16::text[], $17::timestamp[], $18::integer[], $19::text[], $20::smallint[])
			AS r (fire, owner, number, claimed, shards, l_group, l_job, l_address, l_handler, l_param, l_sharding, l_retries,
				l_trigger_time, l_trigger_code, l_trigger_msg, l_handle_time, l_handle_code, l_handle_msg, l_alarm)
		), claimed AS (
			UPDATE xxlwheel_fire f SET state = 'claimed', shard_total = shards, node = owner, term = number, log_id = log, claimed_ms = claimed
			FROM r WHERE f.id = r.fire
		), logged AS (
			INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param,
				executor_sharding_param, executor_fail_retry_count,
				trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
			SELECT log, l_group, l_job, l_address, l_handler, l_param, l_sharding, l_retries,
				l_trigger_time, l_trigger_code, l_trigger_msg, l_handle_time, l_handle_code, l_handle_msg, l_alarm
			FROM r
		)
		SELECT fire, log FROM r`
	batchAmbiguous = `UPDATE xxlwheel_fire SET state = 'ambiguous' WHERE id = ANY ($1::bigint[])`
	batchRemoved   = `DELETE FROM xxlwheel_fire WHERE id = ANY ($1::bigint[])`

	batchTriggered = `UPDATE xxl_job_log l SET trigger_code = r.code, trigger_msg = r.msg
		FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS r (log, code, msg) WHERE l.id = r.log`
	batchAccepted = `UPDATE xxl_job_log l SET trigger_code = r.code, trigger_msg = r.msg, executor_address = r.address
		FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[]) AS r (log, code, msg, address) WHERE l.id = r.log`
	batchHandled = `UPDATE xxl_job_log l SET trigger_code = r.taken, handle_time = $1, handle_code = r.code, handle_msg = r.msg
		FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[]) AS r (log, taken, code, msg) WHERE l.id = r.log`
	// batchEnded is batchHandled with the message of the settlement.
	batchEnded = `UPDATE xxl_job_log l SET trigger_code = r.taken, handle_time = $1, handle_code = r.code, handle_msg = r.msg, trigger_msg = r.taken_msg
		FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[]) AS r (log, taken, code, msg, taken_msg) WHERE l.id = r.log`
	batchWanted = `INSERT INTO xxlwheel_log_fetch (log_id, attempts, due_ms) SELECT unnest($1::bigint[]), 0, $2`
)

const logIDs = "xxl_job_log_id_seq" // the sequence of xxl_job_log.id

// textOrNull returns the text as PostgreSQL accepts it, or NULL for none.
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

func nodeOf(c *records.FireCall) string       { return c.Claimed.Owner.Node }
func numberOf(c *records.FireCall) int64      { return c.Claimed.Owner.Number }
func claimedOf(c *records.FireCall) int64     { return database.ToMilli(c.Claimed.Claimed) }
func shardsOf(c *records.FireCall) int32      { return int32(c.Claimed.ShardTotal) }
func triggerCodeOf(c *records.FireCall) int32 { return int32(c.Log.After.TriggerCode) }
func handleCodeOf(c *records.FireCall) int32  { return int32(c.Log.After.HandleCode) }

func queueClaims(batch *pgx.Batch, calls []*records.FireCall) {
	of := func(value func(*xxladapter.Log) string) []string {
		return records.ColumnOf(calls, func(c *records.FireCall) string { return validText(value(c.Claim)) })
	}
	orNull := func(value func(*xxladapter.Log) string) []*string {
		return records.ColumnOf(calls, func(c *records.FireCall) *string { return textOrNull(value(c.Claim)) })
	}
	number := func(value func(*xxladapter.Log) int) []int32 {
		return records.ColumnOf(calls, func(c *records.FireCall) int32 { return int32(value(c.Claim)) })
	}
	batch.Queue(batchClaim, logIDs, records.ColumnOf(calls, records.FireIDOf), records.ColumnOf(calls, nodeOf),
		records.ColumnOf(calls, numberOf),
		records.ColumnOf(calls, claimedOf), records.ColumnOf(calls, shardsOf),
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
		records.ColumnOf(calls, func(c *records.FireCall) int16 { return int16(c.Claim.AlarmStatus) }),
	).Query(func(rows pgx.Rows) error {
		byFire := make(map[int64]*records.FireCall, len(calls))
		for _, c := range calls {
			byFire[c.FireID] = c
		}
		var fire, log int64
		_, err := pgx.ForEachRow(rows, []any{&fire, &log}, func() error {
			byFire[fire].Claimed.LogID = log
			return nil
		})
		return err
	})
}

func queueTriggered(batch *pgx.Batch, calls []*records.FireCall) {
	batch.Queue(batchTriggered, records.ColumnOf(calls, records.LogIDOf), records.ColumnOf(calls, triggerCodeOf),
		records.ColumnOf(calls, func(c *records.FireCall) string { return c.Log.Msg }))
}

func queueAccepted(batch *pgx.Batch, calls []*records.FireCall) {
	batch.Queue(batchAccepted, records.ColumnOf(calls, records.LogIDOf), records.ColumnOf(calls, triggerCodeOf),
		records.ColumnOf(calls, func(c *records.FireCall) string { return c.Log.Msg }),
		records.ColumnOf(calls, func(c *records.FireCall) string { return c.Log.Address }))
}

// queueHandled writes results, all with their settlements or all without.
func queueHandled(batch *pgx.Batch, calls []*records.FireCall, now time.Time) {
	query, args := batchHandled, []any{dialect.Datetime(calls[0].Log.At), records.ColumnOf(calls, records.LogIDOf),
		records.ColumnOf(calls, triggerCodeOf), records.ColumnOf(calls, handleCodeOf),
		records.ColumnOf(calls, func(c *records.FireCall) *string { return textOrNull(c.Log.Msg) })}
	if calls[0].Settled != nil {
		query, args = batchEnded,
			append(args, records.ColumnOf(calls, func(c *records.FireCall) string { return c.Settled.Log.Msg }))
	}
	batch.Queue(query, args...)
	var wanted []int64
	for _, c := range calls {
		if c.WantText {
			wanted = append(wanted, c.LogID)
		}
	}
	if len(wanted) > 0 {
		batch.Queue(batchWanted, wanted, database.ToMilli(now.Add(xxladapter.TextDelay)))
	}
}
