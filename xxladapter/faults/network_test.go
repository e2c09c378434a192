//go:build linux

package faults

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// servers are the engines that schedulers reach through a network.
var servers = slices.DeleteFunc(slices.Clone(engines), func(e engine) bool { return e.hold == "" })

// everySecond is the schedule of a job that is due every second.
var everySecond = []schedule{{xxladapter.ScheduleCron, "* * * * * ?"}}

// proxied returns a cluster in which each scheduler reaches the store through a proxy of its own.
func proxied(t *testing.T, e engine, nodes int, flags ...string) (*cluster, []*testserver.Proxy) {
	db := e.open(t)
	proxies := make([]*testserver.Proxy, nodes)
	for i := range proxies {
		proxies[i] = testserver.NewProxy(t, db.url)
	}
	e.nodes = nodes
	return newClusterVia(t, e, db, func(i int) string { return proxies[i].URL() }, flags...), proxies
}

// requireNoMisfires checks that no due time so far has misfired.
func (c *cluster) requireNoMisfires() {
	c.t.Helper()
	store := openStore(c.t, c.db.url)
	defer func() { require.NoError(c.t, store.Close()) }()
	misfires, err := store.Misfires(c.ctx, xxladapter.MisfireFilter{})
	require.NoError(c.t, err)
	require.Empty(c.t, misfires)
}

// TestConnectionsDieWithoutAWord silences all connections of a node twice within four seconds, as a
// firewall does when it loses its state. New connections work.
func TestConnectionsDieWithoutAWord(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		r := random(t)
		c, proxies := proxied(t, e, 1)
		c.addJobs(40, everySecond, nil)
		c.waitForRuns(80)
		for range rounds(1, 50) {
			proxies[0].Silence()
			pause(between(r, 2*time.Second, 4*time.Second))
			proxies[0].Silence()
			pause(lateBySilence + between(r, time.Second, 3*time.Second))
		}
		c.judge(checker.Options{Epsilon: lateBySilence})
		c.requireNoMisfires()
		late := c.lateness(func(checker.Run) bool { return true })
		t.Log(late)
	})
}

// lateBySilence is how late a run may be when the connections fall silent twice within four
// seconds: it waits for each silence once, 2.5 s at most, and for a busy machine.
const lateBySilence = 6 * time.Second

// TestCommitsWhoseAnswerIsLost cuts the connection at commits of each kind of transaction, before
// the server gets them or before its answer comes back. Nothing is lost or doubled, and a lost
// answer delays a run by less than a second.
func TestCommitsWhoseAnswerIsLost(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		c, proxies := proxied(t, e, e.nodes)
		c.addJobs(pick(40, *jobs/4), append([]schedule{{xxladapter.ScheduleFixDelay, "1"}}, mixed...), nil)
		c.waitForRuns(60)
		each := pick(2, 100)
		cut := map[testserver.Fault]map[string]int{testserver.CutBefore: {}, testserver.CutAfter: {}}
		var mu sync.Mutex
		var traps []*testserver.Trap
		for _, p := range proxies {
			for fault, kinds := range cut {
				traps = append(traps, p.Always(fault, func(r *testserver.Request) bool {
					mu.Lock()
					defer mu.Unlock()
					kind := kindOf(r)
					if !r.Commits || kinds[kind] >= each {
						return false
					}
					kinds[kind]++
					return true
				}))
			}
		}
		pause(pick(8*time.Second, cmp.Or(*lasting, 5*time.Minute)))
		for _, trap := range traps {
			trap.Remove()
		}
		pause(answerLostWithin())
		c.judge(checker.Options{Epsilon: answerLostWithin()})
		late := c.lateness(func(checker.Run) bool { return true })
		for fault, kinds := range cut {
			t.Logf("fault %d hit %d kinds of transactions: %q", fault, len(kinds), slices.Sorted(maps.Keys(kinds)))
			require.Greater(t, len(kinds), 5)
		}
		t.Log(late)
		require.LessOrEqual(t, late[len(late)*9/10], pick(2*time.Second, time.Second))
	})
}

// answerLostWithin is how late a run may be if answers are lost. One costs less than a second, but
// several may follow each other: a fixed delay counts from a result, whose answer may be lost
// before that of the claim. A short run shares the machine with other tests, so its limit is twice
// as long.
func answerLostWithin() time.Duration { return pick(6*time.Second, 3*time.Second) }

// kindOf names a transaction by the first words of its statements.
func kindOf(r *testserver.Request) string {
	kinds := map[string]bool{}
	for _, s := range r.Transaction {
		words := strings.Fields(s)
		switch strings.ToUpper(words[0]) {
		case "SELECT", "BEGIN", "START", "COMMIT":
		default:
			kinds[strings.Join(words[:min(3, len(words))], " ")] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
}

// TestCommitsThatComeLate delays commits and delivers them when their scheduler has given up, or is
// about to. What the scheduler has resolved or repeated meanwhile must tolerate the first commit.
func TestCommitsThatComeLate(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		r := random(t)
		c, proxies := proxied(t, e, e.nodes)
		c.addJobs(40, append([]schedule{{xxladapter.ScheduleFixDelay, "1"}}, mixed...), nil)
		c.waitForRuns(60)
		for i := range rounds(4, 200) {
			trap := proxies[i%len(proxies)].Trap(testserver.Hold, func(r *testserver.Request) bool { return r.Commits })
			<-trap.Sprung()
			// The server ends an idle transaction after lockLife, so a late commit must come
			// before.
			pause(between(r, lockLife/2, lockLife))
			trap.Release()
			pause(between(r, 0, time.Second))
		}
		pause(lateByStall)
		c.judge(checker.Options{Epsilon: lateByStall})
		c.requireNoMisfires()
		all := c.lateness(func(checker.Run) bool { return true })
		t.Log(all)
	})
}

// TestStallInAScan stalls the network of one of three schedulers while it holds the lock that scans
// wait for, and resumes it when the server has released that lock. The others continue in time.
func TestStallInAScan(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		r := random(t)
		c, proxies := proxied(t, e, 3)
		c.addJobs(40, mixed, nil)
		c.waitForRuns(60)
		for range rounds(1, 40) {
			victim := proxies[r.IntN(len(proxies))]
			trap := victim.Trap(testserver.SilentAfter, func(r *testserver.Request) bool {
				return r.Contains("xxl_job_lock") || r.Contains("SKIP LOCKED")
			})
			<-trap.Sprung()
			victim.Stall()
			pause(between(r, lockLife+time.Second, lockLife+3*time.Second))
			victim.Resume()
			pause(between(r, time.Second, 3*time.Second))
		}
		pause(lateByStall)
		c.judge(checker.Options{Epsilon: lateByStall})
		c.requireNoMisfires()
		late := c.lateness(func(checker.Run) bool { return true })
		t.Log(late)
	})
}

const (
	// lockLife is how long the server leaves a silent scheduler its locks.
	lockLife = 2 * time.Second

	// lateByStall is how late a run may be because of such a lock, or because its scheduler is cut
	// off until its lease has lapsed.
	lateByStall = 6 * time.Second
)

// TestStoppedWithoutANetwork sends SIGTERM to a scheduler whose connections have all fallen silent.
// It exits before an orchestrator would kill it, and gives its lease back if new connections work.
func TestStoppedWithoutANetwork(t *testing.T) {
	testserver.Long(t)
	for name, unreachable := range map[string]bool{"new connections work": false, "they do not": true} {
		t.Run(name, func(t *testing.T) {
			onEach(t, servers, func(t *testing.T, e engine) {
				c, proxies := proxied(t, e, 1)
				c.addJobs(40, everySecond, nil)
				c.waitForRuns(80)
				proxies[0].HoldNew(unreachable)
				proxies[0].Silence()
				took := c.nodes[0].stop()
				t.Logf("stopped within %v", took.Round(time.Millisecond))
				require.Less(t, took, stoppedWithin)
				if !unreachable {
					db := openDatabase(t, c.db.url)
					defer func() { require.NoError(t, db.Close()) }()
					var leases int
					require.NoError(t, db.QueryRowContext(c.ctx, `SELECT count(*) FROM xxlwheel_lease`).Scan(&leases))
					require.Zero(t, leases, "the lease is given back")
				}
				proxies[0].HoldNew(false)
				c.nodes[0].start()
				c.waitForRuns(200) // most of them late
				pause(3 * time.Second)
				c.judge(checker.Options{Epsilon: took + 3*time.Second})
			})
		})
	}
}

// stoppedWithin is how long a stop may take without a network: orchestrators wait for 30 s.
const stoppedWithin = 25 * time.Second
