package sqlite

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAskingWhyAFileIsNotOpenedKeepsItsLocks looks for a lock in the kernel's table after
// whyNotOpened. SQLite's locks on a database are such locks.
func TestAskingWhyAFileIsNotOpenedKeepsItsLocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locked")
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Len: 1}))
	require.NoError(t, whyNotOpened(file))
	info, err := f.Stat()
	require.NoError(t, err)
	locks, err := os.ReadFile("/proc/locks")
	require.NoError(t, err)
	require.Contains(t, string(locks), fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino))
}
