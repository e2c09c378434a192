//go:build unix

package redisstore

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// BenchmarkMemory measures the memory of a job that waits and of a run that was sent and has not
// ended: live bytes of this process, and bytes of Redis, once the tables have all of it.
func BenchmarkMemory(b *testing.B) {
	jobs, runs := 100_000, 20_000
	if testing.Short() {
		jobs, runs = 1000, 200
	}
	for engine, tables := range map[string]func(testing.TB) string{"postgres": emptyPostgres, "mariadb": emptyMySQL} {
		b.Run(fmt.Sprintf("%s/jobs=%d/runs=%d", engine, jobs, runs), func(b *testing.B) {
			var ofJobs, ofRuns memory
			for range b.N {
				server := testserver.StartRedis(b)
				s, client := newScene(b, server.URL("0"), tables(b)), clientOf(b, server.URL("0"))
				empty := s.memory(client)
				ids := s.createJobs(jobs)
				waiting := s.memory(client)
				s.sendAll(s.planAll(ids[:runs]))
				ofJobs.add(waiting, empty)
				ofRuns.add(s.memory(client), waiting)
			}
			for unit, used := range map[string]memory{"job": ofJobs.per(b.N * jobs), "run": ofRuns.per(b.N * runs)} {
				b.ReportMetric(used.process, "B/"+unit)
				b.ReportMetric(used.redis, "redis-B/"+unit)
			}
		})
	}
}

// A memory is how many bytes something takes.
type memory struct{ process, redis float64 }

// add adds what has come since an earlier measurement.
func (m *memory) add(now, before memory) {
	m.process += now.process - before.process
	m.redis += now.redis - before.redis
}

// per returns the memory of one of n.
func (m memory) per(n int) memory { return memory{m.process / float64(n), m.redis / float64(n)} }

// memory returns what is used as soon as the tables have everything.
func (s *scene) memory(client *redis.Client) (used memory) {
	s.t.Helper()
	_, err := s.Compare(s.t.Context())
	require.NoError(s.t, err)
	runtime.GC()
	runtime.GC() // what pools held during the first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	used.process = float64(stats.HeapAlloc)
	info, err := client.Info(context.Background(), "memory").Result()
	require.NoError(s.t, err)
	_, rest, found := strings.Cut(info, "\nused_memory:")
	require.True(s.t, found)
	text, _, _ := strings.Cut(rest, "\r")
	used.redis, err = strconv.ParseFloat(text, 64)
	require.NoError(s.t, err)
	return used
}

// sendAll claims fires as if their runs were sent, many at once.
func (s *scene) sendAll(fires []xxladapter.Fire) {
	s.t.Helper()
	var senders errgroup.Group
	senders.SetLimit(256)
	for _, f := range fires {
		senders.Go(func() error {
			_, err := s.ClaimFire(s.t.Context(), s.term, f.ID, []*xxladapter.Log{{JobID: f.JobID, GroupID: s.group, TriggerTime: time.Now()}})
			return err
		})
	}
	require.NoError(s.t, senders.Wait())
}
