package maintenance_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A liveExecutor answers all calls, and reports as ended the runs that ends returns.
type liveExecutor struct {
	mortalExecutor
	ends func(runs []*xxladapter.Log) []wire.Callback
}

func (e *liveExecutor) Ended(_ context.Context, _, _ string, runs []*xxladapter.Log) ([]wire.Callback, error) {
	return e.ends(runs), nil
}

// A resumed is a leaseholder that ignores that a schedule continues.
type resumed struct{ leaseholder }

func (resumed) Resumed(time.Time) {}

// A waitingJob is a job with a fixed delay, whose run was taken by an executor and has no result.
type waitingJob struct {
	store *memstore.Store
	exec  *liveExecutor
	over  *trigger.HandOver
	job   int64
	run   int64
}

func newWaitingJob(t *testing.T) *waitingJob {
	t.Helper()
	ctx := t.Context()
	w := &waitingJob{store: memstore.New(time.Now), exec: &liveExecutor{mortalExecutor: mortalExecutor{dies: time.Now().Add(240 * time.Hour)}}}
	group, err := w.store.SaveGroup(ctx, &xxladapter.Group{AppName: "alive", Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{"http://alive/"}})
	require.NoError(t, err)
	job := &xxladapter.Job{GroupID: group, Name: "j", Handler: "h", ScheduleType: xxladapter.ScheduleFixDelay, ScheduleConf: "5"}
	job.SetDefaults()
	w.job, err = xxladapter.CreateJob(ctx, w.store, job)
	require.NoError(t, err)
	_, err = xxladapter.StartJob(ctx, w.store, w.job, job.Updated, func(now time.Time) time.Time { return now })
	require.NoError(t, err)
	lease, err := w.store.Lease(ctx, "n", 240*time.Hour)
	require.NoError(t, err)
	w.over, err = trigger.NewHandOver(trigger.Options{
		Store: w.store, Sender: w.exec, Logger: slog.New(slog.DiscardHandler), Scheduler: resumed{leaseholder{term: lease.Term}}, OnEvent: func(trigger.Event) {},
	})
	require.NoError(t, err)
	fires, _, err := w.store.ClaimDue(ctx, lease.Term, 0, 1, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{JobID: w.job, Last: now, Next: xxladapter.AfterRun, Fires: []xxladapter.Fire{{Due: now, Type: xxladapter.TriggerCron, RetryCount: -1}}}}
	})
	require.NoError(t, err)
	require.NoError(t, w.over.Fire(ctx, fires[0]))
	rows, err := w.store.Logs(ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	w.run = rows[0].ID
	return w
}

// maintain looks for lost runs for d, and returns the log row of the run and the job.
func (w *waitingJob) maintain(t *testing.T, d time.Duration) (*xxladapter.Log, *xxladapter.Job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	require.NoError(t, (&maintenance.Lost{
		Store: w.store, Beat: w.exec.Alive, Ended: w.exec.Ended, Complete: w.over.Complete, Lose: w.over.Lose, Logger: slog.New(slog.DiscardHandler),
	}).Run(ctx))
	row, err := w.store.Log(t.Context(), w.run)
	require.NoError(t, err)
	job, err := w.store.Job(t.Context(), w.job)
	require.NoError(t, err)
	return row, job
}

// TestALostResultIsAskedFor checks that a run whose result was acknowledged and lost gets the
// result that its executor reports, and that the schedule that waits for the run continues.
func TestALostResultIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWaitingJob(t)
		w.exec.ends = func(runs []*xxladapter.Log) []wire.Callback {
			require.Len(t, runs, 1)
			return []wire.Callback{{LogID: wire.Int(runs[0].ID), HandleCode: wire.CodeOK, HandleMsg: "42 rows"}}
		}
		row, job := w.maintain(t, 31*time.Second)
		require.Equal(t, xxladapter.LogSuccess, row.Status())
		require.Equal(t, "42 rows", row.HandleMsg)
		require.False(t, job.Waits())
	})
}

// TestARunThatEndedWithAnUnknownResultIsLost checks that a run fails as lost if its executor no
// longer knows the result.
func TestARunThatEndedWithAnUnknownResultIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWaitingJob(t)
		w.exec.ends = func(runs []*xxladapter.Log) []wire.Callback {
			return []wire.Callback{{LogID: wire.Int(runs[0].ID)}}
		}
		row, job := w.maintain(t, 31*time.Second)
		require.Equal(t, xxladapter.ResultFail, row.HandleCode)
		require.True(t, strings.HasPrefix(row.HandleMsg, xxladapter.LostMsg), row.HandleMsg)
		require.False(t, job.Waits())
	})
}

// TestARunThatMayBeInProgressStaysOpen checks that a run stays open while its executor does not
// report that it has ended.
func TestARunThatMayBeInProgressStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWaitingJob(t)
		asked := 0
		w.exec.ends = func(runs []*xxladapter.Log) []wire.Callback { asked += len(runs); return nil }
		row, job := w.maintain(t, 24*time.Hour+time.Second)
		require.Equal(t, xxladapter.LogRunning, row.Status())
		require.True(t, job.Waits())
		require.Equal(t, 24*60*2, asked)
	})
}

// TestAResultThatComesMeanwhileIsNotLost checks that a result is kept if it arrives between the
// read of the rows and the answer of the executor.
func TestAResultThatComesMeanwhileIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWaitingJob(t)
		w.exec.ends = func(runs []*xxladapter.Log) []wire.Callback {
			require.NoError(t, w.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(runs[0].ID), HandleCode: wire.CodeOK, HandleMsg: "arrived"}}))
			return []wire.Callback{{LogID: wire.Int(runs[0].ID)}}
		}
		row, _ := w.maintain(t, 31*time.Second)
		require.Equal(t, "arrived", row.HandleMsg)
	})
}
