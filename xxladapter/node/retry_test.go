package node

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An attempt is one run request and when it came.
type attempt struct {
	log     int64
	due, at time.Time
}

// attempts is a Sender that takes every run after the first few, which it refuses.
type attempts struct {
	trigger.Sender
	refuse int
	seen   chan attempt
}

func (a *attempts) Run(_ context.Context, _, _ string, r *wire.RunRequest) (wire.Reply, error) {
	a.seen <- attempt{int64(r.LogID), time.UnixMilli(int64(r.ScheduledTime)), time.Now()}
	if a.refuse--; a.refuse >= 0 {
		return wire.Reply{}, errors.New("connection refused")
	}
	return wire.OK(), nil
}

// scheduling runs a node in a bubble, without a port, until stop is called.
func scheduling(t *testing.T, store xxladapter.Store, sender trigger.Sender) (n *Node, stop func()) {
	n, err := New(Options{Store: store, sender: sender, RunTexts: xxladapter.TextsOff, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- n.Schedule(ctx) }()
	return n, func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

// retrying stores a job with two retries, the first after a second at most, and a manual fire of
// the job.
func retrying(t *testing.T, store xxladapter.Store) (fire xxladapter.Fire) {
	group, err := store.SaveGroup(t.Context(), &xxladapter.Group{
		AppName: "some-app", Title: "some app", AddressType: xxladapter.AddressManual, Addresses: []string{"http://10.0.0.7:9999/"},
	})
	require.NoError(t, err)
	j := &xxladapter.Job{GroupID: group, Name: "job", Handler: "h", RetryCount: 2, Settings: xxladapter.Settings{RetryBackoff: 1000}}
	j.SetDefaults()
	id, err := xxladapter.CreateJob(t.Context(), store, j)
	require.NoError(t, err)
	fires, err := store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1}})
	require.NoError(t, err)
	return fires[0]
}

// onTime is how late a retry may be in a bubble: the wheel's tick.
const onTime = time.Millisecond

// TestARetryIsOnTime lets a hand-over fail, and then a run: both retries come when they are due,
// which is between two sweeps.
func TestARetryIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		sender := &attempts{refuse: 1, seen: make(chan attempt, 10)}
		n, stop := scheduling(t, store, sender)
		defer stop()
		time.Sleep(200 * time.Millisecond) // in a bubble; so that no sweep comes when a second is over
		retrying(t, store)
		n.scheduler.Sweep()

		refused := <-sender.seen
		taken := <-sender.seen
		require.WithinRange(t, taken.due, refused.at.Add(500*time.Millisecond), refused.at.Add(time.Second))
		require.LessOrEqual(t, taken.at.Sub(taken.due), onTime)

		time.Sleep(100 * time.Millisecond) // the run
		ended := time.Now()
		require.NoError(t, n.handOver.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(taken.log), HandleCode: wire.CodeFail}}))
		again := <-sender.seen
		require.WithinRange(t, again.due, ended.Add(time.Second), ended.Add(2*time.Second))
		require.LessOrEqual(t, again.at.Sub(again.due), onTime)

		time.Sleep(10 * time.Second)
		require.Empty(t, sender.seen, "each of them was sent once")
	})
}

// TestARetryOutlivesTheNodeThatWouldHaveSentIt stops the node before the retry is due: the next one
// finds it in the store.
func TestARetryOutlivesTheNodeThatWouldHaveSentIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		sender := &attempts{refuse: 1, seen: make(chan attempt, 10)}
		n, stop := scheduling(t, store, sender)
		retrying(t, store)
		time.Sleep(200 * time.Millisecond)
		n.scheduler.Sweep()
		<-sender.seen
		synctest.Wait()
		stop()
		require.Empty(t, sender.seen)

		_, stop = scheduling(t, store, sender)
		defer stop()
		taken := <-sender.seen
		require.GreaterOrEqual(t, taken.at, taken.due)
		require.LessOrEqual(t, taken.at.Sub(taken.due), 2*time.Second, "the sweep's pace, and the lease")
		time.Sleep(10 * time.Second)
		require.Empty(t, sender.seen)
	})
}
