//go:build linux

package faults

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// modes are the ways in which schedulers of one store share the work, with the flags for each.
var modes = []struct {
	name  string
	flags []string
}{
	{"all", nil},
	{"leader", []string{"--scheduling", "leader"}},
	{"leader spread", []string{"--scheduling", "leader", "--spread", "hash"}},
}

// leads reports whether one scheduler leads in a mode of this index.
func leads(mode int) bool { return mode > 0 }

// A turn is one fault of one scheduler.
type turn struct {
	what   string
	leader bool
	from   time.Time // it began
	to     time.Time // it was mended, and nothing more follows from it
}

// TestEachSchedulerInTurn kills, freezes, cuts off and stops one of three schedulers after the
// other, under load and in each mode, and mends it; where there is a leader it is hit every second
// time. Each due time runs once, no scheduler claims anything after its lease has lapsed, and only
// what a fault catches in its hand-over waits until that is resolved.
func TestEachSchedulerInTurn(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		for mode, m := range modes {
			t.Run(m.name, func(t *testing.T) { turnsIn(t, e, mode) })
		}
	})
}

func turnsIn(t *testing.T, e engine, mode int) {
	r := random(t)
	c, proxies := proxied(t, e, 3, modes[mode].flags...)
	c.addJobs(pick(60, *jobs), mixed, nil)
	c.waitForRuns(60)
	pause(leaseLapse) // until all hold a lease and a session
	faults := []struct {
		what       string
		begin, end func(node int)
	}{
		{"killed", func(n int) { c.nodes[n].kill() }, func(n int) { c.nodes[n].start() }},
		{"frozen", func(n int) { c.nodes[n].freeze() }, func(n int) { c.nodes[n].thaw() }},
		{"cut", func(n int) { proxies[n].HoldNew(true); proxies[n].Silence() }, func(n int) { proxies[n].HoldNew(false) }},
		{"stopped", func(n int) { c.nodes[n].stop() }, func(n int) { c.nodes[n].start() }},
	}
	var turns []turn
	took := map[string][]time.Duration{} // until another one leads
	for round := range rounds(3, 100) {
		fault := faults[round%len(faults)]
		hit, now := round%len(c.nodes), turn{what: fault.what}
		if leads(mode) {
			leader := slices.Index(c.nodes, c.leader())
			if now.leader = (round+round/len(faults))%2 == 0; now.leader {
				hit = leader
			} else {
				hit = (leader + 1 + r.IntN(2)) % len(c.nodes)
			}
		}
		now.from = time.Now()
		fault.begin(hit)
		if now.leader {
			c.nextLeader(c.nodes[hit])
			took[fault.what] = append(took[fault.what], time.Since(now.from))
		}
		pause(time.Until(now.from.Add(between(r, leaseLapse, leaseLapse+2*time.Second))))
		fault.end(hit)
		pause(between(r, leaseLapse, leaseLapse+2*time.Second)) // until it has a lease and a session
		now.to = time.Now()
		turns = append(turns, now)
	}
	pause(resolved())
	c.judge(checker.Options{Epsilon: resolved()})
	require.NotZero(t, c.requireNoClaimsAfterTheLapse(), "leases have lapsed")
	for _, f := range faults {
		if n := len(took[f.what]); n > 0 {
			slices.Sort(took[f.what])
			t.Logf("leader %s: another one leads after %v at the median, %v at most, of %d", f.what, took[f.what][n/2], took[f.what][n-1], n)
		}
	}
	caught := c.takenOver()
	for _, f := range faults {
		for _, leader := range []bool{true, false} {
			late := c.lateness(func(run checker.Run) bool {
				return !caught[run.Log] && slices.ContainsFunc(turns, func(t turn) bool {
					return t.what == f.what && t.leader == leader && run.Due > checker.At(t.from) && run.Due < checker.At(t.to)
				})
			})
			if len(late) == 0 {
				continue
			}
			what := fmt.Sprintf("%s, the leader: %v", f.what, leader)
			t.Logf("%s: %d runs were not caught in a hand-over, late by %v at the median, %v at p99, %v at most",
				what, len(late), late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
			require.LessOrEqual(t, late[len(late)-1], latestAfter(f.what, leader), what)
		}
	}
}

// latestAfter is how late a run may be that becomes due after a fault and was not in a hand-over
// then. A leader that dies has planned up to five seconds ahead, and its jobs wait for its lease
// after that. Only a soak has a machine of its own.
func latestAfter(what string, leader bool) time.Duration {
	most := 5 * time.Second
	if what == "stopped" || what == "killed" && !leader {
		most = 2 * time.Second
	}
	return pick(most+2*time.Second, most)
}

// requireNoClaimsAfterTheLapse checks that no term has claimed anything after its lease had lapsed,
// and another term had got its shards. It returns how often that was so. REQUIRES: all schedulers have
// ended.
func (c *cluster) requireNoClaimsAfterTheLapse() (lapsed int) {
	c.t.Helper()
	db := openDatabase(c.t, c.db.url)
	defer func() { require.NoError(c.t, db.Close()) }()
	var late int
	require.NoError(c.t, db.QueryRowContext(c.ctx, `SELECT count(*) FROM xxlwheel_shard_move WHERE cause IN ('died', 'lapsed')`).Scan(&lapsed))
	require.NoError(c.t, db.QueryRowContext(c.ctx, `SELECT count(*) FROM xxlwheel_run r JOIN xxlwheel_shard_move m
		ON m.node = r.node AND m.term = r.term AND m.cause IN ('died', 'lapsed') WHERE r.claimed_ms > m.at_ms`).Scan(&late))
	require.Zero(c.t, late, "claims of terms that had lapsed")
	return lapsed
}

// TestAWokenLeaderClaimsNothing freezes the leader for 15 seconds, with up to five seconds of fires
// in its wheel, and wakes it: another one leads, and the former leader stands by in a new term. In
// its old one it claims nothing.
func TestAWokenLeaderClaimsNothing(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		for _, m := range modes[1:] {
			t.Run(m.name, func(t *testing.T) {
				db := e.open(t)
				c := newClusterVia(t, e, db, func(int) string { return db.url }, m.flags...)
				c.addJobs(pick(60, *jobs), mixed, nil)
				c.waitForRuns(60)
				pause(leaseLapse)
				type asleep struct {
					term int64
					from time.Time
				}
				var slept []asleep
				for range rounds(1, 10) {
					leader := c.leader()
					slept = append(slept, asleep{c.termOf(leader), time.Now()})
					leader.freeze()
					next := c.nextLeader(leader)
					pause(time.Until(slept[len(slept)-1].from.Add(15 * time.Second)))
					leader.thaw()
					pause(leaseLapse)
					require.Same(t, next, c.leader(), "the former leader stands by")
				}
				pause(unlocked)
				c.judge(checker.Options{Epsilon: resolved()})
				require.NotZero(t, c.requireNoClaimsAfterTheLapse(), "leases have lapsed")
				store := openDatabase(t, c.db.url)
				defer func() { require.NoError(t, store.Close()) }()
				for _, s := range slept {
					var before, after int
					at := s.from.UnixMilli() + 1000 // what it had sent before it froze may arrive a little later
					require.NoError(t, store.QueryRowContext(c.ctx, fmt.Sprintf(
						`SELECT count(CASE WHEN claimed_ms <= %d THEN 1 END), count(CASE WHEN claimed_ms > %d THEN 1 END) FROM xxlwheel_run WHERE term = %d`,
						at, at, s.term)).Scan(&before, &after))
					require.NotZero(t, before)
					require.Zero(t, after, "claims of the former leader")
				}
			})
		}
	})
}

// termOf returns the number of the term in which a scheduler holds its lease.
func (c *cluster) termOf(p *process) int64 {
	c.t.Helper()
	var got struct {
		Nodes []struct {
			Node string
			Term int64
		}
	}
	c.must("GET", "/nodes", nil, &got)
	for _, n := range got.Nodes {
		if p.named(n.Node) {
			return n.Term
		}
	}
	c.t.Fatalf("%s holds no lease", p.name)
	return 0
}
