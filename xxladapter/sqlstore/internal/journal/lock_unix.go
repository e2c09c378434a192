//go:build unix

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		switch err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// release unlocks the file before it closes it, because a process that is being started at that
// moment may have a copy of the open file, which would keep the lock.
func release(f *os.File) error {
	if lock(f, true) == nil {
		_ = os.Remove(f.Name()) // the file may be in a directory that is read-only by now
	}
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
