package executor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// dataSince returns since when the data directory has recorded runs. Earlier runs may have left no
// trace in it, as after a restart with an empty disk. The first start in a directory records the
// time. dataSince returns zero, for unknown, if the directory has a journal and no such record.
//
// REQUIRES: the journal is not open yet.
func dataSince(dir string, now time.Time) time.Time {
	path := filepath.Join(dir, "since")
	if text, err := os.ReadFile(path); err == nil {
		if ms, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			return time.UnixMilli(ms)
		}
		return time.Time{}
	}
	if _, err := os.Stat(filepath.Join(dir, "journal")); err == nil {
		return time.Time{}
	}
	// If this fails, the time is unknown after the next start.
	_ = os.WriteFile(path, []byte(strconv.FormatInt(now.UnixMilli(), 10)+"\n"), 0o600)
	return now
}
