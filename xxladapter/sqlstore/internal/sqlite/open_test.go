//go:build unix

package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// TestOpenSQLiteNames checks that an error is one line that names the file.
func TestOpenSQLiteNames(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, file, reason string) {
		t.Helper()
		s, err := openWithin(t, file, 50*time.Millisecond)
		if err == nil {
			require.NoError(t, s.Close())
		}
		require.ErrorContains(t, err, "open "+file+": ")
		require.ErrorContains(t, err, reason)
		require.NotContains(t, err.Error(), "\n")
		t.Log(err)
	}
	migrated := func(t *testing.T) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "xxl.db")
		require.NoError(t, os.Rename(emptyFile.Copy(t), file))
		return file
	}

	t.Run("AFileThatIsNoDatabase", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "notes.txt")
		text := []byte(strings.Repeat("not a database\n", 1000))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		refused(t, file, "is not a SQLite database")
		kept, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, kept)
	})
	t.Run("ADamagedFile", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for i := 100; i < len(content); i++ { // all but the header
			content[i] = 0xa5
		}
		require.NoError(t, os.WriteFile(file, content, 0o600))
		refused(t, file, "is damaged")
	})
	t.Run("AFileThatIsCutOff", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		require.NoError(t, os.Truncate(file, 5000))
		refused(t, file, "is damaged")
	})
	t.Run("AnotherProgramsDatabase", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "other.db")
		require.NoError(t, raw(t, file, `CREATE TABLE bookmarks (url TEXT)`).Close())
		refused(t, file, "is a database of another program")
	})
	t.Run("ANewerSchema", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		require.NoError(t, raw(t, file, `INSERT INTO `+migration.Table+` (version_id, is_applied) VALUES (999, 1)`).Close())
		refused(t, file, "was written by a newer release, its tables have version 999")
	})
	t.Run("ALockedFile", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		other := raw(t, file, `PRAGMA locking_mode = EXCLUSIVE`, `BEGIN EXCLUSIVE`)
		refused(t, file, "is locked by another process")
		require.NoError(t, other.Close())
		s, err := openWithin(t, file, time.Second)
		require.NoError(t, err)
		require.NoError(t, s.Close())
	})
	t.Run("AFolder", func(t *testing.T) {
		t.Parallel()
		refused(t, t.TempDir(), "is a directory")
	})
	t.Run("AFolderThatIsMissing", func(t *testing.T) {
		t.Parallel()
		refused(t, filepath.Join(t.TempDir(), "missing", "xxl.db"), "no such file or directory")
	})
	t.Run("AReadOnlyFile", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		require.NoError(t, os.Chmod(file, 0o444))
		message := openAsNobody(t, file)
		require.Contains(t, message, "open "+file+": is read-only")
		t.Log(message)
	})
	t.Run("AFileThatMustNotBeRead", func(t *testing.T) {
		t.Parallel()
		file := migrated(t)
		require.NoError(t, os.Chmod(file, 0))
		message := openAsNobody(t, file)
		require.Contains(t, message, "open "+file+": permission denied")
		t.Log(message)
	})
}

// raw executes statements on one connection of a file, outside of any store.
func raw(t *testing.T, file string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	return db
}

// openWithin opens the store in file, and waits for locks no longer than wait.
func openWithin(t *testing.T, file string, wait time.Duration) (*records.Store, error) {
	t.Helper()
	return openNamed(t.Context(), driverName, file, database.Options{Clock: time.Now, Logger: fixture.Quiet}, wait)
}

func TestReopenKeepsAll(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	ctx := t.Context()
	s := openFile(t, file, time.Now)
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "kept-app", Title: "kept"})
	require.NoError(t, err)
	require.NoError(t, s.Register(ctx, "kept-app", "http://a:1"))
	job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "kept", ChildIDs: []int64{3}})
	require.NoError(t, err)
	require.NoError(t, storetest.StartAt(ctx, s, job, time.Now().Add(-time.Second)))
	_, _, err = s.ClaimDue(ctx, fixture.TermOf(t, s, "n1"), 0, 1, func(now time.Time, _ []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{
			JobID: job, Next: now.Add(time.Hour),
			Fires:    []xxladapter.Fire{{Due: now, Type: xxladapter.TriggerCron}, {Due: now.Add(time.Second), Type: xxladapter.TriggerCron}},
			Misfires: []xxladapter.Misfire{{Due: now, Until: now, At: now}},
		}}
	})
	require.NoError(t, err)
	fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	_, err = s.ClaimFire(ctx, fixture.TermOf(t, s, "n1"), fires[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
	require.NoError(t, err)

	all := func(s *records.Store) []any {
		jobs, err := s.Jobs(ctx, xxladapter.JobFilter{})
		require.NoError(t, err)
		groups, err := s.Groups(ctx)
		require.NoError(t, err)
		fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
		require.NoError(t, err)
		logs, err := s.Logs(ctx, xxladapter.LogFilter{})
		require.NoError(t, err)
		misfires, err := s.Misfires(ctx, xxladapter.MisfireFilter{JobID: job})
		require.NoError(t, err)
		require.Len(t, jobs, 1)
		require.Len(t, groups, 1)
		require.Len(t, fires, 2)
		require.Len(t, logs, 1)
		require.Len(t, misfires, 1)
		return []any{jobs, groups, fires, logs, misfires}
	}
	before := all(s)
	require.NoError(t, s.Close())
	beside, err := filepath.Glob(file + "-*")
	require.NoError(t, err)
	require.Empty(t, beside, "a closed store is one file, which can be copied")
	s = openFile(t, file, time.Now)
	require.Equal(t, before, all(s))
	require.NoError(t, s.Close())
}
