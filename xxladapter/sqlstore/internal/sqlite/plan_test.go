//go:build unix

package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		{records.SelectDue, 5, "xxlwheel_info_due"},
		{dialect.PlanFire, 11, "xxlwheel_fire_due_of_job"},
		{records.DropScheduled, 1, "xxlwheel_fire_due_of_job"},
		{records.MoveFires, 3, "xxlwheel_fire_due_of_job"},
		{records.SelectScheduledFrom, 2, "xxlwheel_fire_due_of_job"},
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
