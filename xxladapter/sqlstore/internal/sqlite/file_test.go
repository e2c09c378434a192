//go:build unix

package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

// A lockedLog keeps the output of a store's logger.
type lockedLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lockedLog) lines(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

func modes(t *testing.T, file string) (modes []string) {
	t.Helper()
	for _, suffix := range suffixes {
		info, err := os.Stat(file + suffix)
		require.NoError(t, err)
		modes = append(modes, info.Mode().String())
	}
	return modes
}

// TestADatabaseIsItsOwnersAlone checks that no other user can read the file, which holds tokens,
// parameters and scripts.
func TestADatabaseIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	private := []string{"-rw-------", "-rw-------", "-rw-------"}
	file := filepath.Join(t.TempDir(), "x.db")
	var log lockedLog
	opts := database.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s, err := Open(t.Context(), file, opts)
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, private, modes(t, file))
	require.Zero(t, log.lines("could be read by others"))

	for _, suffix := range suffixes { // as an earlier release left them
		require.NoError(t, os.Chmod(file+suffix, 0o644))
	}
	again, err := Open(t.Context(), file, opts)
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, private, modes(t, file))
	require.Equal(t, 3, log.lines("could be read by others"))
}

// TestADatabaseMayBeSharedWithAGroup checks that the access that a group was given on purpose is
// kept.
func TestADatabaseMayBeSharedWithAGroup(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Chmod(file, 0o660))
	s := openFile(t, file, nil)
	defer s.Close()
	require.Equal(t, []string{"-rw-rw----", "-rw-rw----", "-rw-rw----"}, modes(t, file))
}

// TestAWrongFileStaysAsItIs opens files that are no stores: neither their mode nor their content
// changes.
func TestAWrongFileStaysAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, other := filepath.Join(dir, "hosts"), filepath.Join(dir, "other.db")
	require.NoError(t, os.WriteFile(text, []byte("127.0.0.1 localhost\n"), 0o600))
	db, err := sql.Open(driverName, other)
	require.NoError(t, err)
	_, err = db.Exec(`CREATE TABLE bookmarks (url TEXT)`)
	require.NoError(t, errors.Join(err, db.Close()))
	for _, file := range []string{text, other} {
		require.NoError(t, os.Chmod(file, 0o644))
		before, err := os.ReadFile(file)
		require.NoError(t, err)
		_, err = Open(t.Context(), file, database.Options{Logger: fixture.Quiet})
		require.ErrorContains(t, err, "database")
		_, err = OpenJournaled(t.Context(), file, database.Options{Logger: fixture.Quiet}, JournalOptions{})
		require.ErrorContains(t, err, "database")
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, "-rw-r--r--", info.Mode().String(), file)
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, before, after, file)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)
}

// TestAMissingDatabaseIsNoticed checks that a database file that was removed or replaced is
// reported: what is written to a file without a name is lost with the process.
func TestAMissingDatabaseIsNoticed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, file string){
		"removed":              func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) },
		"removed with its log": func(t *testing.T, file string) { require.NoError(t, os.Remove(file+"-wal")) },
		"replaced": func(t *testing.T, file string) {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file+".new", content, 0o600))
			require.NoError(t, os.Rename(file+".new", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x.db")
			var log lockedLog
			s, err := Open(t.Context(), file, database.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			require.NoError(t, err)
			defer s.Close()
			_, err = s.Leases(t.Context())
			require.NoError(t, err)
			lose(t, file)
			var told *xxladapter.Error
			require.Eventually(t, func() bool { _, err = s.Leases(t.Context()); return errors.As(err, &told) }, 30*time.Second, 20*time.Millisecond)
			require.Equal(t, "the database file was removed or replaced while it was open", told.Message)
			_, err = xxladapter.CreateJob(t.Context(), s, &xxladapter.Job{})
			require.ErrorAs(t, err, &told, "nothing is written any more")
			require.Equal(t, 1, log.lines("level=ERROR"))
			require.Equal(t, 1, log.lines(" was removed or replaced"))
		})
	}
}

// TestADatabaseThatIsBackContinues returns a file that was moved away by mistake.
func TestADatabaseThatIsBackContinues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")
	s := openFile(t, file, nil)
	defer s.Close()
	fails := func() bool { _, err := s.Now(t.Context()); return err != nil }
	require.NoError(t, os.Rename(file, file+".away"))
	require.Eventually(t, fails, 20*time.Second, 20*time.Millisecond)
	require.NoError(t, os.Rename(file+".away", file))
	require.Eventually(t, func() bool { return !fails() }, 20*time.Second, 20*time.Millisecond)
}

// TestAStoreInMemoryIsRefused checks that a database in memory is refused, because each connection
// would have one of its own.
func TestAStoreInMemoryIsRefused(t *testing.T) {
	t.Parallel()
	for _, place := range []string{":memory:", "./:memory:"} {
		_, err := Open(t.Context(), place, database.Options{Logger: fixture.Quiet})
		var refused *xxladapter.Error
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Message, "must be a file")
	}
}
