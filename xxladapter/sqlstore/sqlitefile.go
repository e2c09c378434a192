package sqlstore

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// sqliteSuffixes are what the names of a database's files end in: the database
// itself, its write-ahead log and the index of that.
var sqliteSuffixes = []string{"", "-wal", "-shm"}

// checkSQLiteName refuses a database in memory: every connection would have one
// of its own, and none would outlive the process.
func checkSQLiteName(file string) error {
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
	for _, suffix := range sqliteSuffixes {
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

// watchFile makes every call fail while one of the database's files is not, by
// its name, the one that was opened: the system keeps a removed file for those
// who have it open, so everything seems to work, and is lost with the process. The
// store does not close, since its open files may be the only copy that is left, and
// a process that ended would be started again on a new and empty database. The
// returned function ends the watch.
func (s *Store) watchFile(file string, logger *slog.Logger) (end func()) {
	opened := map[string]os.FileInfo{}
	base := realName(file)
	for _, suffix := range sqliteSuffixes {
		if info, err := os.Stat(base + suffix); err == nil {
			opened[base+suffix] = info
		}
	}
	gone := func() string {
		for name, was := range opened {
			info, err := os.Stat(name)
			if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(was, info) {
				return name
			}
		}
		return ""
	}
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		ticker := time.NewTicker(filePace)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
			name := gone()
			switch was := s.lost.Swap(name != ""); {
			case name != "" && !was:
				logger.Error("database file "+name+" was removed or replaced while it was open: nothing is read or written until it is back or the process is started anew",
					"pid", os.Getpid())
			case name == "" && was:
				logger.Info("database file is back", "file", file)
			}
		}
	})
	return func() {
		close(stop)
		watch.Wait()
	}
}
