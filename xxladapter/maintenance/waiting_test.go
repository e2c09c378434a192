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
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

func TestAScheduleWhoseRunNobodyReportsContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
		require.NoError(t, err)
		lease, err := store.Lease(t.Context(), "n", 24*time.Hour)
		require.NoError(t, err)
		var ids []int64
		for range 2 {
			id, err := xxladapter.CreateJob(t.Context(), store, &xxladapter.Job{
				GroupID: group, Name: "j", ScheduleType: xxladapter.ScheduleFixDelay, ScheduleConf: "30",
			})

			require.NoError(t, err)
			require.NoError(t, storetest.StartAt(t.Context(), store, id, time.Now()))
			ids = append(ids, id)
		}
		gone, running := ids[0], ids[1]
		_, _, err = store.ClaimDue(t.Context(), lease.Term, 0, 10, func(now time.Time, due []*xxladapter.Job) (decisions []xxladapter.Decision) {
			for _, j := range due {
				decisions = append(decisions, xxladapter.Decision{JobID: j.ID, Last: now, Next: xxladapter.AfterRun, Fires: []xxladapter.Fire{{Due: now, Type: xxladapter.TriggerCron}}})
			}
			return decisions
		})
		require.NoError(t, err)
		open, err := store.OpenFires(t.Context(), xxladapter.FireFilter{JobID: gone})
		require.NoError(t, err)
		_, err = store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: open[0].ID})
		require.NoError(t, err, "and nothing is left of it")

		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 3*waitingPace+time.Second)
		defer cancel()
		require.NoError(t, (&Waiting{Store: store, Logger: slog.New(slog.DiscardHandler)}).Run(ctx))
		j, err := store.Job(t.Context(), gone)
		require.NoError(t, err)
		require.True(t, j.TriggerNext.Equal(began.Add(waitingPace+30*time.Second)), "a delay after the first poll, and once: %v", j.TriggerNext)
		j, err = store.Job(t.Context(), running)
		require.NoError(t, err)
		require.True(t, j.Waits(), "its fire is open")
	})
}
