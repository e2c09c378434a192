package maintenance_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A mortalExecutor accepts runs and answers beats until it dies at an instant of the bubble's
// clock.
type mortalExecutor struct{ dies time.Time }

func (e *mortalExecutor) dead() error {
	if time.Now().Before(e.dies) {
		return nil
	}
	return errors.New("connection refused")
}

func (e *mortalExecutor) Run(context.Context, string, string, *wire.RunRequest) (wire.Reply, error) {
	return wire.OK(), e.dead()
}
func (e *mortalExecutor) Log(context.Context, string, string, wire.LogRequest) (wire.LogResult, error) {
	return wire.LogResult{}, e.dead()
}
func (e *mortalExecutor) Ended(context.Context, string, string, []*xxladapter.Log) ([]wire.Callback, error) {
	return nil, e.dead()
}
func (e *mortalExecutor) Beat(context.Context, string) error            { return e.dead() }
func (e *mortalExecutor) IdleBeat(context.Context, string, int64) error { return e.dead() }
func (e *mortalExecutor) Alive(context.Context, string, string) error   { return e.dead() }

// A leaseholder is a scheduler that never doubts its lease, and leaves retries in the store.
type leaseholder struct {
	trigger.Scheduler
	term xxladapter.Term
}

func (l leaseholder) Term() (xxladapter.Term, bool) { return l.term, true }
func (leaseholder) Planned([]xxladapter.Fire)       {}

// TestARunOnAnExecutorThatDiesIsLostInTime kills an executor in the middle of a run, at each second
// between two of its beats. The run has to be lost within 30 s of the end of the registration,
// tried again as the job says, and reported once.
func TestARunOnAnExecutorThatDiesIsLostInTime(t *testing.T) {
	const addr, beat = "http://mortal/", 30 * time.Second
	for into := range 30 { // seconds from the last beat
		synctest.Test(t, func(t *testing.T) {
			store, exec, logger := memstore.New(time.Now), &mortalExecutor{dies: time.Now().Add(2*beat + time.Duration(into)*time.Second)}, slog.New(slog.DiscardHandler)
			group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "mortal", Title: "t"})
			require.NoError(t, err)
			job := &xxladapter.Job{GroupID: group, Name: "j", Handler: "h", RetryCount: 1, Settings: xxladapter.Settings{RetryBackoff: 60_000}}
			job.SetDefaults()
			job.ID, err = xxladapter.CreateJob(t.Context(), store, job)
			require.NoError(t, err)
			lease, err := store.Lease(t.Context(), "n", 24*time.Hour)
			require.NoError(t, err)
			failures := make(chan trigger.Event, 100)
			over, err := trigger.NewHandOver(trigger.Options{
				Store: store, Sender: exec, Logger: logger, Scheduler: leaseholder{term: lease.Term},
				OnEvent: func(e trigger.Event) {
					if e.Kind != trigger.EventSent {
						failures <- e
					}
				},
			})
			require.NoError(t, err)

			ctx, cancel := context.WithCancel(t.Context())
			var parts errgroup.Group
			expired := make(chan struct{}, 1)
			parts.Go(func() error {
				return (&maintenance.Registry{Store: store, Expired: func() { expired <- struct{}{} }, Logger: logger}).Run(ctx)
			})
			parts.Go(func() error {
				return (&maintenance.Lost{Store: store, Beat: exec.Alive, Ended: exec.Ended, Complete: over.Complete, Lose: over.Lose, Expired: expired, Logger: logger}).Run(ctx)
			})
			var lastBeat time.Time
			for time.Now().Before(exec.dies) {
				if time.Since(lastBeat) >= beat {
					require.NoError(t, store.Register(t.Context(), "mortal", addr))
					lastBeat = time.Now()
				}
				time.Sleep(time.Second)
				if time.Until(exec.dies) == 2*time.Second { // the run starts
					planned, err := store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job.ID, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1}})
					require.NoError(t, err)
					require.NoError(t, over.Fire(t.Context(), planned[0]))
				}
			}
			expires := lastBeat.Add(xxladapter.RegistrationLife)
			time.Sleep(time.Until(expires))
			require.Empty(t, failures, "not before its registration has ended")
			time.Sleep(30 * time.Second)
			synctest.Wait()
			require.Len(t, failures, 1)
			lost := <-failures
			require.Equal(t, trigger.EventResult, lost.Kind)
			require.Equal(t, xxladapter.ResultFail, lost.Code)

			open, err := store.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, xxladapter.TriggerRetry, open[0].Type)
			require.GreaterOrEqual(t, open[0].Due.Sub(lost.At), 30*time.Second-time.Second, "half a minute of pause at least")
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			require.Empty(t, failures, "reported once")
			cancel()
			require.NoError(t, parts.Wait())
		})
	}
}
