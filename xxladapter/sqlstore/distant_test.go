//go:build unix

package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A distant store is behind a network that a test may break.
type distant struct {
	*records.Store
	proxy *testserver.Proxy
	near  *records.Store // the same database without that network
	term  xxladapter.Term
	job   int64
}

func emptyMySQL(t *testing.T) string    { return mysqlDatabase(t, "3.4") }
func emptyPostgres(t *testing.T) string { return testserver.PostgresCopy(t, migrateURL) }

// onDistant runs a test on each server.
func onDistant(t *testing.T, test func(t *testing.T, d distant)) {
	for name, url := range map[string]func(t *testing.T) string{
		"mariadb":  emptyMySQL,
		"postgres": emptyPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			near := url(t)
			d := distant{proxy: testserver.NewProxy(t, near)}
			for at, s := range map[string]**records.Store{near: &d.near, d.proxy.URL(): &d.Store} {
				opened, err := Open(t.Context(), at, Options{Logger: fixture.Quiet, LockLife: time.Second})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, opened.Close()) })
				*s = opened.(*records.Store)
			}
			d.job = fixture.AddDue(t, d.near, "distant", time.Now().Add(time.Hour))
			d.term = fixture.TermOf(t, d.near, "n1")
			test(t, d)
		})
	}
}

// behindProxy returns a [storetest.StallOpener] of stores on databases that url makes.
func behindProxy(url func(t *testing.T) string) storetest.StallOpener {
	return func(t *testing.T, clock func() time.Time) (xxladapter.Store, func() func()) {
		proxy := testserver.NewProxy(t, url(t))
		s, err := Open(t.Context(), proxy.URL(), Options{Clock: clock, Logger: fixture.Quiet})
		require.NoError(t, err)
		return s, func() (resume func()) {
			proxy.HoldNew(true)
			proxy.Stall()
			return func() {
				proxy.HoldNew(false)
				proxy.Resume()
			}
		}
	}
}

// plan plans a fire through the near store.
func (d distant) plan(t *testing.T) xxladapter.Fire {
	t.Helper()
	fires, err := d.near.PlanFires(t.Context(), []xxladapter.Fire{{JobID: d.job, Due: time.Now(), Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	return fires[0]
}

// claimed returns a fire that was claimed through the near store.
func (d distant) claimed(t *testing.T) xxladapter.Fire {
	t.Helper()
	fires, err := d.near.ClaimFire(t.Context(), d.term, d.plan(t).ID, []*xxladapter.Log{{JobID: d.job, TriggerTime: time.Now()}})
	require.NoError(t, err)
	return fires[0]
}

// open returns the open fire with the id as the server has it, or nil.
func (d distant) open(t *testing.T, id int64) *xxladapter.Fire {
	t.Helper()
	fires, err := d.near.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	for _, f := range fires {
		if f.ID == id {
			return &f
		}
	}
	return nil
}

// A distantCall is one kind of changing call.
type distantCall struct {
	name string
	// prepare returns the call, and a function that reports whether it took effect.
	prepare func(t *testing.T, d distant) (call func(ctx context.Context) error, happened func() bool)
	early   string // part of a statement before the commit
	silence bool   // the call is also tried with silence, which takes long
}

// faults selects the faults that the call is tried with.
func (c *distantCall) faults(all ...testserver.Fault) []testserver.Fault {
	return slices.DeleteFunc(all, func(f testserver.Fault) bool {
		return !c.silence && (f == testserver.SilentBefore || f == testserver.SilentAfter)
	})
}

func distantCalls() []distantCall {
	claim := func(logs int) func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
		return func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
			f := d.plan(t)
			return func(ctx context.Context) error {
					rows := make([]*xxladapter.Log, logs)
					for i := range rows {
						rows[i] = &xxladapter.Log{JobID: d.job, TriggerTime: time.Now()}
					}
					_, err := d.ClaimFire(ctx, d.term, f.ID, rows)
					return err
				}, func() bool {
					return d.open(t, f.ID).State == xxladapter.FireClaimed
				}
		}
	}
	settle := func(next bool) func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
		return func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
			f := d.claimed(t)
			s := xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 500, Msg: "failed"}
			if next {
				s.Next = []xxladapter.Fire{{JobID: d.job, Due: time.Now().Add(time.Hour), Type: xxladapter.TriggerRetry}}
			}
			return func(ctx context.Context) error { _, err := d.SettleFire(ctx, d.term, s); return err },
				func() bool { return d.open(t, f.ID) == nil }
		}
	}
	finish := func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
		f := d.claimed(t)
		return func(ctx context.Context) error {
				_, _, err := d.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200})
				return err
			}, func() bool {
				l, err := d.near.Log(t.Context(), f.LogID)
				require.NoError(t, err)
				return l.HandleCode == 200
			}
	}
	scan := func(t *testing.T, d distant) (func(context.Context) error, func() bool) {
		due := time.Now().Truncate(time.Second)
		id := fixture.AddDue(t, d.near, "due", due)
		return func(ctx context.Context) error {
				_, _, err := d.ClaimDue(ctx, d.term, 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
					return []xxladapter.Decision{{JobID: id, Last: due, Next: due.Add(time.Hour)}}
				})
				return err
			}, func() bool {
				j, err := d.near.Job(t.Context(), id)
				require.NoError(t, err)
				return j.TriggerNext.After(due)
			}
	}
	return []distantCall{
		{"a claim in a batch", claim(1), "xxlwheel_lease", true},
		{"a settlement in a batch", settle(false), "xxlwheel_lease", false},
		{"a result in a batch", finish, "xxl_job_log", false},
		{"a claim of two shards", claim(2), "INSERT INTO xxl_job_log", true},
		{"a settlement with a retry", settle(true), "DELETE FROM xxlwheel_fire", false},
		{"a scan", scan, "FROM xxlwheel_lease", true},
	}
}

// TestWhatMayHaveHappenedIsSaid loses each call's commit, before and after the server receives it,
// by a reset and by silence. The caller learns that the call may have taken effect, and nothing is
// retried to find out.
func TestWhatMayHaveHappenedIsSaid(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	onDistant(t, func(t *testing.T, d distant) {
		for _, c := range distantCalls() {
			for _, fault := range c.faults(testserver.CutBefore, testserver.CutAfter, testserver.SilentBefore, testserver.SilentAfter) {
				happens := fault == testserver.CutAfter || fault == testserver.SilentAfter
				call, happened := c.prepare(t, d)
				trap := d.proxy.Trap(fault, func(r *testserver.Request) bool { return r.Commits })
				begun := time.Now()
				require.ErrorIs(t, call(t.Context()), xxladapter.ErrInDoubt, "%s, fault %d", c.name, fault)
				require.Less(t, time.Since(begun), 10*time.Second)
				require.Equal(t, 1, trap.Count())
				require.Equal(t, happens, happened(), "%s, fault %d", c.name, fault)
				for end := time.Now().Add(5 * time.Second); !happened() && time.Now().Before(end); {
					// Silence leaves the rows locked until the server ends the session, and
					// PostgreSQL's scans skip locked rows.
					require.NoError(t, call(t.Context()), c.name)
				}
				require.True(t, happened(), c.name)
			}
		}
	})
}

// TestWhatCannotHaveHappenedIsRepeated loses a statement of each call before the commit, or the
// statement's answer. The caller notices nothing but the time it takes.
func TestWhatCannotHaveHappenedIsRepeated(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	onDistant(t, func(t *testing.T, d distant) {
		for _, c := range distantCalls() {
			for _, fault := range c.faults(testserver.CutBefore, testserver.CutAfter, testserver.SilentBefore) {
				call, happened := c.prepare(t, d)
				trap := d.proxy.Trap(fault, func(r *testserver.Request) bool { return !r.Commits && r.Contains(c.early) })
				require.NoError(t, call(t.Context()), "%s, fault %d", c.name, fault)
				require.Equal(t, 1, trap.Count(), "%s, fault %d", c.name, fault)
				require.True(t, happened(), "%s, fault %d", c.name, fault)
			}
		}
	})
}

// TestReadsAreRepeated loses reads that every fire, a new node's lease and a listing need, or their
// answers. No call fails, and none takes long.
func TestReadsAreRepeated(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	onDistant(t, func(t *testing.T, d distant) {
		nodes := 0
		for name, read := range map[string]struct {
			table string
			call  func() error
		}{
			"a job":      {"xxl_job_info", func() error { _, err := d.Job(t.Context(), d.job); return err }},
			"open fires": {"xxlwheel_fire", func() error { _, err := d.OpenFires(t.Context(), xxladapter.FireFilter{Limit: 1}); return err }},
			"the leases": {"xxlwheel_lease", func() error {
				attempt, cancel := context.WithTimeout(t.Context(), network.SlowSilence)
				defer cancel()
				nodes++ // a known node renews without a read
				_, err := d.Lease(attempt, fmt.Sprint("n", nodes), time.Minute)
				return err
			}},
			"the listing": {"xxl_job_group", func() error { _, err := d.Groups(t.Context()); return err }},
		} {
			for _, fault := range []testserver.Fault{testserver.CutBefore, testserver.CutAfter, testserver.SilentBefore} {
				if name == "the listing" && fault == testserver.SilentBefore {
					continue // its limit is half a minute
				}
				trap := d.proxy.Trap(fault, func(r *testserver.Request) bool { return r.Contains(read.table) })
				begun := time.Now()
				require.NoError(t, read.call(), "%s, fault %d", name, fault)
				require.Less(t, time.Since(begun), network.SlowSilence/2, name)
				require.Equal(t, 1, trap.Count(), name)
			}
		}
	})
}

// TestOneSilentConnectionEndsThoseThatRest makes all connections fall silent. The first call waits
// until it notices, and no later call waits.
func TestOneSilentConnectionEndsThoseThatRest(t *testing.T) {
	t.Parallel()
	onDistant(t, func(t *testing.T, d distant) {
		calls := map[string]func() error{
			"by id": func() error { _, err := d.Job(t.Context(), d.job); return err },
			"fires": func() error { _, err := d.OpenFires(t.Context(), xxladapter.FireFilter{Limit: 1}); return err },
			"batch": func() error {
				_, err := d.SettleFire(t.Context(), d.term, xxladapter.Settlement{FireID: 1 << 40})
				return err
			},
			"write": func() error {
				_, err := d.PlanFires(t.Context(), []xxladapter.Fire{{JobID: d.job, Due: time.Now()}})
				return err
			},
			"listing": func() error { _, err := d.Groups(t.Context()); return err },
			"scan": func() error {
				_, _, err := d.ClaimDue(t.Context(), d.term, 0, 1, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
				return err
			},
		}
		var all sync.WaitGroup
		for range 8 { // several connections of each kind
			for _, call := range calls {
				all.Go(func() { _ = call() })
			}
		}
		all.Wait()
		for name, call := range calls {
			require.NoError(t, call(), name)
		}
		d.proxy.Silence()
		begun := time.Now()
		require.NoError(t, calls["by id"]())
		require.GreaterOrEqual(t, time.Since(begun), network.QuickSilence)
		begun = time.Now()
		for name, call := range calls {
			require.NoError(t, call(), name)
		}
		require.Less(t, time.Since(begun), network.QuickSilence)
	})
}

// TestManyLostConnectionsFailNoCall loses more idle connections than a call has attempts.
func TestManyLostConnectionsFailNoCall(t *testing.T) {
	t.Parallel()
	onDistant(t, func(t *testing.T, d distant) {
		const conns = network.WriteAttempts + 5
		opened, err := Open(t.Context(), d.proxy.URL(), Options{Logger: fixture.Quiet, Connections: 4 * conns})
		require.NoError(t, err)
		defer func() { require.NoError(t, opened.Close()) }()
		s := opened.(*records.Store)
		var all, together sync.WaitGroup
		together.Add(conns)
		for range conns {
			all.Go(func() {
				_ = s.Write(t.Context(), func(context.Context, *database.Tx) error {
					together.Done()
					together.Wait()
					return nil
				})
			})
		}
		all.Wait()
		for round := range 3 { // a single call might get a new one by chance
			d.proxy.Silence()
			s.Network.FellSilent(time.Now())
			_, err = s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: d.job, Due: time.Now().Add(time.Duration(round) * time.Hour)}})
			require.NoError(t, err)
		}
	})
}
