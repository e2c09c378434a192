package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestATimelineNamesWhatDecided prints due times that were found too late, one that the store lost,
// and one in a pause.
func TestATimelineNamesWhatDecided(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	now := two
	store := memstore.New(func() time.Time { return now })
	server := apiServer(t, admin.Options{Store: store})
	group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(t.Context(), store, &xxladapter.Job{
		GroupID: group, Name: "nightly", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 * * * * ?", Handler: "h", GlueType: xxladapter.GlueBean,
	})

	require.NoError(t, err)
	_, err = xxladapter.StartJob(t.Context(), store, job, time.Time{}, func(time.Time) time.Time { return two.Add(time.Minute) })
	require.NoError(t, err)
	now = two.Add(10 * time.Minute)
	lease, err := store.Lease(t.Context(), "n1", time.Hour)
	require.NoError(t, err)
	_, _, err = store.ClaimDue(t.Context(), lease.Term, time.Second, 10, func(now time.Time, _ []*xxladapter.Job) []xxladapter.Decision {
		missed := func(first, last time.Duration, p xxladapter.MisfireStrategy, pause int64) xxladapter.Misfire {
			return xxladapter.Misfire{JobID: job, Due: two.Add(first * time.Minute), Until: two.Add(last * time.Minute), Strategy: p, At: now, PauseID: pause}
		}
		return []xxladapter.Decision{{JobID: job, Last: now, Next: now.Add(time.Minute), Misfires: []xxladapter.Misfire{
			missed(1, 2, xxladapter.MisfireDoNothing, 0), missed(3, 3, xxladapter.MisfireStoreLost, 0), missed(4, 4, xxladapter.MisfireDoNothing, 7),
		}}}
	})
	require.NoError(t, err)
	shown := mustCLI(t, "job", "timeline", fmt.Sprint(job), "--server", server.URL,
		"--from", two.Add(time.Second).Format(time.RFC3339), "--to", two.Add(5*time.Minute).Format(time.RFC3339))
	require.Regexp(t, `^DUE +FATE .*\n\S+ +MISFIRE DO_NOTHING +-.*\n\S+ +MISFIRE DO_NOTHING +-.*\n\S+ +MISFIRE lost +-.*\n\S+ +PAUSED +-[^\n]*$`, shown)
}
