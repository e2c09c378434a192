//go:build linux

package faults

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A coordinator is a kind of elector that schedulers are started with.
type coordinator struct {
	name  string
	start func(t *testing.T) *testserver.Server
	// silence is how long it keeps the session of a silent scheduler at most, and what an election
	// takes.
	silence time.Duration
}

var coordinators = []coordinator{
	{"etcd", func(t *testing.T) *testserver.Server { return testserver.StartEtcd(t) }, 6 * time.Second},
	{"zookeeper", func(t *testing.T) *testserver.Server { return testserver.StartZooKeeper(t) }, 8 * time.Second},
}

// An electorate is a cluster whose schedulers campaign, each behind networks of its own.
type electorate struct {
	*cluster
	server           *testserver.Server
	stores, electors []*testserver.Proxy
}

func newElectorate(t *testing.T, e engine, k coordinator) *electorate {
	db := e.open(t)
	el := &electorate{server: k.start(t)}
	place := el.server.Database(t)
	for range e.nodes {
		el.stores = append(el.stores, testserver.NewProxy(t, db.url))
		el.electors = append(el.electors, testserver.NewProxy(t, place))
	}
	el.cluster = newClusterOf(t, e, db, func(i int) []string {
		return []string{"--store", el.stores[i].URL(), "--scheduling", "leader", "--elector", el.electors[i].URL()}
	})
	return el
}

func (el *electorate) index(p *process) int { return slices.Index(el.nodes, p) }

// sever ends a scheduler's contact with some servers without a word, and heal restores it.
func sever(proxies ...*testserver.Proxy) {
	for _, p := range proxies {
		p.HoldNew(true)
		p.Silence()
	}
}

func heal(proxies ...*testserver.Proxy) {
	for _, p := range proxies {
		p.HoldNew(false)
		p.Reset()
	}
}

// elections returns what the elector says of each scheduler that holds a lease.
func (el *electorate) elections() (states []xxladapter.ElectionState) {
	var got struct {
		Nodes []struct{ Election xxladapter.ElectionState }
	}
	require.NoError(el.t, el.call("GET", "/nodes", nil, &got))
	for _, n := range got.Nodes {
		states = append(states, n.Election)
	}
	return states
}

// settled reports whether the elector says of every scheduler one of the states, and of one the
// first.
func (el *electorate) settled(states ...xxladapter.ElectionState) bool {
	got := el.elections()
	return len(got) == len(el.nodes) && slices.Contains(got, states[0]) &&
		!slices.ContainsFunc(got, func(s xxladapter.ElectionState) bool { return !slices.Contains(states, s) })
}

var claimedJobs = regexp.MustCompile(`(?m)^xxlwheel_scan_due_jobs_sum (\S+)$`)

// claimed returns how many due jobs a scheduler has claimed since its start.
func (el *electorate) claimed(p *process) float64 {
	el.t.Helper()
	resp, err := apiClient.Get(el.servers[el.index(p)] + "/metrics")
	require.NoError(el.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(el.t, err)
	require.Equal(el.t, http.StatusOK, resp.StatusCode, "%s", text)
	found := claimedJobs.FindSubmatch(text)
	require.NotNil(el.t, found, "%s", text)
	n, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(el.t, err)
	return n
}

// justClaimed waits until the leader has claimed jobs, and returns how many it has claimed. It
// claims again a second later.
func (el *electorate) justClaimed(leader *process) (n float64) {
	el.t.Helper()
	before := el.claimed(leader)
	eventually(el.t, resolved(), "the leader claims", func() bool { n = el.claimed(leader); return n > before })
	return n
}

// requireOneClaims checks that the leader claims jobs, and nobody else does.
func (el *electorate) requireOneClaims(leader *process) {
	el.t.Helper()
	before := map[*process]float64{}
	for _, p := range el.nodes {
		before[p] = el.claimed(p)
	}
	pause(2 * time.Second)
	for i, p := range el.nodes {
		if p == leader {
			require.Greater(el.t, el.claimed(p), before[p], "the leader claims")
		} else {
			require.Equal(el.t, before[p], el.claimed(p), "scheduler %d claims beside the leader", i+1)
		}
	}
}

// TestTheElectedLeaderDies lets etcd and ZooKeeper elect the leader of three schedulers under load.
// It kills, freezes, cuts off and stops the leader, and the elector, in turn. Another one leads
// each time, and nobody claims beside it; without the elector the leader leads on, and if it dies
// the store finds a successor. Each due time runs once. Only a soak has a machine of its own, on
// which another one has to lead in time.
func TestTheElectedLeaderDies(t *testing.T) {
	testserver.Long(t)
	for i, k := range coordinators {
		t.Run(k.name, func(t *testing.T) {
			onEach(t, servers, func(t *testing.T, e engine) {
				j := slices.IndexFunc(servers, func(other engine) bool { return other.name == e.name })
				// So that a short run has each fault with one of them.
				electedLeaderDies(t, e, k, 2*(i*len(servers)+j))
			})
		})
	}
}

// electedLeaderDies begins with the fault at the index from.
func electedLeaderDies(t *testing.T, e engine, k coordinator, from int) {
	r := random(t)
	el := newElectorate(t, e, k)
	el.addJobs(pick(60, *jobs), mixed, nil)
	el.waitForRuns(60)
	pause(leaseLapse) // until all hold a lease and a session
	type fault struct {
		what  string
		begin func(*process)
		lasts time.Duration // at least, and up to three seconds more
		end   func(*process)
		most  time.Duration // until another one leads; 0 means that the leader stays
	}
	away := func(*process) {
		el.server.Kill(t)
		eventually(t, resolved(), "the elector is away", func() bool { return el.settled(xxladapter.StateAway) })
	}
	back := func(*process) { el.server.Start(t) }
	faults := []fault{
		{"killed", (*process).kill, 0, (*process).start, k.silence},
		{"stopped", func(p *process) { p.stop() }, 0, (*process).start, leaseLapse},
		{"frozen", (*process).freeze, 15 * time.Second, (*process).thaw, k.silence},
		{"cut off", func(p *process) { i := el.index(p); sever(el.stores[i], el.electors[i]) }, 0,
			func(p *process) { i := el.index(p); heal(el.stores[i], el.electors[i]) }, k.silence},
		{"cut off from the elector", func(p *process) { sever(el.electors[el.index(p)]) }, 0,
			func(p *process) { heal(el.electors[el.index(p)]) }, k.silence},
		{"without an elector", away, 0, back, 0},
		{"killed without an elector", func(p *process) { away(p); p.kill() }, 0, func(p *process) { back(p); p.start() }, leaseLapse + time.Second},
	}
	took := map[string][]time.Duration{}
	var kills []time.Time
	for round := range rounds(3, 100) {
		fault := faults[(from+round)%len(faults)]
		leader := el.leader()
		claimed := el.justClaimed(leader)
		fault.begin(leader)
		began := time.Now()
		next := leader
		if fault.most > 0 {
			next = el.nextLeader(leader)
			took[fault.what] = append(took[fault.what], time.Since(began))
		}
		if fault.what == "killed" {
			kills = append(kills, began)
		}
		pause(fault.lasts + between(r, 0, 3*time.Second))
		if fault.most == 0 {
			require.Same(t, leader, el.leader(), "it leads on under its lease")
		}
		fault.end(leader)
		began = time.Now()
		eventually(t, resolved(), "one is elected", func() bool { return slices.Contains(el.elections(), xxladapter.StateElected) })
		took["after "+fault.what] = append(took["after "+fault.what], time.Since(began))
		eventually(t, resolved(), "all know it", func() bool { return el.settled(xxladapter.StateElected, xxladapter.StateWaits) })
		pause(between(r, leaseLapse, leaseLapse+2*time.Second))
		if now := el.leader(); fault.what == "frozen" {
			require.Same(t, next, now, "the former leader stands by")
			require.Equal(t, claimed, el.claimed(leader), "it has claimed something since it woke")
		}
		el.requireOneClaims(el.leader())
	}
	pause(resolved())
	el.judge(checker.Options{Epsilon: resolved()})
	el.requireOneOwner()
	el.requireNoClaimsAfterTheLapse() // often none: an election moves the shards before a lease lapses
	for _, fault := range faults {
		if all := took["after "+fault.what]; len(all) > 0 && fault.what == "without an elector" {
			require.LessOrEqual(t, slices.Max(all), pick(resolved(), 5*time.Second), "until it elects again")
		}
		for _, what := range []string{fault.what, "after " + fault.what} {
			if all := took[what]; len(all) > 0 {
				slices.Sort(all)
				t.Logf("%s: %v at the median, %v at most, of %d", what, all[len(all)/2], all[len(all)-1], len(all))
			}
		}
		if all := took[fault.what]; len(all) > 0 {
			require.LessOrEqual(t, all[len(all)-1], pick(resolved(), fault.most), fault.what)
		}
	}
	caught := el.takenOver()
	late := el.lateness(func(run checker.Run) bool {
		return !caught[run.Log] && slices.ContainsFunc(kills, func(kill time.Time) bool {
			since := run.Due.Sub(checker.At(kill))
			return since > 0 && since < 2*leaseLapse
		})
	})
	if len(late) == 0 {
		return // a short run without a kill
	}
	t.Logf("%d runs due after a kill, and not caught in their hand-over: late by %v at the median, %v at p99, %v at most",
		len(late), late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
}

// requireOneOwner checks that shards moved as a whole each time, from one term to the next.
// REQUIRES: all schedulers have stopped.
func (el *electorate) requireOneOwner() {
	el.t.Helper()
	store := openStore(el.t, el.db.url)
	defer func() { require.NoError(el.t, store.Close()) }()
	moves, err := store.ShardMoves(el.ctx, xxladapter.KeptMoves)
	require.NoError(el.t, err)
	require.NotEmpty(el.t, moves)
	for _, m := range moves {
		require.Equal(el.t, xxladapter.Shards, m.Shards, fmt.Sprintf("%+v: a leader has all shards or none", m))
	}
}
