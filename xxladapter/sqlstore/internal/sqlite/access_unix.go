//go:build unix

package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// whyNotOpened returns why this process cannot read and write a file, or nil. It does not open the
// file: closing it would drop the locks that this process holds on it.
func whyNotOpened(file string) error {
	info, err := os.Stat(file)
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case err != nil:
		return err
	case info.IsDir():
		return unix.EISDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, file, unix.R_OK|unix.W_OK, unix.AT_EACCESS)
}
