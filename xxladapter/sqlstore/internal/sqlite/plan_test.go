//go:build unix

package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// TestQueriesUseTheirIndexes checks the plans of frequent statements: no full scan, and no sorting.
func TestQueriesUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

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
		{records.SelectLeaseState, 0, "xxlwheel_fire_node"},
		{records.SelectLost, 3, "xxlwheel_log_open"},
		{records.SelectStuck, 2, "xxlwheel_log_untold"},
		{`SELECT ` + records.LogColumns + ` FROM xxl_job_log WHERE job_id = ? ORDER BY id DESC LIMIT ?`, 2, "xxlwheel_log_job"},
		{records.SelectRegistered, 1, "i_g_k_v"},
		{records.SelectFailed, 2, "xxlwheel_log_alarm"},
		{`SELECT ` + records.LogColumns + ` FROM xxl_job_log WHERE job_id = ? AND handle_code = 200 AND id > ? ORDER BY id LIMIT ?`, 3, "xxlwheel_log_job"},
		{records.SelectRaised, 0, "xxlwheel_alarm_raised"},
		{records.SelectStale, 2, "xxlwheel_alarm_claim_age"},
	} {
		var plan []string
		err := s.Query(t.Context(), `EXPLAIN QUERY PLAN `+c.query, make([]any, c.args), func(r records.Row) error {
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
		require.NoError(t, s.Query(t.Context(), `EXPLAIN QUERY PLAN `+query, args, func(r records.Row) error {
			var id, parent, unused int
			var detail string
			err := r.Scan(&id, &parent, &unused, &detail)
			lines = append(lines, detail)
			return err
		}))
		return strings.Join(lines, "; ")
	}
	day := xxladapter.StatFilter{From: time.Now().Add(-24 * time.Hour), To: time.Now()}
	query, args := s.Dialect.StatsOf(day, nil)
	require.Equal(t, "SEARCH xxlwheel_stat USING PRIMARY KEY (of_group=? AND hour>? AND hour<?)", plan(query, args...))
	query, args = s.Dialect.StatJobsOf(day)
	require.Contains(t, plan(query, args...), "SEARCH xxlwheel_stat USING PRIMARY KEY (of_group=? AND hour>? AND hour<?)")
	day.JobID = 7
	query, args = s.Dialect.StatsOf(day, nil)
	require.Equal(t, "SEARCH xxlwheel_stat USING INDEX xxlwheel_stat_job (job_id=? AND hour>? AND hour<?)", plan(query, args...))
	for _, c := range []struct {
		query string
		args  []any
		uses  []string
	}{
		{records.SelectNewStatRows, []any{0, 0, 0}, []string{"SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"}},
		{records.SelectOpenStatRows, []any{0, 0}, []string{"SEARCH o USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)"}},
		{records.SelectNewerResults, []any{0}, []string{"SEARCH l USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)"}},
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
		query, args := dialect.RunList(xxladapter.RunFilter{LogFilter: f}, 1, 1000, time.Now())
		plan := planOf(t, s, query, args)
		require.Contains(t, plan, strings.TrimSpace(index), query)
		require.NotContains(t, plan, "SCAN xxl_job_log;", query)
		if f.Status != xxladapter.LogRunning {
			require.NotContains(t, plan, "TEMP B-TREE", query)
		}
	}
	byType := xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{Newest: true, Limit: 100}, Type: xxladapter.TriggerManual}
	query, args := dialect.RunList(byType, 1, 1000, time.Now())
	plan := planOf(t, s, query, args)
	require.Contains(t, plan, "SEARCH xxlwheel_run USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
	require.NotContains(t, plan, "CORRELATED")
	for _, query := range []string{records.NthNewestOfJob, records.NthOldestOfJob} {
		plan := planOf(t, s, query, []any{1, 2, 3, 4})
		require.Contains(t, plan, "COVERING INDEX xxlwheel_log_job")
		require.NotContains(t, plan, "TEMP B-TREE")
	}
	last, args := dialect.LastRunsOf([]int64{1, 2, 3})
	plan = planOf(t, s, last, args)
	require.Contains(t, plan, "SEARCH l USING COVERING INDEX xxlwheel_log_job (job_id=?)")
	require.NotContains(t, plan, "SCAN xxl_job_log")
	recent, args := dialect.RecentRunsOf([]int64{1, 2, 3}, 20)
	plan = planOf(t, s, recent, args)
	require.Equal(t, 3, strings.Count(plan, "SEARCH xxl_job_log USING INDEX xxlwheel_log_job (job_id=?)"), plan)
	require.NotContains(t, plan, "TEMP B-TREE")
	for _, query := range []string{records.FirstSince, records.LastUntil} {
		plan := planOf(t, s, query, []any{"2026-01-01 00:00:00"})
		require.Contains(t, plan, "COVERING INDEX xxlwheel_log_time")
		require.NotContains(t, plan, "TEMP B-TREE")
	}
}

// TestSQLiteListsMisfiresOfATimeByTheirJob checks that the misfires of a job are read in order,
// without those of others.
func TestSQLiteListsMisfiresOfATimeByTheirJob(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	query, args := records.MisfireList(xxladapter.MisfireFilter{JobID: 7, From: time.Unix(10, 0), To: time.Unix(20, 0), Newest: true, Limit: 10_001})
	require.Equal(t, "SEARCH xxlwheel_misfire USING INDEX xxlwheel_misfire_job (job_id=?);", planOf(t, s, query, args))
}

func planOf(t *testing.T, s *records.Store, query string, args []any) string {
	t.Helper()
	var plan []string
	err := s.Query(t.Context(), `EXPLAIN QUERY PLAN `+query, args, func(r records.Row) error {
		var id, parent, unused int
		var detail string
		err := r.Scan(&id, &parent, &unused, &detail)
		plan = append(plan, detail)
		return err
	})
	require.NoError(t, err)
	return strings.Join(plan, "; ") + ";"
}
