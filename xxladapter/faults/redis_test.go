//go:build linux

package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// withRedis returns schedulers on a server, with a Redis of their own in front of it. The checker
// reads only the tables, so what Redis had and they lack counts as missing.
func withRedis(t *testing.T, e engine) (*cluster, *testserver.Server) {
	t.Helper()
	redis := testserver.StartRedis(t)
	return behindRedis(t, e, redis.URL("0")), redis
}

// behindRedis returns schedulers on a server with a given Redis in front of it.
func behindRedis(t *testing.T, e engine, redis string) *cluster {
	t.Helper()
	return behindRedisOn(t, e, e.open(t), redis)
}

// behindRedisOn is behindRedis with a given database.
func behindRedisOn(t *testing.T, e engine, db database, redis string) *cluster {
	t.Helper()
	c := newClusterVia(t, e, db, func(int) string { return db.url }, "--redis", redis)
	c.redis = redis
	return c
}

// compare checks, as xxlwheel store compare does, that the tables have what Redis has. Schedulers
// are running.
func (c *cluster) compare() {
	c.t.Helper()
	store, err := redisstore.Open(c.ctx, c.redis, c.db.url, redisstore.Options{})
	require.NoError(c.t, err)
	found, err := store.Compare(c.ctx)
	require.NoError(c.t, err)
	require.Empty(c.t, found.Differences)
	require.NoError(c.t, store.Close())
}

// TestRedisKilled kills Redis under load and starts it again. It syncs each write, so nothing that
// it has confirmed is lost.
func TestRedisKilled(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, redisKilled)
}

func redisKilled(t *testing.T, e engine) {
	r := random(t)
	c, redis := withRedis(t, e)
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	for range rounds(3, 200) {
		redis.Kill(t)
		pause(between(r, 0, time.Second))
		redis.Start(t)
		c.waitForRuns(10)
		pause(between(r, 500*time.Millisecond, 2*time.Second))
	}
	pause(inDoubt)
	c.judge(checker.Options{Epsilon: 2 * inDoubt})
}

// TestRedisIsPromoted kills the primary of a Redis with sentinels under load, or freezes it and
// wakes it after the promotion, so that it takes writes again. The promoted replica lacks what the
// primary has confirmed since their connection was closed. No due time is lost without a record,
// and none fires twice.
func TestRedisIsPromoted(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	redis := testserver.StartRedisGroup(t)
	c := behindRedis(t, postgres, redis.URL("0"))
	c.mayLose = true
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	var promotion, noticed, continued []time.Duration
	for round := range rounds(2, 200) {
		redis.WaitReady(t)
		former, other := redis.Primary(t)
		before := len(c.losses())
		other.Freeze(t)
		redis.Detach(t, former)
		pause(between(r, 0, 500*time.Millisecond))
		fault := time.Now()
		if round%2 == 0 {
			former.Freeze(t)
		} else {
			former.Kill(t)
		}
		// In a soak, promotions may come later than the window in which late due times still fire.
		pause(between(r, 0, pick(0, 8*time.Second)))
		other.Thaw(t)
		redis.WaitPromoted(t, former)
		promoted := time.Now()
		promotion = append(promotion, promoted.Sub(fault))
		if round%2 == 0 {
			pause(between(r, 0, time.Second))
			former.Thaw(t)
		}
		testserver.Eventually(t, 30*time.Second, "the promotion counts as a loss", func() bool {
			return len(c.losses()) > before
		})
		noticed = append(noticed, time.Since(promoted))
		c.waitForRuns(10)
		continued = append(continued, time.Since(promoted))
		if round%2 == 1 {
			former.Start(t)
		}
		pause(between(r, 500*time.Millisecond, 2*time.Second))
	}
	pause(2 * inDoubt)
	// The limit includes the time that the sentinels take: on a busy machine an election may fail.
	c.judge(checker.Options{Epsilon: slices.Max(promotion) + inDoubt})
	for _, took := range [][]time.Duration{promotion, noticed, continued} {
		slices.Sort(took)
	}
	t.Logf("%d promotions, each %v after the fault; the loss is noticed %v after the promotion, and ten runs have come after %v", len(promotion), promotion, noticed, continued)
}

// TestTheTablesBehindRedisAreAway kills the database under load, for longer than leases last, and
// starts it again. What Redis has confirmed meanwhile reaches the tables after that, once.
func TestTheTablesBehindRedisAreAway(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, theTablesBehindRedisAreAway)
}

func theTablesBehindRedisAreAway(t *testing.T, e engine) {
	db := e.alone(t)
	server := db.server
	redis := testserver.StartRedis(t)
	c := behindRedisOn(t, e, db, redis.URL("0"))
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	away := pick(2*leaseLapse, time.Minute)
	var worst time.Duration
	for range rounds(1, 200) {
		down := time.Now()
		server.Kill(t)
		pause(away)
		server.Start(t)
		returned := time.Now()
		c.waitForRuns(20)
		require.Less(t, time.Since(returned), longestPeriod(), "scheduling continues")
		worst = max(worst, time.Since(down))
		pause(5 * time.Second)
	}
	pause(inDoubt)
	c.judge(checker.Options{Epsilon: worst + inDoubt})
}

// TestSchedulersKilledWithRedis kills schedulers, of which one at a time writes to the tables what
// Redis has. That one is killed at any moment; in redisstore,
// TestRecordsThatTheTablesHaveAreSkipped covers the moment between the commit and the removal of
// the records.
func TestSchedulersKilledWithRedis(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, schedulersKilledWithRedis)
}

func schedulersKilledWithRedis(t *testing.T, e engine) {
	r := random(t)
	c, _ := withRedis(t, e)
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	for round := range rounds(6, 200) {
		n := c.nodes[round%len(c.nodes)]
		n.kill()
		pause(between(r, 0, time.Second))
		n.start()
		c.waitForRuns(10)
		pause(between(r, 500*time.Millisecond, 2*time.Second))
	}
	pause(resolved())
	c.judge(checker.Options{Epsilon: resolved()})
	require.NotEmpty(t, c.jobs)
}

// TestOneSchedulerBehindRedis has one scheduler, which keeps the right to write and so defers
// planned fires. The next process must find them in Redis, or else their due times in the tables.
func TestOneSchedulerBehindRedis(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	e := postgres
	e.nodes = 1
	for name, test := range map[string]func(*testing.T, engine){
		"the scheduler is killed": schedulersKilledWithRedis, "Redis is killed": redisKilled,
		"Redis loses its data": redisLosesItsData,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// TestRedisSlotMoves migrates the slot of the store from master to master under load. Nothing is
// lost, so the checker excuses nothing.
func TestRedisSlotMoves(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	// On a busy machine a master may be silent for longer than the others wait. The promotion of
	// its replica would be a loss, which is not the subject here.
	redis := testserver.StartRedisCluster(t, true, "cluster-replica-no-failover yes")
	c := behindRedis(t, postgres, redis.URL())
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	slot, moves := redis.Slot(t), 0
	for range rounds(30, 20_000) {
		from := redis.Owner(t, slot)
		to := redis.Other(t, from)
		require.NoError(t, redis.OpenSlot(c.ctx, slot, from, to))
		pause(between(r, 0, 100*time.Millisecond)) // no key has moved
		require.NoError(t, redis.MoveKeys(c.ctx, slot, from, to, []string{":head", ":log"}[moves%2]))
		pause(between(r, 0, 50*time.Millisecond)) // one key has moved
		require.NoError(t, redis.MoveKeys(c.ctx, slot, from, to, ""))
		pause(between(r, 0, 100*time.Millisecond)) // both have
		require.NoError(t, redis.CloseSlot(c.ctx, slot, to))
		pause(between(r, 0, 200*time.Millisecond))
		moves++
	}
	c.waitForRuns(10)
	pause(inDoubt)
	c.judge(checker.Options{Epsilon: inDoubt})
	t.Logf("the slot has moved %d times", moves)
}

// TestRedisClusterIsPromoted kills the master that has the store's slot under load, or freezes it
// and wakes it after the promotion of its replica. Between two faults the slot moves. No due time
// is lost without a record, and none fires twice.
func TestRedisClusterIsPromoted(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	redis := testserver.StartRedisCluster(t, true)
	c := behindRedis(t, postgres, redis.URL())
	c.mayLose = true
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	slot := redis.Slot(t)
	for round := range rounds(2, 200) {
		redis.WaitReady(t)
		former, before := redis.Owner(t, slot), len(c.losses())
		if round%2 == 0 {
			former.Freeze(t)
		} else {
			former.Kill(t)
		}
		promoted := redis.WaitPromoted(t, former, slot)
		if round%2 == 0 {
			pause(between(r, 0, time.Second))
			former.Thaw(t)
		}
		testserver.Eventually(t, 30*time.Second, "the promotion counts as a loss", func() bool {
			return len(c.losses()) > before
		})
		c.waitForRuns(10)
		if round%2 == 1 {
			former.Start(t)
		}
		redis.WaitReady(t)
		lost := len(c.losses())
		require.NoError(t, redis.Move(c.ctx, slot, promoted, redis.Other(t, promoted)))
		pause(between(r, 500*time.Millisecond, 2*time.Second))
		require.Equal(t, lost, len(c.losses()), "a migration is no loss")
	}
	pause(2 * inDoubt)
	c.judge(checker.Options{Epsilon: 2 * inDoubt})
}
