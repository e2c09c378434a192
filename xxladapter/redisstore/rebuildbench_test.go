//go:build unix

package redisstore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// BenchmarkRebuild empties Redis and measures how long it takes until a scheduler's calls have
// noticed it, begun the log anew from the tables, and accounted for each due time that may have
// been sent. Either no job is due, or one due time of each is planned.
func BenchmarkRebuild(b *testing.B) {
	jobs := 100_000
	if testing.Short() {
		jobs = 1000
	}
	for engine, tables := range map[string]func(testing.TB) string{"postgres": emptyPostgres, "mariadb": emptyMySQL} {
		for name, due := range map[string]bool{"planned=0": false, fmt.Sprint("planned=", jobs): true} {
			b.Run(fmt.Sprintf("%s/jobs=%d/%s", engine, jobs, name), func(b *testing.B) {
				server := testserver.StartRedis(b)
				s, client := newScene(b, server.URL("0"), tables(b)), clientOf(b, server.URL("0"))
				ids := s.createJobs(jobs)
				for range b.N {
					b.StopTimer()
					if due {
						s.planAll(ids)
					}
					_, err := s.Compare(b.Context()) // the tables have it all
					require.NoError(b, err)
					before := generation(client)
					require.NoError(b, client.FlushAll(b.Context()).Err())
					b.StartTimer()
					for generation(client) <= before { // the first calls may need no Redis
						_, err = s.OpenFires(b.Context(), xxladapter.FireFilter{Limit: 1})
					}
					require.NoError(b, err)
				}
			})
		}
	}
}

// generation returns how often the log was begun, or 0 if Redis has none.
func generation(client *redis.Client) int64 {
	heads, _ := client.Keys(context.Background(), "*:head").Result()
	if len(heads) == 0 {
		return 0
	}
	n, _ := client.HGet(context.Background(), heads[0], "gen").Int64()
	return n
}

// createJobs creates jobs and returns their ids.
func (s *scene) createJobs(n int) []int64 {
	s.t.Helper()
	edits := make([]xxladapter.JobEdit, n)
	for i := range edits {
		edits[i] = xxladapter.JobEdit{Act: xxladapter.ActCreate, Job: s.newJob(xxladapter.Settings{})}
	}
	var ids []int64
	for _, made := range s.edit(edits) {
		ids = append(ids, made.ID)
	}
	return ids
}

// planAll starts each job and plans a due time of it, which it returns.
func (s *scene) planAll(ids []int64) (planned []xxladapter.Fire) {
	s.t.Helper()
	for _, act := range []xxladapter.JobAct{xxladapter.ActStop, xxladapter.ActStart} {
		edits := make([]xxladapter.JobEdit, len(ids))
		for i, id := range ids {
			edits[i] = xxladapter.JobEdit{
				Act: act, Job: &xxladapter.Job{ID: id}, First: func(now time.Time) time.Time { return now },
			}
		}
		s.edit(edits)
	}
	for len(planned) < len(ids) {
		fires := s.claimUpTo(5000)
		require.NotEmpty(s.t, fires)
		planned = append(planned, fires...)
	}
	return planned
}

// edit makes edits, a few thousand in a transaction.
func (s *scene) edit(edits []xxladapter.JobEdit) (made []xxladapter.JobEdited) {
	s.t.Helper()
	for some := range slices.Chunk(edits, 5000) {
		edited, err := s.EditJobs(s.t.Context(), some, false)
		require.NoError(s.t, err)
		made = append(made, edited...)
	}
	return made
}
