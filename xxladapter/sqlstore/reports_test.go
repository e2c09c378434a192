package sqlstore

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// claimAt plans and claims a fire whose row has the trigger time.
func claimAt(t *testing.T, s xxladapter.Store, job int64, triggered time.Time) xxladapter.Fire {
	t.Helper()
	fires, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: triggered.Add(-time.Minute), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	claimed, err := s.ClaimFire(t.Context(), fixture.TermOf(t, s, "n1"), fires[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: triggered}})
	require.NoError(t, err)
	return claimed[0]
}

func TestDaysAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	s, err := OpenSQLite(ctx, filepath.Join(t.TempDir(), "x.db"), Options{Logger: fixture.Quiet, Zone: shanghai})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })

	last := time.Date(2026, 3, 1, 15, 59, 59, 0, time.UTC) // a second before midnight there
	claimAt(t, s, 1, last)
	claimAt(t, s, 1, last.Add(time.Second))
	claimAt(t, s, 1, last.Add(2*time.Second))
	for range 2 {
		all, err := s.Reports(ctx, time.Time{}, time.Time{})
		require.NoError(t, err)
		first, second := xxladapter.DailyReport{Day: "2026-03-01", Running: 1}, xxladapter.DailyReport{Day: "2026-03-02", Running: 2}
		require.Equal(t, []xxladapter.DailyReport{first, second}, all)
		one, err := s.Reports(ctx, last.Add(time.Second), last.Add(time.Second))
		require.NoError(t, err)
		require.Equal(t, []xxladapter.DailyReport{second}, one)
		require.NoError(t, s.FoldReports(ctx))
	}
}

// TestDaysBeginWhereMidnightIsMissing checks a day on which clocks went forward at midnight.
func TestDaysBeginWhereMidnightIsMissing(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	require.NoError(t, err)
	begin := figures.DayOf(time.Date(2018, 11, 4, 12, 0, 0, 0, zone), zone)
	require.Equal(t, "2018-11-04 01:00:00", begin.Format(time.DateTime))
	require.Equal(t, begin, figures.DayOf(begin, zone))
	require.Equal(t, "2018-11-03 00:00:00", figures.DayOf(begin.Add(-time.Second), zone).Format(time.DateTime))
}

// TestFoldedFiguresStandInUpstreamsTable checks that other tools find our figures in XXL-JOB's
// table, and that we add to what another tool counts there.
func TestFoldedFiguresStandInUpstreamsTable(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := openCopy(t, func() time.Time { return now }).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	row := func() (r xxladapter.DailyReport, updated string) {
		err := s.Query(ctx, `SELECT trigger_day, running_count, suc_count, fail_count, update_time FROM xxl_job_log_report`, nil, func(row database.Row) error {
			return row.Scan(&r.Day, &r.Running, &r.Success, &r.Failed, &updated)
		})
		require.NoError(t, err)
		return r, updated
	}
	fire := claimAt(t, s, 1, now)
	claimAt(t, s, 1, now)
	require.NoError(t, s.FoldReports(ctx))
	r, updated := row()
	require.Equal(t, xxladapter.DailyReport{Day: "2026-03-01 00:00:00", Running: 2}, r)
	require.Equal(t, "2026-03-01 12:00:00", updated)

	// A Java admin that has runs of its own overwrites the row by counting.
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE xxl_job_log_report SET running_count = 3, suc_count = 7, fail_count = 1`)
		return err
	}))
	_, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
	require.NoError(t, err)
	want := xxladapter.DailyReport{Day: "2026-03-01", Running: 2, Success: 8, Failed: 1}
	for range 2 {
		got, err := s.Reports(ctx, now, now)
		require.NoError(t, err)
		require.Equal(t, []xxladapter.DailyReport{want}, got)
		require.NoError(t, s.FoldReports(ctx))
	}
	want.Day += " 00:00:00"
	r, _ = row()
	require.Equal(t, want, r)
}
