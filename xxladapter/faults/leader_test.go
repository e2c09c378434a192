//go:build linux

package faults

import (
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

// TestTheLeaderDies kills, freezes and stops the leader of three schedulers under load, and starts or
// wakes it again. Another one leads each time, and each due time runs once: what the leader had not
// planned waits until its lease has lapsed, what it was handing over until that is resolved. Only a
// soak has a machine of its own, on which another one has to lead within the lease.
func TestTheLeaderDies(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		r := random(t)
		db := e.open(t)
		c := newClusterVia(t, e, db, func(int) string { return db.url }, "--scheduling", "leader")
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		pause(leaseLapse) // until all hold a lease and a session
		type fault struct {
			what  string
			begin func(*process)
			end   func(*process)
			most  time.Duration // until another one leads
		}
		faults := []fault{
			{"killed", (*process).kill, (*process).start, pick(resolved(), leaseLapse+time.Second)},
			{"frozen", (*process).freeze, (*process).thaw, pick(resolved(), leaseLapse+time.Second)},
			{"stopped", func(p *process) { p.stop() }, (*process).start, pick(resolved(), leaseLapse)},
		}
		took := map[string][]time.Duration{}
		var kills []time.Time
		for round := range rounds(3, 100) {
			fault := faults[round%len(faults)]
			leader := c.leader()
			began := time.Now()
			fault.begin(leader)
			if fault.what == "killed" {
				kills = append(kills, began)
			}
			next := c.nextLeader(leader)
			took[fault.what] = append(took[fault.what], time.Since(began))
			pause(between(r, 0, 3*time.Second))
			fault.end(leader)
			pause(between(r, leaseLapse, leaseLapse+2*time.Second))
			require.Same(t, next, c.leader(), "the former leader stands by")
		}
		pause(resolved())
		c.judge(checker.Options{Epsilon: resolved()})
		for _, fault := range faults {
			slices.Sort(took[fault.what])
			n := len(took[fault.what])
			t.Logf("%s: another one leads after %v at the median, %v at most, of %d", fault.what, took[fault.what][n/2], took[fault.what][n-1], n)
			require.LessOrEqual(t, took[fault.what][n-1], fault.most)
		}
		caught := c.takenOver()
		late := c.lateness(func(run checker.Run) bool {
			return !caught[run.Log] && slices.ContainsFunc(kills, func(kill time.Time) bool {
				since := run.Due.Sub(checker.At(kill))
				return since > 0 && since < 2*leaseLapse
			})
		})
		t.Logf("%d runs due after a kill, and not caught in their hand-over: late by %v at the median, %v at p99, %v at most",
			len(late), late[len(late)/2], late[len(late)*99/100], late[len(late)-1])
	})
}

// leader returns the scheduler that leads, once there is one and the others stand by.
func (c *cluster) leader() *process {
	c.t.Helper()
	return c.nextLeader(nil)
}

// nextLeader waits until a scheduler other than former leads, and returns it. No other one may lead or
// plan jobs at the same time.
func (c *cluster) nextLeader(former *process) *process {
	c.t.Helper()
	var leader *process
	eventually(c.t, 30*time.Second, "a scheduler leads", func() bool {
		leader = nil
		server := slices.IndexFunc(c.nodes, func(p *process) bool { return p != former })
		var got struct {
			Nodes []struct {
				Node string
				Role xxladapter.NodeRole
			}
		}
		require.NoError(c.t, c.callAt(server, "GET", "/nodes", nil, &got))
		for _, n := range got.Nodes {
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
