package trigger

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An appSender gets an answer at once. From an address that hangs, it gets none within three
// seconds.
type appSender struct {
	mu    sync.Mutex
	sent  map[string]int // calls by address
	under map[string]int // calls in flight
	most  map[string]int // of those
}

func (s *appSender) count(addr string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under[addr] += by
	s.most[addr] = max(s.most[addr], s.under[addr])
	if by > 0 {
		s.sent[addr]++
	}
}

// seen returns how many calls an address got, and how many at the same time.
func (s *appSender) seen(addr string) (sent, most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[addr], s.most[addr]
}

func (s *appSender) Run(_ context.Context, addr, _ string, _ *wire.RunRequest) (wire.Reply, error) {
	s.count(addr, +1)
	defer s.count(addr, -1)
	if strings.Contains(addr, "hangs") {
		time.Sleep(3 * time.Second) // in the bubble's own time
		return wire.Reply{}, ErrOutcomeUnknown
	}
	return wire.OK(), nil
}

func (s *appSender) Log(ctx context.Context, addr, _ string, _ wire.LogRequest) (wire.LogResult, error) {
	_, err := s.Run(ctx, addr, "", nil)
	return wire.LogResult{}, err
}
func (s *appSender) Beat(context.Context, string) error            { return nil }
func (s *appSender) IdleBeat(context.Context, string, int64) error { return nil }

// A poolBench is a running pool in a bubble, with one job for each address.
type poolBench struct {
	t      *testing.T
	store  *memstore.Store
	sender *appSender
	pool   *Pool
	over   *HandOver
	sched  *fakeScheduler
	jobs   map[string]*xxladapter.Job
}

func withPool(t *testing.T, opts PoolOptions, test func(b *poolBench), addrs ...string) {
	synctest.Test(t, func(t *testing.T) {
		b := &poolBench{
			t: t, store: memstore.New(time.Now), jobs: map[string]*xxladapter.Job{},
			sender: &appSender{sent: map[string]int{}, under: map[string]int{}, most: map[string]int{}},
		}
		for _, addr := range addrs {
			group, err := b.store.SaveGroup(t.Context(), &xxladapter.Group{
				AppName: "app of " + addr, Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{addr},
			})
			require.NoError(t, err)
			job := &xxladapter.Job{GroupID: group, Name: addr, Handler: "h"}
			job.SetDefaults()
			job.ID, err = xxladapter.CreateJob(t.Context(), b.store, job)
			require.NoError(t, err)
			b.jobs[addr] = job
		}
		logger := slog.New(slog.DiscardHandler)
		opts.Logger = logger
		b.sched = schedulerOf(t, b.store, "n")
		b.over = handOver(t, Options{Store: b.store, Sender: b.sender, Scheduler: b.sched, Logger: logger})
		var err error
		b.pool, err = NewPool(opts)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- b.pool.Run(ctx, b.over) }()
		synctest.Wait()
		test(b)
		cancel()
		require.NoError(t, <-ended)
	})
}

// fire plans n fires of the job and gives them to the pool.
func (b *poolBench) fire(addr string, n int) (admitted int) {
	b.t.Helper()
	for range n {
		planned, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: b.jobs[addr].ID, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(b.t, err)
		if b.pool.Fire(planned[0], func() {}) {
			admitted++
		}
		synctest.Wait()
	}
	return admitted
}

func TestAHangingAppDelaysNoOther(t *testing.T) {
	withPool(t, PoolOptions{Fast: 20, Slow: 10, Queue: 1000}, func(b *poolBench) {
		b.fire("http://hangs", 300)
		require.Equal(t, []Load{{Pool: "fast", GroupID: b.jobs["http://hangs"].GroupID, Waiting: 290, InFlight: 10}}, b.pool.Loads())
		for range 30 { // half a minute in which it hangs, is asked about, and becomes slow
			began := time.Now()
			b.fire("http://answers", 3)
			synctest.Wait()
			require.Equal(t, began, time.Now())
			b.fire("http://hangs", 10)
			time.Sleep(time.Second)
		}
		sent, _ := b.sender.seen("http://answers")
		require.Equal(t, 90, sent, "each of them at once")
		_, most := b.sender.seen("http://hangs")
		require.LessOrEqual(t, most, 10+5, "half of each part of the pool")
		for _, l := range b.pool.Loads() {
			require.Equal(t, b.jobs["http://hangs"].GroupID, l.GroupID)
		}
	}, "http://hangs", "http://answers")
}

func TestASlowJobRunsInTheSlowPoolUntilTheMinuteIsOver(t *testing.T) {
	withPool(t, PoolOptions{Fast: 40, Slow: 4}, func(b *poolBench) {
		start := time.Now()
		require.Zero(t, start.Second(), "a bubble begins with a minute")
		lane := func() string {
			b.fire("http://hangs", 1)
			loads := b.pool.Loads()
			require.Len(t, loads, 1)
			require.Equal(t, 1, loads[0].InFlight)
			time.Sleep(4 * time.Second)
			require.Empty(t, b.pool.Loads())
			return loads[0].Pool
		}
		b.fire("http://hangs", 10)
		time.Sleep(4 * time.Second)
		require.Equal(t, "fast", lane(), "ten were slow")
		require.Equal(t, "slow", lane(), "eleven were")
		time.Sleep(time.Until(start.Add(time.Minute)))
		require.Equal(t, "fast", lane(), "a new minute")
	}, "http://hangs")
}

func TestASweepIsAskedForWhenThereIsRoomAfterARefusal(t *testing.T) {
	withPool(t, PoolOptions{Fast: 2, Queue: 10}, func(b *poolBench) {
		require.Equal(t, 6, b.fire("http://hangs", 20), "one goes and five wait")
		require.Zero(t, b.sched.swept())
		time.Sleep(30 * time.Second)
		require.Equal(t, 1, b.sched.swept())
		require.Empty(t, b.pool.Loads())
	}, "http://hangs")
}

// TestRefusedFiresAreFoundFromTheFirstOneOn checks that the caller that offers them again need not
// read what is before, and that no later fire gets the places that have become free meanwhile.
func TestRefusedFiresAreFoundFromTheFirstOneOn(t *testing.T) {
	withPool(t, PoolOptions{Fast: 2, Queue: 10}, func(b *poolBench) {
		_, _, ok := b.pool.Refused()
		require.False(t, ok)
		admitted := b.fire("http://hangs", 20)
		_, _, ok = b.pool.Refused()
		require.False(t, ok, "it has no room")
		time.Sleep(30 * time.Second)
		require.Zero(t, b.fire("http://hangs", 3), "others are before them")
		planned, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{State: xxladapter.FirePlanned})
		require.NoError(t, err)
		require.Len(t, planned, 23-admitted)
		due, id, ok := b.pool.Refused()
		require.True(t, ok)
		require.True(t, due.Equal(planned[0].Due))
		require.Equal(t, planned[0].ID, id)

		b.pool.Offered(due, id, nil)
		taken := 0
		for i, f := range planned {
			if b.pool.Fire(f, func() {}) {
				require.Equal(t, taken, i, "they keep their order")
				taken++
			}
		}
		require.Positive(t, taken)
		require.Less(t, taken, len(planned))
		_, _, ok = b.pool.Refused()
		require.False(t, ok, "it is full again")
		time.Sleep(30 * time.Second)
		_, id, ok = b.pool.Refused()
		require.True(t, ok)
		require.Equal(t, planned[taken].ID, id)
		b.pool.Offered(planned[taken].Due, id, &planned[len(planned)-1])
		_, _, ok = b.pool.Refused()
		require.False(t, ok, "all of them are offered")
		require.Positive(t, b.fire("http://hangs", 1))
	}, "http://hangs")
}

// noClaimStore refuses to let fires be claimed.
type noClaimStore struct{ *memstore.Store }

func (noClaimStore) ClaimFire(context.Context, xxladapter.Term, int64, []*xxladapter.Log) ([]xxladapter.Fire, error) {
	return nil, errors.New("disk full")
}

func TestAFireThatTheStoreBrokeOffIsGivenBack(t *testing.T) {
	withPool(t, PoolOptions{}, func(b *poolBench) {
		b.fire("http://answers", 1)
		require.Empty(t, b.sched.again)
		b.over.opts.Store = noClaimStore{b.store}
		b.fire("http://answers", 1)
		synctest.Wait()
		require.Len(t, b.sched.again, 1)
	}, "http://answers")
}

func TestAJobThatIsGoneIsHandedOverAndSettled(t *testing.T) {
	withPool(t, PoolOptions{}, func(b *poolBench) {
		planned, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 4711, Due: time.Now(), Type: xxladapter.TriggerParent}})
		require.NoError(t, err)
		done := 0
		require.True(t, b.pool.Fire(planned[0], func() { done++ }))
		synctest.Wait()
		require.Equal(t, 1, done)
		open, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)
		require.Empty(t, open)
	})
}

func TestAJobThatMovesToAnotherAppWaitsThere(t *testing.T) {
	withPool(t, PoolOptions{}, func(b *poolBench) {
		job := b.jobs["http://answers"]
		for range 2 {
			_, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job.ID, Due: time.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
		}
		before, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)
		time.Sleep(time.Second) // until both are due
		left := job.GroupID
		job.GroupID = b.jobs["http://hangs"].GroupID
		require.NoError(t, xxladapter.UpdateJob(t.Context(), b.store, job, false))
		after, err := b.store.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)

		require.True(t, b.pool.Fire(after[0], func() {}))
		synctest.Wait()
		require.Equal(t, []Load{{Pool: "fast", GroupID: job.GroupID, InFlight: 1}}, b.pool.Loads())
		require.True(t, b.pool.Fire(before[1], func() {}), "the wheel may hold one of before")
		synctest.Wait()
		require.Equal(t, []Load{{Pool: "fast", GroupID: left, InFlight: 1}, {Pool: "fast", GroupID: job.GroupID, InFlight: 1}}, b.pool.Loads())
		sent, _ := b.sender.seen("http://hangs")
		require.Equal(t, 2, sent, "it goes where the job is now")
	}, "http://answers", "http://hangs")
}
