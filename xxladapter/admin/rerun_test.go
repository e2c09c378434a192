package admin

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

func TestARunIsRunAgain(t *testing.T) {
	s := newSite(t)
	job := s.createJob("")
	fires, err := s.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	lease, err := s.store.Lease(t.Context(), "n", time.Hour)
	require.NoError(t, err)
	_, err = s.store.ClaimFire(t.Context(), lease.Term, fires[0].ID, []*xxladapter.Log{
		{JobID: job, GroupID: 1, Param: "month=1", Sharding: "0/2"}, {JobID: job, GroupID: 1, Param: "month=2", Sharding: "1/2"},
	})
	require.NoError(t, err)

	for _, tt := range []struct {
		body, param string
		addresses   []string
	}{
		{"", "month=2", nil},
		{`{}`, "month=2", nil},
		{`{"executorParam":""}`, "", nil},
	} {
		status, body := s.do("POST", "/api/v1/runs/2/rerun", testToken, tt.body)
		require.Equal(t, http.StatusOK, status, body)
		f := s.planned[len(s.planned)-1]
		require.Equal(t, tt.param, *f.Param)
		require.Equal(t, []int64{1, 2, 2}, []int64{int64(f.ShardIndex), int64(f.ShardTotal), f.Parent})
		require.Equal(t, xxladapter.TriggerManual, f.Type)
	}
	for body, message := range map[string]string{
		`{"executorParam":1}`:                       "executorParam is a JSON number, must be a string",
		`{"shard":1}`:                               `unknown field \"shard\"`,
		`{"addressList":["http://10.9.9.9:1/"]}`:    "addressList",
		`{"executorParam":"x","executorParam":"y"}`: "executorParam is given twice",
	} {
		status, answer := s.do("POST", "/api/v1/runs/2/rerun", testToken, body)
		require.Equal(t, http.StatusBadRequest, status, answer)
		require.Contains(t, answer, message)
	}
	require.Len(t, s.planned, 3, "what was refused did nothing")
	status, _ := s.do("POST", "/api/v1/runs/99/rerun", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
}

func TestARerunWithAKeyHappensOnce(t *testing.T) {
	s := newSite(t)
	job := s.createJob("")
	first, second := s.run(job, xxladapter.ResultOK), s.run(job, xxladapter.ResultOK)
	again := func(run int64) (planned, error) {
		return s.server.rerun(access.WithRights(t.Context(), access.RightsForAll(xxladapter.RoleAdmin)), triggerPath{api.IDPath{ID: run}, new("key")}, nil)
	}
	one, err := again(first)
	require.NoError(t, err)
	two, err := again(first)
	require.NoError(t, err)
	require.Equal(t, planned{one.Order, one.Fire, true}, two)
	_, err = again(second)
	require.ErrorIs(t, err, xxladapter.ErrConflict, "the key is that of another run")
	require.Len(t, s.planned, 1)
}
