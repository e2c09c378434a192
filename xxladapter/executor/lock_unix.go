//go:build unix

package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir locks a data directory for this process. The lock ends with the process, however that
// ends.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("executor: lock data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("executor: Options.DataDir %q is used by another executor: %w", dir, err)
	}
	return func() { _ = f.Close() }, nil
}
