package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// createDueIndex is the index that upstream's table lacks. Only an administrator
// asks for it: upstream's tables are not ours.
const createDueIndex = `CREATE INDEX xxlwheel_info_due ON xxl_job_info (trigger_status, trigger_next_time)`

// manyJobs is how many jobs a store has at least that should have the index.
const manyJobs = 50_000

// hasDueIndex reports whether some index leads to the due jobs, whoever made it.
func hasDueIndex(ctx context.Context, db *sql.DB) (bool, error) {
	var found int
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM information_schema.STATISTICS AS a JOIN information_schema.STATISTICS AS b
			ON b.TABLE_SCHEMA = a.TABLE_SCHEMA AND b.TABLE_NAME = a.TABLE_NAME AND b.INDEX_NAME = a.INDEX_NAME
		WHERE a.TABLE_SCHEMA = DATABASE() AND a.TABLE_NAME = 'xxl_job_info'
			AND a.SEQ_IN_INDEX = 1 AND a.COLUMN_NAME = 'trigger_status'
			AND b.SEQ_IN_INDEX = 2 AND b.COLUMN_NAME = 'trigger_next_time'`).Scan(&found)
	return found > 0, err
}

// adviseDueIndex tells of the index where it would help.
func adviseDueIndex(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	var jobs int
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM xxl_job_info LIMIT ?) AS jobs`, manyJobs).Scan(&jobs)
	if err == nil && jobs == manyJobs {
		logger.Warn("each scan walks through all jobs, an index would lead to the due ones: see xxlwheel migrate --due-index", "jobs_at_least", manyJobs)
	}
	return err
}

// DueIndexMySQL is the statement that lets scans find due jobs by an index of
// upstream's table of jobs; empty if it has one. With create the statement is
// run. It is worth its cost beyond some 50,000 jobs. Java admins work with the
// index as without it, and upstream's own changes of the table leave it as it is.
func DueIndexMySQL(ctx context.Context, address string, create bool, opts Options) (statement string, err error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	server, err := parseMySQL(address)
	if err != nil {
		return "", err
	}
	db, err := server.patiently(opts.Logger)
	if err != nil {
		return "", err
	}
	has, err := hasDueIndex(ctx, db)
	if err == nil && !has {
		statement = createDueIndex
		if create {
			_, err = db.ExecContext(ctx, createDueIndex)
		}
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return "", fmt.Errorf("index of due jobs in %s: %w", server, mysqlReason(err))
	}
	return statement, nil
}

const (
	// walkJobs is how many due jobs one walk notes, and walkLife for how long.
	walkJobs = 15_000
	walkLife = time.Second
	// walkClaim is how many jobs a claim asks for at least that takes what an
	// earlier walk has noted. Smaller ones are worth a walk of their own.
	walkClaim = 100
)

// A walk is what a walk through all jobs has found due and no claim has taken
// yet. Without an index that leads to due jobs a walk is what costs most, and
// one has to do for several claims.
type walk struct {
	mu   sync.Mutex
	node string
	at   time.Time
	full bool    // there may be more due jobs than were noted
	ids  []int64 // in the order of their due times
}

// take returns the next n ids; ok is false where only a new walk can tell.
func (w *walk) take(node string, n int, now time.Time) (ids []int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n < walkClaim || w.node != node || now.Sub(w.at) > walkLife || len(w.ids) == 0 || len(w.ids) < n && w.full {
		return nil, false
	}
	n = min(n, len(w.ids))
	ids, w.ids = w.ids[:n], w.ids[n:]
	return ids, true
}

// note keeps what a walk has found and returns its first n ids.
func (w *walk) note(node string, n int, now time.Time, found []int64) []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = max(min(n, len(found)), 0)
	w.node, w.at, w.full, w.ids = node, now, len(found) >= walkJobs, found[n:]
	return found[:n]
}

// findDue lists due jobs by id, without a lock, so that nobody waits for it.
func (s *Store) findDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int) ([]int64, error) {
	if !s.dialect.dueIndex {
		if ids, ok := s.walk.take(by.Node, limit, time.Now()); ok {
			return ids, nil
		}
	}
	most := limit
	if !s.dialect.dueIndex && limit >= walkClaim {
		most = max(limit, walkJobs)
	}
	var found []int64
	err := s.queryBy(ctx, s.scanReads, selectDueIDs, append(dueArgs(by.Node, s.clock(), ahead), max(most, 0)), func(r row) error {
		var id int64
		err := r.Scan(&id)
		found = append(found, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.walk.note(by.Node, limit, time.Now(), found), nil
}
