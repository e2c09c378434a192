//go:build unix

package redisstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// javaWindow is how far ahead a Java admin takes due times.
const javaWindow = 5 * time.Second

// A dueTime is one due time of a job, in ms.
type dueTime struct{ job, due int64 }

// A ledger records which schedulers have taken which due times.
type ledger struct {
	mu  sync.Mutex // guards who
	who map[dueTime][]string
}

func (l *ledger) note(who string, job, due int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := dueTime{job, due}
	l.who[at] = append(l.who[at], who)
}

// has reports whether who has taken a due time.
func (l *ledger) has(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, takers := range l.who {
		if slices.Contains(takers, who) {
			return true
		}
	}
	return false
}

// javaScan takes the due times of jobs as a Java admin of releases from 3.4 on does: under the
// lock, by reading what is due, and then moving the times of all jobs in one statement.
func javaScan(ctx context.Context, db *sql.DB, note func(job, due int64)) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	var name string
	if err := tx.QueryRowContext(ctx, `select lock_name from xxl_job_lock where lock_name = 'schedule_lock' for update`).Scan(&name); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, `SELECT id, trigger_next_time FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= ? ORDER BY id`,
		time.Now().Add(javaWindow).UnixMilli())
	if err != nil {
		return err
	}
	var nexts, ids strings.Builder
	for rows.Next() {
		var job, due int64
		if err := rows.Scan(&job, &due); err != nil {
			return err
		}
		note(job, due)
		fmt.Fprintf(&nexts, " WHEN %d THEN %d", job, due+1000)
		fmt.Fprintf(&ids, ",%d", job)
	}
	if err := rows.Err(); err != nil || ids.Len() == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE xxl_job_info SET trigger_next_time = CASE id`+nexts.String()+` END WHERE id IN (`+ids.String()[1:]+`) AND trigger_status = 1`)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// TestAJavaAdminTakesNoDueTimeTwice lets a Java admin, which knows nothing of Redis, take due times
// between two processes of ours. It inserts no log rows, by which it would be found. Each due time
// belongs to one of them.
func TestAJavaAdminTakesNoDueTimeTwice(t *testing.T) {
	t.Parallel()
	const jobs = 100
	length := time.Duration(testserver.Count(4, 6)) * time.Second
	ctx, redis, behind := t.Context(), testserver.Redis(t), emptyMySQL(t)
	first := newScene(t, redis, behind)
	second := open(t, redis, behind, nil)
	t.Cleanup(func() { require.NoError(t, second.Close()) })
	begin := time.Now().Truncate(time.Second).Add(2 * time.Second)
	ids := make([]int64, jobs)
	for i := range ids {
		id, err := xxladapter.CreateJob(ctx, first, first.newJob(xxladapter.Settings{}))
		require.NoError(t, err)
		require.NoError(t, storetest.StartAt(ctx, first, id, begin))
		ids[i] = id
	}
	db, err := testserver.OpenMySQL(behind)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	taken := &ledger{who: map[dueTime][]string{}}
	var all errgroup.Group
	end := time.Now().Add(length)
	again := func() bool {
		time.Sleep(30 * time.Millisecond) // often enough that each meets the others
		left := time.Until(end)
		return left > 0 || !taken.has("java") && left > -20*time.Second // a starved one needs longer
	}
	all.Go(func() error {
		for again() {
			if err := javaScan(ctx, db, func(job, due int64) { taken.note("java", job, due) }); err != nil {
				return fmt.Errorf("java: %w", err)
			}
		}
		return nil
	})
	for node, s := range map[string]xxladapter.Store{"node 1": first, "node 2": second} {
		lease, err := s.Lease(ctx, node, time.Hour)
		require.NoError(t, err)
		all.Go(func() error {
			for again() {
				fires, _, err := s.ClaimDue(ctx, lease.Term, javaWindow, 1000, eachSecond)
				if err != nil {
					return fmt.Errorf("%s: %w", node, err)
				}
				for _, f := range fires {
					taken.note(node, f.JobID, f.Due.UnixMilli())
				}
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())

	count := map[string]int{}
	for _, id := range ids {
		j, err := first.Job(ctx, id)
		require.NoError(t, err)
		for due := begin; due.Before(j.TriggerNext); due = due.Add(time.Second) {
			who := taken.who[dueTime{id, due.UnixMilli()}]
			require.Len(t, who, 1, "job %d, due %v: %v", id, due, who)
			count[who[0]]++
			delete(taken.who, dueTime{id, due.UnixMilli()})
		}
	}
	require.Empty(t, taken.who)
	require.Positive(t, count["java"])
	require.Positive(t, count["node 1"]+count["node 2"])
	t.Log(count)
}

// eachSecond plans one due time of each job. Nobody sends the fires, so they have a type that does
// not leave their jobs behind; see [xxladapter.BehindAfter].
func eachSecond(_ time.Time, due []*xxladapter.Job) (decisions []xxladapter.Decision) {
	for _, j := range due {
		decisions = append(decisions, xxladapter.Decision{
			JobID: j.ID, Last: j.TriggerNext, Next: j.TriggerNext.Add(time.Second),
			Fires: []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerBackfill}},
		})
	}
	return decisions
}

// TestTheTablesHaveWhatWasClaimed reads the tables as soon as due times are claimed. If all
// processes died now, a Java admin would find none of them due.
func TestTheTablesHaveWhatWasClaimed(t *testing.T) {
	t.Parallel()
	behind := emptyMySQL(t)
	s := newScene(t, testserver.Redis(t), behind)
	db, err := testserver.OpenMySQL(behind)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for i := range 5 {
		s.job(xxladapter.Settings{})
		require.Len(t, s.claim(), 1)
		var due, planned int
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT
			(SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= ?), (SELECT COUNT(*) FROM xxlwheel_fire)`,
			time.Now().Add(javaWindow).UnixMilli()).Scan(&due, &planned))
		require.Zero(t, due)
		require.Equal(t, i+1, planned)
	}
}

// runByJava inserts a log row as a Java admin does for each of its runs.
func runByJava(t *testing.T, behind string) {
	t.Helper()
	require.NoError(t, testserver.OrderMySQL(behind,
		`INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, 1, NOW(), 200, 200)`))
}

// TestALaterJavaAdminIsFound has runs that only Redis knows, and then a row of a Java admin. The
// row gets an id that none of the runs has. From the next scan on nothing is planned, and no
// further process begins; what was planned is still sent. When the admin has been gone for a while,
// planning continues.
func TestALaterJavaAdminIsFound(t *testing.T) {
	t.Parallel()
	redis, behind := testserver.Redis(t), emptyMySQL(t)
	var ahead atomic.Int64 // of the clock, in ns
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	opts := Options{SQL: sqlstore.Options{Logger: quiet, Clock: clock}}
	s := newSceneWith(t, redis, behind, opts)
	_, err := s.Lease(t.Context(), "node", time.Hour)
	require.NoError(t, err)
	for range 3 {
		s.job(xxladapter.Settings{})
	}
	fires := s.claim()
	require.Len(t, fires, 3)
	last := s.send(fires[0])
	runByJava(t, behind)
	require.Equal(t, last+1, s.send(fires[1]), "before it is found")

	const because = "of xxl_job_log is not from a scheduler with the shared log: a Java admin"
	_, err = Open(t.Context(), redis, behind, opts)
	require.ErrorContains(t, err, because)
	runByJava(t, behind)
	due := s.job(xxladapter.Settings{}) // an edit reads the tables again, as a scan does
	nothing := func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil }
	_, _, err = s.ClaimDue(t.Context(), s.term, 0, 100, nothing)
	require.ErrorContains(t, err, because)
	later := s.send(fires[2])
	_, err = s.Compare(t.Context())
	require.NoError(t, err)
	found, err := s.Logs(t.Context(), xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Len(t, found, 5)
	require.Greater(t, later, last+1)

	ahead.Store(int64(10 * time.Minute))
	fires = s.claim()
	require.Len(t, fires, 1)
	require.Equal(t, due, fires[0].JobID)
}

// TestAnActiveJavaAdminIsRefused opens a store in which a Java admin has just run a job.
func TestAnActiveJavaAdminIsRefused(t *testing.T) {
	t.Parallel()
	behind := emptyMySQL(t)
	plain, err := sqlstore.OpenMySQL(t.Context(), behind, sqlstore.Options{Logger: quiet})
	require.NoError(t, err)
	require.NoError(t, plain.Close())
	runByJava(t, behind)
	_, err = Open(t.Context(), testserver.Redis(t), behind, Options{SQL: sqlstore.Options{Logger: quiet}})
	require.ErrorContains(t, err, "a Java admin inserted row 1 of xxl_job_log less than 1m30s ago: it must be stopped")
}
