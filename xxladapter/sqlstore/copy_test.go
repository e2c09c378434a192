//go:build unix

package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// filledFile returns a file with rows in most tables, some of them odd, and a store on it.
func filledFile(t *testing.T) (*records.Store, string) {
	t.Helper()
	ctx := takeOverCall(t)
	file := filepath.Join(t.TempDir(), "x.db")
	opened, err := Open(ctx, "sqlite:"+file, Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	s := opened.(*records.Store)
	_, err = TakeOver(ctx, upstreamDatabase(t, "3.2"), s, TakeOverOptions{Options: Options{Logger: fixture.Quiet}, Logs: true})
	require.NoError(t, err)
	_, err = s.AgreeZone(ctx, "Asia/Shanghai")
	require.NoError(t, err)
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "token-app", Title: "令牌", AccessToken: "its-own-token"})
	require.NoError(t, err)
	settings := xxladapter.Settings{KeepLogs: xxladapter.KeepFailures}
	for n := range 600 { // several pages
		id, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: fmt.Sprintf("job %d 'quoted' \\ 任务", n), Settings: settings, Tags: []string{"a", "b"}})
		require.NoError(t, err)
		if n == 599 { // its id must not be given again
			require.NoError(t, xxladapter.RemoveJob(ctx, s, id))
		}
	}
	now, err := s.Now(ctx)
	require.NoError(t, err)
	due := now.Add(time.Hour).Truncate(time.Millisecond)
	require.NoError(t, storetest.StartAt(ctx, s, 11, due))
	_, err = s.PlanFires(ctx, []xxladapter.Fire{{JobID: 11, Due: now.Truncate(time.Millisecond), Type: xxladapter.TriggerManual, Addresses: []string{"http://a:1"}}})
	require.NoError(t, err)
	_, err = s.CreateUser(ctx, &xxladapter.User{Name: "wei", Password: "hash", Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}, true)
	require.NoError(t, err)
	require.NoError(t, s.Register(ctx, "token-app", "http://10.0.0.9:9999/"))
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, runs.InsertText, 102, []byte{0, 1, 255}, 3, 1, nil)
		return err
	}))
	return s, file
}

// rowsOfFile returns all rows of a file's tables as texts, but for those that belong to one store.
func rowsOfFile(t *testing.T, s *records.Store) map[string][]string {
	t.Helper()
	tables := map[string]string{}
	require.NoError(t, s.Query(t.Context(), `SELECT name, (SELECT group_concat('quote(' || name || ')', '|| char(10) ||') FROM pragma_table_info(m.name))
		FROM sqlite_schema m WHERE type = 'table' AND name LIKE 'xxl%'`, nil, func(r database.Row) error {
		var name, columns string
		err := r.Scan(&name, &columns)
		tables[name] = columns
		return err
	}))
	rows := map[string][]string{}
	for name, columns := range tables {
		switch name {
		case "xxlwheel_schema", "xxlwheel_lease", "xxlwheel_partition", "xxlwheel_journal", "xxlwheel_redis", "xxl_job_lock":
			continue
		}
		require.NoError(t, s.Query(t.Context(), `SELECT `+columns+` AS row FROM `+name+` ORDER BY 1`, nil, func(r database.Row) error {
			var row sql.NullString
			err := r.Scan(&row)
			rows[name] = append(rows[name], row.String)
			return err
		}))
	}
	return rows
}

// TestCopyThroughAllStores copies a file to PostgreSQL, from there to MariaDB and from there to a
// new file, which has the same rows.
func TestCopyThroughAllStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	targets := emptyTargets(t)
	from, _ := filledFile(t)
	defer func() { require.NoError(t, from.Close()) }()
	want := rowsOfFile(t, from)
	for _, table := range []string{"xxl_job_info", "xxl_job_log", "xxl_job_logglue", "xxl_job_log_report", "xxl_job_user", "xxlwheel_audit", "xxlwheel_fire", "xxlwheel_grant",
		"xxlwheel_group", "xxlwheel_job", "xxlwheel_job_tag", "xxlwheel_job_version", "xxlwheel_log_text", "xxlwheel_setting", "xxlwheel_taken", "xxlwheel_user"} {
		require.NotEmpty(t, want[table], table)
	}
	source := from
	for _, kind := range []string{"postgres", "mysql", "sqlite"} {
		to, err := Open(ctx, targets[kind], Options{Logger: fixture.Quiet})
		require.NoError(t, err)
		defer func() { require.NoError(t, to.Close()) }()
		counts, err := Copy(ctx, source, to, CopyOptions{})
		require.NoError(t, err, kind)
		rows := map[string]int64{}
		for _, c := range counts {
			rows[c.Table] = c.Rows
		}
		for table := range want {
			require.Equal(t, int64(len(want[table])), rows[table], table)
		}
		_, err = Copy(ctx, source, to, CopyOptions{})
		require.ErrorIs(t, err, xxladapter.ErrConflict, "it is no longer empty")
		source = to.(*records.Store)
	}
	require.Equal(t, want, rowsOfFile(t, source))
	id, err := xxladapter.CreateJob(ctx, source, &xxladapter.Job{GroupID: 3, Name: "new"})
	require.NoError(t, err)
	before, err := xxladapter.CreateJob(ctx, from, &xxladapter.Job{GroupID: 3, Name: "new"})
	require.NoError(t, err)
	require.Equal(t, before, id, "ids of removed jobs are not given again")
}

// TestCopyWithoutHistory leaves runs out and keeps their ids from being given again.
func TestCopyWithoutHistory(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // it fills three databases, as TestCopyThroughAllStores does
	ctx := t.Context()
	targets := emptyTargets(t)
	from, _ := filledFile(t)
	defer func() { require.NoError(t, from.Close()) }()
	for kind, place := range targets {
		to, err := Open(ctx, place, Options{Logger: fixture.Quiet})
		require.NoError(t, err)
		defer func() { require.NoError(t, to.Close()) }()
		_, err = Copy(ctx, from, to, CopyOptions{WithoutHistory: true})
		require.NoError(t, err, kind)
		logs, err := to.Logs(ctx, xxladapter.LogFilter{})
		require.NoError(t, err)
		require.Empty(t, logs)
		term := fixture.TermOf(t, to, "n1")
		fires, err := to.OpenFires(ctx, xxladapter.FireFilter{})
		require.NoError(t, err)
		require.Len(t, fires, 1)
		claimed, err := to.ClaimFire(ctx, term, fires[0].ID, []*xxladapter.Log{{GroupID: 3, JobID: 11}})
		require.NoError(t, err)
		require.Greater(t, claimed[0].LogID, int64(102), kind)
	}
	// A scheduler at work would change what is being copied.
	fixture.TermOf(t, from, "n1")
	to, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "y.db"), Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, to.Close()) }()
	_, err = Copy(ctx, from, to, CopyOptions{})
	require.ErrorIs(t, err, xxladapter.ErrConflict)
	require.True(t, strings.HasPrefix(err.Error(), "scheduler n1 holds a lease"), err)
}
