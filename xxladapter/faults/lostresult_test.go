//go:build linux

package faults

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestResultsThatRedisLosesAreFoundAgain empties Redis while jobs run whose next due time follows
// from the end of the last run. Their executor lives and has forgotten the results that a scheduler
// acknowledged. Each job has to run again.
func TestResultsThatRedisLosesAreFoundAgain(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	r := random(t)
	c, server := withRedis(t, postgres)
	u, err := url.Parse(server.URL("0"))
	require.NoError(t, err)
	client := redis.NewClient(&redis.Options{Addr: u.Host})
	t.Cleanup(func() { require.NoError(t, client.Close()) })

	var mu sync.Mutex
	runs := map[int64]int{}
	e, err := executor.New(executor.Options{
		Admins: c.servers, AppName: "results", AllowNoToken: true, Listen: "127.0.0.1:0", DataDir: t.TempDir(), NoSync: true, StopGrace: -1,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("note", func(_ context.Context, run *executor.Run) error {
		mu.Lock()
		runs[run.JobID]++
		mu.Unlock()
		time.Sleep(1500 * time.Millisecond) // so that the tables have the run before its result
		return nil
	}))
	ctx, cancel := context.WithCancel(c.ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	<-e.Ready()

	var group struct{ ID int64 }
	c.must("POST", "/groups", map[string]any{"appName": "results", "title": "results", "addressType": 1, "addressList": []string{e.Address()}}, &group)
	c.group = group.ID
	c.addJobs(300, []schedule{{xxladapter.ScheduleFixDelay, "0.1"}}, nil)
	// every waits until each job has begun more runs.
	every := func(limit time.Duration, more int) {
		t.Helper()
		mu.Lock()
		want := map[int64]int{}
		for _, j := range c.jobs {
			want[j.id] = runs[j.id] + more
		}
		mu.Unlock()
		testserver.Eventually(t, limit, fmt.Sprintf("each job begins %d runs", more), func() bool {
			mu.Lock()
			defer mu.Unlock()
			for id, n := range want {
				if runs[id] < n {
					return false
				}
			}
			return true
		})
	}
	every(30*time.Second, 2)
	// found counts the times when schedulers have stored results that were lost.
	found := func() (n int) {
		for _, node := range c.nodes {
			n += strings.Count(node.log.String(), "results were lost after they were acknowledged")
		}
		return n
	}
	var took []time.Duration
	for range rounds(12, 100) {
		if found() > 0 && !testserver.Soak() {
			break
		}
		pause(between(r, 0, 2*time.Second))
		before := len(c.losses())
		lost := time.Now()
		require.NoError(t, client.FlushAll(c.ctx).Err())
		testserver.Eventually(t, 30*time.Second, "the loss is noticed", func() bool { return len(c.losses()) > before })
		every(2*time.Minute, 2)
		took = append(took, time.Since(lost))
	}
	require.NotZero(t, found(), "the test has lost results")
	t.Logf("each job runs again, twice, %v after the loss", took)
}
