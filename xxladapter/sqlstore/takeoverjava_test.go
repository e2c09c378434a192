//go:build unix

package sqlstore

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTakeOverFromJava takes databases that admins of XXL-JOB made and ran jobs on, see
// testdata/make-dumps.sh, into a store of each kind. The jobs that are on there stay stopped here.
func TestTakeOverFromJava(t *testing.T) {
	t.Parallel()
	for release, password := range map[string]string{
		"2.4.2": fmt.Sprintf("%x", md5.Sum([]byte("123456"))),
		"3.3.2": fmt.Sprintf("%x", sha256.Sum256([]byte("123456"))),
	} {
		dump, err := os.ReadFile("testdata/java-" + release + ".sql")
		require.NoError(t, err)
		for kind, place := range emptyTargets(t) {
			t.Run(release+" to "+kind, func(t *testing.T) {
				t.Parallel()
				from, ctx := testserver.MySQL(t), takeOverCall(t)
				require.NoError(t, testserver.OrderMySQL(from, string(dump)))
				s, err := Open(ctx, place, Options{Logger: fixture.Quiet})
				require.NoError(t, err)
				defer func() { require.NoError(t, s.Close()) }()
				opts := TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true}
				take := func() *fromxxljob.Report {
					t.Helper()
					report, err := TakeOver(ctx, from+"?zone=UTC", s, opts)
					require.NoError(t, err)
					return report
				}

				report := take()
				require.True(t, report.KeptIDs)
				require.Equal(t, fromxxljob.Count{Taken: 2}, report.Groups)
				require.Equal(t, fromxxljob.Count{Taken: 17}, report.Jobs)
				require.Equal(t, fromxxljob.Count{Taken: 8}, report.Versions)
				require.Equal(t, fromxxljob.Count{Taken: 3}, report.Users)
				require.Equal(t, 3, report.Days.Taken)
				require.GreaterOrEqual(t, report.Logs.Taken, 3)
				requireNotes(t, report, `scheduleConf is "0 0/0 3 ? * MONDAY", which XXL-JOB alone reads: write "0 0 3 ? * MON"`)
				on, byName := 0, map[string]*xxladapter.Job{}
				for _, j := range report.Taken {
					require.Equal(t, j.From, j.ID)
					if j.On {
						on++
					}
				}
				require.Equal(t, 3, on)

				groups, err := s.Groups(ctx)
				require.NoError(t, err)
				require.Len(t, groups, 2)
				byApp := map[string]*xxladapter.Group{groups[0].AppName: groups[0], groups[1].AppName: groups[1]}
				billing, reports := byApp["billing-app"], byApp["report-app"]
				require.Equal(t, "账单", billing.Title)
				require.Equal(t, []string{"http://127.0.0.1:18094/"}, reports.Addresses)

				requireStopped := func() {
					t.Helper()
					jobs, err := s.Jobs(ctx, xxladapter.JobFilter{})
					require.NoError(t, err)
					require.Len(t, jobs, 17)
					for _, j := range jobs {
						require.False(t, j.Running, j.Name)
						require.True(t, j.TriggerNext.IsZero(), j.Name)
						byName[j.Name] = j
					}
				}
				requireStopped()
				settle := byName["对账"]
				require.Equal(t, &xxladapter.Job{
					ID: settle.ID, GroupID: billing.ID, Name: "对账", Author: "wei", AlarmEmail: "ops@example.com",
					ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?", Misfire: xxladapter.MisfireFireOnceNow,
					Route: xxladapter.RouteRound, Handler: "demoJobHandler", Param: `a=1 & it's "b" 😀`, Block: xxladapter.BlockSerial,
					Timeout: time.Minute, RetryCount: 2, GlueType: xxladapter.GlueBean, GlueRemark: settle.GlueRemark,
					ChildIDs: []int64{byName["script"].ID}, Added: settle.Added, Updated: settle.Updated, GlueUpdated: settle.GlueUpdated,
				}, settle)
				for _, route := range []xxladapter.RouteStrategy{"LAST", "RANDOM", "CONSISTENT_HASH", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED", "FAILOVER", "BUSYOVER", "SHARDING_BROADCAST"} {
					require.Equal(t, route, byName["by "+string(route)].Route)
				}
				for _, script := range []string{"GROOVY", "PYTHON", "PHP", "NODEJS", "POWERSHELL"} {
					j, err := s.Job(ctx, byName["in "+script].ID)
					require.NoError(t, err)
					require.Equal(t, "GLUE_"+script, string(j.GlueType))
					require.Equal(t, "source of "+script, j.GlueSource)
				}
				versions, err := s.GlueVersions(ctx, byName["script"].ID)
				require.NoError(t, err)
				var sources []string
				for _, v := range versions {
					sources = append(sources, v.Remark+": "+v.Source)
				}
				require.Equal(t, []string{"version three: echo three 第", "version two: echo two 第", "version one: echo one 第"}, sources)
				users, err := s.UpstreamUsers(ctx, "")
				require.NoError(t, err)
				require.Equal(t, []xxladapter.UpstreamUser{
					{Name: "admin", Password: password, Admin: true},
					{Name: "liming", Password: password, Groups: []int64{reports.ID}},
					{Name: "wangfang", Password: password, Admin: true},
				}, users)
				logs, err := s.Logs(ctx, xxladapter.LogFilter{JobID: byName["often"].ID})
				require.NoError(t, err)
				require.NotEmpty(t, logs)
				failed, err := s.FailedRuns(ctx, 0, 10)
				require.NoError(t, err)
				require.Empty(t, failed, "nobody is alarmed again")

				// The admin is started again: it is noticed, and nothing is taken twice.
				require.NoError(t, testserver.OrderMySQL(from, `UPDATE xxl_job_registry SET update_time = NOW()`))
				again := take()
				require.True(t, again.Served)
				for _, c := range []fromxxljob.Count{again.Groups, again.Jobs, again.Versions, again.Users, again.Days, again.Logs} {
					require.Zero(t, c.Taken)
				}
				requireStopped()
			})
		}
	}
}
