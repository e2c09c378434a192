package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
)

// A familyStore writes the runs of one fire as a scheduler would.
type familyStore struct {
	*site
	term xxladapter.Term
}

// claim plans a fire and hands out a run for each shard.
func (s *familyStore) claim(f xxladapter.Fire, group int64, shards ...string) []int64 {
	s.t.Helper()
	fires, err := s.store.PlanFires(s.t.Context(), []xxladapter.Fire{f})
	require.NoError(s.t, err)
	return s.claimPlanned(fires[0], group, shards...)
}

func (s *familyStore) claimPlanned(f xxladapter.Fire, group int64, shards ...string) (ids []int64) {
	s.t.Helper()
	var logs []*xxladapter.Log
	for _, shard := range shards {
		logs = append(logs, &xxladapter.Log{JobID: f.JobID, GroupID: group, Sharding: shard, TriggerTime: time.Now()})
	}
	claimed, err := s.store.ClaimFire(s.t.Context(), s.term, f.ID, logs)
	require.NoError(s.t, err)
	for i := range claimed {
		ids = append(ids, claimed[i].LogID)
		_, err := s.store.SettleFire(s.t.Context(), s.term, xxladapter.Settlement{FireID: claimed[i].ID, LogID: claimed[i].LogID, Code: 200, Sent: time.Now()})
		require.NoError(s.t, err)
	}
	return ids
}

// finish stores a result, and returns the fires that follow.
func (s *familyStore) finish(log int64, code int, next ...xxladapter.Fire) []xxladapter.Fire {
	s.t.Helper()
	_, planned, err := s.store.FinishRun(s.t.Context(), xxladapter.RunResult{LogID: log, Code: code, Next: next})
	require.NoError(s.t, err)
	return planned
}

// TestARunNamesThoseThatBelongToIt has a broadcast of two shards. The first shard fails and is
// retried. The second attempt triggers jobs of two groups, and somebody repeats that attempt.
func TestARunNamesThoseThatBelongToIt(t *testing.T) {
	s := twoGroupsOn(t)
	lease, err := s.store.Lease(t.Context(), "n", time.Hour)
	require.NoError(t, err)
	family := &familyStore{s, lease.Term}
	child, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: 1, Name: "child"})
	require.NoError(t, err)
	j, err := s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	j.ChildIDs = []int64{child, 2}
	require.NoError(t, xxladapter.UpdateJob(t.Context(), s.store, j, false))

	due := time.Now().Add(-time.Second).Truncate(time.Millisecond)
	shards := family.claim(xxladapter.Fire{JobID: 1, Due: due, Type: xxladapter.TriggerCron}, 1, "0/2", "1/2")
	other := family.claim(xxladapter.Fire{JobID: 1, Due: due.Add(time.Millisecond), Type: xxladapter.TriggerCron}, 1, "0/2")
	now := time.Now().Truncate(time.Millisecond)
	retry := family.finish(shards[0], 500, xxladapter.Fire{JobID: 1, Due: now, Type: xxladapter.TriggerRetry, ShardTotal: 2})
	second := family.claimPlanned(retry[0], 1, "0/2")[0]
	follow := family.finish(second, 200,
		xxladapter.Fire{JobID: child, Due: now, Type: xxladapter.TriggerParent, RetryCount: -1}, xxladapter.Fire{JobID: 2, Due: now, Type: xxladapter.TriggerParent, RetryCount: -1})
	childRun := family.claimPlanned(follow[0], 1, "")[0]
	secluded := family.claimPlanned(follow[1], 2, "")[0]
	repeat := family.claim(xxladapter.Fire{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual, Parent: second, ShardTotal: 2}, 1, "0/2")[0]

	related := func(do func(method, path, body string) (int, string), id int64) (list []string) {
		t.Helper()
		status, body := do("GET", fmt.Sprintf("/api/v1/runs/%d?related=true", id), "")
		require.Equal(t, http.StatusOK, status, body)
		var form runs.RunForm
		require.NoError(t, json.Unmarshal([]byte(body), &form))
		for _, r := range form.Related {
			list = append(list, fmt.Sprintf("%s %d %s %d %s", r.Kin, r.LogID, r.Shard, r.Attempt, r.Status))
		}
		return list
	}
	all := s.as(granted(0, xxladapter.RoleViewer))
	require.Equal(t, []string{
		fmt.Sprintf("ATTEMPT %d 0/2 1 FAIL", shards[0]), fmt.Sprintf("SHARD %d 1/2 1 RUNNING", shards[1]), fmt.Sprintf("REPEAT %d 0/2 1 RUNNING", repeat),
		fmt.Sprintf("CHILD %d  1 RUNNING", childRun), fmt.Sprintf("CHILD %d  1 RUNNING", secluded),
	}, related(all, second))
	require.Equal(t, []string{fmt.Sprintf("SHARD %d 0/2 1 FAIL", shards[0]), fmt.Sprintf("ATTEMPT %d 0/2 2 SUCCESS", second)}, related(all, shards[1]))
	require.Equal(t, []string{fmt.Sprintf("PARENT %d 0/2 2 SUCCESS", second)}, related(all, childRun))
	require.Empty(t, related(all, other[0]), "another fire has shards of its own")

	one := s.as(granted(1, xxladapter.RoleViewer))
	require.Len(t, related(one, second), 4, "the child in the group that is not granted does not exist")
	require.Empty(t, related(s.as(granted(2, xxladapter.RoleViewer)), secluded), "nor does the parent")

	status, body := all("GET", fmt.Sprintf("/api/v1/runs/%d", second), "")
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, body, "related")
}
