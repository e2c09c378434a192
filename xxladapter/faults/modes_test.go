//go:build linux

package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A mode is a way in which schedulers of one store share the work.
type mode struct {
	name    string
	flags   []string
	elector *coordinator // nil means none
}

// A coordinator is a kind of elector that schedulers are started with.
type coordinator struct {
	start func(t *testing.T) *testserver.Server
	// silence limits the time for which it keeps the session of a silent scheduler, and the
	// election that follows.
	silence time.Duration
}

var (
	etcd = coordinator{
		func(t *testing.T) *testserver.Server { return testserver.StartEtcd(t) }, 6 * time.Second,
	}
	zooKeeper = coordinator{
		func(t *testing.T) *testserver.Server { return testserver.StartZooKeeper(t) }, 8 * time.Second,
	}

	modes = []mode{
		{"all", nil, nil},
		{"leader", []string{"--scheduling", "leader"}, nil},
		{"leader spread", []string{"--scheduling", "leader", "--spread", "random"}, nil},
		{"etcd spread", []string{"--scheduling", "leader", "--spread", "hash"}, &etcd},
		{"zookeeper spread", []string{"--scheduling", "leader", "--spread", "round"}, &zooKeeper},
	}
	// led are the modes with a leader, and elected those with an elector.
	led, elected = modes[1:], modes[3:]
)

// leads reports whether one scheduler leads.
func (m *mode) leads() bool { return len(m.flags) > 0 }

// inModes runs a test in each of the modes on each server. round is the index at which it begins a
// table of faults, so that the short runs, of three rounds each, cover the whole table together.
func inModes(t *testing.T, modes []mode, test func(t *testing.T, e engine, m *mode, round int)) {
	onEach(t, servers, func(t *testing.T, e engine) {
		j := slices.IndexFunc(servers, func(other engine) bool { return other.name == e.name })
		for i := range modes {
			t.Run(modes[i].name, func(t *testing.T) {
				t.Parallel()
				test(t, e, &modes[i], 3*(i*len(servers)+j))
			})
		}
	})
}

// inSomeModes is inModes, but in a short run each mode has one server, and each server some modes.
func inSomeModes(t *testing.T, modes []mode, test func(t *testing.T, e engine, m *mode, round int)) {
	inModes(t, modes, func(t *testing.T, e engine, m *mode, round int) {
		if round/3%len(servers) != round/3/len(servers)%len(servers) && !testserver.Soak() {
			t.Skip("another server has this mode in a short run")
		}
		test(t, e, m, round)
	})
}

// A networked cluster has schedulers that reach the store, and the elector if they have one,
// through networks of their own.
type networked struct {
	*cluster
	mode             *mode
	elector          *testserver.Server // nil means none
	stores, electors []*testserver.Proxy
}

// newNetworked returns a cluster under load, once all schedulers have their roles.
func newNetworked(t *testing.T, e engine, m *mode) *networked {
	db := e.open(t)
	n := &networked{mode: m}
	place := ""
	if m.elector != nil {
		n.elector = m.elector.start(t)
		place = n.elector.Database(t)
	}
	n.cluster = newClusterOf(t, e, db, func(int) []string {
		store := testserver.NewProxy(t, db.url)
		n.stores = append(n.stores, store)
		flags := append([]string{"--store", store.URL()}, m.flags...)
		if m.elector != nil {
			elector := testserver.NewProxy(t, place)
			n.electors = append(n.electors, elector)
			flags = append(flags, "--elector", elector.URL())
		}
		return flags
	})
	n.addJobs(pick(60, *jobs), mixed, nil)
	n.waitForRuns(60)
	n.waitForRoles()
	return n
}

// sever cuts some networks silently, and heal restores them. What was in flight is lost, and
// neither side gets an error.
func sever(proxies ...*testserver.Proxy) {
	for _, p := range proxies {
		p.HoldNew(true)
		p.Silence()
	}
}

func heal(proxies ...*testserver.Proxy) {
	for _, p := range proxies {
		p.HoldNew(false)
		p.EndSilenced() // otherwise a server would keep the silenced ones until it accepts no more
	}
}

// networks returns the networks of a scheduler.
func (n *networked) networks(node int) []*testserver.Proxy {
	if n.elector == nil {
		return []*testserver.Proxy{n.stores[node]}
	}
	return []*testserver.Proxy{n.stores[node], n.electors[node]}
}

// waitForRoles waits until each scheduler holds a lease in its role and watches the session of
// another one.
func (n *networked) waitForRoles() {
	n.t.Helper()
	defer pause(watched)
	if !n.mode.leads() {
		n.waitForParts()
		return
	}
	n.leader()
	testserver.Eventually(n.t, resolved(), "each has its role", func() bool {
		return settled(n, roleOf, xxladapter.NodeLeads, xxladapter.NodeStandby) &&
			(n.elector == nil || settled(n, electionOf, xxladapter.ElectionStateElected, xxladapter.ElectionStateWaits))
	})
}

// settled reports whether every scheduler holds a lease, at least one is in the state one, and the
// rest are in the state one or others.
func settled[S comparable](n *networked, of func(member) S, one, others S) bool {
	got := n.members()
	return len(got) == len(n.nodes) && slices.ContainsFunc(got, func(m member) bool { return of(m) == one }) &&
		!slices.ContainsFunc(got, func(m member) bool { return of(m) != one && of(m) != others })
}

func roleOf(m member) xxladapter.NodeRole          { return m.Role }
func electionOf(m member) xxladapter.ElectionState { return m.Election }

// termOf returns the number of the term in which a scheduler holds its lease.
func (c *cluster) termOf(p *process) int64 {
	c.t.Helper()
	got := c.members()
	i := slices.IndexFunc(got, func(m member) bool { return p.named(m.Node) })
	require.GreaterOrEqual(c.t, i, 0, "%s holds no lease", p.name)
	return got[i].Term
}
