//go:build unix

package redisstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestOnAClusterWhoseSlotsMove runs the suite on three masters while each slot with keys moves from
// one to the next all the time.
func TestOnAClusterWhoseSlotsMove(t *testing.T) {
	testserver.Long(t) // TestModelOnAClusterWhoseSlotsMove has the same moves
	t.Parallel()
	cluster := testserver.StartRedisCluster(t, false)
	m := moving(t, cluster)
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T, clock func() time.Time) xxladapter.Store {
			return open(t, cluster.URL(), "sqlite:"+emptySQLite(t), clock)
		})
	})
	m.lostNothing(t)
}

// TestModelOnAClusterWhoseSlotsMove compares a store whose slot moves from one master to the next
// all the time with a store in memory.
func TestModelOnAClusterWhoseSlotsMove(t *testing.T) {
	t.Parallel()
	cluster := testserver.StartRedisCluster(t, false)
	m := moving(t, cluster)
	t.Run("model", func(t *testing.T) {
		storetest.RunModel(t, func(t *testing.T, clock func() time.Time) xxladapter.Store {
			return open(t, cluster.URL(), "sqlite:"+emptySQLite(t), clock)
		}, func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
	})
	m.lostNothing(t)
}

// A mover migrates slots from one master to the next, until the test ends.
type mover struct {
	*testserver.RedisCluster
	clients []*redis.Client // of the masters
	seen    map[string]look // by head
	moves   atomic.Int64
}

// A look is what a head had when it was looked at, and how often it was the same.
type look struct {
	state string
	same  int
}

// stay is how long a slot stays on a master, at least. Without it packets of the nodes about
// earlier moves overtake each other, and the nodes may disagree for good.
const stay = 50 * time.Millisecond

// moving begins to migrate each slot whose log has changed lately.
func moving(t *testing.T, c *testserver.RedisCluster) *mover {
	t.Helper()
	m := &mover{RedisCluster: c, seen: map[string]look{}}
	for _, master := range c.Masters {
		m.clients = append(m.clients, clientOf(t, master.URL("0")))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		for i := 0; ctx.Err() == nil; i++ {
			// A slot that is half moved would stay so.
			if err := m.pass(context.WithoutCancel(ctx), i%len(m.clients)); err != nil {
				ended <- err
				return
			}
			time.Sleep(stay) // in real time: a slot stays for a while
		}
		ended <- nil
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
		t.Logf("%d moves", m.moves.Load())
	})
	return m
}

// pass migrates slots of one master to the next one.
func (m *mover) pass(ctx context.Context, i int) error {
	heads, err := m.clients[i].Keys(ctx, "*:head").Result()
	for _, head := range heads {
		state, err := m.clients[i].HMGet(ctx, head, "pen", "pos", "want").Result()
		if err != nil && strings.HasPrefix(err.Error(), "MOVED ") {
			continue // it moved along with the head of another store in the same slot
		}
		if err != nil {
			return err
		}
		last := m.seen[head]
		if now := fmt.Sprint(state); last.state != now {
			last = look{state: now}
		}
		last.same++
		m.seen[head] = last
		if last.same > 20 {
			continue // its store is closed
		}
		slot, err := m.clients[i].ClusterKeySlot(ctx, head).Result()
		if err == nil {
			err = m.Move(ctx, int(slot), m.Masters[i], m.Masters[(i+1)%len(m.Masters)])
		}
		if err != nil {
			return err
		}
		m.moves.Add(1)
	}
	return err
}

// lostNothing checks that slots have moved and that each log was begun once.
func (m *mover) lostNothing(t *testing.T) {
	t.Helper()
	require.Positive(t, m.moves.Load())
	for _, client := range m.clients {
		heads, err := client.Keys(t.Context(), "*:head").Result()
		require.NoError(t, err)
		for _, head := range heads {
			generation, err := client.HGet(t.Context(), head, "gen").Result()
			if err == nil { // its slot is still here
				require.Equal(t, "1", generation)
			}
		}
	}
}

// clusterScene is a scene on a cluster, with the slot of its keys.
type clusterScene struct {
	*scene
	cluster *testserver.RedisCluster
	behind  string
	slot    int
}

func newClusterScene(t *testing.T, replicas bool) *clusterScene {
	t.Helper()
	s := &clusterScene{cluster: testserver.StartRedisCluster(t, replicas), behind: emptyPostgres(t)}
	s.scene = newScene(t, s.cluster.URL(), s.behind)
	s.slot = s.cluster.Slot(t)
	return s
}

// generation returns how often the log was begun.
func (s *clusterScene) generation(t *testing.T) int64 {
	t.Helper()
	for _, m := range s.cluster.Masters {
		client := clientOf(t, m.URL("0"))
		heads, err := client.Keys(t.Context(), "*:head").Result()
		require.NoError(t, err)
		if len(heads) == 1 {
			n, err := client.HGet(t.Context(), heads[0], "gen").Int64()
			if err == nil {
				return n
			}
		}
	}
	return 0
}

// trip lets a job fire once, and ends the run.
func (s *clusterScene) trip(t *testing.T) {
	t.Helper()
	s.job(xxladapter.Settings{})
	fires := s.claim()
	require.Len(t, fires, 1)
	log := s.send(fires[0])
	applied, _, err := s.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
	require.NoError(t, err)
	require.True(t, applied)
}

// TestAMigrationIsNoLoss checks that a slot that is migrated under load takes everything along: its
// log is never begun anew, and no due time becomes a misfire. Two processes use it, and a third one
// opens it later.
func TestAMigrationIsNoLoss(t *testing.T) {
	testserver.Long(t) // a cluster takes its time
	t.Parallel()
	s := newClusterScene(t, true)
	second := open(t, s.cluster.URL(), s.behind, nil)
	t.Cleanup(func() { require.NoError(t, second.Close()) })
	m := moving(t, s.cluster)
	for begun := time.Now(); time.Since(begun) < 4*time.Second; {
		s.trip(t)
		_, err := second.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)
	}
	third := open(t, s.cluster.URL(), s.behind, nil)
	t.Cleanup(func() { require.NoError(t, third.Close()) })
	misfires, err := third.Misfires(t.Context(), xxladapter.MisfireFilter{})
	require.NoError(t, err)
	require.Empty(t, misfires)
	require.Greater(t, m.moves.Load(), int64(5))
	m.lostNothing(t)
}

// TestAHalfMigratedSlotStopsNothingForGood leaves the keys of a slot on two nodes for a while.
// Calls that need both keys wait or fail within their limits, and do nothing on a node that has
// only one of them. Then they continue.
func TestAHalfMigratedSlotStopsNothingForGood(t *testing.T) {
	testserver.Long(t) // a cluster takes its time
	t.Parallel()
	for _, first := range []string{":head", ":log"} {
		t.Run(first[1:], func(t *testing.T) {
			t.Parallel()
			s := newClusterScene(t, false)
			ctx := t.Context()
			if first == ":log" { // otherwise nothing was appended yet
				s.trip(t)
			}
			from := s.cluster.Owner(t, s.slot)
			to := s.cluster.Other(t, from)
			require.NoError(t, s.cluster.OpenSlot(ctx, s.slot, from, to))
			s.trip(t) // both keys are where they were
			// What the tables lack of the log would be read before the calls below, with both keys.
			_, err := s.Misfires(ctx, xxladapter.MisfireFilter{})
			require.NoError(t, err)
			require.NoError(t, s.cluster.MoveKeys(ctx, s.slot, from, to, first))
			job, err := xxladapter.CreateJob(ctx, s, s.newJob(xxladapter.Settings{})) // needs the head alone
			require.NoError(t, err)
			require.NoError(t, storetest.StartAt(ctx, s, job, time.Now()))
			asked := time.Now()
			_, _, err = s.ClaimDue(ctx, s.term, 0, 100, eachSecond)
			require.ErrorContains(t, err, "TRYAGAIN")
			require.Less(t, time.Since(asked), 10*time.Second)
			require.NoError(t, s.cluster.MoveKeys(ctx, s.slot, from, to, ""))
			require.Len(t, s.claim(), 1) // both keys are with the node that imports them
			s.trip(t)
			require.NoError(t, s.cluster.CloseSlot(ctx, s.slot, to))
			s.trip(t)
			require.Equal(t, int64(1), s.generation(t))
			misfires, err := s.Misfires(ctx, xxladapter.MisfireFilter{})
			require.NoError(t, err)
			require.Empty(t, misfires)
		})
	}
}

// begun begins a log, and returns its state.
func begun(t *testing.T, s *server) sqlstore.LogState {
	t.Helper()
	held, err := s.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Begin(t.Context(), sqlstore.LogState{Pen: held.Pen, Generation: 1}))
	held, err = s.Look(t.Context())
	require.NoError(t, err)
	return held
}

// TestThePromotedReplicaOfANewOwnerIsALoss moves a slot to a node that dies before this process has
// asked it. Its replica has the keys as they came, and may lack what another process has written
// there meanwhile.
func TestThePromotedReplicaOfANewOwnerIsALoss(t *testing.T) {
	testserver.Long(t) // a cluster takes its time
	t.Parallel()
	cluster := testserver.StartRedisCluster(t, true)
	s := serverOf(t, cluster.URL(), "unseen")
	before := begun(t, s)
	slot := cluster.Slot(t)
	from := cluster.Owner(t, slot)
	to := cluster.Other(t, from)
	require.NoError(t, cluster.Move(t.Context(), slot, from, to))
	replica := cluster.Replicas[slices.Index(cluster.Masters, to)]
	testserver.Eventually(t, 20*time.Second, "the replica has the keys", func() bool {
		n, err := clientOf(t, replica.URL("0")).DBSize(t.Context()).Result()
		return err == nil && n == 2
	})
	to.Kill(t)
	require.Same(t, replica, cluster.WaitPromoted(t, to, slot))
	var after sqlstore.LogState
	testserver.Eventually(t, 20*time.Second, "the log can be read", func() (ok bool) {
		var err error
		after, err = s.Look(t.Context())
		return err == nil
	})
	require.Equal(t, before.Position, after.Position)
	require.NotEqual(t, before.Run, after.Run)
}

// TestAFormerOwnerIsNotBelieved checks that what a node answers is not believed if the slot has
// another owner when the answer has arrived.
func TestAFormerOwnerIsNotBelieved(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // a cluster takes its time
	cluster := testserver.StartRedisCluster(t, false)
	s := serverOf(t, cluster.URL(), "former")
	held := begun(t, s)
	held, err := s.Append(t.Context(), held, 1, [][]byte{[]byte("one")})
	require.NoError(t, err)
	slot := cluster.Slot(t)
	from := cluster.Owner(t, slot)
	to := cluster.Other(t, from)

	err, again := s.once(t.Context(), false, func(former *client) error {
		require.NoError(t, cluster.Move(t.Context(), slot, from, to))
		testserver.Eventually(t, 20*time.Second, "the slot has another owner", func() bool {
			c, err := s.at.primary()
			return err == nil && c != former
		})
		return nil
	})
	require.ErrorIs(t, err, errFormer)
	require.False(t, again, "it may have stored what it was sent")
	held, err = s.Append(t.Context(), held, 2, [][]byte{[]byte("two")})
	require.NoError(t, err, "the slot was migrated, so the log is the same")
	require.Equal(t, int64(2), held.Position)

	for _, other := range cluster.Masters {
		if other != to {
			other.Freeze(t)
		}
	}
	time.Sleep(trust + askLimit) // the answers of two nodes become too old
	_, err = s.Append(t.Context(), held, 3, [][]byte{[]byte("three")})
	require.ErrorContains(t, err, "1 of 3 nodes agree on the owner of the log's slot, must be 2 at least")
}

// TestAnImportingNodeDoesNotAnswerForWhatItLacks checks that a node that imports the slot and has
// nothing of the log yet does not answer for it. A process that was redirected to such a node
// earlier asks it again when the slot has moved on since and comes back.
func TestAnImportingNodeDoesNotAnswerForWhatItLacks(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // a cluster takes its time
	cluster := testserver.StartRedisCluster(t, false)
	s := serverOf(t, cluster.URL(), "importing")
	_, err := s.Append(t.Context(), begun(t, s), 1, [][]byte{[]byte("one")})
	require.NoError(t, err)
	slot := cluster.Slot(t)
	from := cluster.Owner(t, slot)
	to := cluster.Other(t, from)
	require.NoError(t, cluster.OpenSlot(t.Context(), slot, from, to))
	at, err := redis.ParseURL(to.URL("0"))
	require.NoError(t, err)
	owner, err := s.at.primary()
	require.NoError(t, err)
	importer, err := s.cluster.importer(owner, at.Addr)
	require.NoError(t, err)
	_, err = entriesOf(readScript.Run(t.Context(), importer, []string{s.head, s.log}, 1, 1, readBatch).Slice())
	require.True(t, undone(err), "%v", err)
	records := 0
	require.NoError(t, s.Read(t.Context(), 0, 1, func(int64, []byte) error { records++; return nil }))
	require.Equal(t, 1, records)
}

// TestAnAppendNamesItsHome checks that an append finds out how the log has come to its node, even
// if the log was elsewhere and came back, and only another process has seen that: the head must
// name the node at which records are confirmed.
func TestAnAppendNamesItsHome(t *testing.T) {
	t.Parallel()
	cluster := testserver.StartRedisCluster(t, false)
	s := serverOf(t, cluster.URL(), "home")
	held := begun(t, s)
	owner, err := s.at.primary()
	require.NoError(t, err)
	s.cluster.mu.Lock()
	var other home
	for _, n := range s.cluster.nodes {
		if n.self.node != owner.named.home.node {
			other = n.self
		}
	}
	s.cluster.mu.Unlock()
	require.NoError(t, owner.HSet(t.Context(), s.head, "home", other.String(), "m:"+owner.named.home.node, owner.named.home.history).Err())
	_, err = s.Append(t.Context(), held, 1, [][]byte{[]byte("one")})
	require.NoError(t, err)
	at, err := owner.HGet(t.Context(), s.head, "home").Result()
	require.NoError(t, err)
	require.Equal(t, owner.named.home.String(), at)
}

// TestAnOwnerOfTheSlotIsChecked checks that a node whose settings are wrong is refused when a store
// is opened, if it is a master then, and when the slot moves to it.
func TestAnOwnerOfTheSlotIsChecked(t *testing.T) {
	testserver.Long(t) // a cluster takes its time
	t.Parallel()
	s := newClusterScene(t, false)
	from := s.cluster.Owner(t, s.slot)
	to := s.cluster.Other(t, from)
	require.NoError(t, clientOf(t, to.URL("0")).ConfigSet(t.Context(), "appendfsync", "everysec").Err())
	const rule = "redis has appendonly yes and appendfsync everysec, must have yes and always"
	_, err := Open(t.Context(), s.cluster.URL(), s.behind, Options{SQL: sqlstore.Options{Logger: quiet}})
	require.ErrorContains(t, err, rule)
	s.job(xxladapter.Settings{})
	require.NoError(t, s.cluster.Move(t.Context(), s.slot, from, to))
	_, _, err = s.ClaimDue(t.Context(), s.term, 0, 100, eachSecond)
	require.ErrorContains(t, err, rule)
	require.NoError(t, clientOf(t, to.URL("0")).ConfigSet(t.Context(), "appendfsync", "always").Err())
	require.Len(t, s.claim(), 1)
}

// TestARestartOfAnOwnerIsNoLoss checks that a restart of the owner loses nothing, and that the slot
// can move after it: the head learns the new history of the node.
func TestARestartOfAnOwnerIsNoLoss(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // a cluster takes its time
	s := newClusterScene(t, false)
	s.trip(t)
	owner := s.cluster.Owner(t, s.slot)
	owner.Kill(t)
	owner.Start(t)
	s.cluster.WaitReady(t)
	s.trip(t)
	to := s.cluster.Other(t, owner)
	require.NoError(t, s.cluster.Move(t.Context(), s.slot, owner, to))
	s.trip(t)
	require.NoError(t, s.cluster.Move(t.Context(), s.slot, to, owner))
	s.trip(t)
	require.Equal(t, int64(1), s.generation(t))
}

// TestOnAClusterWithTLS checks that nodes are reached at the ports that they announce for TLS.
func TestOnAClusterWithTLS(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // a cluster takes its time
	cert, key := readable(t)
	cluster := testserver.StartRedisCluster(t, false, "tls-cluster yes", "tls-auth-clients no", "tls-cert-file "+cert, "tls-key-file "+key, "tls-ca-cert-file "+cert)
	s := newScene(t, cluster.URLWithTLS(t), "sqlite:"+emptySQLite(t))
	s.job(xxladapter.Settings{})
	require.Len(t, s.claim(), 1)
}

// readable returns the paths of a certificate and its key that the account of a server may read.
func readable(t *testing.T) (cert, key string) {
	t.Helper()
	cert, key = testserver.Certificate(t)
	dir := filepath.Dir(cert)
	for _, open := range []string{filepath.Dir(dir), dir} {
		require.NoError(t, os.Chmod(open, 0o755))
	}
	for _, file := range []string{cert, key} {
		require.NoError(t, os.Chmod(file, 0o644))
	}
	return cert, key
}

// TestAPromotionInAClusterIsALoss checks that a promotion in a cluster counts as a loss, whatever
// the promoted replica has, as with sentinels. The slot has moved before, so only the way in which
// it got its new owner tells a promotion from a migration.
func TestAPromotionInAClusterIsALoss(t *testing.T) {
	testserver.Long(t) // a cluster takes its time
	t.Parallel()
	kill := func(_ *clusterScene, former *testserver.Server) { former.Kill(t) }
	freeze := func(_ *clusterScene, former *testserver.Server) { former.Freeze(t) }
	order := func(s *clusterScene, former *testserver.Server) { // nothing is lost then, and nobody can tell
		replica := s.cluster.Replicas[slices.Index(s.cluster.Masters, former)]
		require.NoError(t, clientOf(t, replica.URL("0")).ClusterFailover(t.Context()).Err())
	}
	for name, c := range map[string]struct {
		fault func(s *clusterScene, former *testserver.Server)
		wakes bool
	}{"of a killed master": {fault: kill}, "of a frozen master": {freeze, true}, "by an order": {fault: order}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newClusterScene(t, true)
			second := open(t, s.cluster.URL(), s.behind, nil)
			t.Cleanup(func() { require.NoError(t, second.Close()) })
			from := s.cluster.Owner(t, s.slot)
			former := s.cluster.Other(t, from)
			require.NoError(t, s.cluster.Move(t.Context(), s.slot, from, former))
			id := s.job(xxladapter.Settings{})
			require.Len(t, s.claim(), 1)
			require.Equal(t, int64(1), s.generation(t))
			s.cluster.WaitReady(t)
			c.fault(s, former)
			promoted := s.cluster.WaitPromoted(t, former, s.slot)
			require.Contains(t, s.cluster.Replicas, promoted)
			if c.wakes {
				former.Thaw(t)
			}
			s.noticeLoss(clientOf(t, promoted.URL("0")))
			s.hasLost(id, second)
		})
	}
}
