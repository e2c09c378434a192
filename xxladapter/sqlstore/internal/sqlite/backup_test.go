//go:build unix

package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestABackupIsOneMoment copies a store while others write to it: each job in the copy has its
// group, which was created before.
func TestABackupIsOneMoment(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a store 100%?.db")
	s := openFile(t, file, nil)
	defer s.Close()
	stop := make(chan struct{})
	written := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				app := fmt.Sprintf("app-%d-%d", w, i)
				group, err := s.SaveGroup(t.Context(), &xxladapter.Group{AppName: app, Title: "t"})
				if err != nil {
					panic(err)
				}
				if _, err := xxladapter.CreateJob(t.Context(), s, &xxladapter.Job{GroupID: group, Name: app, Handler: "h"}); err != nil {
					panic(err)
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	counts := []int{}
	for i := range 5 {
		// Four writers report five times, so one reports a second job, which no copy has yet.
		for range 5 {
			<-written
		}
		to := filepath.Join(dir, fmt.Sprintf("copy %d?.db", i))
		require.NoError(t, Backup(t.Context(), file, to, false))
		info, err := os.Stat(to)
		require.NoError(t, err)
		require.Equal(t, "-rw-------", info.Mode().String())
		copied := openFile(t, to, nil)
		jobs, err := copied.Jobs(t.Context(), xxladapter.JobFilter{})
		require.NoError(t, err)
		for _, j := range jobs {
			g, err := copied.Group(t.Context(), j.GroupID)
			require.NoError(t, err)
			require.Equal(t, j.Name, g.AppName)
		}
		require.NoError(t, copied.Close())
		counts = append(counts, len(jobs))
	}
	close(stop)
	writers.Wait()
	require.IsIncreasing(t, counts, "each has what was written up to it, from the log too")
	left, err := filepath.Glob(filepath.Join(dir, "*.part"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestWhatCannotBeBackedUp checks that failed backups change nothing.
func TestWhatCannotBeBackedUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, openFile(t, at("x.db"), nil).Close())
	require.NoError(t, os.WriteFile(at("precious"), []byte("precious"), 0o600))
	require.NoError(t, os.WriteFile(at("empty.db"), nil, 0o600))
	require.NoError(t, os.Symlink(at("nowhere"), at("link")))
	other, err := sql.Open("sqlite", at("other.db"))
	require.NoError(t, err)
	_, err = other.Exec(`CREATE TABLE bookmarks (url TEXT)`)
	require.NoError(t, err)
	require.NoError(t, other.Close())
	for _, tt := range []struct{ from, to, says string }{
		{"x.db", "precious", "the file exists, must be a new one"},
		{"x.db", "x.db", "the file exists, must be a new one"},
		{"x.db", "link", "the file exists, must be a new one"},
		{"x.db", "no/such/folder", "no such file or directory"},
		{"missing.db", "to", "no such file or directory"},
		{"empty.db", "to", "is no store"},
		{"other.db", "to", "is no store"},
		{"precious", "to", "is not a SQLite database"},
	} {
		err := Backup(t.Context(), at(tt.from), at(tt.to), false)
		require.ErrorContains(t, err, tt.says, tt)
		require.NotContains(t, err.Error(), "\n")
		require.NoFileExists(t, at("to"))
	}
	text, err := os.ReadFile(at("precious"))
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
	require.NoFileExists(t, at("missing.db"))
	info, err := os.Stat(at("empty.db"))
	require.NoError(t, err)
	require.Zero(t, info.Size())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 5, "%v", files)
}

// TestABackupLeavesNoFileBeside makes backups of a store whose journal is damaged, one that fails
// and one that accepts the loss, in a folder whose name would be a pattern.
func TestABackupLeavesNoFileBeside(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	copied := abandonOpen(t, file)
	require.NoError(t, s.Close())
	segment := copied + journalSuffix + "1"
	data, err := os.ReadFile(segment)
	require.NoError(t, err)
	data[0] ^= 0xff
	require.NoError(t, os.WriteFile(segment, data, 0o600))

	dir := filepath.Join(t.TempDir(), "of [prod]*")
	require.NoError(t, os.Mkdir(dir, 0o700))
	to := filepath.Join(dir, "to.db")
	require.ErrorContains(t, Backup(ctx, copied, to, false), "has a damaged header")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
	require.NoError(t, Backup(ctx, copied, to, true))
	files, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "%v", files)
	require.Equal(t, "to.db", files[0].Name())
}
