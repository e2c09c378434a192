//go:build unix

package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestPostgresUsesItsIndexes checks the plans of frequent statements, with 100,000 jobs and as many
// fires and log rows: no full scan.
func TestPostgresUsesItsIndexes(t *testing.T) {
	t.Parallel()
	s := openFilled(t)
	day, ids := time.Now(), []int64{1, 2, 3}
	open, openArgs := runs.LogList(&dialect, xxladapter.LogFilter{Status: xxladapter.LogRunning, Taken: true, Before: day, AfterID: 7, Limit: 10})
	for _, c := range []struct {
		query string
		args  []any
		index string
	}{
		{lockDue, []any{20_000, "n1", 10_000, "n1", 5_000, 100}, "xxlwheel_info_due"},
		{lockDue, []any{20_000, "n1", 10_000, "n1", 5_000, 100}, "xxlwheel_fire_due_of_job"},
		{dialect.PlanFire, []any{1, 1, 2, 0, 0, "CRON", 0, nil, nil, 0, 0, 21, 20_000}, "xxlwheel_fire_due_of_job"},
		{`DELETE FROM xxlwheel_fire WHERE job_id = ?` + records.DropScheduled, []any{1}, "xxlwheel_fire_due_of_job"},
		{`UPDATE xxlwheel_fire SET group_id = ? WHERE job_id = ? AND group_id <> ?`, []any{1, 2, 1}, "xxlwheel_fire_due_of_job"},
		{records.IsScheduled, []any{21, 20_000}, "xxlwheel_fire_due_of_job"},
		{records.SelectRowsByLog, []any{"n1", 1, 1, 7, 7}, "xxlwheel_fire_log"},
		{records.LockFireByLog + dialect.Lock, []any{7}, "xxlwheel_fire_log"},
		{`SELECT ` + records.FireColumns + ` FROM xxlwheel_fire WHERE state = ? AND due_ms < ? ORDER BY due_ms, id LIMIT ?`, []any{"planned", 9000, 100}, "xxlwheel_fire_due"},
		{`SELECT ` + records.FireColumns + ` FROM xxlwheel_fire WHERE node = ? AND term = ? ORDER BY due_ms, id LIMIT ?`, []any{"n1", 1, 100}, "xxlwheel_fire_node"},
		{runs.SelectLost, []any{0, day, 10}, "xxlwheel_log_open"},
		{open, openArgs, "xxlwheel_log_open"},
		{`SELECT ` + runs.LogColumns + ` FROM xxl_job_log WHERE job_id = ? ORDER BY id DESC LIMIT ?`, []any{7, 10}, "xxlwheel_log_job"},
		{runs.SelectFailed, []any{0, 10}, "xxlwheel_log_alarm"},
		{records.JobEntity.Query + ` WHERE id = ANY(?)`, []any{ids}, "xxl_job_info_pkey"},
		{runs.LogEntity.Query + ` WHERE id = ANY(?)`, []any{ids}, "xxl_job_log_pkey"},
	} {
		all := planOf(t, s, c.query, c.args)
		require.Contains(t, all, c.index, c.query)
		for _, table := range []string{"xxl_job_info", "xxlwheel_fire", "xxl_job_log"} {
			require.NotContains(t, all, "Seq Scan on "+table+" ", c.query)
		}
	}
}

// TestPostgresListsMisfiresOfATimeByTheirJob checks that the misfires of a job are read without
// other jobs' misfires; those outside the time range are skipped in the index alone, even if the
// job has many.
func TestPostgresListsMisfiresOfATimeByTheirJob(t *testing.T) {
	t.Parallel()
	s := openFilled(t)
	for _, job := range []int64{7, 8} {
		query, args := records.MisfireList(xxladapter.MisfireFilter{JobID: job, From: time.Unix(10, 0), To: time.Unix(20, 0), Newest: true, Limit: 10_001})
		all := planOf(t, s, query, args)
		require.Regexp(t, `Index Only Scan .*using xxlwheel_misfire_job on xxlwheel_misfire .*
 *Index Cond: \(\(job_id = .*\) AND \(due_ms < .*\) AND \(until_ms >= `, all, query)
		require.NotContains(t, all, "Seq Scan", "%s\n%s", query, all)
	}
}

// TestAScanJoinsNoFires checks that a scan finds the fires of each due job by index, whatever the
// statistics say. A join would compare all due jobs with all fires, and so would another index.
func TestAScanJoinsNoFires(t *testing.T) {
	t.Parallel()
	empty := openPostgresCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, empty.Close()) })
	for name, s := range map[string]*records.Store{"empty": empty, "filled": openFilled(t), "vacuumed": openEmptied(t)} {
		due := []any{20_000, "n1", 10_000, "n1", 5_000}
		ones := []any{[]int64{1}, []int64{1}, []int64{1}, []int32{0}, []int32{1}, []string{"CRON"}, []int32{0}, []*string{nil}, []*string{nil}, []int32{1}, []int64{0}}
		for query, args := range map[string][]any{
			lockDue:      append(slices.Clip(due), 100),
			countLocked:  append(slices.Clip(due), []int64{1}, 100),
			planDueFires: ones,
		} {
			all := scanPlanOf(t, s, query, args)
			require.NotContains(t, all, "Join", name)
			require.Regexp(t, `xxlwheel_fire_due_of_job on xxlwheel_fire .*\n *Index Cond: \(\(job_id >= .*\) AND \(job_id <= .*\) AND \(due_ms`, all, name)
		}
	}
}

// openEmptied returns a store whose fires were removed, and their table vacuumed, before many were
// planned again.
func openEmptied(t *testing.T) *records.Store {
	t.Helper()
	url := testserver.PostgresCopy(t, migrateURL)
	const fill = `INSERT INTO xxlwheel_fire (job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count)
		SELECT i * 7919 % 30000, i, 0, 1, 'CRON', 'planned', 0 FROM generate_series(1, 30000) i`
	for _, statement := range []string{fill, `DELETE FROM xxlwheel_fire`, `VACUUM ANALYZE xxlwheel_fire`, fill} {
		require.NoError(t, testserver.OrderPostgres(url, statement))
	}
	s := openURL(t, url, database.Options{})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// scanPlanOf does what [planOf] does, on the connection of scans.
func scanPlanOf(t *testing.T, s *records.Store, query string, args []any) string {
	t.Helper()
	var plan []string
	require.NoError(t, s.WriteBy(t.Context(), s.ScanWrites, func(ctx context.Context, tx *database.Tx) error {
		return tx.Query(ctx, `EXPLAIN `+query, args, func(r database.Row) error {
			var line string
			err := r.Scan(&line)
			plan = append(plan, line)
			return err
		})
	}), query)
	return strings.Join(plan, "\n")
}

// TestPostgresListsRunsByItsIndexes checks that a list reads the given ids in order, and the
// histories, which may be millions, by their keys.
func TestPostgresListsRunsByItsIndexes(t *testing.T) {
	t.Parallel()
	s := openFilled(t)
	of := func(f xxladapter.LogFilter) xxladapter.RunFilter { return xxladapter.RunFilter{LogFilter: f} }
	for _, c := range []struct {
		filter xxladapter.RunFilter
		index  string
	}{
		{xxladapter.RunFilter{}, "xxl_job_log_pkey"},
		{of(xxladapter.LogFilter{JobID: 7}), "xxlwheel_log_job"},
		{of(xxladapter.LogFilter{GroupID: 7, Status: xxladapter.LogFail}), "xxl_job_log_pkey"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogRunning}), "xxlwheel_log_open"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogRunning}), "xxlwheel_log_untold"},
		{xxladapter.RunFilter{AtLeast: time.Minute}, "Index Cond: ((log_id >= '90000'::bigint) AND (log_id <= '92000'::bigint))"},
		{xxladapter.RunFilter{AtLeast: time.Minute}, "Index Cond: (log_id = xxl_job_log.id)"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual, LogFilter: xxladapter.LogFilter{JobID: 7}}, "xxlwheel_run_pkey"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual}, "Index Cond: ((log_id >= '90000'::bigint) AND (log_id <= '92000'::bigint))"},
	} {
		c.filter.Newest, c.filter.Limit = true, 100
		query, args := runs.RunList(&dialect, c.filter, 90_000, 92_000, time.Now())
		all := planOf(t, s, query, args)
		require.Contains(t, all, c.index, query)
		require.NotContains(t, all, "Seq Scan on xxl_job_log", query)
		if c.filter.Type == "" && c.filter.AtLeast == 0 || c.filter.JobID != 0 { // otherwise the histories of the range, and no others
			require.NotContains(t, all, "hashed", query)
		}
		require.NotContains(t, all, "Seq Scan on xxlwheel_run", query)
	}
}

// TestMeanDurationsReadTheNewestHistories checks that neither table is read as a whole for the few
// newest rows that are asked for.
func TestMeanDurationsReadTheNewestHistories(t *testing.T) {
	t.Parallel()
	s := openFilled(t)
	all := planOf(t, s, runs.MeanDurationsAfter, []any{99_000, 99_000})
	require.NotContains(t, all, "Seq Scan")
	for _, bound := range []string{"(log_id > '99000'::bigint)", "(id > '99000'::bigint)"} {
		require.Contains(t, all, bound, "a value that is known before the plan is made")
	}
}

// TestPostgresListsJobsByItsIndexes checks that a list by id reads the jobs in order, up to its
// limit. Any other list reads only the values to sort by and the jobs of its page.
func TestPostgresListsJobsByItsIndexes(t *testing.T) {
	t.Parallel()
	s := openFilled(t)
	on, off := true, false
	const inOrder, ofPage = "using xxl_job_info_pkey on xxl_job_info ", "Index Scan using xxl_job_info_pkey on xxl_job_info "
	for _, c := range []struct {
		filter xxladapter.JobFilter
		uses   []string
		sorts  bool
	}{
		{xxladapter.JobFilter{}, []string{inOrder}, false},
		{xxladapter.JobFilter{AfterID: 50_000}, []string{inOrder, "Index Cond: (id > "}, false},
		{xxladapter.JobFilter{AfterID: 50_000, Descending: true}, []string{"Backward " + inOrder, "Index Cond: (id < "}, false},
		{xxladapter.JobFilter{GroupID: 7}, []string{inOrder}, false},
		{xxladapter.JobFilter{Groups: []int64{7, 8}}, []string{inOrder}, false},
		{xxladapter.JobFilter{Running: &on}, []string{inOrder}, false},
		{xxladapter.JobFilter{Running: &off}, []string{inOrder}, false},
		{xxladapter.JobFilter{Name: "job"}, []string{inOrder}, false},
		{xxladapter.JobFilter{Waiting: true}, []string{"xxlwheel_info_due"}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastSuccess}, []string{inOrder, "xxlwheel_last_result_pkey"}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastFail}, []string{ofPage}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastNone}, []string{inOrder, "xxlwheel_last_result_pkey"}, false},
		{xxladapter.JobFilter{Tag: "nightly"}, []string{ofPage}, true},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName}, []string{ofPage}, true},
		{xxladapter.JobFilter{Sort: xxladapter.SortByNext, Running: &on}, []string{ofPage}, true},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName, Tag: "nightly"}, []string{ofPage}, true},
	} {
		c.filter.Limit, c.filter.Light = 100, true
		query, args := records.JobList(&dialect, c.filter, figures.NewerResults{})
		all := planOf(t, s, query, args)
		for _, use := range c.uses {
			require.Contains(t, all, use, "%s\n%s", query, all)
		}
		require.Contains(t, all, "using xxlwheel_job_pkey on xxlwheel_job", "%s\n%s", query, all)
		if !c.sorts {
			require.NotContains(t, all, "Sort", "%s\n%s", query, all)
			require.NotContains(t, all, "Seq Scan on xxl_job_info", "%s\n%s", query, all)
		}
	}
}

// planOf returns the plan of a statement.
func planOf(t *testing.T, s *records.Store, query string, args []any) string {
	t.Helper()
	var plan []string
	require.NoError(t, s.Query(t.Context(), `EXPLAIN `+query, args, func(r database.Row) error {
		var line string
		err := r.Scan(&line)
		plan = append(plan, line)
		return err
	}), query)
	return strings.Join(plan, "\n")
}

// filled holds the URL of filledURL's database; empty means that it is not made yet.
var filled struct {
	sync.Mutex // guards url
	url        string
}

// openFilled returns a store on the database of filledURL.
func openFilled(t *testing.T) *records.Store {
	t.Helper()
	s := openURL(t, filledURL(t), database.Options{})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// filledURL returns the URL of a database with tables that no statement should scan. All tests
// share it, so they must not change it.
func filledURL(t *testing.T) string {
	t.Helper()
	filled.Lock()
	defer filled.Unlock()
	if filled.url == "" {
		url := testserver.KeptPostgresCopy(t, migrateURL)
		s := openURL(t, url, database.Options{})
		fillForPlans(t, s)
		require.NoError(t, s.Close())
		filled.url = url
	}
	return filled.url
}

// fillForPlans fills tables that no statement should scan.
func fillForPlans(t *testing.T, s *records.Store) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO xxl_job_info (job_group, job_desc, glue_type, trigger_status, trigger_next_time)
			SELECT n % 50, 'job', 'BEAN', (n % 2)::smallint, n * 10 FROM generate_series(1, 100000) AS n`,
		`INSERT INTO xxlwheel_fire (job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count, node, term, log_id)
			SELECT n % 5000, n / 1000 * 1000, 0, 1, 'CRON', CASE n % 2 WHEN 0 THEN 'planned' ELSE 'claimed' END, -1,
				CASE n % 2 WHEN 1 THEN 'n' || n % 3 END, n % 3, CASE n % 2 WHEN 1 THEN n END FROM generate_series(1, 100000) AS n`,
		`INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code)
			SELECT 1, n % 5000, now(), 200, CASE WHEN n % 100 = 0 THEN 0 WHEN n % 100 = 1 THEN 500 ELSE 200 END
			FROM generate_series(1, 100000) AS n`,
		`INSERT INTO xxlwheel_run (log_id, due_ms, claimed_ms, term, attempt, shard_index, shard_total, trigger_type, node)
			SELECT id, 0, 0, 1, 1, 0, 1, 'CRON', 'n' FROM xxl_job_log`,
		`UPDATE xxlwheel_partition SET node = 'n' || partition_id % 3`,
		`INSERT INTO xxlwheel_job (job_id, settings) SELECT id, '{"zone":"UTC"}' FROM xxl_job_info`,
		`INSERT INTO xxlwheel_job_tag (job_id, tag) SELECT id, CASE id % 200 WHEN 0 THEN 'nightly' ELSE 'daily' END FROM xxl_job_info`,
		`INSERT INTO xxlwheel_last_result (job_id, log_id, result)
			SELECT id, id, CASE WHEN id % 100 = 0 THEN 'FAILED' ELSE 'SUCCESS' END FROM xxl_job_info WHERE id % 10 <> 1`,
		`INSERT INTO xxlwheel_misfire (job_id, due_ms, until_ms, policy, at_ms)
			SELECT CASE WHEN n % 5 = 0 THEN 7 ELSE n % 1000 END, n * 1000, n * 1000, 'DO_NOTHING', n * 1000 FROM generate_series(1, 100000) AS n`,
		`ANALYZE`,
	} {
		require.NoError(t, s.WriteBy(t.Context(), s.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		}))
	}
}

// TestOnePlanKeepsToTheIndexes checks the statements with one permanent plan, which may have been
// made before there were statistics.
func TestOnePlanKeepsToTheIndexes(t *testing.T) {
	t.Parallel()
	ctx, text := t.Context(), dialect.Text
	plans := func(url string) {
		config, err := configOf(url, database.Options{Connections: 1, LockLife: time.Minute})
		require.NoError(t, err)
		pools, err := newPools(ctx, config)
		require.NoError(t, err)
		defer pools.close()
		for name, of := range map[string]struct {
			pool      *pgxpool.Pool
			statement string
			arguments int
			index     []string
		}{
			"leases":    {pools.batches, batchLeases, 4, []string{"xxlwheel_lease_pkey"}},
			"claim":     {pools.batches, batchClaim, 20, []string{"xxlwheel_fire_pkey"}},
			"fires":     {pools.batches, batchFires, 2, []string{"xxlwheel_fire_pkey", "xxlwheel_fire_log"}},
			"log_rows":  {pools.batches, batchLogs, 1, []string{"xxl_job_log_pkey"}},
			"remove":    {pools.batches, batchRemoved, 1, []string{"xxlwheel_fire_pkey"}},
			"ambiguous": {pools.batches, batchAmbiguous, 1, []string{"xxlwheel_fire_pkey"}},
			"triggered": {pools.batches, batchTriggered, 3, []string{"xxl_job_log_pkey"}},
			"recorded":  {pools.batches, batchRecorded, 15, nil},
			"added":     {pools.batches, batchAdded, 15, nil},
			"extended":  {pools.batches, batchExtended, 4, []string{"xxlwheel_run_pkey"}},
			"handled":   {pools.batches, batchHandled, 5, []string{"xxl_job_log_pkey"}},
			"ended":     {pools.batches, batchEnded, 6, []string{"xxl_job_log_pkey"}},
			"jobs":      {pools.lookups, records.JobEntity.Query + anyID, 1, []string{"xxl_job_info_pkey"}},
			"groups":    {pools.lookups, registry.GroupEntity.Query + anyID, 1, []string{"xxl_job_group_pkey"}},
			"logs":      {pools.lookups, runs.LogEntity.Query + anyID, 1, []string{"xxl_job_log_pkey"}},
			"due":       {pools.scans, text(lockDue), 6, []string{"xxlwheel_info_due", "xxlwheel_fire_due_of_job"}},
			"advance":   {pools.scans, text(advanceJobs), 4, []string{"xxl_job_info_pkey"}},
			"plan":      {pools.scans, text(planDueFires), 11, []string{"xxlwheel_fire_due_of_job"}},
		} {
			_, err := of.pool.Exec(ctx, `PREPARE `+name+` AS `+of.statement)
			require.NoError(t, err, name)
			nulls := strings.TrimSuffix(strings.Repeat(`NULL, `, of.arguments), ", ")
			rows, err := of.pool.Query(ctx, `EXPLAIN EXECUTE `+name+` (`+nulls+`)`, pgx.QueryExecModeSimpleProtocol)
			require.NoError(t, err, name)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err, name)
			plan := strings.Join(lines, "\n")
			for _, index := range of.index {
				require.Contains(t, plan, index+" ", name)
			}
			for _, way := range []string{"Seq Scan on xxl_", "Seq Scan on xxlwheel_fire", "Seq Scan on xxlwheel_run", "Seq Scan on xxlwheel_lease", "Hash", "Merge", "Bitmap"} {
				require.NotContains(t, plan, way, "%s:\n%s", name, plan)
			}
			if of.pool == pools.scans {
				require.NotContains(t, plan, "Sort", "%s:\n%s", name, plan)
			}
			_, err = of.pool.Exec(ctx, `DEALLOCATE `+name)
			require.NoError(t, err, name)
		}
	}
	plans(testserver.PostgresCopy(t, migrateURL))
	plans(filledURL(t))
}
