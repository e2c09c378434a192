//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// servers are the engines that a network lies in front of.
var servers = engines[1:]

// everySecond is a job whose due times come a second apart.
var everySecond = []schedule{{xxladapter.ScheduleCron, "* * * * * ?"}}

// proxied is a cluster whose schedulers reach the store through a proxy each.
func proxied(t *testing.T, e engine, nodes int, flags ...string) (*cluster, []*testserver.Proxy) {
	db := e.open(t)
	proxies := make([]*testserver.Proxy, nodes)
	for i := range proxies {
		proxies[i] = testserver.NewProxy(t, db.url)
	}
	e.nodes = nodes
	return newClusterVia(t, e, db, func(i int) string { return proxies[i].URL() }, flags...), proxies
}

// requireNoMisfires checks that every due time so far has given a run of its own.
func (c *cluster) requireNoMisfires() {
	c.t.Helper()
	store := openStore(c.t, c.db.url)
	defer func() { require.NoError(c.t, store.Close()) }()
	misfires, err := store.Misfires(c.ctx, xxladapter.MisfireFilter{})
	require.NoError(c.t, err)
	require.Empty(c.t, misfires)
}

// TestConnectionsDieWithoutAWord lets all of a node's connections fall silent twice
// within four seconds, as a firewall does that forgets them. New ones work.
func TestConnectionsDieWithoutAWord(t *testing.T) {
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
		t.Logf("%d runs, p99 %v late, %v at most", len(late), late[len(late)*99/100], late[len(late)-1])
	})
}

// lateBySilence is how late a run may be when the connections fall silent twice
// within four seconds, and once more where a fire has just been claimed.
const lateBySilence = 6 * time.Second
