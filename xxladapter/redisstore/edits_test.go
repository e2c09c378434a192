//go:build unix

package redisstore

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestEditsThatWaitShareATransaction edits many jobs at once. Edits that arrive while another one
// is written share a transaction. An edit that fails in it does not make the others fail, and a
// panic reaches only its own caller.
func TestEditsThatWaitShareATransaction(t *testing.T) {
	t.Parallel()
	file := emptySQLite(t)
	s := newScene(t, testserver.Redis(t), "sqlite:"+file)
	const edits = 128
	ids := make([]int64, edits)
	for i := range ids {
		id, err := xxladapter.CreateJob(t.Context(), s, s.newJob(xxladapter.Settings{}))
		require.NoError(t, err)
		ids[i] = id
	}
	before := transactions(t, file)
	var all errgroup.Group
	for i, id := range ids {
		all.Go(func() error {
			var err error
			switch i % 8 {
			case 3: // somebody else has changed it
				_, err = xxladapter.StartJob(t.Context(), s, id, time.Unix(1, 0), func(now time.Time) time.Time { return now })
				if !errors.Is(err, xxladapter.ErrConflict) {
					return fmt.Errorf("edit %d: %w, must be a conflict", i, err)
				}
				return nil
			case 5:
				defer func() {
					if recover() == nil {
						t.Errorf("edit %d has not panicked", i)
					}
				}()
				_, err = xxladapter.StartJob(t.Context(), s, id, time.Time{}, func(time.Time) time.Time { panic("of the caller") })
			default:
				_, err = xxladapter.StartJob(t.Context(), s, id, time.Time{}, func(now time.Time) time.Time { return now })
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Less(t, transactions(t, file)-before, edits/2, "transactions of %d edits", edits)
	for i, id := range ids {
		j, err := s.Job(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, i%8 != 3 && i%8 != 5, j.Running, "job %d", i)
	}
}

// TestAnEditThatTheDatabaseRefusesFailsAlone has edits with a number that is too large for its
// column. They fail in a batch and again by themselves; the edits that shared their batch are
// stored once.
func TestAnEditThatTheDatabaseRefusesFailsAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, testserver.Redis(t), emptyPostgres(t))
	const edits = 64
	var all errgroup.Group
	for i := range edits {
		all.Go(func() error {
			j := s.newJob(xxladapter.Settings{})
			j.Name = fmt.Sprintf("job %d", i)
			if i%8 == 3 {
				j.Timeout = 1 << 32 * time.Second
			}
			switch _, err := xxladapter.CreateJob(t.Context(), s, j); {
			case i%8 != 3:
				return err
			case err == nil:
				return fmt.Errorf("edit %d is stored", i)
			}
			return nil
		})
	}
	require.NoError(t, all.Wait())
	jobs, err := s.Jobs(t.Context(), xxladapter.JobFilter{})
	require.NoError(t, err)
	names := map[string]bool{}
	for _, j := range jobs {
		names[j.Name] = true
	}
	require.Len(t, jobs, edits-edits/8)
	require.Len(t, names, edits-edits/8)
}

// transactions counts those that have written the tables behind Redis.
func transactions(t *testing.T, file string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT turn FROM xxlwheel_redis`).Scan(&n))
	return n
}

// TestNoCallGivesMoreIDsThanALossLeavesRoomFor claims a fire that needs more log ids than a loss of
// Redis skips.
func TestNoCallGivesMoreIDsThanALossLeavesRoomFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, testserver.Redis(t), "sqlite:"+emptySQLite(t))
	id := s.job(xxladapter.Settings{})
	fires := s.claim()
	require.Len(t, fires, 1)
	shards := make([]*xxladapter.Log, 1_000_001)
	for i := range shards {
		shards[i] = &xxladapter.Log{JobID: id, GroupID: s.group}
	}
	_, err := s.ClaimFire(t.Context(), s.term, fires[0].ID, shards)
	require.ErrorContains(t, err, "must follow before 1000001 more are given")
	require.NotZero(t, s.send(fires[0]))
}

// TestNothingIsPlannedWhileTheTablesLackTooMuch locks the tables behind Redis, so that they fall
// behind.
func TestNothingIsPlannedWhileTheTablesLackTooMuch(t *testing.T) {
	t.Parallel()
	atLimit(t, 20)
}

// TestNothingIsPlannedBeyondTheLimit reaches the limit that users have. With the race detector that
// takes minutes, so it is for soaks.
func TestNothingIsPlannedBeyondTheLimit(t *testing.T) {
	if !testserver.Soak() {
		t.Skip("plans 100,000 fires; a soak runs it")
	}
	t.Parallel()
	atLimit(t, 0)
}

// atLimit locks the tables and appends records up to a limit; 0 means the default.
func atLimit(t *testing.T, limit int64) {
	file := emptySQLite(t)
	s := newSceneWith(t, testserver.Redis(t), "sqlite:"+file, Options{Backlog: limit})
	s.job(xxladapter.Settings{})
	others := make([]int64, 100) // a fire looks through the open ones of its job
	for i := range others {
		id, err := xxladapter.CreateJob(t.Context(), s, s.newJob(xxladapter.Settings{}))
		require.NoError(t, err)
		others[i] = id
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(60000)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	if limit == 0 {
		limit = 100_000
	}
	var all errgroup.Group
	all.SetLimit(256)
	for i := range limit {
		all.Go(func() error {
			f := xxladapter.Fire{JobID: others[i%100], Due: time.Now().Add(time.Duration(i) * time.Second), Type: xxladapter.TriggerManual, RetryCount: -1}
			_, err := s.PlanFires(t.Context(), []xxladapter.Fire{f})
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Len(t, s.claim(), 1, "record %d is within the limit, and one more is not", limit)
	_, _, err = s.ClaimDue(t.Context(), s.term, 0, 100, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
	require.ErrorContains(t, err, fmt.Sprintf("tables lack %d records of the shared log", limit+1))
	_, err = conn.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { // the tables follow by themselves
		_, _, err := s.ClaimDue(t.Context(), s.term, 0, 100, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
}
