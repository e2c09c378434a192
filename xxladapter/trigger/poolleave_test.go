package trigger

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A settlingStore holds settlements up until goOn has a value for each.
type settlingStore struct {
	*memstore.Store
	settling chan xxladapter.Settlement
	goOn     chan struct{}
}

func (s *settlingStore) SettleFire(ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement) ([]xxladapter.Fire, error) {
	s.settling <- settled
	<-s.goOn
	return s.Store.SettleFire(ctx, by, settled)
}

// A hand-over whose executor has answered leaves its place to the next one while it is stored, and
// is in flight until then.
func TestAHandOverLeavesItsPlaceWhileItIsStored(t *testing.T) {
	inPoolBubble(t, time.Second, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		slow := &settlingStore{Store: store, settling: make(chan xxladapter.Settlement, 3), goOn: make(chan struct{})}
		p.over.opts.Store = slow
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		done := make(chan int, 3)
		begun := time.Now()
		for i, f := range fires {
			require.True(t, p.Fire(f, func() { done <- i }), i)
			<-s.started
			first := <-slow.settling
			require.True(t, first.AwaitResult)
			require.Equal(t, f.ID, first.FireID)
		}
		require.Equal(t, 3*time.Second, time.Since(begun), "one at a time is sent")
		require.Empty(t, p.Loads(), "no place is taken")
		require.Empty(t, done)
		cancel()
		synctest.Wait()
		require.Empty(t, ended, "Run waits for what is being stored")
		close(slow.goOn)
		require.NoError(t, <-ended)
		require.Len(t, done, 3)
		require.Zero(t, p.settling)
	})
}

// When many are being stored, a hand-over keeps its place, so that a store that does not answer
// stops the pool.
func TestAHandOverKeepsItsPlaceWhenManyAreStored(t *testing.T) {
	inPoolBubble(t, time.Second, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		slow := &settlingStore{Store: store, settling: make(chan xxladapter.Settlement, 3), goOn: make(chan struct{})}
		p.over.opts.Store = slow
		p.settling = mostSettling
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		require.True(t, p.Fire(fires[0], func() {}))
		<-s.started
		<-slow.settling
		require.True(t, p.Fire(fires[1], func() {}), "it waits")
		synctest.Wait()
		require.Empty(t, s.started)
		require.False(t, p.Fire(fires[2], func() {}))
		slow.goOn <- struct{}{}
		<-s.started
		<-slow.settling
		slow.goOn <- struct{}{}
		cancel()
		require.NoError(t, <-ended)
		require.Equal(t, mostSettling, p.settling)
	})
}

// What was sent is not offered again when its settlement fails: a claim in doubt would find the old
// one, and send the run a second time.
func TestAHandOverThatWasSentIsNotOfferedAgain(t *testing.T) {
	inPoolBubble(t, time.Second, func(p *boundPool, s *slowSender, store *memstore.Store, fires []xxladapter.Fire) {
		p.over.opts.Store = &lostSettlements{Store: store}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		synctest.Wait()
		done := make(chan int)
		require.True(t, p.Fire(fires[0], func() { done <- 0 }))
		<-s.started
		<-done
		cancel()
		require.NoError(t, <-ended)
		require.Empty(t, p.over.opts.Scheduler.(*fakeScheduler).again)
		open, err := store.OpenFires(context.Background(), xxladapter.FireFilter{State: xxladapter.FireClaimed})
		require.NoError(t, err)
		require.Len(t, open, 1, "the sweep finds it")
	})
}

// An unsettledStore stores no outcome of a hand-over.
type unsettledStore struct{ *memstore.Store }

func (unsettledStore) SettleFire(context.Context, xxladapter.Term, xxladapter.Settlement) ([]xxladapter.Fire, error) {
	return nil, errors.New("disk full")
}

// TestAHandOverThatWasClaimedIsNotOfferedAgain is about hand-overs that keep their places: those
// without an answer, and the shards of a broadcast.
func TestAHandOverThatWasClaimedIsNotOfferedAgain(t *testing.T) {
	withPool(t, PoolOptions{}, func(b *poolBench) {
		broadcast := b.jobs["http://answers"]
		broadcast.Route = xxladapter.RouteShardingBroadcast
		require.NoError(t, xxladapter.UpdateJob(t.Context(), b.store, broadcast, false))
		group, err := b.store.Group(t.Context(), broadcast.GroupID)
		require.NoError(t, err)
		group.Addresses = []string{"http://answers", "http://answers/too"}
		_, err = b.store.SaveGroup(t.Context(), group)
		require.NoError(t, err)
		b.over.opts.Store = unsettledStore{b.store}
		b.fire("http://hangs", 1)
		b.fire("http://answers", 1)
		time.Sleep(time.Minute)
		require.Empty(t, b.pool.Loads())
		require.Empty(t, b.sched.again)
		open, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{State: xxladapter.FireClaimed})
		require.NoError(t, err)
		require.Len(t, open, 3, "the sweep finds them")
	}, "http://hangs", "http://answers")
}

// lostSettlements loses every settlement, and panics unless the first try alone awaits a result.
type lostSettlements struct {
	*memstore.Store
	tries int
}

func (s *lostSettlements) SettleFire(_ context.Context, _ xxladapter.Term, settled xxladapter.Settlement) ([]xxladapter.Fire, error) {
	s.tries++
	if settled.AwaitResult != (s.tries == 1) {
		panic("a retry waits again")
	}
	return nil, xxladapter.ErrInDoubt
}
