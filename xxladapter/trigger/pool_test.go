package trigger

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A slowSender takes d for each run, and reports runs that were cut off.
type slowSender struct {
	d       time.Duration
	started chan struct{}
	cut     chan error
	unsent  bool // runs that are cut off were not sent
}

func (s *slowSender) Run(ctx context.Context, _, _ string, _ *wire.RunRequest) (wire.Reply, error) {
	s.started <- struct{}{}
	select {
	case <-time.After(s.d):
		return wire.OK(), nil
	case <-ctx.Done():
		s.cut <- ctx.Err()
		if s.unsent {
			return wire.Reply{}, ctx.Err()
		}
		return wire.Reply{}, ErrOutcomeUnknown
	}
}
func (s *slowSender) Log(context.Context, string, string, wire.LogRequest) (wire.LogResult, error) {
	return wire.LogResult{}, nil
}
func (s *slowSender) Beat(context.Context, string) error            { return nil }
func (s *slowSender) IdleBeat(context.Context, string, int64) error { return nil }

// A boundPool is a pool with the hand-over that it runs with.
type boundPool struct {
	*Pool
	over *HandOver
}

func (p *boundPool) Run(ctx context.Context) error { return p.Pool.Run(ctx, p.over) }

// stopAmid stops the pool while it sends a fire, and returns how long the stop takes.
func (p *boundPool) stopAmid(t *testing.T, s *slowSender, fire xxladapter.Fire) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	synctest.Wait()
	require.True(t, p.Fire(fire, func() {}))
	<-s.started
	stopped := time.Now()
	cancel()
	require.NoError(t, <-ended)
	return time.Since(stopped)
}

// inPoolBubble runs test with a pool that has one place and a queue for one fire, over a sender
// that takes d for each.
func inPoolBubble(t *testing.T, d time.Duration, test func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire)) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(time.Now)
		group, err := store.SaveGroup(t.Context(), &xxladapter.Group{
			AppName: "some-app", Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{"http://a"},
		})
		require.NoError(t, err)
		job := &xxladapter.Job{GroupID: group, Name: "j", Handler: "h"}
		job.SetDefaults()
		id, err := xxladapter.CreateJob(t.Context(), store, job)
		require.NoError(t, err)
		var fires []xxladapter.Fire
		for range 3 {
			planned, err := store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual, State: xxladapter.FirePlanned}})
			require.NoError(t, err)
			fires = append(fires, planned...)
		}
		s := &slowSender{d: d, started: make(chan struct{}, 10), cut: make(chan error, 10)}
		logger := slog.New(slog.DiscardHandler)
		h := handOver(t, Options{Store: store, Sender: s, Scheduler: schedulerOf(t, store, "n"), Logger: logger})
		p, err := NewPool(PoolOptions{Fast: 1, Queue: 1, Drain: 5 * time.Second, Logger: logger})
		require.NoError(t, err)
		test(&boundPool{p, h}, s, store, fires)
	})
}

func TestPoolRefusesWhatFindsNoPlace(t *testing.T) {
	inPoolBubble(t, time.Second, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		require.False(t, p.Fire(fires[0], func() { panic("done was called") }), "the pool does not run yet")
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()

		done := make(chan int, 3)
		finished := func(i int) func() { return func() { done <- i } }
		require.True(t, p.Fire(fires[0], finished(0)))
		<-s.started
		require.True(t, p.Fire(fires[1], finished(1)), "one may wait")
		require.False(t, p.Fire(fires[2], finished(2)), "the queue is full")
		require.Equal(t, 0, <-done)
		<-s.started
		require.True(t, p.Fire(fires[2], finished(2)), "there is room again")
		cancel()
		require.NoError(t, <-ended, "Run waits for what is in flight")
		require.Equal(t, 2, <-done, "what still waits is let go")
		require.Equal(t, 1, <-done)
		require.False(t, p.Fire(fires[2], finished(2)), "the pool has stopped")

		open, err := store.OpenFires(context.Background(), xxladapter.FireFilter{})
		require.NoError(t, err)
		require.Len(t, open, 1, "and stays in the store")
		require.Equal(t, fires[2].ID, open[0].ID)
		require.Equal(t, xxladapter.FirePlanned, open[0].State)
	})
}

// A panickingStore panics when it is asked for the time, as each hand-over does before its claim.
type panickingStore struct {
	*memstore.Store
	times atomic.Int32 // how often it is still to panic
}

func (s *panickingStore) Now(ctx context.Context) (time.Time, error) {
	if s.times.Add(-1) >= 0 {
		panic("as asked")
	}
	return s.Store.Now(ctx)
}

func TestAPanicInOneHandOverLeavesTheOthers(t *testing.T) {
	inPoolBubble(t, 0, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		panicking := &panickingStore{Store: store}
		panicking.times.Store(1)
		p.over.opts.Store = panicking
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		done := make(chan struct{})
		require.True(t, p.Fire(fires[0], func() { done <- struct{}{} }))
		<-done
		require.True(t, p.Fire(fires[1], func() { done <- struct{}{} }))
		<-done
		<-s.started
		require.Empty(t, s.started, "the first one was not sent")
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestPoolCutsOffWhatTakesTooLongToDrain(t *testing.T) {
	inPoolBubble(t, time.Hour, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		require.Equal(t, 5*time.Second, p.stopAmid(t, s, fires[0]))
		require.ErrorIs(t, <-s.cut, context.Canceled)
		open, err := store.OpenFires(context.Background(), xxladapter.FireFilter{State: xxladapter.FireAmbiguous})
		require.NoError(t, err)
		require.Len(t, open, 1, "the next start asks what became of it")
	})
}

// TestWhatIsNotSentBeforeTheDrainEndsHasNotFailed cuts off a hand-over whose request was not sent.
// The fire stays claimed, and the node that takes it over sends it.
func TestWhatIsNotSentBeforeTheDrainEndsHasNotFailed(t *testing.T) {
	inPoolBubble(t, time.Hour, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		s.unsent = true
		p.stopAmid(t, s, fires[0])
		open, err := store.OpenFires(context.Background(), xxladapter.FireFilter{State: xxladapter.FireClaimed})
		require.NoError(t, err)
		require.Len(t, open, 1)
		require.Equal(t, fires[0].ID, open[0].ID)
	})
}

// A hangingStore blocks each settlement until the context ends.
type hangingStore struct{ *memstore.Store }

func (s hangingStore) SettleFire(ctx context.Context, _ xxladapter.Term, _ xxladapter.Settlement) ([]xxladapter.Fire, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAStopDoesNotWaitForAStoreThatHangs drains a pool whose store does not answer: the settlement
// gets settleGrace more than the hand-over, whatever the store's own limits are.
func TestAStopDoesNotWaitForAStoreThatHangs(t *testing.T) {
	inPoolBubble(t, time.Second, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		p.over.opts.Store = hangingStore{store}
		require.Equal(t, p.drain+settleGrace, p.stopAmid(t, s, fires[0]))
	})
}

// TestASettlementOutlivesTheDrain cuts a hand-over off and still stores that its outcome is
// unknown.
func TestASettlementOutlivesTheDrain(t *testing.T) {
	inPoolBubble(t, time.Hour, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		p.stopAmid(t, s, fires[0])
		open, err := store.OpenFires(context.Background(), xxladapter.FireFilter{State: xxladapter.FireAmbiguous})
		require.NoError(t, err)
		require.Len(t, open, 1)
	})
}

// TestWaitsAreThoseOfTheFiresThatGoNext lets one fire of an app be sent while another one waits.
func TestWaitsAreThoseOfTheFiresThatGoNext(t *testing.T) {
	inPoolBubble(t, time.Minute, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		require.Empty(t, p.Waits())
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		require.True(t, p.Fire(fires[0], func() {}))
		<-s.started
		require.Empty(t, p.Waits(), "what is being sent waits for no place")
		time.Sleep(time.Second) // in the bubble's own time
		require.True(t, p.Fire(fires[1], func() {}))
		time.Sleep(3 * time.Second)
		require.Equal(t, map[int64]time.Duration{fires[1].GroupID: 3 * time.Second}, p.Waits())
		time.Sleep(time.Minute)
		require.Empty(t, p.Waits())
		cancel()
		require.NoError(t, <-ended)
	})
}
