//go:build unix

package mysql

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// errorOf drops the id of a call that returns both.
func errorOf(_ int64, err error) error { return err }

// TestMySQLReleases takes a job through its life on the tables of each release whose tables differ.
func TestMySQLReleases(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"2.3", "2.5", "3.2", "3.4", "head"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			url := mysqlDatabase(t, release)
			s := openMySQLAt(t, url+"?zone=Asia/Shanghai", database.Options{})
			defer func() { require.NoError(t, s.Close()) }()

			group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "release-app", Title: "title"})
			require.NoError(t, err)
			for range 3 { // tables before 2.5 have no unique key on addresses
				require.NoError(t, s.Register(ctx, "release-app", "http://b:1"))
				require.NoError(t, s.Register(ctx, "release-app", "http://a:1"))
			}
			rows := 0
			require.NoError(t, s.Query(ctx, `SELECT id FROM xxl_job_registry`, nil, func(database.Row) error { rows++; return nil }))
			require.Equal(t, 2, rows)
			g, err := s.Group(ctx, group)
			require.NoError(t, err)
			require.Equal(t, []string{"http://a:1", "http://b:1"}, g.Addresses)
			require.Equal(t, "title", g.Title)
			require.Empty(t, g.AccessToken)
			g.AccessToken = "its-own-token"
			_, err = s.SaveGroup(ctx, g)
			require.NoError(t, err)
			g, err = s.Group(ctx, group)
			require.NoError(t, err)
			require.Equal(t, "its-own-token", g.AccessToken)
			inColumn := 0
			if release == "head" { // where a Java admin of that release expects it
				require.NoError(t, s.Query(ctx, `SELECT id FROM xxl_job_group WHERE access_token = 'its-own-token'`, nil, func(database.Row) error { inColumn++; return nil }))
				require.Equal(t, 1, inColumn)
			}

			now, err := s.Now(ctx)
			require.NoError(t, err)
			due := now.Truncate(time.Second)
			// The widest values that fit in each release.
			param := strings.Repeat("参", 512)
			id, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "名", Param: param})
			require.NoError(t, err)
			require.NoError(t, xxladapter.UpdateJob(ctx, s, &xxladapter.Job{ID: id, GroupID: group, Name: "new 名", Param: param}, false))
			narrow := release != "3.4" && release != "head"
			_, _, err = s.PlanOrder(ctx, xxladapter.Fire{JobID: id, Due: due, Type: xxladapter.TriggerManual, Param: &param}, "", "")
			require.NoError(t, err)
			// A retry takes the parameter from the log row.
			wide := param + "数"
			_, _, ordered := s.PlanOrder(ctx, xxladapter.Fire{JobID: id, Due: due, Type: xxladapter.TriggerManual, Param: &wide}, "", "")
			_, filled := s.CreateBackfill(ctx, &xxladapter.Backfill{JobID: id, Dues: []time.Time{due}, BackfillProgress: xxladapter.BackfillProgress{Parallel: 1, Param: &wide}})
			for _, err := range []error{ordered, filled} {
				if narrow {
					var refused *xxladapter.Error
					require.ErrorAs(t, err, &refused)
					require.Equal(t, xxladapter.CodeInvalid, refused.Code)
					require.Equal(t, "executorParam has 513 characters, must have at most 512 in tables of this release of XXL-JOB", refused.Message)
				} else {
					require.NoError(t, err)
				}
			}
			for text, err := range map[string]error{
				"executorParam has 513 characters, must have at most 512 in tables of this release of XXL-JOB": xxladapter.UpdateJob(ctx, s,
					&xxladapter.Job{ID: id, GroupID: group, Name: "new 名", Param: param + "数"}, false),

				"title has 13 characters, must have at most 12 in tables of this release of XXL-JOB": errorOf(s.SaveGroup(ctx,
					&xxladapter.Group{ID: group, AppName: "release-app", Title: strings.Repeat("题", 13), AccessToken: "its-own-token"})),
			} {
				var refused *xxladapter.Error
				if narrow {
					require.ErrorAs(t, err, &refused)
					require.Equal(t, text, refused.Message)
				} else {
					require.NoError(t, err)
				}
			}
			// A default title is no reason to refuse upstream's own default app.
			sample, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "xxl-job-executor-sample", Title: "xxl-job-executor-sample"})
			require.NoError(t, err)
			g, err = s.Group(ctx, sample)
			require.NoError(t, err)
			if narrow {
				require.Equal(t, "xxl-job-exec", g.Title)
			} else {
				require.Equal(t, "xxl-job-executor-sample", g.Title)
			}
			require.Equal(t, "xxl-job-executor-sample", g.AppName)
			require.NoError(t, storetest.StartAt(ctx, s, id, due))
			found, err := s.Jobs(ctx, xxladapter.JobFilter{Name: "w 名"})
			require.NoError(t, err)
			require.Len(t, found, 1)

			lease, err := s.Lease(ctx, "n1", time.Minute)
			require.NoError(t, err)
			fires, n, err := s.ClaimDue(ctx, lease.Term, 0, 10, func(_ time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
				return []xxladapter.Decision{{JobID: id, Last: due, Next: due.Add(time.Hour), Fires: []xxladapter.Fire{{Due: due, Type: xxladapter.TriggerCron}}}}
			})
			require.NoError(t, err)
			require.Equal(t, 1, n)
			long := strings.Repeat("long ", 400)
			claimed, err := s.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{GroupID: group, JobID: id, Param: long, TriggerTime: due}})
			require.NoError(t, err, "an override that a log row has no room for must not keep the job from running")
			applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: 200})
			require.NoError(t, err)
			require.True(t, applied)
			l, err := s.Log(ctx, claimed[0].LogID)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(long, l.Param))
			require.Equal(t, due, l.TriggerTime)
			require.NoError(t, xxladapter.RemoveJob(ctx, s, id))
		})
	}
}

// TestMySQLKeepsTheJavaSidesTime checks the content of datetime columns.
func TestMySQLKeepsTheJavaSidesTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 987_654_321, time.UTC)
	url := mysqlDatabase(t, "3.4")
	s := openMySQLAt(t, url+"?zone=Asia/Shanghai", database.Options{Clock: func() time.Time { return now }})
	defer func() { require.NoError(t, s.Close()) }()
	id, err := s.SaveGroup(t.Context(), &xxladapter.Group{AppName: "zone-app", Title: "zone"})
	require.NoError(t, err)
	var kept string
	require.NoError(t, s.Query(t.Context(), `SELECT CAST(update_time AS CHAR) FROM xxl_job_group`, nil, func(r database.Row) error { return r.Scan(&kept) }))
	require.Equal(t, "2026-03-01 20:00:00", kept, "cut, in the zone of the Java side")
	g, err := s.Group(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, now.Truncate(time.Second), g.Updated)
	// The session's own clock agrees with the columns.
	require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		return tx.Query(ctx, `SELECT CAST(TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW()) AS CHAR)`, nil, func(r database.Row) error { return r.Scan(&kept) })
	}))
	require.Equal(t, "8", kept)
}
