//go:build linux

package faults

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A member is a scheduler with a lease, as a scheduler reports it.
type member struct {
	Node       string
	Term       int64
	Role       xxladapter.NodeRole
	Election   xxladapter.ElectionState
	Partitions int
}

// members asks the first scheduler for all that hold a lease. It returns none if that scheduler
// cannot reach the store.
func (c *cluster) members() []member { return c.membersBy(0) }

func (c *cluster) membersBy(server int) []member {
	var got struct{ Nodes []member }
	if c.callAt(server, "GET", "/nodes", nil, &got) != nil {
		return nil
	}
	return got.Nodes
}

// leader returns the scheduler that leads, once there is one.
func (c *cluster) leader() *process {
	c.t.Helper()
	return c.nextLeader(nil)
}

// nextLeader waits until a scheduler other than former leads, and returns it. No other one may lead
// or plan jobs at the same time.
func (c *cluster) nextLeader(former *process) *process {
	c.t.Helper()
	var leader *process
	testserver.Eventually(c.t, 30*time.Second, "a scheduler leads", func() bool {
		leader = nil
		server := slices.IndexFunc(c.nodes, func(p *process) bool { return p != former })
		for _, n := range c.membersBy(server) {
			require.NotEqual(c.t, xxladapter.NodePlans, n.Role, "beside a leader")
			if n.Role != xxladapter.NodeLeads {
				continue
			}
			require.Nil(c.t, leader, "two lead")
			i := slices.IndexFunc(c.nodes, func(p *process) bool { return p.named(n.Node) })
			require.GreaterOrEqual(c.t, i, 0, n.Node)
			leader = c.nodes[i]
		}
		return leader != nil && leader != former
	})
	return leader
}

// named reports whether a scheduler's name, HOST:PROCESS:RANDOM, is that of the process.
func (p *process) named(node string) bool {
	parts := strings.Split(node, ":")
	return len(parts) == 3 && parts[1] == strconv.Itoa(p.cmd.Process.Pid)
}
