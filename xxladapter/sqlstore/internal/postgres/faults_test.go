//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTheFirstCallAfterARestartSucceeds restarts the server under idle connections of each pool
// that the calls use.
func TestTheFirstCallAfterARestartSucceeds(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	ctx := t.Context()
	server := testserver.StartPostgres(t)
	s := openURL(t, server.Database(t), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	calls := map[string]func() error{
		"a read":    func() error { _, err := s.Groups(ctx); return err },
		"a write":   func() error { return s.Register(ctx, "app", "http://a:1") },
		"a look-up": func() error { _, err := s.Job(ctx, 1); return err },
		"a scan": func() error {
			_, _, err := s.ClaimDue(ctx, xxladapter.Term{Node: "n"}, time.Second, 1, nil)
			return err
		},
		"a batched one": func() error {
			_, err := s.SettleFire(ctx, xxladapter.Term{Node: "n"}, xxladapter.Settlement{FireID: 1})
			return err
		},
	}
	for name, call := range calls {
		// Many calls at once, so that the call below finds no pool without a connection.
		var wg sync.WaitGroup
		for range 20 {
			for _, call := range calls {
				wg.Go(func() { _ = call() })
			}
		}
		wg.Wait()
		server.Stop(t)
		server.Start(t)
		err := call()
		if errors.Is(err, xxladapter.ErrFenced) || errors.Is(err, xxladapter.ErrNotFound) {
			err = nil // the store's answer
		}
		require.NoError(t, err, name)
	}
}

// TestAFrozenNodeLosesItsRows lets one node fall silent in a transaction that holds a job, and
// another one stop the job.
func TestAFrozenNodeLosesItsRows(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := testserver.PostgresCopy(t, migrateURL)
	frozen, other := openURL(t, url, database.Options{LockLife: 500 * time.Millisecond}), openURL(t, url, database.Options{})
	defer func() { require.NoError(t, errors.Join(frozen.Close(), other.Close())) }()
	group, err := other.SaveGroup(ctx, &xxladapter.Group{AppName: "frozen-app", Title: "t"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(ctx, other, &xxladapter.Job{GroupID: group, Name: "frozen"})
	require.NoError(t, err)

	attempts := 0
	err = frozen.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		attempts++
		changed, err := tx.Exec(ctx, `UPDATE xxl_job_info SET job_desc = 'held' WHERE id = ?`, job)
		if err != nil || attempts > 1 {
			return err
		}
		require.EqualValues(t, 1, changed)
		// Returns when this transaction has lost the row, after half a second.
		limit, cancel := context.WithTimeout(ctx, 8*time.Second)
		defer cancel()
		require.NoError(t, xxladapter.StopJob(limit, other, job, time.Time{}))
		_, err = tx.Exec(ctx, `UPDATE xxl_job_info SET job_desc = 'too late' WHERE id = ?`, job)
		require.Error(t, err)
		return err
	})
	require.NoError(t, err, "the transaction is repeated")
	require.Equal(t, 2, attempts)
	j, err := other.Job(ctx, job)
	require.NoError(t, err)
	require.Equal(t, "held", j.Name)
}

// TestABadCallHarmsNoOtherOfItsBatch makes 30 calls, three of which the server refuses.
func TestABadCallHarmsNoOtherOfItsBatch(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openPostgresCopy(t, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	lease, err := s.Lease(ctx, "n1", time.Hour)
	require.NoError(t, err)
	const calls = 30
	var plan []xxladapter.Fire
	for i := range calls {
		plan = append(plan, xxladapter.Fire{JobID: 1, Due: time.UnixMilli(int64(i + 1)), Type: xxladapter.TriggerCron})
	}
	fires, err := s.PlanFires(ctx, plan)
	require.NoError(t, err)
	errs := make([]error, calls)
	var wg sync.WaitGroup
	for i, f := range fires {
		wg.Go(func() {
			l := &xxladapter.Log{JobID: 1, TriggerTime: time.UnixMilli(1), Param: "a\x00b\xff"}
			if i%10 == 7 {
				l.HandleTime = time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC) // beyond PostgreSQL's timestamps
			}
			_, errs[i] = s.ClaimFire(ctx, lease.Term, f.ID, []*xxladapter.Log{l})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if i%10 == 7 {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
		}
	}
	logs, err := s.Logs(ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Len(t, logs, calls-3)
	require.Equal(t, "a\ufffdb\ufffd", logs[0].Param, "text that PostgreSQL has no form for")
}

func TestOpenPostgresNamesThePlaceAndNotThePassword(t *testing.T) {
	t.Parallel()
	const secret = "s3cr/et"
	for url, reason := range map[string]string{
		"postgres://me:" + secret + "@127.0.0.1:1/db":                      "cannot be read", // the slash is not escaped
		"postgres://me:s3cr%2Fet@127.0.0.1:1/db?sslmode=disable":           "open postgres://127.0.0.1:1/db: ",
		"postgres://me:s3cr%2Fet@127.0.0.1:1/db?connect_timeout=" + secret: "cannot be read",
	} {
		_, err := Open(t.Context(), url, database.Options{Logger: fixture.Quiet})
		require.ErrorContains(t, err, reason)
		for _, part := range []string{"s3cr", "et@", "2Fet"} {
			require.NotContains(t, err.Error(), part)
		}
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestOpenPostgresRefusesADatabaseOfAnotherProgram(t *testing.T) {
	t.Parallel()
	url := testserver.Postgres(t)
	s := openURL(t, url, database.Options{})
	require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `DROP TABLE `+migration.Table)
		return err
	}))
	require.NoError(t, s.Close())
	_, err := Open(t.Context(), url, database.Options{Logger: fixture.Quiet})
	require.ErrorContains(t, err, "of another program")
}

// TestManyOpenANewDatabaseAtOnce lets several nodes create the tables.
func TestManyOpenANewDatabaseAtOnce(t *testing.T) {
	t.Parallel()
	url := testserver.Postgres(t)
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = migrateURL(url) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

func TestPostgresStoreGoesByTheServersClock(t *testing.T) {
	t.Parallel()
	s := openURL(t, testserver.PostgresCopy(t, migrateURL), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	now, err := s.Now(t.Context())
	require.NoError(t, err)
	require.Equal(t, time.UTC, now.Location())
	require.NoError(t, s.Query(t.Context(), `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`, nil, func(r database.Row) error {
		var ms int64
		err := r.Scan(&ms)
		require.InDelta(t, ms, now.UnixMilli(), 5000, fmt.Sprint(now)) // time for the two calls on a busy machine
		return err
	}))
}

// TestAReadThatFailedForAllIsMadeAlone lets the server cancel the query that several callers share.
func TestAReadThatFailedForAllIsMadeAlone(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), testserver.PostgresCopy(t, migrateURL)
	s := openURL(t, url, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	const callers = 5
	var groups []int64
	for i := range callers {
		id, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: fmt.Sprint("read-app", i), Title: "t"})
		require.NoError(t, err)
		groups = append(groups, id)
	}
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	locked, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = locked.Exec(ctx, `LOCK TABLE xxl_job_group`)
	require.NoError(t, err)

	answers := make(chan error, callers)
	waiting := func() int {
		waiting, _ := s.Queues[database.LookupGroups].Load()
		return waiting
	}
	reading := func() bool {
		_, running := s.Queues[database.LookupGroups].Load()
		return running
	}
	until := func(n int) {
		require.Eventually(t, func() bool { return waiting() == n }, 10*time.Second, time.Millisecond)
	}
	for i, id := range groups {
		go func() {
			_, err := s.Group(ctx, id)
			answers <- err
		}()
		if i == 0 { // the other callers queue up behind this read
			require.Eventually(t, func() bool { return reading() && waiting() == 0 }, 10*time.Second, time.Millisecond)
		}
	}
	until(callers - 1)
	for range 2 { // cancels the first caller's query, then the one that the others share
		cancelled := false
		require.Eventually(t, func() bool {
			err := s.Query(ctx, `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ANY%'`, nil,
				func(r database.Row) error { return r.Scan(&cancelled) })
			return err != nil || cancelled
		}, 10*time.Second, time.Millisecond)
		require.True(t, cancelled)
		until(0)
	}
	require.NoError(t, locked.Rollback(ctx))
	for range callers {
		require.NoError(t, <-answers)
	}
}

// TestBatchesOfTwoNodesDoNotDeadlock lets two nodes claim the same fires, each in an order of its
// own, and then settle their own and finish or accept the other's, as when executors report to
// another node than the one that called them.
func TestBatchesOfTwoNodesDoNotDeadlock(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	ctx := t.Context()
	url := testserver.PostgresCopy(t, migrateURL)
	stores := [2]*records.Store{openURL(t, url, database.Options{}), openURL(t, url, database.Options{})}
	terms := [2]xxladapter.Term{fixture.TermOf(t, stores[0], "a"), fixture.TermOf(t, stores[1], "b")}
	transact := func(batches [2][]*records.FireCall) {
		var wg sync.WaitGroup
		for i, batch := range batches {
			rand.Shuffle(len(batch), func(i, k int) { batch[i], batch[k] = batch[k], batch[i] })
			wg.Go(func() { _, err := stores[i].Fires.Transact(ctx, batch); assert.NoError(t, err) })
		}
		wg.Wait()
	}
	const fires = 100
	for round := range 20 {
		var plan []xxladapter.Fire
		for i := range fires {
			plan = append(plan, xxladapter.Fire{JobID: int64(round*fires + i), Type: xxladapter.TriggerCron})
		}
		planned, err := stores[0].PlanFires(ctx, plan)
		require.NoError(t, err)
		claim := func(of func(f int) bool) (batches [2][]*records.FireCall) {
			for i := range batches {
				for k, f := range planned {
					if of(k + i) {
						l := &xxladapter.Log{JobID: f.JobID, TriggerTime: time.UnixMilli(1)}
						batches[i] = append(batches[i], &records.FireCall{By: terms[i], FireID: f.ID, Claim: l})
					}
				}
			}
			transact(batches)
			return batches
		}
		half := claim(func(f int) bool { return f < fires/2 && f%2 == 0 })
		var work [2][]*records.FireCall
		for i, calls := range [][2][]*records.FireCall{half, claim(func(f int) bool { return f >= fires/2 })} {
			for node, batch := range calls {
				for _, c := range batch {
					if i == 1 && c.Err != nil {
						require.ErrorIs(t, c.Err, xxladapter.ErrConflict, "not planned any more")
						continue
					}
					require.NoError(t, c.Err)
					logID := c.Claimed.LogID
					work[node] = append(work[node], &records.FireCall{By: c.By, FireID: c.FireID, LogID: logID, Settle: &xxladapter.Settlement{Code: 200}})
					if logID%2 == 0 {
						work[1-node] = append(work[1-node], &records.FireCall{LogID: logID, Finish: &xxladapter.RunResult{Code: 200}})
					} else {
						work[1-node] = append(work[1-node], &records.FireCall{LogID: logID, Accept: &xxladapter.Accept{LogID: logID, Address: "nats://app/a"}})
					}
				}
			}
		}
		require.Equal(t, 2*fires, len(work[0])+len(work[1]), "each fire is claimed by one of them")
		transact(work)
		for _, c := range slices.Concat(work[0], work[1]) {
			require.NoError(t, c.Err)
		}
	}
	require.NoError(t, errors.Join(stores[0].Close(), stores[1].Close())) // then their sessions have reported to the server's statistics
	conn, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var finished, deadlocks int
		assert.NoError(c, conn.QueryRow(ctx, `SELECT xact_commit, deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&finished, &deadlocks))
		assert.Greater(c, finished, 100, "the statistics are there")
		require.Zero(t, deadlocks)
	}, 10*time.Second, 50*time.Millisecond)
}

// TestAScanCountsTheDueJobsThatOthersHold holds the row of one of two due jobs.
func TestAScanCountsTheDueJobsThatOthersHold(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := testserver.PostgresCopy(t, migrateURL)
	s := openURL(t, url, database.Options{LockLife: time.Minute}) // the holder of the row may be slow
	defer func() { require.NoError(t, s.Close()) }()
	due := time.Now().Truncate(time.Second)
	held, free := fixture.AddDue(t, s, "held", due), fixture.AddDue(t, s, "free", due)
	term := fixture.TermOf(t, s, "n1")
	tx, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, `SELECT 1 FROM xxl_job_info WHERE id = $1 FOR UPDATE`, held)
	require.NoError(t, err)

	scan := func() (shown []int64, due int) {
		_, due, err := s.ClaimDue(ctx, term, 5*time.Second, 10, func(now time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
			for _, j := range jobs {
				shown = append(shown, j.ID)
			}
			var decisions []xxladapter.Decision
			for _, j := range jobs {
				fires := []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerCron}}
				decisions = append(decisions, xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: now.Add(time.Hour), Fires: fires})
			}
			return decisions
		})
		require.NoError(t, err)
		return shown, due
	}
	shown, found := scan()
	require.Equal(t, []int64{free}, shown)
	require.Equal(t, 2, found)
	require.False(t, s.Resting.Load(), "the next scan does not take a look for a scan")
	shown, found = scan()
	require.Empty(t, shown)
	require.Equal(t, 1, found)
	require.NoError(t, tx.Rollback())
	shown, found = scan()
	require.Equal(t, []int64{held}, shown)
	require.Equal(t, 1, found)
}

// TestAScanIsRepeatedWhenAnotherSessionPlansItsDueTime has another session plan a due time after a
// scan has looked for it, and commit while the scan waits.
func TestAScanIsRepeatedWhenAnotherSessionPlansItsDueTime(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := testserver.PostgresCopy(t, migrateURL)
	s := openURL(t, url, database.Options{LockLife: time.Minute}) // the other session may be slow
	defer func() { require.NoError(t, s.Close()) }()
	due := time.Now().Add(3 * time.Second).Truncate(time.Second) // in the future, so that no job falls behind
	jobs := []int64{fixture.AddDue(t, s, "both", due), fixture.AddDue(t, s, "free", due)}
	term := fixture.TermOf(t, s, "n1")
	other, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(ctx)) }()
	const (
		plan = `INSERT INTO xxlwheel_fire (job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count)
			VALUES ($1, $2, 0, 1, 'CRON', 'planned', -1)`
		awaitScan = `DO $$ BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))
			LOOP PERFORM pg_sleep(0.001); END LOOP; END $$`
	)
	committed, scans := make(chan error, 1), 0
	planned, claimed, err := s.ClaimDue(ctx, term, 5*time.Second, 10, func(now time.Time, found []*xxladapter.Job) []xxladapter.Decision {
		if scans++; scans == 1 {
			tx, err := other.Begin(ctx)
			require.NoError(t, err)
			_, err = tx.Exec(ctx, plan, jobs[0], due.UnixMilli())
			require.NoError(t, err)
			go func() {
				_, err := tx.Exec(ctx, awaitScan)
				committed <- errors.Join(err, tx.Commit(ctx))
			}()
		}
		var decisions []xxladapter.Decision
		for _, j := range found {
			fires := []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerCron}}
			decisions = append(decisions, xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: now.Add(time.Hour), Fires: fires})
		}
		return decisions
	})
	require.NoError(t, err)
	require.NoError(t, <-committed)
	require.Equal(t, 2, scans, "the first one met the other session")
	require.Equal(t, 2, claimed)
	require.Len(t, planned, 1)
	require.Equal(t, jobs[1], planned[0].JobID)
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Len(t, open, 2, "one for each job")
}
