//go:build linux

package faults

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var claimedJobs = regexp.MustCompile(`(?m)^xxlwheel_scan_due_jobs_sum (\S+)$`)

// claimed returns how many due jobs a scheduler has claimed since its start.
func (n *networked) claimed(p *process) float64 {
	n.t.Helper()
	resp, err := apiClient.Get(n.servers[slices.Index(n.nodes, p)] + "/metrics")
	require.NoError(n.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(n.t, err)
	require.Equal(n.t, http.StatusOK, resp.StatusCode, "%s", text)
	found := claimedJobs.FindSubmatch(text)
	require.NotNil(n.t, found, "%s", text)
	jobs, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(n.t, err)
	return jobs
}

// requireOneClaims checks that the leader claims jobs, and nobody else does.
func (n *networked) requireOneClaims(leader *process) {
	n.t.Helper()
	before := map[*process]float64{}
	for _, p := range n.nodes {
		before[p] = n.claimed(p)
	}
	pause(time.Second) // all of them scan meanwhile
	testserver.Eventually(n.t, resolved(), "the leader claims", func() bool {
		return n.claimed(leader) > before[leader]
	})
	for i, p := range n.nodes {
		require.True(n.t, p == leader || n.claimed(p) == before[p], "scheduler %d claims beside the leader", i+1)
	}
}

// TestTheElectorCannotBeReached cuts the way of the leader or another scheduler to etcd or
// ZooKeeper, or kills the elector, and in some rounds kills or stops a scheduler as well. A leader
// that is cut off hands over. Without the elector it continues to lead under its lease, and if it
// dies the store finds a successor. Nobody claims beside the leader, and each due time runs once.
// Only a soak has tight limits for the time until another one leads, because it has a machine of
// its own.
func TestTheElectorCannotBeReached(t *testing.T) {
	testserver.Long(t)
	inSomeModes(t, elected, electorAway)
}

// electorAway goes through the faults, beginning with the one at the index first.
func electorAway(t *testing.T, e engine, m *mode, first int) {
	r := random(t)
	n := newNetworked(t, e, m)
	network := func(p *process) *testserver.Proxy { return n.electors[slices.Index(n.nodes, p)] }
	type fault struct {
		what       string
		begin, end func(leader, other *process)
		most       time.Duration // until another one leads; 0 means that the leader stays
	}
	away := func() {
		n.elector.Kill(t)
		testserver.Eventually(t, resolved(), "the elector is away", func() bool {
			return settled(n, electionOf, xxladapter.ElectionStateAway, xxladapter.ElectionStateAway)
		})
	}
	back := func() { n.elector.Start(t) }
	faults := []fault{
		{"leader cut off from the elector", func(p, _ *process) { sever(network(p)) }, func(p, _ *process) { heal(network(p)) }, m.elector.silence},
		{"without an elector", func(_, _ *process) { away() }, func(_, _ *process) { back() }, 0},
		{"leader killed without an elector", func(p, _ *process) { away(); p.kill() }, func(p, _ *process) { back(); p.start() }, leaseLapse + time.Second},
		{"other cut off from the elector", func(_, p *process) { sever(network(p)) }, func(_, p *process) { heal(network(p)) }, 0},
		{"other killed without an elector", func(_, p *process) { away(); p.kill() }, func(_, p *process) { back(); p.start() }, 0},
		{"leader stopped without an elector", func(p, _ *process) { away(); p.stop() }, func(p, _ *process) { back(); p.start() }, leaseLapse},
	}
	took, mend, late := map[string]lateness{}, map[string]lateness{}, map[string][]time.Time{}
	var mended time.Time
	total := 0
	for round := range rounds(3, 100) {
		total++
		fault := faults[(first+round)%len(faults)]
		leader := n.leader()
		other := n.nodes[(slices.Index(n.nodes, leader)+1+r.IntN(2))%len(n.nodes)]
		fault.begin(leader, other)
		began := time.Now()
		if fault.most > 0 {
			n.nextLeader(leader)
			took[fault.what] = append(took[fault.what], time.Since(began))
		}
		late[fault.what] = append(late[fault.what], began)
		pause(between(r, 0, 3*time.Second))
		if fault.most == 0 {
			require.Same(t, leader, n.nextLeader(other), "it leads on under its lease")
		}
		fault.end(leader, other)
		mended = time.Now()
		n.waitForRoles()
		mend[fault.what] = append(mend[fault.what], time.Since(mended)-watched)
		n.requireOneClaims(n.leader())
		if total%movesReadEvery == 0 {
			n.requireFencedTerms()
		}
	}
	pause(time.Until(mended.Add(resolved())))
	report := n.judge(checker.Options{Epsilon: resolved()})
	n.requireFencedTerms() // often no lease has lapsed: an election moves the partitions before
	line := []string{fmt.Sprintf("%d rounds, %s", total, verdict(report))}
	caught := n.takenOver()
	var slow []string
	for _, fault := range faults {
		after := dueWithin(late[fault.what], 0, 2*leaseLapse)
		if len(late[fault.what]) == 0 {
			continue
		}
		text := fault.what
		if all := took[fault.what]; len(all) > 0 {
			slices.Sort(all)
			text += fmt.Sprintf(", another one leads after %v at most", all.most().Round(time.Millisecond))
			if all.most() > pick(resolved(), fault.most) {
				slow = append(slow, "until another one leads after "+fault.what)
			}
		}
		if all := mend[fault.what]; len(all) > 0 {
			slices.Sort(all)
			text += fmt.Sprintf(", all are elected or wait %v after it", all.most().Round(time.Millisecond))
			if all.most() > pick(resolved(), mostToReturn) {
				slow = append(slow, "until all are elected or wait after "+fault.what)
			}
		}
		line = append(line, fmt.Sprintf("%s: %v", text, n.lateness(func(run checker.Run) bool { return !caught[run.Log] && after(run) })))
	}
	t.Log(strings.Join(line, "; "))
	require.Empty(t, slow, "it took too long")
}

// mostToReturn is how long it may take from the end of a fault until all schedulers have roles, and
// each is elected or waits. The elector and a killed scheduler start at the same time, and the
// clients of the other schedulers retry at growing intervals until they have their sessions again.
const mostToReturn = 10 * time.Second

// requireOneOwner checks that all partitions moved together each time, from one term to the next.
func (n *networked) requireOneOwner() {
	n.t.Helper()
	store := openStore(n.t, n.db.url)
	defer func() { require.NoError(n.t, store.Close()) }()
	moves, err := store.PartitionMoves(n.ctx, xxladapter.KeptMoves)
	require.NoError(n.t, err)
	require.NotEmpty(n.t, moves)
	for _, m := range moves {
		require.Equal(n.t, xxladapter.Partitions, m.Partitions, "%+v: a leader has all partitions or none", m)
	}
}
