package executor

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// onFullDisk places the file of a day on a device without room.
func onFullDisk(t *testing.T, dir string, logTime int64, name string) (path string) {
	t.Helper()
	path = filepath.Join(dir, day(logTime), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.Symlink("/dev/full", path))
	return path
}

// TestALogThatCannotBeWrittenIsReportedOnceForEachRun checks that a full disk costs log lines, and
// that the executor's log says so.
func TestALogThatCannotBeWrittenIsReportedOnceForEachRun(t *testing.T) {
	const logTime = 1767225600000
	var said bytes.Buffer
	logs := newRunLogs(t.TempDir(), 1<<20, slog.New(slog.NewTextHandler(&said, nil)))
	onFullDisk(t, logs.dir, logTime, "5.log")
	onFullDisk(t, logs.dir, logTime, "6.log")
	for _, id := range []int64{5, 6} {
		rl := logs.begin(id, logTime)
		for range 3 {
			_, err := rl.Write([]byte("a line\n"))
			require.NoError(t, err, "the run does not suffer")
			rl.flush()
		}
		rl.end(false)
	}
	require.Equal(t, 2, strings.Count(said.String(), "\n"), "%s", &said)
	require.Contains(t, said.String(), "run=5")
	require.Contains(t, said.String(), "run=6")
	require.Equal(t, 2, strings.Count(said.String(), "no space left on device"))
}

// TestQuietLogsThatCannotBeWrittenAreReportedOnce checks that failed writes are reported once,
// until a write succeeds again.
func TestQuietLogsThatCannotBeWrittenAreReportedOnce(t *testing.T) {
	const logTime = 1767225600000
	var said bytes.Buffer
	q := &quietLogs{dir: t.TempDir(), logger: slog.New(slog.NewTextHandler(&said, nil))}
	path := onFullDisk(t, q.dir, logTime, quietName)
	write := func() {
		q.add(1, logTime, []byte("a log"))
		q.flush()
	}
	write()
	write()
	require.Equal(t, 1, strings.Count(said.String(), "no space left on device"), "%s", &said)
	require.NoError(t, os.Remove(path))
	write()
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("/dev/full", path))
	write()
	require.Equal(t, 2, strings.Count(said.String(), "no space left on device"), "%s", &said)
}
