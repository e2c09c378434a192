package sqlstore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestQueriesUseTheirIndexes checks the plans of what runs all the time: no
// walk through a whole table, and no sorting.
func TestQueriesUseTheirIndexes(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now).(*Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	for _, c := range []struct {
		query string
		args  int
		index string
	}{
		{selectDue, 5, "xxlwheel_info_due"},
		{sqliteDialect.planFire, 11, "xxlwheel_fire_due_of_job"},
		{dropScheduled, 1, "xxlwheel_fire_due_of_job"},
		{moveFires, 3, "xxlwheel_fire_due_of_job"},
		{selectScheduledFrom, 2, "xxlwheel_fire_due_of_job"},
		{isScheduled, 2, "xxlwheel_fire_due_of_job"},
		{removeFireOf, 1, "xxlwheel_fire_log"},
		{`SELECT ` + fireColumns + ` FROM xxlwheel_fire WHERE state = ? AND due_ms < ? ORDER BY due_ms, id LIMIT ?`, 3, "xxlwheel_fire_due"},
		{`SELECT ` + fireColumns + ` FROM xxlwheel_fire WHERE node = ? AND term = ? ORDER BY due_ms, id LIMIT ?`, 3, "xxlwheel_fire_node"},
		{selectLeaseState, 0, "xxlwheel_fire_node"},
		{selectLost, 3, "xxlwheel_log_open"},
		{selectStuck, 2, "xxlwheel_log_untold"},
		{`SELECT ` + logColumns + ` FROM xxl_job_log WHERE job_id = ? ORDER BY id DESC LIMIT ?`, 2, "xxlwheel_log_job"},
		{selectRegistered, 1, "i_g_k_v"},
		{selectFailed, 2, "xxlwheel_log_alarm"},
		{selectFirstSuccess, 2, "xxlwheel_log_job"},
		{selectRaised, 0, "xxlwheel_alarm_raised"},
		{selectStale, 2, "xxlwheel_alarm_claim_age"},
	} {
		var plan []string
		err := s.query(t.Context(), `EXPLAIN QUERY PLAN `+c.query, make([]any, c.args), func(r row) error {
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
