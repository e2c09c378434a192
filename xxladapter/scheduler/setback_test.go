package scheduler

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
)

// A quietStore says with each renewal whether an open fire is due, as the SQL stores do.
type quietStore struct{ *memstore.Store }

func (s quietStore) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	lease, err := s.Store.Lease(ctx, node, life)
	if err != nil {
		return lease, err
	}
	now, err := s.Now(ctx)
	if err != nil {
		return lease, err
	}
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{DueBefore: now.Add(time.Millisecond), Limit: 1})
	lease.Quiet = len(open) == 0
	return lease, err
}

// TestAHandOverIsResolvedAlthoughTheClockWasSetBack sets the clock back between a claim and its
// resolution, so that the claimed fire is due in the future again.
func TestAHandOverIsResolvedAlthoughTheClockWasSetBack(t *testing.T) {
	for name, wrap := range map[string]func(*memstore.Store) Store{
		"a store that never says that nothing is due": func(s *memstore.Store) Store { return s },
		"a store that says so":                        func(s *memstore.Store) Store { return quietStore{s} },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *fixture) {
				var moved atomic.Int64
				clock := func() time.Time { return time.Now().Add(time.Duration(moved.Load())).Round(0) }
				b.store = memstore.New(clock)
				var err error
				b.group, err = b.store.SaveGroup(b.t.Context(), &xxladapter.Group{AppName: "some-app", Title: "some app"})
				require.NoError(b.t, err)
				job := b.addJob(xxladapter.ScheduleNone, "", time.Hour)
				pool := &pickyPool{fired: map[int64]bool{}, resolved: map[int64]bool{}}
				sched, err := New(Options{
					Store: wrap(b.store), Pool: pool, Node: "node-1", Wall: clock, Logger: slog.New(slog.DiscardHandler),
				})
				require.NoError(b.t, err)
				b.sched = sched
				ended := make(chan struct{})
				go func() { b.run(20 * time.Second); close(ended) }()
				time.Sleep(3500 * time.Millisecond)
				term, ok := sched.Term()
				require.True(b.t, ok)
				fire := xxladapter.Fire{JobID: job, Due: clock().Add(-10 * time.Millisecond), Type: xxladapter.TriggerRetry}
				due, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{fire, fire})
				require.NoError(b.t, err)
				one, err := b.store.ClaimFire(b.t.Context(), term, due[0].ID, []*xxladapter.Log{{JobID: job}})
				require.NoError(b.t, err)
				shards, err := b.store.ClaimFire(b.t.Context(), term, due[1].ID, []*xxladapter.Log{
					{JobID: job, Sharding: "0/2"}, {JobID: job, Sharding: "1/2"},
				})
				require.NoError(b.t, err)
				moved.Store(int64(-time.Hour))
				time.Sleep(claimLife - time.Second)
				synctest.Wait()
				resolved := map[int64]bool{one[0].ID: true}
				require.Equal(b.t, resolved, pool.allResolved(), "the shards may be just being sent")
				<-ended
				synctest.Wait()
				resolved[shards[0].ID], resolved[shards[1].ID] = true, true
				require.Equal(b.t, resolved, pool.allResolved())
			})
		})
	}
}
