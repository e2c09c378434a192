//go:build linux

package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestRedisLosesItsData empties Redis under load, or makes it continue with files that are some
// seconds old. No due time is lost without a record, and none fires twice.
func TestRedisLosesItsData(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, redisLosesItsData)
}

func redisLosesItsData(t *testing.T, e engine) {
	r := random(t)
	c, server := withRedis(t, e)
	c.mayLose = true
	opts, err := redis.ParseURL(server.URL("0"))
	require.NoError(t, err)
	client := redis.NewClient(opts)
	defer client.Close()
	c.addJobs(pick(30, *jobs), mixed, nil)
	c.waitForRuns(30)
	var noticed, continued []time.Duration
	for round := range rounds(2, 200) {
		before := len(c.losses())
		if round%2 == 0 {
			require.NoError(t, client.FlushAll(c.ctx).Err())
		} else {
			restore := server.Backup(t)
			c.waitForRuns(10) // the files are old now
			pause(between(r, 0, 3*time.Second))
			server.Kill(t)
			restore()
			server.Start(t)
		}
		lost := time.Now()
		testserver.Eventually(t, 30*time.Second, "the loss is noticed", func() bool { return len(c.losses()) > before })
		noticed = append(noticed, time.Since(lost))
		c.waitForRuns(10)
		continued = append(continued, time.Since(lost))
		pause(between(r, 500*time.Millisecond, 2*time.Second))
	}
	pause(2 * inDoubt)
	c.judge(checker.Options{Epsilon: 2 * inDoubt})
	slices.Sort(noticed)
	slices.Sort(continued)
	t.Logf("%d losses, each noticed after %v; ten runs had come after %v", len(noticed), noticed, continued)
}
