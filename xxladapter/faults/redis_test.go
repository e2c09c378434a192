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
