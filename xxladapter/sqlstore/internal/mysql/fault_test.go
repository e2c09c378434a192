//go:build unix

package mysql

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAFrozenHolderLosesTheScheduleLock lets a scan fall silent while it holds the lock. The server
// ends the scan's connection, so the scan can no longer commit what it decided.
func TestAFrozenHolderLosesTheScheduleLock(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address := mysqlDatabase(t, "3.4")
	const limit = 2 * time.Second
	frozen, other := openMySQLAt(t, address, database.Options{LockLife: limit}), openMySQLAt(t, address, database.Options{LockLife: limit})
	defer func() { require.NoError(t, frozen.Close()); require.NoError(t, other.Close()) }()
	due := time.Now().Truncate(time.Second).Add(-time.Second)
	id := fixture.AddDue(t, frozen, "job", due)
	term := fixture.TermOf(t, frozen, "n1")

	holds, thaw, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	release := sync.OnceFunc(func() { close(thaw) })
	defer release() // also when the test fails, as Close waits for it
	move := func(hours int) func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
		return func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{
				JobID: id, Last: due, Next: due.Add(time.Duration(hours) * time.Hour),
				Fires: []xxladapter.Fire{{Due: due, Type: xxladapter.TriggerCron}},
			}}
		}
	}
	go func() {
		_, _, err := frozen.ClaimDue(context.Background(), term, 0, 10, func(now time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
			close(holds)
			<-thaw
			return move(1)(now, jobs)
		})
		ended <- err
	}()
	<-holds
	waited := time.Now()
	fires, _, err := other.ClaimDue(ctx, term, 0, 10, move(2))
	took := time.Since(waited)
	require.NoError(t, err)
	require.Len(t, fires, 1)
	require.Greater(t, took, limit/2, "the lock was held")
	require.Less(t, took, limit+3*time.Second)

	release()
	require.NoError(t, <-ended, "it is repeated, and finds nothing due")
	j, err := other.Job(ctx, id)
	require.NoError(t, err)
	require.True(t, due.Add(2*time.Hour).Equal(j.TriggerNext), "%v", j.TriggerNext)
	open, err := other.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Equal(t, fires, open)
	// What was frozen works again.
	_, _, err = frozen.ClaimDue(ctx, term, 0, 10, move(3))
	require.NoError(t, err)
}

// TestAScanWaitsForDueJobsOnly holds the row of a job that is not due.
func TestAScanWaitsForDueJobsOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	due := time.Now().Truncate(time.Second)
	later, now := fixture.AddDue(t, s, "later", due.Add(time.Hour)), fixture.AddDue(t, s, "now", due)
	term := fixture.TermOf(t, s, "n1")
	transaction, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = transaction.ExecContext(ctx, `UPDATE xxl_job_info SET trigger_last_time = 1 WHERE id = ?`, later)
	require.NoError(t, err)
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, n, err := s.ClaimDue(within, term, 0, 10, func(_ time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{JobID: now, Last: due, Next: due.Add(time.Hour)}}
	})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, transaction.Rollback())
}

// TestAMySQLServerMayRestart kills the server among writes. Calls fail while it is away. Afterwards
// everything that was acknowledged is there, and the same store continues.
func TestAMySQLServerMayRestart(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	ctx := t.Context()
	server := testserver.StartMariaDB(t)
	address := server.Database(t)
	require.NoError(t, Migrate(ctx, address, true, database.Options{Logger: fixture.Quiet}))
	s := openMySQLAt(t, address, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	id := fixture.AddDue(t, s, "job", time.Now())
	term := fixture.TermOf(t, s, "n1")

	var (
		mu     sync.Mutex
		stored = map[int64]bool{}
		many   = make(chan struct{})
		wg     sync.WaitGroup
	)
	for range 8 {
		wg.Go(func() {
			for {
				fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual}})
				if err != nil {
					return
				}
				mu.Lock()
				stored[fires[0].ID] = true
				if len(stored) == 200 {
					close(many)
				}
				mu.Unlock()
			}
		})
	}
	<-many
	server.Kill(t)
	wg.Wait()
	_, err := s.Groups(ctx)
	require.Error(t, err)
	require.Error(t, s.Register(ctx, "fault-app", "http://a:1"))
	_, err = s.Now(ctx)
	require.NoError(t, err, "the clock continues")

	server.Start(t)
	calls := map[string]func() error{
		"read":  func() error { _, err := s.Groups(ctx); return err },
		"write": func() error { return s.Register(ctx, "fault-app", "http://a:1") },
		"lease": func() error { _, err := s.Lease(ctx, "n1", time.Hour); return err },
		"scan": func() error {
			_, _, err := s.ClaimDue(ctx, term, 0, 1, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
			return err
		},
	}
	for name, call := range calls {
		require.NoError(t, call(), fmt.Sprintf("the first %s after the return", name))
	}
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	for _, f := range open {
		delete(stored, f.ID)
	}
	require.Empty(t, stored, "acknowledged, and lost")
}
