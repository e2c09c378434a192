package executor

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRetentionSkipsWhatItCannotDelete checks that a day that cannot be deleted, for example
// because another user has written to it, does not keep other days from being deleted.
func TestRetentionSkipsWhatItCannotDelete(t *testing.T) {
	dir := t.TempDir()
	stuck, old := filepath.Join(dir, "2020-01-01"), filepath.Join(dir, "2020-01-02")
	for _, day := range []string{stuck, old} {
		require.NoError(t, os.Mkdir(day, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(day, "1.log"), nil, 0o600))
	}
	if os.Getuid() == 0 { // root may delete anything, so this goroutine becomes nobody
		const nobody = 65534
		for _, name := range []string{filepath.Dir(dir), dir, stuck, old} {
			require.NoError(t, os.Chown(name, nobody, nobody))
		}
		runtime.LockOSThread() // the thread ends with the goroutine
		require.NoError(t, syscall.Setfsuid(nobody))
	}
	require.NoError(t, os.Chmod(stuck, 0o500))
	defer os.Chmod(stuck, 0o750)
	logs := newRunLogs(dir, 1<<20, quietLogger())
	require.ErrorContains(t, logs.cleanBefore(time.Now()), "2020-01-01")
	require.DirExists(t, stuck)
	require.NoDirExists(t, old)
}
