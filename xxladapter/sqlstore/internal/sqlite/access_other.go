//go:build !unix

package sqlite

import (
	"errors"
	"io/fs"
	"os"
)

// whyNotOpened returns why this process cannot read and write a file, or nil.
func whyNotOpened(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err == nil {
		return f.Close()
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
