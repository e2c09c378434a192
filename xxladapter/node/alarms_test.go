package node

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

type kinds chan alarm.Kind

func (k kinds) Name() string { return "test" }

func (k kinds) Send(_ context.Context, a *alarm.Alarm) error {
	k <- a.Kind
	return nil
}

// TestEventsAreHintsForAlarms checks that what happens on this node is reported before the next
// round of the monitor.
func TestEventsAreHintsForAlarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := memstore.New(time.Now)
		group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t"})
		require.NoError(t, err)
		job, err := xxladapter.CreateJob(ctx, store, &xxladapter.Job{GroupID: group, Name: "j", Settings: xxladapter.Settings{AlarmRecovered: true}})
		require.NoError(t, err)
		lease, err := store.Lease(ctx, "n", 24*time.Hour)
		require.NoError(t, err)
		end := func(code int) {
			fires, err := store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
			claimed, err := store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
			require.NoError(t, err)
			_, _, err = store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: code})
			require.NoError(t, err)
		}

		told := make(kinds, 10)
		passedOn := 0
		opts := &Options{
			Store: store, Alarms: []alarm.Channel{told}, Logger: slog.New(slog.DiscardHandler),
			OnEvent: func(trigger.Event) { passedOn++ },
		}
		ended := make(chan error, 1)
		alarms, err := withAlarms(opts, "n")
		require.NoError(t, err)
		go func() { ended <- alarms.Run(ctx) }()
		expect := func(kind alarm.Kind) {
			t.Helper()
			select {
			case got := <-told:
				require.Equal(t, kind, got)
			case <-time.After(2 * time.Second):
				t.Fatalf("%s was not told within 2s", kind)
			}
		}
		for _, failure := range []trigger.Event{
			{Kind: trigger.EventFailed, JobID: job}, {Kind: trigger.EventResult, JobID: job, Code: xxladapter.ResultTimeout},
		} {
			time.Sleep(time.Minute + time.Second) // past the round and the window of the alarm before
			synctest.Wait()
			end(xxladapter.ResultFail)
			opts.OnEvent(failure)
			expect(alarm.Failed)
			time.Sleep(time.Minute + time.Second)
			synctest.Wait()
			end(xxladapter.ResultOK)
			opts.OnEvent(trigger.Event{Kind: trigger.EventResult, JobID: job, Code: xxladapter.ResultOK})
			expect(alarm.Recovered)
		}
		require.Equal(t, 4, passedOn)
		cancel()
		require.NoError(t, <-ended)
	})
}

// TestTheCountersOfAChannelBeginWithZero checks what the alert about failed alarms needs:
// Prometheus sees no increase in a series whose first value is 1.
func TestTheCountersOfAChannelBeginWithZero(t *testing.T) {
	m := metrics.New()
	_, err := New(Options{
		Store: memstore.New(time.Now), Metrics: m, Alarms: []alarm.Channel{make(kinds)}, Zone: time.UTC,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for _, result := range []string{alarm.ResultSent, alarm.ResultFailed, alarm.ResultSkipped} {
		require.Contains(t, page.Body.String(), `xxlwheel_alarms_total{channel="test",result="`+result+`"} 0`)
	}
}
