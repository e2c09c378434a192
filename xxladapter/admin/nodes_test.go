package admin

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// lease gives leases to nodes, each with its part of the partitions.
func (s *site) lease(nodes ...string) {
	s.t.Helper()
	for range 2 { // the second time each knows the others
		for _, node := range nodes {
			_, err := s.store.Lease(s.t.Context(), node, time.Hour)
			require.NoError(s.t, err)
		}
	}
}

func TestADrainedSchedulerHasNoPartitions(t *testing.T) {
	s := newSite(t)
	call := s.as(granted(0, xxladapter.RoleAdmin))
	drain := func(node string) int {
		status, _ := call("POST", "/api/v1/nodes/drain", `{"node":"`+node+`"}`)
		return status
	}
	s.lease("node-1", "node-2")
	require.Equal(t, http.StatusNotFound, drain("node-3"))
	require.Equal(t, http.StatusOK, drain("node-1"))
	require.Equal(t, http.StatusOK, drain("node-1"), "again")
	s.lease("node-1", "node-2")
	leases, err := s.store.Leases(t.Context())
	require.NoError(t, err)
	require.Zero(t, leases[0].Partitions)
	require.Equal(t, xxladapter.AllPartitions, leases[1].Partitions)
	require.Equal(t, http.StatusConflict, drain("node-2"), "the last one")
	require.Equal(t, http.StatusOK, drain("node-1"))
}

func TestTheLeaderIsShownAndCanBeDrained(t *testing.T) {
	s := newSite(t)
	lead := func() {
		for _, node := range []string{"node-1", "node-2"} {
			_, err := s.store.Lead(t.Context(), node, time.Hour, xxladapter.ElectionNone)
			require.NoError(t, err)
		}
	}
	roles := func() []string {
		var got struct{ Nodes []struct{ Mode, Role string } }
		status, answer := s.as(granted(0, xxladapter.RoleViewer))("GET", "/api/v1/nodes", "")
		require.Equal(t, http.StatusOK, status)
		require.NoError(t, json.Unmarshal([]byte(answer), &got))
		var roles []string
		for _, n := range got.Nodes {
			require.Equal(t, "leader", n.Mode)
			roles = append(roles, n.Role)
		}
		return roles
	}
	lead()
	require.Equal(t, []string{"leads", "standby"}, roles())
	call := s.as(granted(0, xxladapter.RoleAdmin))
	status, _ := call("POST", "/api/v1/nodes/drain", `{"node":"node-1"}`)
	require.Equal(t, http.StatusOK, status)
	lead()
	require.Equal(t, []string{"retired", "leads"}, roles())
	status, _ = call("POST", "/api/v1/nodes/drain", `{"node":"node-2"}`)
	require.Equal(t, http.StatusConflict, status, "the last one")
}

// TestNodesTellWhatWasSpread checks what GET /nodes shows of a node that has reported, and of one
// that has not.
func TestNodesTellWhatWasSpread(t *testing.T) {
	s := newSite(t)
	for _, node := range []string{"node-1", "node-2"} {
		lease, err := s.store.Lead(t.Context(), node, time.Hour, xxladapter.ElectionNone)
		require.NoError(t, err)
		if node == "node-1" {
			require.NoError(t, s.store.ReportNode(t.Context(), lease.Term, xxladapter.NodeReport{
				Address: "http://10.0.0.7:8080", Spread: xxladapter.SpreadHash, Fires: xxladapter.SpreadReport{Sent: 5, Received: 3, Kept: 1},
			}))
		}
	}
	status, answer := s.as(granted(0, xxladapter.RoleViewer))("GET", "/api/v1/nodes", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, answer, `"address":"http://10.0.0.7:8080","spread":"hash","fires":{"sent":5,"received":3,"kept":1}`)
	var got struct{ Nodes []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(answer), &got))
	for _, field := range []string{"address", "spread", "fires"} {
		require.NotContains(t, got.Nodes[1], field, "it has not reported")
	}
}

func TestNodesShowWhatTheElectorSays(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.Elector = "etcd://h1:2379/a" })
	for node, e := range map[string]xxladapter.Election{"node-1": 7, "node-2": xxladapter.ElectionWaits, "node-3": xxladapter.ElectionAway, "node-4": xxladapter.ElectionNone} {
		_, err := s.store.Lead(t.Context(), node, time.Hour, e)
		require.NoError(t, err)
	}
	type node struct {
		Node, Election, Elector string
		ElectionNumber          int64
	}
	var got struct{ Nodes []node }
	status, answer := s.as(granted(0, xxladapter.RoleViewer))("GET", "/api/v1/nodes", "")
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal([]byte(answer), &got))
	const elector = "etcd://h1:2379/a"
	require.Equal(t, []node{{"node-1", "elected", elector, 7}, {"node-2", "waits", elector, 0}, {"node-3", "away", elector, 0}, {Node: "node-4", Election: "none"}}, got.Nodes)
}

func TestNodesTellWhyPartitionsMoved(t *testing.T) {
	s := newSite(t)
	s.lease("node-1", "node-2")
	leases, err := s.store.Leases(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.store.ReportNode(t.Context(), leases[1].Term, xxladapter.NodeReport{
		Skew: -40 * time.Millisecond, Fast: xxladapter.PoolReport{Places: 200, InFlight: 7, Waiting: 3}, Slow: xxladapter.PoolReport{Places: 100},
	}))
	require.NoError(t, s.store.Resign(t.Context(), leases[0].Term))
	type move struct {
		Cause, Node      string
		Term, Partitions int64
	}
	type pool struct{ Places, InFlight, Waiting int }
	var got struct {
		Nodes []struct {
			Node         string
			ClockAheadMs int64
			Fast, Slow   pool
			LastMove     *move
		}
		Moves []move
	}
	status, answer := s.as(granted(0, xxladapter.RoleViewer))("GET", "/api/v1/nodes", "")
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal([]byte(answer), &got))
	require.Equal(t, []move{
		{"stopped", "node-1", leases[0].Number, 32}, {"joined", "node-2", leases[1].Number, 32}, {"joined", "node-1", leases[0].Number, 64},
	}, got.Moves)
	require.Len(t, got.Nodes, 1)
	require.Equal(t, int64(-40), got.Nodes[0].ClockAheadMs)
	require.Equal(t, pool{200, 7, 3}, got.Nodes[0].Fast)
	require.Equal(t, pool{Places: 100}, got.Nodes[0].Slow)
	require.Equal(t, &got.Moves[1], got.Nodes[0].LastMove)
}
