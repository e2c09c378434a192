//go:build unix

package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/leases"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// TestQueriesUseTheirIndexes checks the plans of frequent statements: each uses its index, and none
// sorts.
func TestQueriesUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	open, openArgs := runs.LogList(&dialect, xxladapter.LogFilter{Status: xxladapter.LogRunning, Taken: true, Before: time.Now(), AfterID: 7, Limit: 10})
	for _, c := range []struct {
		query string
		args  int
		index string
	}{
		{records.SelectDue, 6, "xxlwheel_info_due"},
		{records.SelectDue, 6, "xxlwheel_fire_due_of_job"},
		{dialect.PlanFire, 13, "xxlwheel_fire_due_of_job"},
		{`DELETE FROM xxlwheel_fire WHERE job_id = ?` + records.DropScheduled, 1, "xxlwheel_fire_due_of_job"},
		{`UPDATE xxlwheel_fire SET group_id = ? WHERE job_id = ? AND group_id <> ?`, 3, "xxlwheel_fire_due_of_job"},
		{records.IsScheduled, 2, "xxlwheel_fire_due_of_job"},
		{records.SelectRowsByLog, 5, "xxlwheel_fire_log"},
		{`SELECT ` + records.FireColumns + ` FROM xxlwheel_fire WHERE state = ? AND due_ms < ? ORDER BY due_ms, id LIMIT ?`, 3, "xxlwheel_fire_due"},
		{`SELECT ` + records.FireColumns + ` FROM xxlwheel_fire WHERE node = ? AND term = ? ORDER BY due_ms, id LIMIT ?`, 3, "xxlwheel_fire_node"},
		{leases.SelectLeaseState, 0, "xxlwheel_fire_node"},
		{runs.SelectLost, 3, "xxlwheel_log_open"},
		{open, len(openArgs), "xxlwheel_log_open"},
		{records.SelectStuck, 2, "xxlwheel_log_untold"},
		{`SELECT ` + runs.LogColumns + ` FROM xxl_job_log WHERE job_id = ? ORDER BY id DESC LIMIT ?`, 2, "xxlwheel_log_job"},
		{registry.SelectRegistered, 1, "i_g_k_v"},
		{runs.SelectFailed, 2, "xxlwheel_log_alarm"},
		{`SELECT ` + runs.LogColumns + ` FROM xxl_job_log WHERE job_id = ? AND handle_code = 200 AND id > ? ORDER BY id LIMIT ?`, 3, "xxlwheel_log_job"},
		{runs.SelectRaised, 0, "xxlwheel_alarm_raised"},
		{runs.SelectStale, 2, "xxlwheel_alarm_claim_age"},
	} {
		var plan []string
		err := s.Query(t.Context(), `EXPLAIN QUERY PLAN `+c.query, make([]any, c.args), func(r database.Row) error {
			var id, parent, unused int
			var detail string
			err := r.Scan(&id, &parent, &unused, &detail)
			plan = append(plan, detail)
			return err
		})
		require.NoError(t, err)
		all := strings.Join(plan, "; ")
		require.Contains(t, all, " INDEX "+c.index, c.query)
		require.NotContains(t, all, "TEMP B-TREE", c.query)
	}
}

// TestStatisticsReadWhatTheyShow checks the plans of statistics: sums of groups are read by hour,
// and a job's figures without those of others.
func TestStatisticsReadWhatTheyShow(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	plan := func(query string, args ...any) string {
		t.Helper()
		var lines []string
		require.NoError(t, s.Query(t.Context(), `EXPLAIN QUERY PLAN `+query, args, func(r database.Row) error {
			var id, parent, unused int
			var detail string
			err := r.Scan(&id, &parent, &unused, &detail)
			lines = append(lines, detail)
			return err
		}))
		return strings.Join(lines, "; ")
	}
	day := xxladapter.StatFilter{From: time.Now().Add(-24 * time.Hour), To: time.Now()}
	query, args := figures.StatsOf(s.Dialect, day, nil)
	require.Equal(t, "SEARCH xxlwheel_stat USING PRIMARY KEY (of_group=? AND hour>? AND hour<?)", plan(query, args...))
	query, args = figures.StatJobsOf(s.Dialect, day)
	require.Contains(t, plan(query, args...), "SEARCH xxlwheel_stat USING PRIMARY KEY (of_group=? AND hour>? AND hour<?)")
	day.JobID = 7
	query, args = figures.StatsOf(s.Dialect, day, nil)
	require.Equal(t, "SEARCH xxlwheel_stat USING INDEX xxlwheel_stat_job (job_id=? AND hour>? AND hour<?)", plan(query, args...))
	for _, c := range []struct {
		query string
		args  []any
		uses  []string
	}{
		{figures.SelectNewStatRows, []any{0, 0, 0}, []string{"SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"}},
		{figures.SelectOpenStatRows, []any{0, 0}, []string{"SEARCH o USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)"}},
		{figures.SelectNewerResults, []any{0}, []string{"SEARCH l USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)"}},
	} {
		got := plan(c.query, c.args...)
		for _, use := range c.uses {
			require.Contains(t, got, use, c.query)
		}
		require.NotContains(t, got, "SCAN l", c.query)
	}
}

// TestListsOfRunsReadNoMoreThanTheyShow checks which index serves each list: the rows come in the
// order of an index or of the ids, within the given ids.
func TestListsOfRunsReadNoMoreThanTheyShow(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for index, f := range map[string]xxladapter.LogFilter{
		"INTEGER PRIMARY KEY (rowid>? AND rowid<?)":            {},
		"xxlwheel_log_job (job_id=? AND rowid>? AND rowid<?)":  {JobID: 7},
		"COVERING INDEX xxlwheel_log_open":                     {Status: xxladapter.LogRunning},
		"COVERING INDEX xxlwheel_log_untold":                   {Status: xxladapter.LogRunning, JobID: 7},
		"INTEGER PRIMARY KEY (rowid>? AND rowid<?) ":           {GroupID: 7, Status: xxladapter.LogFail},
		" xxlwheel_log_job (job_id=? AND rowid>? AND rowid<?)": {JobID: 7, Status: xxladapter.LogFail, Since: time.Now()},
	} {
		f.Newest, f.Limit = true, 100
		query, args := runs.RunList(&dialect, xxladapter.RunFilter{LogFilter: f}, 1, 1000, time.Now())
		plan := planOf(t, s, query, args)
		require.Contains(t, plan, strings.TrimSpace(index), query)
		require.NotContains(t, plan, "SCAN xxl_job_log;", query)
		if f.Status != xxladapter.LogRunning {
			require.NotContains(t, plan, "TEMP B-TREE", query)
		}
	}
	byType := xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{Newest: true, Limit: 100}, Type: xxladapter.TriggerManual}
	query, args := runs.RunList(&dialect, byType, 1, 1000, time.Now())
	plan := planOf(t, s, query, args)
	require.Contains(t, plan, "SEARCH xxlwheel_run USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
	require.NotContains(t, plan, "CORRELATED")
	for _, query := range []string{runs.NthNewestOfJob, runs.NthOldestOfJob} {
		plan := planOf(t, s, query, []any{1, 2, 3, 4})
		require.Contains(t, plan, "COVERING INDEX xxlwheel_log_job")
		require.NotContains(t, plan, "TEMP B-TREE")
	}
	last, args := runs.LastRunsOf(&dialect, []int64{1, 2, 3})
	plan = planOf(t, s, last, args)
	require.Contains(t, plan, "SEARCH l USING COVERING INDEX xxlwheel_log_job (job_id=?)")
	require.NotContains(t, plan, "SCAN xxl_job_log")
	recent, args := runs.RecentRunsOf(&dialect, []int64{1, 2, 3}, 20)
	plan = planOf(t, s, recent, args)
	require.Equal(t, 3, strings.Count(plan, "SEARCH xxl_job_log USING INDEX xxlwheel_log_job (job_id=?)"), plan)
	require.NotContains(t, plan, "TEMP B-TREE")
	for _, query := range []string{runs.FirstSince, runs.LastUntil} {
		plan := planOf(t, s, query, []any{"2026-01-01 00:00:00"})
		require.Contains(t, plan, "COVERING INDEX xxlwheel_log_time")
		require.NotContains(t, plan, "TEMP B-TREE")
	}
}

// TestSQLiteListsMisfiresOfATimeByTheirJob checks that the misfires of a job are read in order,
// without other jobs' misfires; those outside the time range are skipped in the index alone.
func TestSQLiteListsMisfiresOfATimeByTheirJob(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for _, f := range []xxladapter.MisfireFilter{
		{JobID: 7, Newest: true, Limit: 100},
		{JobID: 7, From: time.Unix(10, 0), To: time.Unix(20, 0), Newest: true, Limit: 10_001},
	} {
		query, args := records.MisfireList(f)
		plan := planOf(t, s, query, args)
		require.Contains(t, plan, "SEARCH xxlwheel_misfire USING INTEGER PRIMARY KEY (rowid=?);")
		require.Contains(t, plan, "SEARCH xxlwheel_misfire USING COVERING INDEX xxlwheel_misfire_job (job_id=?);")
	}
}

// TestSQLiteListsJobsByItsIndexes checks that a list by id reads the jobs in order, up to its
// limit. Any other list reads only the values to sort by and the jobs of its page. A list of the
// running jobs reads them by an index and sorts them: there may be few of them among many.
func TestSQLiteListsJobsByItsIndexes(t *testing.T) {
	t.Parallel()
	const jobs = 20_000
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		for _, statement := range []string{
			fmt.Sprintf(`WITH RECURSIVE seq (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < %d)
				INSERT INTO xxl_job_info (job_group, job_desc, executor_handler, glue_type, trigger_status, trigger_next_time)
				SELECT n %% 50, 'job ' || n, 'handler', 'BEAN', n %% 2, n * 10 FROM seq`, jobs),
			`INSERT INTO xxlwheel_job (job_id, settings) SELECT id, '{"zone":"UTC"}' FROM xxl_job_info`,
			`INSERT INTO xxlwheel_job_tag (job_id, tag) SELECT id, 'nightly' FROM xxl_job_info WHERE id % 200 = 0`,
			`INSERT INTO xxlwheel_last_result (job_id, log_id, result)
				SELECT id, id, CASE WHEN id % 100 = 0 THEN 'FAILED' ELSE 'SUCCESS' END FROM xxl_job_info WHERE id % 10 <> 1`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
	on, off := true, false
	const inOrder, byID = "SCAN xxl_job_info;", "SEARCH xxl_job_info USING INTEGER PRIMARY KEY (rowid"
	const failed = "SEARCH xxlwheel_last_result USING COVERING INDEX xxlwheel_last_result_is "
	const tagged = "SEARCH xxlwheel_job_tag USING COVERING INDEX sqlite_autoindex_xxlwheel_job_tag_1 (tag=?)"
	for _, c := range []struct {
		filter xxladapter.JobFilter
		uses   []string
		sorts  bool
	}{
		{xxladapter.JobFilter{}, []string{inOrder}, false},
		{xxladapter.JobFilter{AfterID: jobs / 2}, []string{byID + ">?)"}, false},
		{xxladapter.JobFilter{AfterID: jobs / 2, Descending: true}, []string{byID + "<?)"}, false},
		{xxladapter.JobFilter{GroupID: 7}, []string{inOrder}, false},
		{xxladapter.JobFilter{Groups: []int64{7, 8}}, []string{inOrder}, false},
		{xxladapter.JobFilter{Running: &on}, []string{"SEARCH xxl_job_info USING INDEX xxlwheel_info_due (trigger_status=?)"}, true},
		{xxladapter.JobFilter{Running: &off}, []string{inOrder}, false},
		{xxladapter.JobFilter{Name: "job 4711", Handler: "h", Author: "a"}, []string{inOrder}, false},
		{xxladapter.JobFilter{Type: xxladapter.ScheduleCron}, []string{inOrder}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastSuccess}, []string{inOrder, "SEARCH xxlwheel_last_result USING INTEGER PRIMARY KEY (rowid=?)"}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastFail}, []string{byID + "=?)", failed + "(result<?)", failed + "(result>?)"}, false},
		{xxladapter.JobFilter{LastResult: xxladapter.LastNone}, []string{inOrder, "USING ROWID SEARCH ON TABLE xxlwheel_last_result"}, false},
		{xxladapter.JobFilter{Tag: "nightly"}, []string{byID + "=?)", tagged}, false},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName}, []string{byID + "=?)", inOrder}, true},
		{xxladapter.JobFilter{Sort: xxladapter.SortByNext, Running: &on}, []string{byID + "=?)", "COVERING INDEX xxlwheel_info_due (trigger_status=?)"}, true},
		{xxladapter.JobFilter{Sort: xxladapter.SortByName, Tag: "nightly"}, []string{byID + "=?)", tagged}, true},
	} {
		c.filter.Limit, c.filter.Light = 100, true
		query, args := records.JobList(s.Dialect, c.filter, figures.NewerResults{})
		plan := planOf(t, s, query, args)
		for _, use := range append(c.uses, "SEARCH xxlwheel_job USING INTEGER PRIMARY KEY (rowid=?)") {
			require.Contains(t, plan, use, query)
		}
		require.Equal(t, c.sorts, strings.Contains(plan, "TEMP B-TREE"), "%s\n%s", query, plan)
		if !slices.Contains(c.uses, inOrder) {
			require.NotContains(t, plan, "SCAN xxl_job_info", query)
		}
	}
}

func planOf(t *testing.T, s *records.Store, query string, args []any) string {
	t.Helper()
	var plan []string
	err := s.Query(t.Context(), `EXPLAIN QUERY PLAN `+query, args, func(r database.Row) error {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		plan = append(plan, detail)
		return err
	})
	require.NoError(t, err)
	return strings.Join(plan, "; ") + ";"
}
