package mysql

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// createDueIndex creates the index that upstream's table lacks. Only an administrator orders it,
// because upstream's tables are not ours.
const createDueIndex = `CREATE INDEX xxlwheel_info_due ON xxl_job_info (trigger_status, trigger_next_time)`

const (
	// manyJobs is the least number of jobs for which a store should have the index.
	manyJobs = 50_000
	// tooManyJobs is the least number of jobs at which, without the index, a further node costs
	// more than it brings: three nodes then keep more than a core of the server busy with scans.
	tooManyJobs = 200_000
)

// hasDueIndex reports whether any index leads to the due jobs, no matter who created it.
func hasDueIndex(ctx context.Context, db *sql.DB) (bool, error) {
	var found int
	err := db.QueryRowContext(ctx,
		`SELECT COUNT(*) FROM information_schema.STATISTICS AS a JOIN information_schema.STATISTICS AS b
			ON b.TABLE_SCHEMA = a.TABLE_SCHEMA AND b.TABLE_NAME = a.TABLE_NAME AND b.INDEX_NAME = a.INDEX_NAME
		WHERE a.TABLE_SCHEMA = DATABASE() AND a.TABLE_NAME = 'xxl_job_info'
			AND a.SEQ_IN_INDEX = 1 AND a.COLUMN_NAME = 'trigger_status'
			AND b.SEQ_IN_INDEX = 2 AND b.COLUMN_NAME = 'trigger_next_time'`).Scan(&found)
	return found > 0, err
}

// adviseDueIndex logs a hint about the index where it would help, and an error where a node is
// about to join others whose scans it would slow down.
func adviseDueIndex(ctx context.Context, db *sql.DB, logger *slog.Logger) error {
	var jobs, nodes int
	err := db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM xxl_job_info LIMIT ?) AS jobs),
		(SELECT COUNT(*) FROM xxlwheel_lease WHERE retired = 0 AND until_ms > UNIX_TIMESTAMP(NOW(3)) * 1000)`,
		tooManyJobs).Scan(&jobs, &nodes)
	switch {
	case err != nil:
		return err
	case jobs == tooManyJobs && nodes > 0:
		logger.Error("each scan of each node reads all jobs, so a further node makes all of them late: run xxlwheel migrate --due-index first",
			"jobs_at_least", tooManyJobs, "other_nodes", nodes)
	case jobs >= manyJobs:
		logger.Warn(
			"each scan reads all jobs, an index would find the due ones: see xxlwheel migrate --due-index",
			"jobs_at_least", jobs,
		)
	}
	return nil
}

// DueIndex implements sqlstore.DueIndexMySQL.
func DueIndex(ctx context.Context, address string, create bool, opts database.Options) (statement string, err error) {
	opts = opts.WithDefaults()
	server, err := parse(address)
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
		return "", fmt.Errorf("index of due jobs in %s: %w", server, reason(err))
	}
	return statement, nil
}

const (
	// walkJobs limits the due jobs that one full scan remembers, and walkLife how long.
	walkJobs = 15_000
	walkLife = time.Second
	// walkClaim is the smallest number of jobs for which a claim uses an earlier scan's result.
	// Smaller claims scan for themselves.
	walkClaim = 100
)

// A walk remembers the due jobs that a full scan has found and no claim has taken yet. Without an
// index that leads to due jobs, the full scan is the largest cost, and one has to serve several
// claims.
type walk struct {
	mu   sync.Mutex // guards the fields below
	node string
	at   time.Time
	full bool    // there may be more due jobs than are remembered
	ids  []int64 // in the order of their due times
}

// take returns the next n ids; ok is false if only a new scan can tell.
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

// note remembers the result of a scan and returns its first n ids.
func (w *walk) note(node string, n int, now time.Time, found []int64) []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = max(min(n, len(found)), 0)
	w.node, w.at, w.full, w.ids = node, now, len(found) >= walkJobs, found[n:]
	return found[:n]
}

// acts implements [records.Acts] for MySQL, where a SELECT with locks also locks, and waits for,
// rows that it only passes: due rows are found first and then locked by their ids.
type acts struct {
	store    *records.Store
	dueIndex bool  // an index leads to due jobs
	idStep   int64 // the distance between the ids of rows of one INSERT
	walk     walk  // of the last full scan, without a due index
}

// Claimable finds due jobs without a lock, and locks those that are still due.
func (a *acts) Claimable(
	ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
) (records.DueReader, error) {
	found, err := a.findDue(ctx, by, ahead, limit)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *database.Tx, now time.Time) (due []*xxladapter.Job, locked int, err error) {
		due, err = stillDue(ctx, tx, database.ToMilli(now.Add(ahead)), found)
		return due, 0, err
	}, nil
}

// Taken reports whether the unique index on job and due time refused a fire.
func (a *acts) Taken(err error) bool { return isDuplicate(err) }

// selectDueIDs reads the ids of the due jobs of [records.AllDue]. The server chooses how: for a few
// due jobs it looks up the fires of each, and for many it reads all that are behind once and keeps
// their jobs in a hash table. AllDue counts the fires of each job instead, which is most of its
// work if many jobs are due.
const selectDueIDs = `SELECT id` + records.DueOrBehind + `
	AND id NOT IN (SELECT job_id` + records.BehindFires + `)` + records.InOrder

// findDue returns the ids of due jobs. It takes no lock, so nobody waits for it.
func (a *acts) findDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int) ([]int64, error) {
	if !a.dueIndex {
		if ids, ok := a.walk.take(by.Node, limit, time.Now()); ok {
			return ids, nil
		}
	}
	rows := limit
	if !a.dueIndex && limit >= walkClaim {
		rows = max(limit, walkJobs)
	}
	var found []int64
	err := a.store.QueryBy(ctx, a.store.ScanReads, selectDueIDs, append(
		records.AllDueArgs(by.Node, a.store.Clock(), ahead), max(rows, 0),
	), func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		found = append(found, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.walk.note(by.Node, limit, time.Now(), found), nil
}

// stillDue reads and locks the jobs that were found due, and returns those that still are.
func stillDue(ctx context.Context, t *database.Tx, until int64, found []int64) ([]*xxladapter.Job, error) {
	var due []*xxladapter.Job
	for ids := range slices.Chunk(found, 1000) {
		batch := make([]any, len(ids))
		for i, id := range ids {
			batch[i] = id
		}
		// By the primary key, even for most of the rows: a full scan would wait for others' rows.
		query := t.Dialect.Text(`SELECT ` + records.JobColumns +
			` FROM xxl_job_info FORCE INDEX (PRIMARY) WHERE id IN (?` +
			strings.Repeat(`, ?`, len(batch)-1) + `) FOR UPDATE`)
		err := database.Select(ctx, t, query, batch, func(r database.Row) error {
			j, err := records.ScanJob(r)
			if j.Running && database.ToMilli(j.TriggerNext) <= until {
				due = append(due, j)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(due, func(a, b *xxladapter.Job) int {
		return cmp.Or(a.TriggerNext.Compare(b.TriggerNext), cmp.Compare(a.ID, b.ID))
	})
	return due, nil
}
