package admin

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
)

// TestRunListsHaveNamesAndDurations lists runs by status, text, address, trigger type and duration.
func TestRunListsHaveNamesAndDurations(t *testing.T) {
	s := newSite(t)
	job := s.createJob("")
	good, lost, unknown := s.run(job, xxladapter.ResultOK), s.run(job, xxladapter.ResultOK), s.run(job, xxladapter.ResultUnknown)
	for id, r := range map[int64]xxladapter.RunResult{good: {Code: 200, Msg: "42 rows"}, lost: {Code: 500, Msg: xxladapter.LostMsg + "executor is gone"}} {
		r.LogID = id
		_, _, err := s.store.FinishRun(t.Context(), r)
		require.NoError(t, err)
	}
	open := s.run(job, xxladapter.ResultOK)
	list := func(query string) (list runs.RunList, ids []int64) {
		s.get("/api/v1/runs?"+query, &list)
		for _, l := range list.Runs {
			ids = append(ids, l.ID)
		}
		return list, ids
	}
	all, ids := list("count")
	require.Equal(t, []int64{good, lost, unknown, open}, ids)
	require.Equal(t, 4, *all.Count)
	require.False(t, all.More)
	for i, l := range all.Runs {
		require.Equal(t, "n", l.JobName)
		require.Equal(t, "some-app", l.AppName)
		require.Equal(t, i == 1 || i == 2, l.Lost)
		require.NotNil(t, l.History)
		require.Equal(t, i != 2, l.Took != nil, "run %d", l.ID)
	}
	require.Greater(t, *all.Runs[3].Took, int64(1000), "it is still running")
	for query, want := range map[string][]int64{
		"status=LOST":                   {lost, unknown},
		"status=FAIL&newest":            {unknown, lost},
		"text=42":                       {good},
		"address=10.0.0.7":              {good, lost, unknown, open},
		"address=10.0.0.8":              nil,
		"triggerType=MANUAL&limit=1000": {good, lost, unknown, open},
		"triggerType=CRON":              nil,
		"atLeastMs=1000":                {good, lost, open},
	} {
		_, ids := list(query)
		require.Equal(t, want, ids, query)
	}
	page, ids := list("limit=3")
	require.Equal(t, []int64{good, lost, unknown}, ids)
	require.Equal(t, unknown, page.Next)
	page, ids = list("limit=4")
	require.Len(t, ids, 4)
	require.Zero(t, page.Next)

	require.NoError(t, xxladapter.RemoveJob(t.Context(), s.store, job))
	all, _ = list("")
	require.Empty(t, all.Runs[0].JobName)
}

func TestRunListsRefuseWhatTheyDoNotKnow(t *testing.T) {
	s := newSite(t)
	for query, message := range map[string]string{
		"triggerType=cron":                    `triggerType is "cron", must be one of CRON, MISFIRE`,
		"atLeastMs=1s":                        `atLeastMs is "1s", must be an integer`,
		"atLeastMs=99999999999":               "atLeastMs is 99999999999, must be 0 to 31536000000",
		"text=" + strings.Repeat("x", 256):    "text has 256 characters, must have at most 255",
		"address=" + strings.Repeat("x", 256): "address has 256 characters, must have at most 255",
		"text=%fe":                            "text is not valid UTF-8",
		"duration=1":                          `"duration" is not a parameter of GET /api/v1/runs`,
	} {
		status, body := s.do("GET", "/api/v1/runs?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message, query)
	}
}
