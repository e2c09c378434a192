//go:build linux

package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// withRedis returns three schedulers on PostgreSQL, with a Redis of their own in front of it. The
// checker reads PostgreSQL alone, so what Redis had and it lacks would be missing.
func withRedis(t *testing.T) (*cluster, *testserver.Server) {
	t.Helper()
	redis := testserver.StartRedis(t)
	e := engine{name: "postgres", nodes: 3}
	db := database{url: testserver.Postgres(t)}
	return newClusterVia(t, e, db, func(int) string { return db.url }, "--redis", redis.URL("0")), redis
}

// TestRedisKilled kills Redis under load and starts it again. It syncs each write, so nothing that
// it has confirmed is lost.
func TestRedisKilled(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	c, redis := withRedis(t)
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

// TestTheTablesBehindRedisAreAway kills PostgreSQL under load, for longer than leases last, and
// starts it again. What Redis has confirmed meanwhile reaches the tables after that, once.
func TestTheTablesBehindRedisAreAway(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	e := engine{name: "postgres", nodes: 3}
	server := testserver.StartPostgres(t)
	db := database{server.Database(t), server}
	redis := testserver.StartRedis(t)
	c := newClusterVia(t, e, db, func(int) string { return db.url }, "--redis", redis.URL("0"))
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	away := pick(2*leaseLapse, time.Minute)
	var worst time.Duration
	for range rounds(1, 10) {
		down := time.Now()
		server.Kill(t)
		pause(away)
		server.Start(t)
		returned := time.Now()
		c.waitForRuns(20)
		require.Less(t, time.Since(returned), 5*time.Second, "scheduling continues")
		worst = max(worst, time.Since(down))
		pause(5 * time.Second)
	}
	pause(inDoubt)
	c.judge(checker.Options{Epsilon: worst + inDoubt})
}

// TestSchedulersKilledWithRedis kills schedulers, of which one at a time writes to the tables what
// Redis has. It is killed between the commit and the removal of the records as well as elsewhere.
func TestSchedulersKilledWithRedis(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	c, redis := withRedis(t)
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
	pause(inDoubt)
	t.Log(fmt.Sprint("redis ", redis.URL("0")))
	c.judge(checker.Options{Epsilon: 2 * inDoubt})
	require.NotEmpty(t, c.jobs)
}
