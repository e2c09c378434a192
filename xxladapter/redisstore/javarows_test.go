//go:build unix

package redisstore

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTheJavaConsoleReadsTheSameRows makes the same calls with and without Redis. Every column of
// XXL-JOB's tables that its console reads is the same when the store is closed.
func TestTheJavaConsoleReadsTheSameRows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	rows := func(behind string, s xxladapter.Store, err error) map[string][][]string {
		require.NoError(t, err)
		runAndFail(t, s, now)
		require.NoError(t, s.Close())
		db, err := testserver.OpenMySQL(behind)
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close()) }()
		found := map[string][][]string{}
		for _, table := range []string{"xxl_job_log", "xxl_job_info", "xxl_job_log_report", "xxl_job_group"} {
			found[table] = allRows(t, db, table)
		}
		return found
	}
	opts := sqlstore.Options{Logger: quiet, Clock: clock, Zone: time.UTC}
	behind, plainly := emptyMySQL(t), emptyMySQL(t)
	with, err := Open(t.Context(), testserver.Redis(t), behind, Options{SQL: opts})
	got := rows(behind, with, err)
	without, err := sqlstore.OpenMySQL(t.Context(), plainly, opts)
	want := rows(plainly, without, err)
	require.Len(t, want["xxl_job_log"], 2)
	require.Equal(t, want, got)
}

// TestRunsOfOursAreNoJavaAdmins opens a store in which a scheduler without Redis has just ended
// runs and has one in progress.
func TestRunsOfOursAreNoJavaAdmins(t *testing.T) {
	t.Parallel()
	behind, opts := emptyMySQL(t), sqlstore.Options{Logger: quiet}
	plain, err := sqlstore.OpenMySQL(t.Context(), behind, opts)
	require.NoError(t, err)
	term := runAndFail(t, plain, time.Now())
	fires, err := plain.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = plain.ClaimFire(t.Context(), term, fires[0].ID, []*xxladapter.Log{{JobID: 1, GroupID: 1, TriggerTime: time.Now()}})
	require.NoError(t, err)
	require.NoError(t, plain.Resign(t.Context(), term))
	require.NoError(t, plain.Close())
	s, err := Open(t.Context(), testserver.Redis(t), behind, Options{SQL: opts})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// runAndFail has a job with a run that succeeds, and one with a run that fails. It returns the term
// of the node that has claimed them.
func runAndFail(t *testing.T, s xxladapter.Store, now time.Time) xxladapter.Term {
	t.Helper()
	ctx := t.Context()
	lease, err := s.Lease(ctx, "node", time.Hour)
	require.NoError(t, err)
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "some"})
	require.NoError(t, err)
	for _, code := range []int{xxladapter.ResultOK, xxladapter.ResultFail} {
		job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "job", RetryCount: 2})
		require.NoError(t, err)
		require.NoError(t, storetest.StartAt(ctx, s, job, now))
		fires, _, err := s.ClaimDue(ctx, lease.Term, 0, 10, eachSecond)
		require.NoError(t, err)
		// With a clock that moves, the first job may be due again.
		fires = slices.DeleteFunc(fires, func(f xxladapter.Fire) bool { return f.JobID != job })
		require.Len(t, fires, 1)
		row := &xxladapter.Log{
			JobID: job, GroupID: group, TriggerTime: now, Address: "http://a:1", Handler: "h", Param: "p", RetryCount: 2,
		}
		claimed, err := s.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{row})
		require.NoError(t, err)
		_, err = s.SettleFire(ctx, lease.Term, xxladapter.Settlement{
			FireID: fires[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK, Msg: "sent", Sent: now, Acknowledged: now,
		})
		require.NoError(t, err)
		applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: code, Msg: "result"})
		require.NoError(t, err)
		require.True(t, applied)
	}
	_, err = s.Logs(ctx, xxladapter.LogFilter{}) // brings the tables up to date; figures are folded from there
	require.NoError(t, err)
	require.NoError(t, s.FoldReports(ctx))
	return lease.Term
}

// allRows reads a table as texts, NULL as the text NULL.
func allRows(t *testing.T, db *sql.DB, table string) (found [][]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table+` ORDER BY id`)
	require.NoError(t, err)
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			to[i] = &values[i]
		}
		require.NoError(t, rows.Scan(to...))
		row := make([]string, len(names))
		for i, v := range values {
			if row[i] = names[i] + "=NULL"; v.Valid {
				row[i] = names[i] + "=" + v.String
			}
		}
		found = append(found, row)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, rows.Close())
	return found
}
