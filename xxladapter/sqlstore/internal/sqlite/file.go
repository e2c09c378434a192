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
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// suffixes are the endings of the names of a database's files: the database itself, its write-ahead
// log and the index of that log.
var suffixes = []string{"", "-wal", "-shm"}

// CheckName refuses a database in memory: every connection would have one of its own, and none
// would outlive the process.
func CheckName(file string) error {
	if filepath.Clean(file) == ":memory:" {
		return xxladapter.Invalidf(errorrule.StorePlace,
			"%s is %q, must be a file: a store in memory would lose every fire with its process",
			"store", file)
	}
	return nil
}

// createPrivate creates a database that is not there yet, so that only its owner can read it: it
// contains tokens, parameters and scripts. SQLite gives its log the same mode.
func createPrivate(file string) {
	// SQLite will report any error. An existing file is never opened here: closing it would drop
	// the locks that this process holds on it.
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err == nil {
		_ = f.Close()
	}
}

// makePrivate restricts a database that was there to its owner if everybody can use it: it got that
// mode from the umask. A file that only a group can read was shared on purpose and keeps its mode.
//
// REQUIRES: checkOurs has returned nil for the file.
func makePrivate(file string, logger *slog.Logger) {
	if runtime.GOOS == "windows" {
		return // where modes do not say who may read
	}
	base := realName(file)
	for _, suffix := range suffixes {
		info, err := os.Stat(base + suffix)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o007 == 0 {
			continue
		}
		if err := os.Chmod(base+suffix, info.Mode().Perm()&0o700); err != nil {
			logger.Warn(
				"database file can be read by others, must be its owner's alone",
				"file", base+suffix, "mode", info.Mode(), "err", err,
			)
			continue
		}
		logger.Warn("database file could be read by others, is now its owner's alone", "file", base+suffix, "mode", info.Mode())
	}
}

// realName returns the name from which SQLite derives those of the other files.
func realName(file string) string {
	if name, err := filepath.EvalSymlinks(file); err == nil {
		return name
	}
	return file
}

// filePace is the interval at which a store checks whether its file is still there.
const filePace = time.Second

var errFileGone = xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.FileGone,
	"the database file was removed or replaced while it was open")

// A fileWatch checks whether each name of a database's files still leads to the file that was
// opened. While one does not, every call fails: the system keeps a removed file for processes that
// have it open, so everything seems to work, and is lost when the process ends. The store does not
// close, since its open files may be the only copy left, and a process that ended would be
// restarted on a new and empty database.
type fileWatch struct {
	opened  map[string]os.FileInfo // by name
	more    func() string          // names another file that is gone; nil if there is none to ask about
	lost    atomic.Bool            // at the last check
	stop    chan struct{}
	running sync.WaitGroup
}

// watchFile starts the watch of an open database, of its lock, which keeps other processes out, and
// of the files that more names. The caller must call end.
func watchFile(file string, more func() string, logger *slog.Logger) *fileWatch {
	w := &fileWatch{opened: map[string]os.FileInfo{}, more: more, stop: make(chan struct{})}
	base := realName(file)
	for _, suffix := range append([]string{lockSuffix}, suffixes...) {
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
		switch was := w.lost.Load(); {
		case name != "" && !was:
			logger.Error("database file "+name+" was removed or replaced while it was open: nothing is read or written until it is back or the process is restarted",
				"pid", os.Getpid())
		case name == "" && was:
			logger.Info("database file is back", "file", file)
		}
		w.lost.Store(name != "") // after the line, so that the log has the reason when calls fail
	}
}

// gone returns the name of a file that was removed or replaced, or an empty text.
func (w *fileWatch) gone() string {
	for name, was := range w.opened {
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(was, info) {
			return name
		}
	}
	if w.more != nil {
		return w.more()
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
