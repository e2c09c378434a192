package sqlite

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// suffixes are what the names of a database's files end in: the database
// itself, its write-ahead log and the index of that.
var suffixes = []string{"", "-wal", "-shm"}

// checkName refuses a database in memory: every connection would have one
// of its own, and none would outlive the process.
func checkName(file string) error {
	if filepath.Clean(file) == ":memory:" {
		return xxladapter.Invalidf("store is %q, must be a file: a store in memory would lose every fire with its process", file)
	}
	return nil
}

// makePrivate sees to it that nobody but the owner can read the database, which
// holds tokens, parameters and scripts. A new file is made for that; SQLite gives
// its log the same mode. A file that everybody can read got its mode from the
// umask, and is tightened; one that a group may read was given to it by somebody,
// and stays as it is.
func makePrivate(file string, logger *slog.Logger) {
	if runtime.GOOS == "windows" {
		return // where modes say nothing of who may read
	}
	// An error is SQLite's to report. An existing file is never opened here: to
	// close it would drop the locks that this process has on it.
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
		_ = f.Close()
	}
	base := realName(file)
	for _, suffix := range suffixes {
		info, err := os.Stat(base + suffix)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o007 == 0 {
			continue
		}
		if err := os.Chmod(base+suffix, info.Mode().Perm()&0o700); err != nil {
			logger.Warn("database file can be read by others, must be its owner's alone", "file", base+suffix, "mode", info.Mode(), "err", err)
			continue
		}
		logger.Warn("database file could be read by others, is now its owner's alone", "file", base+suffix, "mode", info.Mode())
	}
}

// realName is the name that SQLite derives those of the other files from.
func realName(file string) string {
	if name, err := filepath.EvalSymlinks(file); err == nil {
		return name
	}
	return file
}

// filePace is how often a store looks whether its file is still there.
const filePace = time.Second

var errFileGone = &xxladapter.Error{
	Code: xxladapter.CodeUnreachable, Message: "the database file was removed or replaced while it was open",
}

// A fileWatch knows whether each of a database's files is, by its name, the one that was
// opened. While one is not, every call fails: the system keeps a removed file for those
// who have it open, so everything seems to work, and is lost with the process. The
// store does not close, since its open files may be the only copy that is left, and
// a process that ended would be started again on a new and empty database.
type fileWatch struct {
	opened  map[string]os.FileInfo // by name
	lost    atomic.Bool
	stop    chan struct{}
	running sync.WaitGroup
}

// watchFile begins the watch of an open database. The caller must call end.
func watchFile(file string, logger *slog.Logger) *fileWatch {
	w := &fileWatch{opened: map[string]os.FileInfo{}, stop: make(chan struct{})}
	base := realName(file)
	for _, suffix := range suffixes {
		if info, err := os.Stat(base + suffix); err == nil {
			w.opened[base+suffix] = info
		}
	}
	w.running.Go(func() { w.run(file, logger) })
	return w
}

func (w *fileWatch) run(file string, logger *slog.Logger) {
	ticker := time.NewTicker(filePace)
	defer ticker.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-ticker.C:
		}
		name := w.gone()
		switch was := w.lost.Swap(name != ""); {
		case name != "" && !was:
			logger.Error("database file "+name+" was removed or replaced while it was open: nothing is read or written until it is back or the process is started anew",
				"pid", os.Getpid())
		case name == "" && was:
			logger.Info("database file is back", "file", file)
		}
	}
}

// gone is the name of a file that is not there any more, or empty.
func (w *fileWatch) gone() string {
	for name, was := range w.opened {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(was, info) {
			return name
		}
	}
	return ""
}

func (w *fileWatch) err() error {
	if w.lost.Load() {
		return errFileGone
	}
	return nil
}

func (w *fileWatch) end() {
	close(w.stop)
	w.running.Wait()
}
