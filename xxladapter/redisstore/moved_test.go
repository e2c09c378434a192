package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAMoveIsJudgedByTheFormerOwner checks that what the nodes answer after a move tells a
// migration from a promotion. The head names its former home.
func TestAMoveIsJudgedByTheFormerOwner(t *testing.T) {
	t.Parallel()
	now := time.Now()
	from, here := home{"aa", "5", "history-a"}, home{"cc", "9", "history-c"}
	// The former owner aa, its replica bb, and the new owner cc, after a migration.
	answers := func() map[string]*node {
		return map[string]*node{
			"a": {view: view{self: from, master: true, owner: "cc"}, asked: now},
			"b": {view: view{self: home{"bb", "5", "history-a"}, owner: "cc"}, asked: now},
			"c": {view: view{self: here, master: true, owner: "cc"}, asked: now},
		}
	}
	importing := &client{named: promotion{home: here}, owner: &client{named: promotion{home: from}}}
	for name, c := range map[string]struct {
		from  home
		other bool // nobody has noted the new owner as a master
		to    *client
		lossy bool
		edit  func(map[string]*node)
		want  move
	}{
		"a migration":                         {want: movedWhole},
		"the former owner got another slot":   {edit: func(n map[string]*node) { n["a"].self.epoch = "10" }, want: movedWhole},
		"the former owner was restarted":      {edit: func(n map[string]*node) { n["a"].self.history = "other" }, want: movedPromoted},
		"the former owner was promoted":       {edit: func(n map[string]*node) { n["a"].self = home{"aa", "10", "other"} }, want: movedPromoted},
		"the former owner is a replica":       {edit: func(n map[string]*node) { n["a"].master = false }, want: movedPromoted},
		"the former owner is away":            {edit: func(n map[string]*node) { delete(n, "a") }, want: movedUnknown},
		"the former owner answered long ago":  {edit: func(n map[string]*node) { n["a"].asked = now.Add(-trust) }, want: movedUnknown},
		"the former owner knows of no move":   {edit: func(n map[string]*node) { n["a"].owner = "aa" }, want: movedUnknown},
		"a node was not asked since":          {edit: func(n map[string]*node) { n["b"].asked = now.Add(-time.Millisecond) }, want: movedUnknown},
		"the new owner was promoted":          {edit: func(n map[string]*node) { n["c"].before = "history-a" }, want: movedPromoted},
		"the new owner's own replica":         {other: true, want: movedPromoted},
		"a replica was promoted on the way":   {edit: func(n map[string]*node) { n["b"].master, n["b"].before = true, "history-a" }, want: movedPromoted},
		"a replica has followed another node": {edit: func(n map[string]*node) { n["b"].before = "history-a" }, want: movedWhole},
		"no home":                             {from: home{}, want: movedPromoted},
		"the same node":                       {from: here, want: movedWhole},
		"the same node, restarted":            {from: home{"cc", "9", "other"}, want: movedWhole},
		"the same node, which lost something": {from: home{"cc", "9", "other"}, lossy: true, want: movedPromoted},
		"the same node with another slot":     {from: home{"cc", "7", "history-c"}, want: movedWhole},
		"the same node, promoted again":       {from: home{"cc", "7", "other"}, want: movedPromoted},
		"to a node that imports":              {to: importing, edit: func(n map[string]*node) { n["a"].owner = "aa" }, want: movedWhole},
		"after a promotion of the owner":      {from: home{"aa", "4", "other"}, to: importing, want: movedPromoted},
	} {
		t.Run(name, func(t *testing.T) {
			nodes := answers()
			if c.edit != nil {
				c.edit(nodes)
			}
			if c.to == nil {
				c.to = &client{named: promotion{home: here}, since: now}
			}
			if c.from == (home{}) && name != "no home" {
				c.from = from
			}
			of := &cluster{quorum: &quorum{mayLose: c.lossy}, nodes: nodes}
			at := place{home: c.from, master: here.history}
			if c.other {
				at.master = "other"
			}
			how, _ := of.judge(at, c.to)
			require.Equal(t, c.want, how)
			if how == movedUnknown {
				_, err := of.moved(at, c.to)
				require.ErrorAs(t, err, new(unsettled))
				c.to.since = now.Add(-doubt)
				how, err = of.moved(at, &client{named: c.to.named, since: now.Add(-doubt)})
				require.NoError(t, err)
				if name != "a node was not asked since" { // it was, by then
					require.Equal(t, movedPromoted, how, "in doubt")
				}
			}
		})
	}
}

// TestAViewIsRead checks that a node's view is read from what it answers.
func TestAViewIsRead(t *testing.T) {
	t.Parallel()
	const nodes = `07c3 127.0.0.1:30004@31004,hostname4 slave e7d1 0 1426238317239 4 connected
67ed :30002@31002 myself,master - 0 0 2 connected 5461-10922 [5462->-292f] [7-<-e7d1]
292f 127.0.0.1:30003@31003 master - 0 1426238318243 3 connected 7 10923-16383
6ec2 ::1:30005@31005 master,fail - 0 0 1 disconnected
824f 127.0.0.1:30006@31006 handshake - 0 0 0 connected
e7d1 :0@0 master,noaddr - 0 0 1 disconnected 0-6
`
	read := func(slot int64, names bool) view {
		v, err := readView(nodes, "role:master\r\nmaster_replid:abc\r\nmaster_replid2:def\r\n", "10.0.0.1:30002", slot, names)
		require.NoError(t, err)
		return v
	}
	require.Equal(t, view{
		self: home{"67ed", "2", "abc"}, master: true, before: "def", owner: "67ed",
		known: map[string]peer{
			"07c3": {"127.0.0.1:30004", "hostname4:30004", false}, "67ed": {"10.0.0.1:30002", "10.0.0.1:30002", true},
			"292f": {"127.0.0.1:30003", "127.0.0.1:30003", true}, "6ec2": {"[::1]:30005", "[::1]:30005", true}, "e7d1": {"", "", true},
		},
	}, read(5462, false))
	require.Equal(t, "292f", read(7, false).owner)
	require.Equal(t, "e7d1", read(0, false).owner)
	require.Equal(t, "hostname4:30004", read(0, true).known["07c3"].address)
	_, err := readView("one line", "", "a:1", 0, false)
	require.Error(t, err)
	_, err = readView("", "", "a:1", 0, false)
	require.Error(t, err)
}
