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
				go func() { b.run(10 * time.Second); close(ended) }()
				time.Sleep(3500 * time.Millisecond)
				term, ok := sched.Term()
				require.True(b.t, ok)
				due, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: job, Due: clock(), Type: xxladapter.TriggerRetry}})
				require.NoError(b.t, err)
				_, err = b.store.ClaimFire(b.t.Context(), term, due[0].ID, []*xxladapter.Log{{JobID: job}})
				require.NoError(b.t, err)
				moved.Store(int64(-time.Hour))
				<-ended
				synctest.Wait()
				require.Equal(b.t, map[int64]bool{due[0].ID: true}, pool.resolved)
			})
		})
	}
}
