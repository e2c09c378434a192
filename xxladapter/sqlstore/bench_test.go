//go:build unix

package sqlstore

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A benchClock stands still until the benchmark moves it.
type benchClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *benchClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *benchClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// benchEngines open an empty store that syncs every commit.
var benchEngines = []struct {
	name string
	open func(b *testing.B, clock func() time.Time) *records.Store
}{
	{"sqlite", func(b *testing.B, clock func() time.Time) *records.Store {
		return openFile(b, filepath.Join(b.TempDir(), "bench.db"), clock)
	}},
	{"mysql", func(b *testing.B, clock func() time.Time) *records.Store {
		url := testserver.StartMariaDB(b).Database(b)
		require.NoError(b, MigrateMySQL(b.Context(), url, true, Options{Logger: fixture.Quiet}))
		return openMySQLAt(b, url, Options{Clock: clock})
	}},
	{"postgres", func(b *testing.B, clock func() time.Time) *records.Store {
		return openURL(b, testserver.StartPostgres(b).Database(b), Options{Clock: clock})
	}},
}

// eachEngine runs a benchmark on every engine.
func eachEngine(b *testing.B, run func(b *testing.B, open func(b *testing.B) (*records.Store, *benchClock, int64))) {
	for _, engine := range benchEngines {
		b.Run(engine.name, func(b *testing.B) {
			run(b, func(b *testing.B) (*records.Store, *benchClock, int64) { return benchStore(b, engine.open) })
		})
	}
}

func benchStore(b *testing.B, open func(b *testing.B, clock func() time.Time) *records.Store) (*records.Store, *benchClock, int64) {
	b.Helper()
	clock := &benchClock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s := open(b, clock.Now)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	group, err := s.SaveGroup(b.Context(), &xxladapter.Group{AppName: "bench-app", Title: "bench"})
	require.NoError(b, err)
	return s, clock, group
}

// addJobs stores running jobs that are due at next.
func addJobs(b *testing.B, s *records.Store, group int64, n int, next time.Time) {
	b.Helper()
	var wg sync.WaitGroup
	errs := make([]error, 64)
	for w := range errs {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += len(errs) {
				id, err := xxladapter.CreateJob(b.Context(), s, &xxladapter.Job{
					GroupID: group, Name: fmt.Sprint("job ", i), Author: "bench",
					ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 * * * * ?", Misfire: xxladapter.MisfireDoNothing,
					Route: xxladapter.RouteRound, Handler: "handler", Param: "param", Block: xxladapter.BlockSerial,
					GlueType: xxladapter.GlueBean,
				})

				if err == nil {
					err = storetest.StartAt(b.Context(), s, id, next)
				}
				errs[w] = err
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
}

// BenchmarkClaimDue claims, decides, plans one fire for each job, moves its next time and commits.
// One operation is one job.
func BenchmarkClaimDue(b *testing.B) { eachEngine(b, benchmarkClaimDue) }

func benchmarkClaimDue(b *testing.B, open func(b *testing.B) (*records.Store, *benchClock, int64)) {
	for _, jobs := range []int{1000, 5000, 50000} {
		if jobs > 1000 && testing.Short() { // servers take a minute or two to store them
			continue
		}
		b.Run(fmt.Sprint("jobs=", jobs), func(b *testing.B) {
			s, clock, group := open(b)
			addJobs(b, s, group, jobs, clock.Now())
			decide := func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				decisions := make([]xxladapter.Decision, len(due))
				for i, j := range due {
					decisions[i] = xxladapter.Decision{
						JobID: j.ID,
						Fires: []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerCron, RetryCount: -1}},
						Last:  j.TriggerNext, Next: j.TriggerNext.Add(time.Minute),
					}
				}
				return decisions
			}
			by := fixture.TermOf(b, s, "n1")
			b.ResetTimer()
			for claimed := 0; claimed < b.N; {
				fires, due, err := s.ClaimDue(b.Context(), by, 0, min(5000, b.N-claimed), decide)
				require.NoError(b, err)
				require.Len(b, fires, due)
				if claimed += due; due == 0 {
					b.StopTimer() // all jobs are claimed: drop their fires and let a minute pass
					require.NoError(b, s.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
						_, err := tx.Exec(ctx, `DELETE FROM xxlwheel_fire`)
						return err
					}))
					clock.Advance(time.Minute)
					b.StartTimer()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkConcurrent measures the writes of one trigger with 64 callers, each on a fire of its
// own. Every write is durable when it returns.
func BenchmarkConcurrent(b *testing.B) { eachEngine(b, benchmarkConcurrent) }

func benchmarkConcurrent(b *testing.B, open func(b *testing.B) (*records.Store, *benchClock, int64)) {
	const callers = 64
	for _, act := range []struct {
		name string
		// run gets a claimed fire if claim is set, and otherwise a planned one.
		run   func(ctx context.Context, s *records.Store, by xxladapter.Term, f xxladapter.Fire) error
		claim bool
	}{
		{"ClaimFire", func(ctx context.Context, s *records.Store, by xxladapter.Term, f xxladapter.Fire) error {
			_, err := s.ClaimFire(ctx, by, f.ID, benchLogs(f))
			return err
		}, false},
		{"SettleFire", func(ctx context.Context, s *records.Store, by xxladapter.Term, f xxladapter.Fire) error {
			_, err := s.SettleFire(ctx, by, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 200, Msg: "address: http://10.0.0.1:9999"})
			return err
		}, true},
		{"FinishRun", func(ctx context.Context, s *records.Store, _ xxladapter.Term, f xxladapter.Fire) error {
			_, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200, Msg: "done"})
			return err
		}, true},
	} {
		b.Run(fmt.Sprint(act.name, "/callers=", callers), func(b *testing.B) {
			s, clock, _ := open(b)
			by := fixture.TermOf(b, s, "n1")
			fires := make([]xxladapter.Fire, b.N)
			for i := range fires {
				fires[i] = xxladapter.Fire{JobID: int64(i%1000 + 1), Due: clock.Now().Add(time.Duration(i) * time.Millisecond), Type: xxladapter.TriggerCron}
			}
			fires, err := s.PlanFires(b.Context(), fires)
			require.NoError(b, err)
			if act.claim {
				inParallel(b, callers, len(fires), func(i int) error {
					claimed, err := s.ClaimFire(b.Context(), by, fires[i].ID, benchLogs(fires[i]))
					if err == nil {
						fires[i] = claimed[0]
					}
					return err
				})
			}
			b.ResetTimer()
			inParallel(b, callers, len(fires), func(i int) error { return act.run(b.Context(), s, by, fires[i]) })
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

func benchLogs(f xxladapter.Fire) []*xxladapter.Log {
	return []*xxladapter.Log{{GroupID: 1, JobID: f.JobID, Address: "http://10.0.0.1:9999", Handler: "handler", Param: "param", TriggerTime: f.Due}}
}

// inParallel makes n calls from a number of callers.
func inParallel(b *testing.B, callers, n int, call func(i int) error) {
	b.Helper()
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		errs = make([]error, callers)
	)
	for c := range callers {
		wg.Go(func() {
			for errs[c] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[c] = call(i)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
}
