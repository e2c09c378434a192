//go:build unix

package mysql

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// explained returns a line for each table of a statement's plan: its name, the way in which it is read,
// the index, and the remarks.
func explained(t *testing.T, s *records.Store, query string, args []any) (plan []string) {
	t.Helper()
	require.NoError(t, records.Select(t.Context(), s.Reads.DB, `EXPLAIN `+query, args, func(r records.Row) error {
		names, err := r.(*sql.Rows).Columns()
		require.NoError(t, err)
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := r.Scan(into...); err != nil {
			return err
		}
		of := func(name string) string { return values[slices.Index(names, name)].String }
		plan = append(plan, fmt.Sprintf("%s %s %s; %s", of("table"), of("type"), of("key"), of("Extra")))
		return nil
	}), query)
	return plan
}

// TestMySQLListsRunsByItsIndexes checks that a list reads the given ids or the rows of an index, in
// order, and histories by their keys. Nothing is sorted.
func TestMySQLListsRunsByItsIndexes(t *testing.T) {
	t.Parallel()
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address,
		`INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code)
			SELECT 1, seq % 5000, '2026-03-01' + INTERVAL seq SECOND, 200, CASE seq % 1000 WHEN 0 THEN 0 WHEN 1 THEN 500 ELSE 200 END FROM seq_1_to_100000`,
		`INSERT INTO xxlwheel_run (log_id, due_ms, claimed_ms, term, attempt, shard_index, shard_total, trigger_type, node)
			SELECT id, 0, 0, 1, 1, 0, 1, 'CRON', 'n' FROM xxl_job_log`,
		`ANALYZE TABLE xxl_job_log, xxlwheel_run`))
	s := openMySQLAt(t, address, records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	of := func(f xxladapter.LogFilter) xxladapter.RunFilter { return xxladapter.RunFilter{LogFilter: f} }
	for _, c := range []struct {
		filter xxladapter.RunFilter
		uses   string
	}{
		{xxladapter.RunFilter{}, "xxl_job_log range PRIMARY"},
		{of(xxladapter.LogFilter{JobID: 7}), "xxl_job_log range I_jobid"},
		{of(xxladapter.LogFilter{Status: xxladapter.LogRunning}), "xxl_job_log range I_handle_code"},
		{xxladapter.RunFilter{Type: xxladapter.TriggerManual}, "xxlwheel_run eq_ref PRIMARY"},
		{xxladapter.RunFilter{AtLeast: time.Minute}, "xxlwheel_run eq_ref PRIMARY"},
	} {
		c.filter.Newest, c.filter.Limit = true, 100
		query, args := s.Dialect.RunList(c.filter, 90_000, 92_000, time.Now())
		plan := strings.Join(explained(t, s, query, args), "\n")
		require.Contains(t, plan, c.uses, query)
		require.NotContains(t, plan, " ALL ", query)
		require.NotContains(t, plan, "filesort", query)
	}
}
