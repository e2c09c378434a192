//go:build unix

package sqlstore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// upstreamRows are what an admin of XXL-JOB has left, with {job} and {group} for the columns of
// names, which differ between releases.
const upstreamRows = `
INSERT INTO xxl_job_group (id, app_name, {group}, address_type, address_list, update_time) VALUES
	(3, 'billing-app', '账单', 0, 'http://10.0.0.1:9999/', '2026-03-01 08:00:00'),
	(5, 'report-app', 'Reports', 1, 'http://10.0.0.2:9999/,http://10.0.0.3:9999/', '2026-03-01 08:00:00'){twin};
INSERT INTO xxl_job_info (id, job_group, {job}, add_time, update_time, author, alarm_email, schedule_type, schedule_conf, misfire_strategy,
	executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count,
	glue_type, glue_source, glue_remark, glue_updatetime, child_jobid, trigger_status, trigger_last_time, trigger_next_time) VALUES
	(11, 3, '对账', '2025-01-02 03:04:05', '2026-01-02 03:04:05', 'wei', 'ops@example.com', 'CRON', '0 0 2 * * ?', 'FIRE_ONCE_NOW',
		'ROUND', 'settle', 'a=1', 'SERIAL_EXECUTION', 60, 2, 'BEAN', '', '', '2025-01-02 03:04:05', '14,99', 1, 1767290400000, 1767376800000),
	(14, 5, 'script', '2025-02-02 03:04:05', '2026-02-02 03:04:05', 'wei', NULL, 'CRON', '0 0/0 3 ? * MONDAY', 'DO_NOTHING',
		'FIRST', '', NULL, 'SERIAL_EXECUTION', 0, 0, 'GLUE_SHELL', 'echo two', 'second', '2026-02-02 03:04:05', '', 1, 0, 1767376800000),
	(20, {twinid}, '', NULL, NULL, NULL, NULL, 'NONE', NULL, 'DO_NOTHING',
		NULL, 'plain', NULL, NULL, 0, 0, 'BEAN', NULL, NULL, NULL, NULL, 0, 0, 0),
	(21, 77, 'lost', NULL, NULL, 'x', NULL, 'NONE', NULL, 'DO_NOTHING',
		'FIRST', 'plain', NULL, 'SERIAL_EXECUTION', 0, 0, 'BEAN', NULL, NULL, NULL, NULL, 0, 0, 0),
	(22, 3, 'odd', NULL, NULL, 'x', NULL, 'NONE', NULL, 'DO_NOTHING',
		'NEAREST', 'plain', NULL, 'SERIAL_EXECUTION', 0, 0, 'BEAN', NULL, NULL, NULL, NULL, 0, 0, 0);
INSERT INTO xxl_job_logglue (id, job_id, glue_type, glue_source, glue_remark, add_time, update_time) VALUES
	(1, 14, 'GLUE_SHELL', 'echo one', 'first', '2026-02-01 03:04:05', '2026-02-01 03:04:05'),
	(2, 14, 'GLUE_SHELL', 'echo two', 'second', '2026-02-02 03:04:05', '2026-02-02 03:04:05'),
	(3, 98, 'GLUE_SHELL', 'echo', 'of a removed job', '2026-02-02 03:04:05', '2026-02-02 03:04:05');
INSERT INTO xxl_job_user (id, username, password, role, permission) VALUES
	(1, 'admin', 'e10adc3949ba59abbe56e057f20f883e', 1, NULL), (2, 'li', 'e10adc3949ba59abbe56e057f20f883e', 0, '5,88');
INSERT INTO xxl_job_log_report (trigger_day, running_count, suc_count, fail_count, update_time) VALUES
	('2026-02-28 00:00:00', 1, 20, 3, '2026-02-28 23:59:00'), ('2026-03-01 00:00:00', 0, 10, 0, '2026-03-01 08:00:00');
INSERT INTO xxl_job_log (id, job_group, job_id, executor_address, executor_handler, executor_param, trigger_time, trigger_code, trigger_msg,
	handle_time, handle_code, handle_msg, alarm_status) VALUES
	(101, 3, 11, 'http://10.0.0.1:9999/', 'settle', 'a=1', '2026-02-28 02:00:00', 200, 'ok', '2026-02-28 02:00:09', 200, 'done', 0),
	(102, 3, 11, 'http://10.0.0.1:9999/', 'settle', 'a=1', '2026-03-01 02:00:00', 200, 'ok', '2026-03-01 02:00:09', 500, 'broke', 0),
	(103, 3, 11, 'http://10.0.0.1:9999/', 'settle', 'a=1', '2026-03-01 02:01:00', 200, 'ok', NULL, 0, NULL, 0),
	(104, 3, 97, NULL, 'gone', NULL, '2026-03-01 02:01:00', 500, 'no', NULL, 0, NULL, 2)`

// upstreamDatabase returns a database of a release without our tables, with upstreamRows.
func upstreamDatabase(t *testing.T, release string) (address string) {
	t.Helper()
	address = testserver.MySQL(t)
	ddl := mysql.Upstream
	if release != "3.4" {
		ddl = fixture.Release(t, release)
	}
	names := []string{"{job}", "job_desc", "{group}", "title", "{twin}", ", (6, 'billing-app', 'again', 0, NULL, NULL)", "{twinid}", "6"}
	if release == "head" { // app names are unique
		names = []string{"{job}", "name", "{group}", "name", "{twin}", "", "{twinid}", "3"}
	}
	require.NoError(t, testserver.OrderMySQL(address, ddl, strings.NewReplacer(names...).Replace(upstreamRows)))
	return address + "?zone=Asia/Shanghai"
}

// emptyTargets returns a place of each kind of store, without rows.
func emptyTargets(t *testing.T) map[string]string {
	t.Helper()
	targets := map[string]string{}
	for _, kind := range targetKinds {
		targets[kind] = emptyTarget(t, kind)
	}
	return targets
}

var targetKinds = []string{"sqlite", "postgres", "mysql"}

// emptyTarget returns the place of an empty database of a kind.
func emptyTarget(t *testing.T, kind string) (place string) {
	t.Helper()
	switch kind {
	case "postgres":
		return testserver.Postgres(t)
	case "mysql":
		place = testserver.MySQL(t)
		require.NoError(t, testserver.OrderMySQL(place, mysql.Upstream))
		return place + "?zone=UTC"
	}
	return "sqlite:" + filepath.Join(t.TempDir(), "x.db")
}

func takeOverCall(t *testing.T) context.Context {
	return xxladapter.WithActor(xxladapter.WithCall(t.Context(), "xxlwheel import"), xxladapter.Actor{Kind: xxladapter.ActorCommand, Name: "ops"})
}

// TestTakeOver takes databases of all releases whose tables differ into a store of each kind,
// twice, and checks every row.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"2.3", "2.5", "3.2", "3.4", "head"} {
		for _, kind := range targetKinds {
			t.Run(release+" to "+kind, func(t *testing.T) {
				t.Parallel()
				if kind != "sqlite" {
					testserver.Long(t) // TestTakeOverBesideOtherJobs takes one release to these
				}
				from, ctx := upstreamDatabase(t, release), takeOverCall(t)
				s, err := Open(ctx, emptyTarget(t, kind), Options{Logger: fixture.Quiet})
				require.NoError(t, err)
				defer func() { require.NoError(t, s.Close()) }()
				opts := TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true}

				dry := opts
				dry.DryRun = true
				planned, err := TakeOver(ctx, from, s, dry)
				require.NoError(t, err)
				groups, err := s.Groups(ctx)
				require.NoError(t, err)
				require.Empty(t, groups, "a dry run writes nothing")

				report, err := TakeOver(ctx, from, s, opts)
				require.NoError(t, err)
				planned.DryRun = false
				require.Equal(t, planned, report, "it does what the dry run said")
				require.True(t, report.KeptIDs)
				require.False(t, report.Served)
				twins := 0
				if release != "head" {
					twins = 1
				}
				require.Equal(t, fromxxljob.Count{Taken: 2, Left: twins}, report.Groups)
				require.Equal(t, fromxxljob.Count{Taken: 3, Left: 2}, report.Jobs)
				require.Equal(t, fromxxljob.Count{Taken: 2, Left: 1}, report.Versions)
				require.Equal(t, fromxxljob.Count{Taken: 2}, report.Users)
				require.Equal(t, fromxxljob.Count{Taken: 2}, report.Days)
				require.Equal(t, fromxxljob.Count{Taken: 2, Left: 2}, report.Logs)
				requireNotes(t, report, "changed job 11 children are [14 99]", "left job 21 group 77 does not exist",
					`left job 22 executorRouteStrategy is "NEAREST"`, `changed job 20 author is "unknown", was ""`,
					`advice job 14 scheduleConf is "0 0/0 3 ? * MONDAY", which XXL-JOB alone reads: write "0 0 3 ? * MON"`)
				requireTaken(t, s, 11, 14, 20, 3, 5)
				if release != "head" {
					requireNotes(t, report, "changed group 6 has the app name of group 3")
				}
				log, err := s.Log(ctx, 102)
				require.NoError(t, err, "log rows keep the ids by which executors know their texts")
				require.Equal(t, "broke", log.HandleMsg)
				require.Equal(t, xxladapter.AlarmNotNeeded, log.AlarmStatus)
				require.Equal(t, time.Date(2026, 2, 28, 18, 0, 0, 0, time.UTC), log.TriggerTime)
				failed, err := s.FailedRuns(ctx, 0, 10)
				require.NoError(t, err)
				require.Empty(t, failed, "nobody is alarmed again")

				again, err := TakeOver(ctx, from, s, opts)
				require.NoError(t, err)
				for _, c := range []fromxxljob.Count{again.Groups, again.Jobs, again.Versions, again.Users, again.Days, again.Logs} {
					require.Zero(t, c.Taken)
				}
				requireTaken(t, s, 11, 14, 20, 3, 5)

				// New rows get ids of their own.
				id, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: 3, Name: "new", Author: "x"})
				require.NoError(t, err)
				require.Greater(t, id, int64(20))
				audit, err := s.AuditRows(ctx, xxladapter.AuditFilter{JobID: 11})
				require.NoError(t, err)
				require.Len(t, audit, 1)
				require.Equal(t, "xxlwheel import", audit[0].Call)
			})
		}
	}
}

func requireNotes(t *testing.T, report *fromxxljob.Report, begin ...string) {
	t.Helper()
	var notes []string
	for _, n := range report.Notes {
		notes = append(notes, fmt.Sprintf("%s %s %d %s", n.What, n.Kind, n.ID, n.Text))
	}
	for _, want := range begin {
		require.Contains(t, strings.Join(notes, "\n"), want)
	}
}

// requireTaken checks the rows of upstreamRows under their ids in the store.
func requireTaken(t *testing.T, s xxladapter.Store, settle, script, plain, billing, reports int64) {
	t.Helper()
	ctx := t.Context()
	jobs, err := s.Jobs(ctx, xxladapter.JobFilter{})
	require.NoError(t, err)
	for _, j := range jobs {
		require.False(t, j.Running)
		require.True(t, j.TriggerNext.IsZero())
	}
	j, err := s.Job(ctx, settle)
	require.NoError(t, err)
	require.Equal(t, &xxladapter.Job{
		ID: settle, GroupID: billing, Name: "对账", Author: "wei", AlarmEmail: "ops@example.com",
		ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?", Misfire: xxladapter.MisfireFireOnceNow,
		Route: xxladapter.RouteRound, Handler: "settle", Param: "a=1", Block: xxladapter.BlockSerial, Timeout: time.Minute, RetryCount: 2,
		GlueType: xxladapter.GlueBean, GlueUpdated: time.Date(2025, 1, 1, 19, 4, 5, 0, time.UTC), ChildIDs: []int64{script},
		Added: time.Date(2025, 1, 1, 19, 4, 5, 0, time.UTC), Updated: time.Date(2026, 1, 1, 19, 4, 5, 0, time.UTC),
	}, j)
	j, err = s.Job(ctx, plain)
	require.NoError(t, err)
	require.Equal(t, billing, j.GroupID)
	require.Equal(t, fmt.Sprintf("%s by %s", j.Name, j.Author), "job 20 by unknown")
	require.False(t, j.GlueUpdated.IsZero())
	versions, err := s.GlueVersions(ctx, script)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	require.Equal(t, "echo two", versions[0].Source)
	require.Equal(t, time.Date(2026, 1, 31, 19, 4, 5, 0, time.UTC), versions[1].Added)
	g, err := s.Group(ctx, reports)
	require.NoError(t, err)
	require.Equal(t, []string{"http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}, g.Addresses)
	users, err := s.UpstreamUsers(ctx, "")
	require.NoError(t, err)
	require.Equal(t, []xxladapter.UpstreamUser{
		{Name: "admin", Password: "e10adc3949ba59abbe56e057f20f883e", Admin: true},
		{Name: "li", Password: "e10adc3949ba59abbe56e057f20f883e", Groups: []int64{reports}},
	}, users)
	days, err := s.Reports(ctx, time.Time{}, time.Time{})
	require.NoError(t, err)
	require.Equal(t, []xxladapter.DailyReport{{Day: "2026-02-28", Running: 1, Success: 20, Failed: 3}, {Day: "2026-03-01", Success: 10}}, days)
}

// TestTakeOverBesideOtherJobs takes a database into stores that have jobs: ids are mapped, and
// those of children follow.
func TestTakeOverBesideOtherJobs(t *testing.T) {
	t.Parallel()
	for kind, place := range emptyTargets(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
			s, err := Open(ctx, place, Options{Logger: fixture.Quiet})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			mine, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "report-app", Title: "mine", AddressType: xxladapter.AddressManual,
				Addresses: []string{"http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}})
			require.NoError(t, err)
			_, err = xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: mine, Name: "mine", Author: "x"})
			require.NoError(t, err)

			report, err := TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true})
			require.NoError(t, err)
			require.False(t, report.KeptIDs)
			require.Equal(t, fromxxljob.Count{Taken: 1, Before: 1, Left: 1}, report.Groups)
			require.Len(t, report.Taken, 3)
			ids := map[int64]int64{}
			for _, j := range report.Taken {
				ids[j.From] = j.ID
			}
			groups, err := s.Groups(ctx)
			require.NoError(t, err)
			require.Len(t, groups, 2)
			requireTaken(t, s, ids[11], ids[14], ids[20], groups[1].ID, mine)
			logs, err := s.Logs(ctx, xxladapter.LogFilter{JobID: ids[11]})
			require.NoError(t, err)
			require.Len(t, logs, 2)
			require.Equal(t, groups[1].ID, logs[0].GroupID)

			// A job that was changed or deleted here is left so.
			require.NoError(t, xxladapter.RemoveJob(ctx, s, ids[20]))
			again, err := TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}})
			require.NoError(t, err)
			require.Equal(t, fromxxljob.Count{Before: 3, Left: 2}, again.Jobs)
			require.Len(t, again.Taken, 2)
			// Another name for the same database would take all of it twice.
			elsewhere := upstreamDatabase(t, "2.3")
			_, err = TakeOver(ctx, elsewhere, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}})
			require.ErrorIs(t, err, xxladapter.ErrConflict)
			other, err := TakeOver(ctx, elsewhere, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Source: "second"})
			require.NoError(t, err)
			require.Equal(t, 3, other.Jobs.Taken)
		})
	}
}

// TestTakeOverLeavesRunsOfDeletedJobs takes runs after one of the jobs was deleted in the store,
// with its runs.
func TestTakeOverLeavesRunsOfDeletedJobs(t *testing.T) {
	t.Parallel()
	from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
	s, err := Open(ctx, emptyTarget(t, "sqlite"), Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, err = TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}})
	require.NoError(t, err)
	require.NoError(t, xxladapter.RemoveJob(ctx, s, 11))

	for _, dry := range []bool{true, false} {
		report, err := TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true, DryRun: dry})
		require.NoError(t, err)
		require.Equal(t, fromxxljob.Count{Left: 4}, report.Logs)
	}
	logs, err := s.Logs(ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Empty(t, logs)
}

// TestTakeOverIntoAGroupThatWasRemoved takes a new job whose group was taken before and removed in
// the store since: the group is taken again.
func TestTakeOverIntoAGroupThatWasRemoved(t *testing.T) {
	t.Parallel()
	from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
	s, err := Open(ctx, emptyTarget(t, "sqlite"), Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	opts := TakeOverOptions{Options: Options{Logger: fixture.Quiet}}
	_, err = TakeOver(ctx, from, s, opts)
	require.NoError(t, err)
	require.NoError(t, xxladapter.RemoveJob(ctx, s, 14))
	require.NoError(t, s.RemoveGroup(ctx, 5))
	require.NoError(t, testserver.OrderMySQL(strings.TrimSuffix(from, "?zone=Asia/Shanghai"),
		`INSERT INTO xxl_job_info (id, job_group, job_desc, author, schedule_type, misfire_strategy, executor_route_strategy, executor_handler,
			executor_block_strategy, glue_type) VALUES (30, 5, 'new', 'x', 'NONE', 'DO_NOTHING', 'FIRST', 'plain', 'SERIAL_EXECUTION', 'BEAN')`))

	for taken := range 2 {
		report, err := TakeOver(ctx, from, s, opts)
		require.NoError(t, err)
		require.Equal(t, 1-taken, report.Groups.Taken)
		require.Equal(t, 1-taken, report.Jobs.Taken)
		for _, n := range report.Notes {
			require.NotEqual(t, "group", n.Kind, n.Text)
		}
	}
	jobs, err := s.Jobs(ctx, xxladapter.JobFilter{Name: "new"})
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	g, err := s.Group(ctx, jobs[0].GroupID)
	require.NoError(t, err)
	require.Equal(t, "report-app", g.AppName)
}

// TestTakeOverOfRunsWhoseGroupIsGone takes the runs of a job that XXL-JOB moved to another group
// before it removed the first one.
func TestTakeOverOfRunsWhoseGroupIsGone(t *testing.T) {
	t.Parallel()
	from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
	s, err := Open(ctx, emptyTarget(t, "sqlite"), Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, testserver.OrderMySQL(strings.TrimSuffix(from, "?zone=Asia/Shanghai"),
		`UPDATE xxl_job_log SET job_group = 2 WHERE job_id = 11`))
	report, err := TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true})
	require.NoError(t, err)
	require.Equal(t, 2, report.Logs.Taken)
	j, err := s.Job(ctx, 11)
	require.NoError(t, err)
	logs, err := s.Logs(ctx, xxladapter.LogFilter{JobID: 11})
	require.NoError(t, err)
	require.Len(t, logs, 2)
	for _, l := range logs {
		require.Equal(t, j.GroupID, l.GroupID)
	}
}

// TestTakeOverSeesAnAdminAtWork checks that a database that an admin works on is reported.
func TestTakeOverSeesAnAdminAtWork(t *testing.T) {
	t.Parallel()
	from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
	s, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"), Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, testserver.OrderMySQL(strings.TrimSuffix(from, "?zone=Asia/Shanghai"),
		`UPDATE xxl_job_info SET trigger_last_time = UNIX_TIMESTAMP(NOW()) * 1000 WHERE id = 11`))
	report, err := TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, DryRun: true})
	require.NoError(t, err)
	require.True(t, report.Served)
}

// TestRunsAfterATakeOverHaveNewIDs checks that no id is given twice: executors know the runs of
// both schedulers by their ids.
func TestRunsAfterATakeOverHaveNewIDs(t *testing.T) {
	t.Parallel()
	for kind, place := range emptyTargets(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			from, ctx := upstreamDatabase(t, "3.2"), takeOverCall(t)
			s, err := Open(ctx, place, Options{Logger: fixture.Quiet})
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Close()) }()
			lease, err := s.Lease(ctx, "n1", time.Minute)
			require.NoError(t, err)
			claim := func() int64 {
				planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 11, Due: time.Now().Add(-time.Second), Type: xxladapter.TriggerManual, RetryCount: -1}})
				require.NoError(t, err)
				fires, err := s.ClaimFire(ctx, lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: 11, TriggerTime: time.Now().Truncate(time.Second)}})
				require.NoError(t, err)
				return fires[0].LogID
			}
			for _, last := range []int64{5000, 5003, 9000} { // the second is no higher than what was claimed meanwhile
				require.NoError(t, testserver.OrderMySQL(strings.TrimSuffix(from, "?zone=Asia/Shanghai"),
					fmt.Sprintf(`INSERT INTO xxl_job_log (id, job_group, job_id, trigger_code, handle_code) VALUES (%d, 1, 11, 0, 0)`, last)))
				_, err = TakeOver(ctx, from, s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}})
				require.NoError(t, err)
				first := claim()
				require.Greater(t, first, last)
				for range 5 {
					require.Greater(t, claim(), first)
				}
			}
		})
	}
}
