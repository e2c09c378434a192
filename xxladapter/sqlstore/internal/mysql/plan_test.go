//go:build unix

package mysql

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A tablePlan says how a statement reads one of its tables.
type tablePlan struct {
	way  string // the table, how it is read, and the index
	rows int    // the estimate
	note string
}

// explained returns the plan of a statement, and all of it as a text. It skips the rest of the test
// on servers of MySQL, whose plans these tests do not describe.
func explained(t *testing.T, s *records.Store, query string, args []any) (tables []tablePlan, all string) {
	t.Helper()
	require.NoError(t, database.Select(t.Context(), s.Reads.DB, `EXPLAIN `+query, args, func(r database.Row) error {
		names, err := r.(*sql.Rows).Columns()
		require.NoError(t, err)
		if !slices.Contains(names, "key") {
			t.Skip("not MariaDB's plans")
		}
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := r.Scan(into...); err != nil {
			return err
		}
		of := func(name string) string { return values[slices.Index(names, name)].String }
		rows, _ := strconv.Atoi(of("rows")) // NULL for what reads no table
		table := tablePlan{fmt.Sprintf("%s %s %s", of("table"), of("type"), of("key")), rows, of("Extra")}
		tables, all = append(tables, table), all+fmt.Sprintf("%s %d; %s\n", table.way, rows, table.note)
		return nil
	}), query)
	return tables, all
}

// TestMySQLListsRunsByItsIndexes checks that a list reads at most one row for each given id, in
// order, and histories by their keys. Failures may be sorted if there are fewer of them than given
// ids: the entries of their index have the id too, so no other row of the log is read.
func TestMySQLListsRunsByItsIndexes(t *testing.T) {
	testserver.Long(t) // it fills tables with 100,000 rows
	t.Parallel()
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address,
		`INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code)
			SELECT 1, seq % 5000, '2026-03-01' + INTERVAL seq SECOND, 200, CASE seq % 1000 WHEN 0 THEN 0 WHEN 1 THEN 500 ELSE 200 END FROM `+fixture.MySQLNumbers(100_000),
		`INSERT INTO xxlwheel_run (log_id, due_ms, claimed_ms, term, attempt, shard_index, shard_total, trigger_type, node)
			SELECT id, 0, 0, 1, 1, 0, 1, 'CRON', 'n' FROM xxl_job_log`,
		`ANALYZE TABLE xxl_job_log, xxlwheel_run`))
	s := openMySQLAt(t, address, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	filled := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	of := func(f xxladapter.LogFilter) xxladapter.RunFilter { return xxladapter.RunFilter{LogFilter: f} }
	const first, last = 90_000, 92_000
	for _, c := range []struct {
		filter xxladapter.RunFilter
		uses   string
	}{
		{xxladapter.RunFilter{}, "xxl_job_log range PRIMARY"},
		{of(xxladapter.LogFilter{JobID: 7}), "xxl_job_log range I_jobid"},
		{of(xxladapter.LogFilter{JobID: 7, Status: xxladapter.LogFail}), "xxl_job_log range I_jobid"},
		{of(xxladapter.LogFilter{JobID: 7, Status: xxladapter.LogSuccess}), "xxl_job_log range I_jobid"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogSuccess}), "xxl_job_log range PRIMARY"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogRunning}), "xxl_job_log range I_handle_code"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogFail}), "xxl_job_log range I_handle_code"},
		{of(xxladapter.LogFilter{Since: filled, Before: filled.Add(24 * time.Hour)}), "xxl_job_log range PRIMARY"},
		{xxladapter.RunFilter{Address: "10.0.0.1"}, "xxl_job_log range PRIMARY"},
		{xxladapter.RunFilter{Text: "disk"}, "xxl_job_log range PRIMARY"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual}, "xxlwheel_run range PRIMARY"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual, LogFilter: xxladapter.LogFilter{JobID: 7}}, "xxlwheel_run eq_ref PRIMARY"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual, LogFilter: xxladapter.LogFilter{Status: xxladapter.LogRunning}}, "xxlwheel_run eq_ref PRIMARY"},
		{xxladapter.RunFilter{AtLeast: time.Minute}, "xxlwheel_run range PRIMARY"},
		{xxladapter.RunFilter{AtLeast: time.Minute}, "xxlwheel_run eq_ref PRIMARY"},
	} {
		c.filter.Newest, c.filter.Limit = true, 100
		query, args := runs.RunList(s.Dialect, c.filter, first, last, time.Now())
		tables, plan := explained(t, s, query, args)
		require.Contains(t, plan, c.uses, query)
		require.NotContains(t, plan, " ALL ", query)
		for _, table := range tables {
			require.LessOrEqual(t, table.rows, last-first+1, "%s\n%s", query, plan)
		}
		if tables[0].way == "xxl_job_log range I_handle_code" && c.filter.Status == xxladapter.LogFail {
			require.Contains(t, plan, "Using index condition", query)
			continue
		}
		require.NotContains(t, plan, "filesort", query)
	}
	// A range with fewer ids than there are failures is read itself.
	query, args := runs.RunList(s.Dialect, of(xxladapter.LogFilter{Status: xxladapter.LogFail, Newest: true, Limit: 100}), 90_000, 90_050, time.Now())
	_, plan := explained(t, s, query, args)
	require.Contains(t, plan, "xxl_job_log range PRIMARY", query)
	require.NotContains(t, plan, "filesort", query)
}

// TestMySQLListsMisfiresOfATimeByTheirJob checks that the misfires of a job are read in order,
// without reading other jobs' misfires; those outside the time range are skipped in the index
// alone, even if the job has many.
func TestMySQLListsMisfiresOfATimeByTheirJob(t *testing.T) {
	testserver.Long(t) // it fills tables with 100,000 rows
	t.Parallel()
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address,
		`INSERT INTO xxlwheel_misfire (job_id, due_ms, until_ms, policy, at_ms)
			SELECT CASE WHEN seq % 5 = 0 THEN 7 ELSE seq % 1000 END, seq * 1000, seq * 1000, 'DO_NOTHING', seq * 1000 FROM `+fixture.MySQLNumbers(100_000),
		`ANALYZE TABLE xxlwheel_misfire`))
	s := openMySQLAt(t, address, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	for _, job := range []int64{7, 8} {
		query, args := records.MisfireList(xxladapter.MisfireFilter{JobID: job, From: time.Unix(10, 0), To: time.Unix(20, 0), Newest: true, Limit: 10_001})
		_, plan := explained(t, s, query, args)
		require.Regexp(t, `(?m)^xxlwheel_misfire (ref|range) xxlwheel_misfire_job .*Using index$`, plan, query)
		require.Contains(t, plan, "xxlwheel_misfire eq_ref PRIMARY", query)
	}
	query, args := records.MisfireList(xxladapter.MisfireFilter{JobID: 8, Newest: true, Limit: 100})
	_, plan := explained(t, s, query, args)
	require.Regexp(t, `(?m)^xxlwheel_misfire (ref|range) xxlwheel_misfire_(job|pause) .*Using index`, plan, query)
}

// TestMySQLListsJobsByItsIndexes checks that a list by id reads the jobs in order, up to its limit.
// Any other list reads only the values to sort by and the jobs of its page.
func TestMySQLListsJobsByItsIndexes(t *testing.T) {
	t.Parallel()
	const jobs = 20_000
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address,
		fmt.Sprintf(`INSERT INTO xxl_job_info (job_group, job_desc, executor_handler, glue_type, trigger_status, trigger_next_time)
			SELECT seq %% 50, CONCAT('job ', seq), 'handler', 'BEAN', seq %% 2, seq * 10 FROM %s`, fixture.MySQLNumbers(jobs)),
		`INSERT INTO xxlwheel_job (job_id, settings) SELECT id, '{"zone":"UTC"}' FROM xxl_job_info`,
		`INSERT INTO xxlwheel_job_tag (job_id, tag) SELECT id, 'nightly' FROM xxl_job_info WHERE id % 200 = 0`,
		`INSERT INTO xxlwheel_last_result (job_id, log_id, result)
			SELECT id, id, CASE WHEN id % 100 = 0 THEN 'FAILED' ELSE 'SUCCESS' END FROM xxl_job_info WHERE id % 10 <> 1`,
		`ANALYZE TABLE xxl_job_info, xxlwheel_job, xxlwheel_job_tag, xxlwheel_last_result`))
	s := openMySQLAt(t, address, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	on, off := true, false
	const inOrder = "xxl_job_info index PRIMARY"
	for _, c := range []struct {
		filter xxladapter.JobFilter
		uses   []string
	}{
		{xxladapter.JobFilter{}, []string{inOrder}},
		{xxladapter.JobFilter{AfterID: jobs / 2}, []string{"xxl_job_info range PRIMARY"}},
		{xxladapter.JobFilter{AfterID: jobs / 2, Descending: true}, []string{"xxl_job_info range PRIMARY"}},
		{xxladapter.JobFilter{GroupID: 7}, []string{inOrder}},
		{xxladapter.JobFilter{Groups: []int64{7, 8}}, []string{inOrder}},
		{xxladapter.JobFilter{Running: &on}, []string{inOrder}},
		{xxladapter.JobFilter{Running: &off}, []string{inOrder}},
		{xxladapter.JobFilter{Name: "job 4711", Handler: "h", Author: "a"}, []string{inOrder}},
		{xxladapter.JobFilter{Type: xxladapter.ScheduleCron}, []string{inOrder}},
		{xxladapter.JobFilter{LastResult: xxladapter.LastSuccess}, []string{inOrder, "xxlwheel_last_result eq_ref PRIMARY"}},
		{xxladapter.JobFilter{LastResult: xxladapter.LastFail}, []string{"xxlwheel_last_result range xxlwheel_last_result_is", "xxl_job_info eq_ref PRIMARY"}},
		{xxladapter.JobFilter{LastResult: xxladapter.LastNone}, []string{inOrder}},
		{xxladapter.JobFilter{Tag: "nightly"}, []string{"xxlwheel_job_tag ref PRIMARY", "xxl_job_info eq_ref PRIMARY"}},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName}, []string{"xxl_job_info eq_ref PRIMARY", "xxl_job_info ALL "}},
		{xxladapter.JobFilter{Sort: xxladapter.SortByNext, Running: &on}, []string{"xxl_job_info eq_ref PRIMARY", "xxl_job_info ALL "}},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName, Tag: "nightly"}, []string{"xxlwheel_job_tag ref PRIMARY", "xxl_job_info eq_ref PRIMARY"}},
	} {
		c.filter.Limit, c.filter.Light = 100, true
		query, args := records.JobList(s.Dialect, c.filter, figures.NewerResults{})
		tables, plan := explained(t, s, query, args)
		for _, use := range append(c.uses, "xxlwheel_job eq_ref PRIMARY") {
			require.Contains(t, plan, use, query)
		}
		if tables[0].way == inOrder {
			require.NotContains(t, plan, "filesort", query)
			require.NotContains(t, plan, "temporary", query)
		}
		if !slices.Contains(c.uses, "xxl_job_info ALL ") {
			require.NotContains(t, plan, "xxl_job_info ALL", query)
		}
	}
}
