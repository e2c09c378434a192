package admin

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// lease gives leases to nodes, each with its part of the shards.
func (s *site) lease(nodes ...string) {
	s.t.Helper()
	for range 2 { // the second time each knows the others
		for _, node := range nodes {
			_, err := s.store.Lease(s.t.Context(), node, time.Hour)
			require.NoError(s.t, err)
		}
	}
}

func TestADrainedSchedulerHasNoShards(t *testing.T) {
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
	require.Zero(t, leases[0].Shards)
	require.Equal(t, xxladapter.AllShards, leases[1].Shards)
	require.Equal(t, http.StatusConflict, drain("node-2"), "the last one")
	require.Equal(t, http.StatusOK, drain("node-1"))
}
