package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

func TestGatheredCallsEqualSingleCallsOnSQLite(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC)
	clock := func() time.Time { return at }
	one, batched := openCopy(t, clock), openCopy(t, clock)
	defer func() { require.NoError(t, errors.Join(one.Close(), batched.Close())) }()
	fixture.BatchesDoWhatTheirCallsDo(t, one, batched, &at)
}

// claimed plans and claims n fires.
func claimed(t *testing.T, s *records.Store, by xxladapter.Term, n int64) (fires []xxladapter.Fire) {
	t.Helper()
	for job := int64(1); job <= n; job++ {
		planned, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		taken, err := s.ClaimFire(t.Context(), by, planned[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
		require.NoError(t, err)
		fires = append(fires, taken...)
	}
	return fires
}

// results returns a call for the result of each fire's run.
func results(fires []xxladapter.Fire, r xxladapter.RunResult) (calls []*records.FireCall) {
	for _, f := range fires {
		calls = append(calls, &records.FireCall{LogID: f.LogID, Finish: &r})
	}
	return calls
}

// TestABatchThatFailsLeavesNothingBehind fails the last statement of a batch. Its calls can be made
// alone then.
func TestABatchThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openCopy(t, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	fires := claimed(t, s, fixture.TermOf(t, s, "n1"), 3)
	// The text of the last run is wanted already, so the result that wants it again fails.
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, runs.WantText, fires[2].LogID, 1)
		return err
	}))
	again, err := s.Fires.Transact(ctx, results(fires, xxladapter.RunResult{Code: 500, WantText: true}))
	require.ErrorContains(t, err, "UNIQUE constraint failed")
	require.True(t, again)
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Equal(t, fires, open)
	applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: fires[0].LogID, Code: 500, WantText: true})
	require.NoError(t, err)
	require.True(t, applied)
}

// TestABatchReadsItsRowsOnce compares a batch of many results with one of two: each further result
// costs the statements that write its rows.
func TestABatchReadsItsRowsOnce(t *testing.T) {
	s := openCounted(t)
	defer func() { require.NoError(t, s.Close()) }()
	fires := claimed(t, s, fixture.TermOf(t, s, "n1"), 32)
	cost := func(fires []xxladapter.Fire) int64 {
		before := counted.statements.Load()
		_, err := s.Fires.Transact(t.Context(), results(fires, xxladapter.RunResult{Code: 200}))
		require.NoError(t, err)
		return counted.statements.Load() - before
	}
	few, many := cost(fires[:2]), cost(fires[2:])
	const each = 1 // the log row; the fire stays until it is settled
	require.Equal(t, few+28*each, many)
}
