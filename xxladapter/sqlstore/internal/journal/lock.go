package journal

import (
	"errors"
	"os"
)

// ErrLocked means that another process, or another part of this one, has a conflicting lock.
var ErrLocked = errors.New("journal: the file is locked by another process")

// A FileLock is a lock on a file. The system drops it when the process dies.
type FileLock struct{ file *os.File }

// Lock locks a file, which it creates if there is none. An exclusive lock refuses every other one,
// and a shared lock only exclusive ones. It does not wait: it returns [ErrLocked] if there is a
// conflicting lock.
func Lock(name string, exclusive bool) (*FileLock, error) {
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(f, exclusive); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(mine, there) {
			return &FileLock{f}, nil
		}
		// The last holder has removed the file meanwhile.
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// Close gives the lock back, and removes the file if nobody else has a lock.
func (l *FileLock) Close() error { return release(l.file) }
