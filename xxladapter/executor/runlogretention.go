package executor

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// clean deletes the run logs of dates that are more than the given number of days in the past: at
// once, and then every hour, so that a machine that sleeps misses no day. XXL-JOB's
// JobLogFileCleanThread compares days in the same way since 3.3.0.
func (l *runLogs) clean(ctx context.Context, days int, logger *slog.Logger) {
	if days < 0 {
		return
	}
	for ctx.Err() == nil {
		if err := l.cleanBefore(time.Now().AddDate(0, 0, -days)); err != nil {
			logger.Warn("deletion of old run logs failed", "err", err)
		}
		sleep(ctx, time.Hour)
	}
}

// cleanBefore deletes the directories of all days before that of limit, except those that a run
// still writes to, and skips those that it cannot delete.
func (l *runLogs) cleanBefore(limit time.Time) error {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	writing := l.activeDays() // after the listing, to see each run that created a listed directory
	first := limit.Local().Format(dayLayout)
	var failed []error
	for _, entry := range entries {
		name := entry.Name()
		// Only directories of days are deleted: an operator may have put other files there.
		if _, err := time.Parse(dayLayout, name); err != nil || !entry.IsDir() || name >= first || writing[name] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(l.dir, name)); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (l *runLogs) activeDays() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	days := map[string]bool{}
	for _, rl := range l.active {
		days[day(rl.logTime)] = true
	}
	return days
}

// close writes what is still buffered.
func (l *runLogs) close() {
	l.quiet.flush()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, rl := range l.active { // of abandoned runs
		rl.flush()
	}
}
