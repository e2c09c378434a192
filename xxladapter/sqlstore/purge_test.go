package sqlstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// TestPurgeWalksIDs checks that rows are chosen in the order of their ids from where the last call
// ended, without sorting and without reading from the start.
func TestPurgeWalksIDs(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	plan := func(query string, args []any) string {
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
	for _, c := range []struct {
		purge xxladapter.LogPurge
		index string
	}{
		{xxladapter.LogPurge{UntilID: 100}, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{xxladapter.LogPurge{UntilID: 100, Before: time.Now()}, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{xxladapter.LogPurge{UntilID: 100, GroupID: 1, Before: time.Now()}, "INTEGER PRIMARY KEY (rowid>? AND rowid<?)"},
		{xxladapter.LogPurge{UntilID: 100, JobID: 1}, "xxlwheel_log_job (job_id=? AND rowid>? AND rowid<?)"},
		{xxladapter.LogPurge{UntilID: 100, JobID: 1, Before: time.Now(), Successes: true}, "xxlwheel_log_job (job_id=? AND rowid>? AND rowid<?)"},
	} {
		query, args := s.PurgeFrom(c.purge).Selecting(`SELECT id FROM xxl_job_log`, `id`, 10)
		got := plan(query, args)
		require.Contains(t, got, "SEARCH xxl_job_log USING "+orCovering(got, c.index))
		require.NotContains(t, got, "TEMP B-TREE")
	}
	require.Contains(t, plan(runs.DeleteAlarmed, make([]any, runs.PurgeBatch)), "SEARCH xxl_job_log USING INTEGER PRIMARY KEY (rowid=?)")
	require.Contains(t, plan(runs.HighestOfOld+` WHERE trigger_time < ?`, make([]any, 1)), "USING COVERING INDEX xxlwheel_log_time")
	require.Contains(t, plan(runs.SelectWants, make([]any, 2)), "xxlwheel_log_fetch_due")
}

func orCovering(plan, index string) string {
	for _, kind := range []string{"", "INDEX ", "COVERING INDEX "} {
		if strings.Contains(plan, "USING "+kind+index) {
			return kind + index
		}
	}
	return index
}

// TestTheDeleteChecksItsRowsAgain checks that the deleting statements leave a run that is open,
// even if its id was chosen.
func TestTheDeleteChecksItsRowsAgain(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	open := claimAt(t, s, 1, time.Now())
	for _, statement := range []string{runs.DeletePurgeable, runs.DeleteAlarmed} {
		require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			deleted, err := tx.Exec(ctx, statement, runs.IDArgs([]int64{open.LogID})...)
			require.Zero(t, deleted)
			return err
		}))
	}
	_, err := s.Log(t.Context(), open.LogID)
	require.NoError(t, err)
}

// TestWhatAnotherToolLeavesGoesInChunks deletes log rows as a Java admin does, without what belongs
// to them.
func TestWhatAnotherToolLeavesGoesInChunks(t *testing.T) {
	t.Parallel()
	s := openCopy(t, time.Now).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	const left = 25
	var last int64
	for i := range left + 1 {
		fire := claimAt(t, s, int64(i+1), time.Now())
		last = fire.LogID
		_, err := s.SettleFire(t.Context(), fire.Owner, xxladapter.Settlement{FireID: fire.ID, LogID: last, Code: xxladapter.ResultOK})
		require.NoError(t, err)
	}
	require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		deleted, err := tx.Exec(ctx, `DELETE FROM xxl_job_log WHERE id < ?`, last)
		require.EqualValues(t, left, deleted)
		return err
	}))
	histories := func() (n int) {
		require.NoError(t, s.Query(t.Context(), `SELECT COUNT(*) FROM xxlwheel_run`, nil, func(r database.Row) error { return r.Scan(&n) }))
		return n
	}
	p := xxladapter.LogPurge{Before: time.Now().Add(-time.Hour)}
	for _, want := range []int{16, 6, 1} {
		purged, err := s.PurgeLogs(t.Context(), p, 10)
		require.NoError(t, err)
		require.Equal(t, want, histories())
		require.Equal(t, want == 1, purged.Done)
		p = purged.Next
	}
}
