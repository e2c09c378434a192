package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A gate is a node's way to the store. While it is shut, the calls by which a scheduler acts wait,
// as in a process that is frozen; once it is broken they fail, as in one that is dead.
type gate struct {
	xxladapter.Store
	mu     sync.Mutex
	shut   chan struct{} // nil means open
	broken bool
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.shut)
	g.shut = nil
}

func (g *gate) crash() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.broken = true
}

func (g *gate) pass() error {
	g.mu.Lock()
	shut, broken := g.shut, g.broken
	g.mu.Unlock()
	if shut != nil {
		<-shut
	}
	if broken {
		return errors.New("dead")
	}
	return nil
}

func (g *gate) Now(ctx context.Context) (time.Time, error) {
	if err := g.pass(); err != nil {
		return time.Time{}, err
	}
	return g.Store.Now(ctx)
}

func (g *gate) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	if err := g.pass(); err != nil {
		return xxladapter.Lease{}, err
	}
	return g.Store.Lease(ctx, node, life)
}

func (g *gate) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	if err := g.pass(); err != nil {
		return err
	}
	return g.Store.Retire(ctx, term, why)
}

func (g *gate) Resign(ctx context.Context, term xxladapter.Term) error {
	if err := g.pass(); err != nil {
		return err
	}
	return g.Store.Resign(ctx, term)
}

func (g *gate) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	if err := g.pass(); err != nil {
		return nil, 0, err
	}
	return g.Store.ClaimDue(ctx, by, ahead, limit, decide)
}

func (g *gate) ClaimFire(ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log) ([]xxladapter.Fire, error) {
	if err := g.pass(); err != nil {
		return nil, err
	}
	return g.Store.ClaimFire(ctx, by, id, logs)
}

func (g *gate) SettleFire(ctx context.Context, by xxladapter.Term, s xxladapter.Settlement) ([]xxladapter.Fire, error) {
	if err := g.pass(); err != nil {
		return nil, err
	}
	return g.Store.SettleFire(ctx, by, s)
}

// TestSeveralNodesOnOneStore freezes one of three nodes for longer than its lease, wakes it, and
// lets another die; every due time must give one run.
func TestSeveralNodesOnOneStore(t *testing.T) {
	testserver.Long(t)
	for name, openStores := range map[string]func(t *testing.T) []xxladapter.Store{
		"memory": func(*testing.T) []xxladapter.Store {
			s := memstore.New(time.Now)
			return []xxladapter.Store{s, s, s}
		},
		"one SQLite file, opened three times": func(t *testing.T) (stores []xxladapter.Store) {
			file := filepath.Join(t.TempDir(), "xxl.db")
			for range 3 {
				s, err := sqlstore.OpenSQLite(t.Context(), file, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, s.Close()) })
				stores = append(stores, s)
			}
			return stores
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			severalNodes(t, openStores(t))
		})
	}
}

func severalNodes(t *testing.T, stores []xxladapter.Store) {
	var mu sync.Mutex
	history := &checker.History{}
	executor := httptest.NewServer(executorFunc(func(run wire.RunRequest) {
		mu.Lock()
		defer mu.Unlock()
		history.Runs = append(history.Runs, checker.Run{
			Job: int64(run.JobID), Log: int64(run.LogID), Due: checker.At(time.UnixMilli(int64(run.ScheduledTime))), At: checker.At(time.Now()),
		})
	}))
	defer executor.Close()
	ctx := t.Context()
	group, err := stores[0].SaveGroup(ctx, &xxladapter.Group{
		AppName: "several", Title: "several", AddressType: xxladapter.AddressManual, Addresses: []string{executor.URL},
	})
	require.NoError(t, err)
	for i := range xxladapter.Partitions {
		j := &xxladapter.Job{
			GroupID: group, Name: fmt.Sprint("job ", i), Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?",
		}
		j.SetDefaults()
		asked := checker.At(time.Now())
		id, err := xxladapter.CreateJob(ctx, stores[0], j)
		require.NoError(t, err)
		first := time.Now().Truncate(time.Second).Add(2 * time.Second)
		require.NoError(t, storetest.StartAt(ctx, stores[0], id, first))
		acked := checker.At(time.Now())
		history.Changes = append(history.Changes,
			checker.Change{Job: id, Op: checker.OpCreate, Asked: asked, Acked: acked, Type: j.ScheduleType, Conf: j.ScheduleConf},
			checker.Change{Job: id, Op: checker.OpStart, Asked: acked, Acked: acked, First: checker.At(first)})
	}

	var nodes []*Node
	var gates []*gate
	var stops []func()
	for _, store := range stores {
		g := &gate{Store: store}
		n, err := New(Options{Store: g, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		running, cancel := context.WithCancel(context.Background())
		var ended sync.WaitGroup
		ended.Go(func() { _ = n.Schedule(running) })
		stop := sync.OnceFunc(func() { cancel(); ended.Wait() })
		defer stop()
		nodes, gates, stops = append(nodes, n), append(gates, g), append(stops, stop)
	}
	partitions := func(i int) xxladapter.PartitionSet { return nodes[i].Stats().Scheduler.Partitions }
	within(t, "the nodes share the jobs out", func() bool {
		one, two, three := partitions(0), partitions(1), partitions(2)
		return one != 0 && two != 0 && three != 0 && one|two|three == xxladapter.AllPartitions
	})
	gates[0].close()
	within(t, "a node without its store loses its lease", func() bool { return !nodes[0].Stats().Scheduler.Holds })
	within(t, "the others take its jobs", func() bool { return partitions(1)|partitions(2) == xxladapter.AllPartitions })
	gates[0].open()
	within(t, "it is back, in a new term", func() bool {
		stats := nodes[0].Stats().Scheduler
		return stats.Holds && stats.Terms >= 2
	})
	gates[1].crash()
	stops[1]()
	within(t, "the others continue with the jobs of the dead node", func() bool {
		return partitions(0)|partitions(2) == xxladapter.AllPartitions
	})
	within(t, "each job runs", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(history.Runs) > 10*xxladapter.Partitions
	})
	stops[0]()
	stops[2]()
	mu.Lock()
	defer mu.Unlock()
	history.End = checker.At(time.Now())
	// A node that froze or died holds its jobs up for its lease, and for the renewal at which the
	// others notice.
	report := checker.Check(history, checker.Options{Epsilon: 7 * time.Second})
	require.True(t, report.Clean(), "%v", report)
}

// within waits for what leases, scans, sockets and the collector bring about in real time. The
// longest of them, a lease that lapses, takes five seconds.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 30*time.Second, 20*time.Millisecond, what)
}
