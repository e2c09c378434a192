package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

func TestGatheredCallsEqualSingleCallsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC)
	clock := func() time.Time { return at }
	one, batched := openPostgresCopy(t, clock), openPostgresCopy(t, clock)
	defer func() { require.NoError(t, errors.Join(one.Close(), batched.Close())) }()
	fixture.BatchesDoWhatTheirCallsDo(t, one, batched, &at)
}

// TestABatchAddsToAHistory settles two ambiguous runs, which have histories already, in batches.
func TestABatchAddsToAHistory(t *testing.T) {
	t.Parallel()
	ctx, at := t.Context(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := openPostgresCopy(t, func() time.Time { return at })
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	for job := range int64(2) {
		planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job + 1, Due: at, Type: xxladapter.TriggerCron}})
		require.NoError(t, err)
		claimed, err := s.ClaimFire(ctx, term, planned[0].ID, []*xxladapter.Log{{JobID: job + 1, TriggerTime: at}})
		require.NoError(t, err)
		run := xxladapter.Settlement{FireID: planned[0].ID, LogID: claimed[0].LogID, State: xxladapter.FireAmbiguous, Sent: at.Add(time.Second)}
		_, err = s.SettleFire(ctx, term, run)
		require.NoError(t, err)

		run.State, run.Code, run.Sent, run.Acknowledged = "", 200, time.Time{}, at.Add(2*time.Second)
		call := &records.FireCall{By: term, FireID: run.FireID, LogID: run.LogID, Settle: &run}
		again, err := s.Fires.Transact(ctx, []*records.FireCall{call})
		require.NoError(t, err)
		require.False(t, again)
		require.NoError(t, call.Err)
		histories, err := s.RunHistories(ctx, []int64{run.LogID})
		require.NoError(t, err)
		history := histories[run.LogID]
		require.Equal(t, at.Add(time.Second), history.Sent)
		require.Equal(t, at.Add(2*time.Second), history.Acknowledged)
	}
}
