package sqlstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// TestRowsAreUpstreams checks the columns for those who read them without us.
func TestRowsAreUpstreams(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	now := time.Date(2026, 3, 1, 12, 0, 0, 987_654_321, time.FixedZone("east", 8*3600))
	s := openCopy(t, func() time.Time { return now }).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	one := func(query string) (values []any) {
		t.Helper()
		rows := 0
		err := s.Query(ctx, query, nil, func(r database.Row) error {
			rows++
			values = make([]any, strings.Count(query[:strings.Index(query, "FROM")], ",")+1)
			to := make([]any, len(values))
			for i := range values {
				to[i] = &values[i]
			}
			return r.Scan(to...)
		})
		require.NoError(t, err)
		require.Equal(t, 1, rows)
		return values
	}
	const utc = "2026-03-01 04:00:00"

	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "rows-app", Title: "rows"})
	require.NoError(t, err)
	require.Equal(t, []any{nil, utc, int64(0)}, one(`SELECT address_list, update_time, address_type FROM xxl_job_group`))
	require.NoError(t, s.Register(ctx, "rows-app", "http://b:1"))
	require.NoError(t, s.Register(ctx, "rows-app", "http://a:1"))
	require.Equal(t, []any{"http://a:1,http://b:1"}, one(`SELECT address_list FROM xxl_job_group`))
	require.Equal(t, []any{"EXECUTOR", "rows-app", utc},
		one(`SELECT registry_group, registry_key, update_time FROM xxl_job_registry WHERE registry_value = 'http://a:1'`))

	job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{
		GroupID: group, Name: "rows", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "30",
		Timeout: 90 * time.Second, ChildIDs: []int64{3, 1},
	})

	require.NoError(t, err)
	require.NoError(t, storetest.StartAt(ctx, s, job, now.Truncate(time.Second)))
	require.Equal(t, []any{"FIX_RATE", "30", int64(90), "3,1", utc, utc, int64(1), int64(0), now.Unix() * 1000},
		one(`SELECT schedule_type, schedule_conf, executor_timeout, child_jobid, glue_updatetime, add_time,
			trigger_status, trigger_last_time, trigger_next_time FROM xxl_job_info`))

	fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: now, Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = s.ClaimFire(ctx, fixture.TermOf(t, s, "n1"), fires[0].ID, []*xxladapter.Log{{GroupID: group, JobID: job, TriggerTime: now}})
	require.NoError(t, err)
	require.Equal(t, []any{utc, nil, nil, nil, int64(0), int64(0)},
		one(`SELECT trigger_time, handle_time, executor_address, executor_sharding_param, trigger_code, handle_code FROM xxl_job_log`))

	require.Equal(t, []any{"schedule_lock"}, one(`SELECT lock_name FROM xxl_job_lock`))
}

// TestABackfillEndsWithItsJob removes the job of a running backfill, as a Java admin does.
func TestABackfillEndsWithItsJob(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openCopy(t, time.Now).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	job := fixture.AddDue(t, s, "removed", time.Now().Add(time.Hour))
	b := &xxladapter.Backfill{JobID: job, Dues: []time.Time{time.Unix(1_700_000_000, 0)}}
	b.Parallel = 1
	id, err := s.CreateBackfill(ctx, b)
	require.NoError(t, err)
	b, err = s.Backfill(ctx, id)
	require.NoError(t, err)
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM xxl_job_info`)
		return err
	}))
	_, err = s.AdvanceBackfill(ctx, b)
	require.ErrorIs(t, err, xxladapter.ErrNotFound)
	left, err := s.Backfills(ctx, xxladapter.BackfillFilter{})
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestABrokenRowIsReadAsItIs checks rows that upstream allows and that we would not write.
func TestABrokenRowIsReadAsItIs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openCopy(t, time.Now).(*records.Store)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, statement := range []string{
			`INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, schedule_type, child_jobid, trigger_status, add_time)
				VALUES (7, 1, 'sparse', 'BEAN', 'FIX_DELAY_OLD', '3, x,,9', 1, 'yesterday')`,
			`INSERT INTO xxl_job_info (id, job_group, job_desc, glue_type, trigger_status) VALUES (8, 1, 'marked', 'BEAN', -1)`,
			`INSERT INTO xxl_job_group (id, app_name, title, address_list) VALUES (1, 'broken-app', 't', ' http://a:1 ,,http://b:1,')`,
			`INSERT INTO xxl_job_log (id, job_group, job_id, trigger_code, handle_code) VALUES (5, 1, 7, 200, 0)`,
			`INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
				VALUES ('ADMIN', 'broken-app', 'http://admin:1', '2001-01-01 00:00:00')`,
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}))
	want := &xxladapter.Job{ID: 7, GroupID: 1, Name: "sparse", GlueType: xxladapter.GlueBean, ScheduleType: "FIX_DELAY_OLD", Misfire: xxladapter.MisfireDoNothing, ChildIDs: []int64{3, 9}, Running: true}
	var due []*xxladapter.Job
	_, _, err := s.ClaimDue(ctx, fixture.TermOf(t, s, "n1"), 0, 10, func(_ time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
		due = jobs
		return []xxladapter.Decision{{JobID: 7, Stop: true}}
	})
	require.NoError(t, err)
	require.Equal(t, []*xxladapter.Job{want}, due)
	want.Running = false
	got, err := s.Job(ctx, 7)
	require.NoError(t, err)
	require.Equal(t, want, got)

	group, err := s.Group(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, []string{"http://a:1", "http://b:1"}, group.Addresses)
	l, err := s.Log(ctx, 5)
	require.NoError(t, err)
	require.Equal(t, &xxladapter.Log{ID: 5, GroupID: 1, JobID: 7, TriggerCode: 200}, l)

	expired, err := s.ExpireRegistrations(ctx, time.Minute, true)
	require.NoError(t, err)
	require.Empty(t, expired, "an admin's registration is not an executor's")
	applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: 5, Code: 200})
	require.NoError(t, err)
	require.True(t, applied)
}
