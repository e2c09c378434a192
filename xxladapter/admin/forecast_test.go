package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// TestAForecastCountsRunningJobsAndTheirPastDurations stores a run of 3 s of a job that is due each
// minute, and looks a day ahead.
func TestAForecastCountsRunningJobsAndTheirPastDurations(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	job := s.createJob(`,"scheduleType":"FIX_RATE","scheduleConf":"60"`)
	s.createJob(`,"scheduleType":"FIX_RATE","scheduleConf":"60"`) // stopped
	lease, err := s.store.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)
	fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: 1, TriggerTime: time.Now()}})
	require.NoError(t, err)
	_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{
		FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 200, Sent: time.Now().Add(-3 * time.Second),
	})
	require.NoError(t, err)
	_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: 200})
	require.NoError(t, err)

	var before forecastForm
	s.get("/api/v1/forecast", &before)
	require.Zero(t, before.Jobs)
	require.NoError(t, storetest.StartAt(ctx, s.store, job, time.Now().Add(time.Minute)))
	var f forecastForm
	at := time.Now().Add(time.Hour).UTC()
	s.get("/api/v1/forecast?hours=24&at="+at.Format(time.RFC3339), &f)
	require.Equal(t, 1, f.Jobs)
	require.Zero(t, f.Unknown)
	require.Equal(t, 15, f.Minutes)
	require.GreaterOrEqual(t, len(f.Cells), 96)
	require.Equal(t, int64(15), f.Cells[2].Fires)
	require.InDelta(t, 15*3, f.Cells[2].RunSeconds, 5)
	require.Equal(t, 1, f.In.Count)
	require.Equal(t, forecastJob{job, "n", 15, f.Cells[2].RunSeconds}, f.In.Jobs[0])

	f = forecastForm{}
	s.get("/api/v1/forecast?hours=168&group=4711", &f)
	require.Zero(t, f.Jobs)
	require.GreaterOrEqual(t, len(f.Cells), 672)
	require.Nil(t, f.In)
	for query, message := range map[string]string{
		"hours=169":               "hours is 169, must be 1 to 168",
		"hours=x":                 `hours is "x", must be an integer`,
		"at=2020-01-01T00:00:00Z": "at is 2020-01-01T00:00:00Z, must be within",
		"days=1":                  `"days" is not a parameter`,
	} {
		status, body := s.do("GET", "/api/v1/forecast?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message)
	}
}

func TestAGraphShowsLayersCyclesAndLastResults(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	add := func(name string, children ...int64) {
		_, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: 1, Name: name, ChildIDs: children})
		require.NoError(t, err)
	}
	add("load", 3, 4)
	add("sum", 4, 99)
	add("mail")
	add("ping", 6)
	add("pong", 5)
	s.run(3, xxladapter.ResultFail)
	var g graphForm
	s.get("/api/v1/graph", &g)
	require.Equal(t, [][]int64{{5, 6}}, g.Cycles)
	var ids []int64
	for _, n := range g.Nodes {
		ids = append(ids, n.ID)
	}
	require.Equal(t, []int64{2, 5, 6, 3, 4}, ids, "job 1 has neither children nor parents")
	require.Equal(t, "sum", g.Nodes[3].Name)
	require.Equal(t, 1, g.Nodes[3].Layer)
	require.Equal(t, []int64{99}, g.Nodes[3].Missing)
	require.Equal(t, xxladapter.LogFail, g.Nodes[3].Last.Status)
	require.Nil(t, g.Nodes[4].Last)

	g = graphForm{}
	s.get("/api/v1/graph?job=3", &g)
	require.Equal(t, []int64{4}, g.FailsWith)
	require.Equal(t, []int64{2}, g.DependsOn)
	require.Len(t, g.Nodes, 3)
	require.Empty(t, g.Cycles)
	g = graphForm{}
	s.get("/api/v1/graph?job=1", &g)
	require.Empty(t, g.Nodes)
	status, body := s.do("GET", "/api/v1/graph?job=4711", testToken, "")
	require.Equal(t, http.StatusNotFound, status, body)
}
