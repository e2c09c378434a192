package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Exists reports whether there is any file of a journal, whole or not. It also returns true if the
// folder cannot be read.
func Exists(prefix string) bool {
	found, err := list(prefix)
	return len(found) > 0 || err != nil
}

// SetAside renames the files of a journal. They no longer belong to it, and can be inspected. Files
// that were set aside before are kept: the next journal may use the same numbers again.
func SetAside(prefix string) error {
	found, err := list(prefix)
	if err != nil {
		return err
	}
	suffix := ".lost"
	for n := 2; ; n++ {
		taken, err := anyExists(found, suffix)
		if err != nil {
			return err
		}
		if !taken {
			break
		}
		suffix = fmt.Sprintf(".lost%d", n)
	}
	for _, s := range found {
		if err := os.Rename(s.name, s.name+suffix); err != nil {
			return err
		}
	}
	return nil
}

// anyExists reports whether there is a file with the name of a segment and the suffix.
func anyExists(segments []segment, suffix string) (bool, error) {
	for _, s := range segments {
		if _, err := os.Lstat(s.name + suffix); !errors.Is(err, os.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// Remove removes the files of a journal. It stops with an error at a file of another generation.
func Remove(prefix string, generation uint64) error {
	found, err := list(prefix)
	if err != nil {
		return err
	}
	for _, s := range found {
		if err := removeOne(s.name, generation); err != nil {
			return err
		}
	}
	return nil
}

func removeOne(name string, generation uint64) error {
	head, err := readHead(name)
	if err != nil {
		return err
	}
	h, err := decodeHeader(head)
	if err == nil && h.generation != generation {
		return fmt.Errorf("journal %s belongs to another store, or to an older copy of this one", name)
	}
	return os.Remove(name)
}

// readHead reads as much of a header as a file has.
func readHead(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headerSize)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// Copy copies the files of a journal, which another process may be writing, to files whose names
// begin with the prefix to. Copy opens the files that exist, calls the function between, opens what
// is new since, and then copies. Thus that function reads a state that is no newer than the copy.
// The copy may lack records that are appended meanwhile.
func Copy(prefix, to string, between func() error) error {
	held := map[int64]*os.File{}
	defer func() {
		for _, f := range held {
			_ = f.Close()
		}
	}()
	hold := func() error {
		found, err := list(prefix)
		for _, s := range found {
			if held[s.place] != nil {
				continue
			}
			f, openErr := os.Open(s.name)
			if openErr != nil {
				return openErr
			}
			held[s.place] = f
		}
		return err
	}
	if err := hold(); err != nil {
		return err
	}
	if err := between(); err != nil {
		return err
	}
	if err := hold(); err != nil {
		return err
	}
	for place, f := range held {
		if err := copyTo(nameOf(to, place), f); err != nil {
			return err
		}
	}
	return nil
}

func copyTo(name string, from io.Reader) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
