package maintenance

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// withJob returns a store with a job.
func withJob(t *testing.T) (store *memstore.Store, job int64) {
	t.Helper()
	store = memstore.New(time.Now)
	group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	job, err = xxladapter.CreateJob(t.Context(), store, &xxladapter.Job{GroupID: group, Name: "j"})
	require.NoError(t, err)
	return store, job
}

func TestAStuckTriggerIsWrittenOffAfterMinutesAndReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, job := withJob(t)
		lease, err := store.Lease(t.Context(), "n", time.Hour)
		require.NoError(t, err)
		begin := func() xxladapter.Fire {
			planned, err := store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now()}})
			require.NoError(t, err)
			time.Sleep(time.Until(planned[0].Due)) // one of the two is moved to the next millisecond
			claimed, err := store.ClaimFire(t.Context(), lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
			require.NoError(t, err)
			return claimed[0]
		}
		stuck, open := begin(), begin()
		_, err = store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: stuck.ID, LogID: stuck.LogID})
		require.NoError(t, err)

		var told []*xxladapter.Log
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- (&Stuck{
				Store: store, Logger: slog.New(slog.DiscardHandler),
				Settled: func(l *xxladapter.Log) {
					require.GreaterOrEqual(t, time.Since(began), stuckAge)
					told = append(told, l)
				},
			}).Run(ctx)
		}()
		time.Sleep(stuckAge + 3*stuckPace)
		cancel()
		require.NoError(t, <-ended)
		require.Len(t, told, 1)
		require.Equal(t, stuck.LogID, told[0].ID)
		require.Equal(t, xxladapter.ResultUnknown, told[0].TriggerCode)
		require.Equal(t, StuckReason, told[0].TriggerMsg)
		l, err := store.Log(t.Context(), open.LogID)
		require.NoError(t, err)
		require.Zero(t, l.TriggerCode)
	})
}
