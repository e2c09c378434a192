//go:build unix

package mysql

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestABatchDoesWhatItsCallsDo compares batches on MySQL with single calls on SQLite.
func TestABatchDoesWhatItsCallsDo(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC)
	clock := func() time.Time { return at }
	batched := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{Clock: clock, Zone: time.UTC})
	one := openSQLite(t, clock)
	defer func() { require.NoError(t, errors.Join(one.Close(), batched.Close())) }()
	fixture.BatchesDoWhatTheirCallsDo(t, one, batched, &at)
}

// TestABatchWaitsForItsOwnRowsOnly lets another transaction hold rows beside those of a batch, in
// tables so small that a full scan would pass them.
func TestABatchWaitsForItsOwnRowsOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 16)
	planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 100, Type: xxladapter.TriggerCron}, {JobID: 101, Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	held, free := fires[9], slices.Delete(slices.Clone(fires), 9, 10)
	batch := []*records.FireCall{{By: term, FireID: planned[1].ID, Claim: &xxladapter.Log{JobID: 101}}}
	for i, f := range free {
		c := &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID}
		switch i % 3 {
		case 0:
			c.Settle = &xxladapter.Settlement{Code: 200, Msg: "sent"}
		case 1:
			c.Settle = &xxladapter.Settlement{Code: 500, Msg: "doubt", State: xxladapter.FireAmbiguous}
		default:
			c.By, c.FireID = xxladapter.Term{}, 0
			c.Finish = &xxladapter.RunResult{Code: 200}
		}
		batch = append(batch, c)
	}
	others, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, others.Rollback()) }()
	for _, id := range []int64{held.ID, planned[0].ID} {
		_, err = others.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = retry_count + 1, node = 'other' WHERE id = ?`, id)
		require.NoError(t, err)
	}
	_, err = others.ExecContext(ctx, `UPDATE xxl_job_log SET alarm_status = 1 WHERE id = ?`, held.LogID)
	require.NoError(t, err)

	_, err = s.Fires.Transact(ctx, batch)
	require.NoError(t, err, "it waits for no more than a second")
	for i, c := range batch {
		require.NoError(t, c.Err, i)
	}
}

// claimedFires plans and claims n fires.
func claimedFires(t *testing.T, s *records.Store, by xxladapter.Term, n int) (claimed []xxladapter.Fire) {
	t.Helper()
	var plan []xxladapter.Fire
	for i := range n {
		plan = append(plan, xxladapter.Fire{JobID: int64(i + 1), Due: time.UnixMilli(int64(i + 1)), Type: xxladapter.TriggerCron})
	}
	fires, err := s.PlanFires(t.Context(), plan)
	require.NoError(t, err)
	for _, f := range fires {
		taken, err := s.ClaimFire(t.Context(), by, f.ID, []*xxladapter.Log{{JobID: f.JobID, TriggerTime: time.UnixMilli(1)}})
		require.NoError(t, err)
		claimed = append(claimed, taken[0])
	}
	return claimed
}

// TestARowThatIsHeldHoldsUpItsOwnCallOnly lets another transaction hold a log row of one call among
// many.
func TestARowThatIsHeldHoldsUpItsOwnCallOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	// On a busy machine the other calls last longer than the default of LockLife, after which the
	// server ends the transaction.
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{LockLife: time.Minute})
	defer func() { require.NoError(t, s.Close()) }()
	fires := claimedFires(t, s, fixture.TermOf(t, s, "n1"), 20)
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxl_job_log SET alarm_status = 1 WHERE id = ?`, fires[7].LogID)
	require.NoError(t, err)

	began := time.Now()
	var others sync.WaitGroup
	errs := make([]error, len(fires))
	held := make(chan struct{})
	for i, f := range fires {
		run := func() { _, _, errs[i] = s.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200}) }
		if i == 7 {
			go func() { defer close(held); run() }()
		} else {
			others.Go(run)
		}
	}
	others.Wait()
	require.Less(t, time.Since(began), 10*time.Second) // a batch with the held row waits for it for a second
	select {
	case <-held:
		t.Error("the row was held")
	default:
	}
	require.NoError(t, other.Rollback())
	<-held
	require.NoError(t, errors.Join(errs...))
}

// untilOneWaits returns when a transaction of the store's database waits for a locked row. It asks
// for the status of InnoDB, because information_schema.innodb_trx shows an old list to tests that
// read it at the same time.
func untilOneWaits(t *testing.T, s *records.Store) {
	t.Helper()
	thread := regexp.MustCompile(`thread id (\d+)`)
	require.Eventually(t, func() bool {
		var kind, name, status string
		require.NoError(t, s.Reads.DB.QueryRowContext(t.Context(), `SHOW ENGINE INNODB STATUS`).Scan(&kind, &name, &status))
		for _, one := range strings.Split(status, "---TRANSACTION")[1:] {
			id := thread.FindStringSubmatch(one)
			if id == nil || !strings.Contains(one, "LOCK WAIT") {
				continue
			}
			var ours bool
			require.NoError(t, s.Reads.DB.QueryRowContext(t.Context(),
				`SELECT EXISTS (SELECT 1 FROM information_schema.processlist WHERE id = ? AND db = database())`, id[1]).Scan(&ours))
			if ours {
				return true
			}
		}
		return false
	}, 20*time.Second, 5*time.Millisecond)
}

// TestABatchDecidesByWhatWasCommittedBefore lets another transaction claim the fire that a call of
// a batch claims too.
func TestABatchDecidesByWhatWasCommittedBefore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET state = 'claimed', node = 'other', term = 99 WHERE id = ?`, planned[0].ID)
	require.NoError(t, err)
	claimed := make(chan error, 1)
	go func() {
		_, err := s.ClaimFire(ctx, term, planned[0].ID, []*xxladapter.Log{{JobID: 1}})
		claimed <- err
	}()
	untilOneWaits(t, s)
	require.NoError(t, other.Commit())
	require.ErrorIs(t, <-claimed, xxladapter.ErrConflict)
}

// TestABatchThatFailsLeavesNothingBehind fails a batch after a change, and runs another one on its
// connection.
func TestABatchThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 3)
	settle := func(f xxladapter.Fire, msg string) *records.FireCall {
		return &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{Code: 200, Msg: msg}}
	}
	// The text of the second run is wanted already, so the result that wants it again fails.
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, runs.WantText, fires[1].LogID, 1)
		return err
	}))
	result := &records.FireCall{LogID: fires[1].LogID, Finish: &xxladapter.RunResult{Code: 200, WantText: true}}
	again, err := s.Fires.Transact(ctx, []*records.FireCall{settle(fires[0], ""), result})
	require.ErrorContains(t, err, "Duplicate entry")
	require.True(t, again)
	_, err = s.Fires.Transact(ctx, []*records.FireCall{settle(fires[2], "")})
	require.NoError(t, err)
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Equal(t, fires[:2], open)
}

// TestADeadlockedBatchIsRepeated lets a batch and another transaction wait for each other. The
// server ends the batch, which has changed less.
func TestADeadlockedBatchIsRepeated(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 2)
	for range 20 {
		_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 50, Type: xxladapter.TriggerCron}})
		require.NoError(t, err)
	}
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE job_id = 50`)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE id = ?`, fires[1].ID)
	require.NoError(t, err)

	settled := make(chan error, 1)
	batch := []*records.FireCall{}
	for _, f := range fires {
		batch = append(batch, &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{Code: 200}})
	}
	go func() {
		_, err := s.Fires.Transact(ctx, batch)
		settled <- err
	}()
	untilOneWaits(t, s)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE id = ?`, fires[0].ID)
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	require.NoError(t, <-settled)
	for _, c := range batch {
		require.NoError(t, c.Err)
	}
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{State: xxladapter.FireClaimed})
	require.NoError(t, err)
	require.Empty(t, open)
}

// TestABadCallHarmsNoOtherOfItsBatchOnMySQL makes many calls, one of which the server refuses.
func TestABadCallHarmsNoOtherOfItsBatchOnMySQL(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	var plan []xxladapter.Fire
	for i := range 30 {
		plan = append(plan, xxladapter.Fire{JobID: 1, Due: time.UnixMilli(int64(i + 1)), Type: xxladapter.TriggerCron})
	}
	fires, err := s.PlanFires(ctx, plan)
	require.NoError(t, err)
	errs := make([]error, len(fires))
	var wg sync.WaitGroup
	for i, f := range fires {
		wg.Go(func() {
			l := &xxladapter.Log{JobID: 1, TriggerTime: time.UnixMilli(1), Param: "it's a ? and a \\"}
			if i%10 == 7 {
				l.Handler = strings.Repeat("too long for its column", 20)
			}
			_, errs[i] = s.ClaimFire(ctx, term, f.ID, []*xxladapter.Log{l})
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
	require.Len(t, logs, 27)
	require.Equal(t, "it's a ? and a \\", logs[0].Param)
}

// TestABatchIsNoLongerThanAServerTakes makes calls whose texts together do not fit into one packet
// of 4 MiB, the limit of MySQL 5.7 by default.
func TestABatchIsNoLongerThanAServerTakes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := testserver.StartMariaDB(t, "--max-allowed-packet=4M")
	address := server.Database(t)
	require.NoError(t, Migrate(ctx, address, true, database.Options{Logger: fixture.Quiet}))
	s := openMySQLAt(t, address, database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, testserver.Count(80, 200)) // 80 texts, with their quotes escaped, are over twice the limit
	var wg sync.WaitGroup
	errs := make([]error, len(fires))
	for i, f := range fires {
		wg.Go(func() {
			call := &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{
				FireID: f.ID, LogID: f.LogID, Code: 200, Msg: strings.Repeat("'", 60_000+i),
			}}
			errs[i] = s.Batch(ctx, call)
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}
