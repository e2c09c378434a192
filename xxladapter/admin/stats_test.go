package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/figures"
)

// TestStatisticsShowResultsDurationsAndLateness counts runs of two groups by hour, group and job,
// for all groups and for a viewer of one.
func TestStatisticsShowResultsDurationsAndLateness(t *testing.T) {
	s := twoGroupsOn(t)
	ctx := t.Context()
	lease, err := s.store.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)
	now := time.Now()
	run := func(job, group int64, code int) {
		fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: now.Add(-20 * time.Second), Type: xxladapter.TriggerMisfire}})
		require.NoError(t, err)
		claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: group, TriggerTime: now}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{
			FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 200, Sent: now.Add(-10 * time.Second),
		})
		require.NoError(t, err)
		_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: code})
		require.NoError(t, err)
	}
	run(1, 1, 200)
	run(1, 1, 502)
	run(2, 2, 500)
	_, err = s.store.FoldStats(ctx, 100)
	require.NoError(t, err)

	var list figures.StatList
	s.get("/api/v1/stats", &list)
	require.Len(t, list.Stats, 1)
	hour := list.Stats[0]
	require.Equal(t, now.UTC().Truncate(time.Hour), *hour.Hour)
	require.Equal(t, []int64{3, 1, 1, 1}, []int64{hour.Runs, hour.Success, hour.Failed, hour.Timeout})
	for _, p := range []figures.Percentiles{hour.Duration, hour.Lateness, list.Total.Duration} {
		require.EqualValues(t, 3, p.Count)
		require.InDelta(t, 10_400, *p.P50, 800)
		require.GreaterOrEqual(t, *p.P99, int64(10_000))
	}
	require.False(t, list.From.After(now.Add(-24*time.Hour)))
	require.False(t, list.To.Before(now))

	list = figures.StatList{}
	s.get("/api/v1/stats?by=group", &list)
	require.Len(t, list.Stats, 2)
	require.Equal(t, []any{int64(2), "secluded-app", int64(1)}, []any{list.Stats[1].JobGroup, list.Stats[1].AppName, list.Stats[1].Failed})
	list = figures.StatList{}
	s.get("/api/v1/stats?by=job&limit=1", &list)
	require.Len(t, list.Stats, 1)
	require.Equal(t, []any{int64(1), "shown", int64(2)}, []any{list.Stats[0].JobID, list.Stats[0].JobName, list.Stats[0].Runs})
	require.EqualValues(t, 3, list.Total.Runs, "also of jobs beyond the limit")
	list = figures.StatList{}
	s.get("/api/v1/stats?job=2&to=2026-01-01T00:30:00Z", &list)
	require.Empty(t, list.Stats)
	require.Zero(t, list.Total.Runs)
	require.Nil(t, list.Total.Lateness.P99)
	require.Equal(t, "2026-01-01T01:00:00Z", list.To.Format(time.RFC3339))

	do := s.as(granted(1, xxladapter.RoleViewer))
	for _, by := range []string{"hour", "group", "job"} {
		status, answer := do("GET", "/api/v1/stats?by="+by, "")
		require.Equal(t, http.StatusOK, status, answer)
		require.Contains(t, answer, `"total":{"runs":2,`, "the other group does not exist")
		require.NotContains(t, answer, "secluded")
	}
	for _, of := range []string{"group=2", "job=2", "group=4711", "job=4711"} {
		status, answer := do("GET", "/api/v1/stats?"+of, "")
		require.Equal(t, http.StatusNotFound, status, "%s: %s", of, answer)
	}

	for query, message := range map[string]string{
		"by=day":         `by is "day", must be one of hour, group, job`,
		"from=yesterday": `from is "yesterday", must be`,
		"from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z": "from is 2026-01-02T00:00:00Z, must be before 2026-01-02T00:00:00Z",
		"from=2026-01-01T00:00:00Z&to=2026-03-02T00:00:00Z": "from is 2026-01-01T00:00:00Z, must be at most 31 days before 2026-03-02T00:00:00Z",
		"to=0001-01-01T00:00:01Z":                           "from is in the year 0, must be 1970 to 9999",
		"to=9999-12-31T23:59:59Z":                           "to is in the year 10000, must be 1970 to 9999",
		"from=1969-01-01T00:00:00Z":                         "from is in the year 1969, must be 1970 to 9999",
		"limit=1001":                                        "limit is 1001, must be at most 1000",
		"limit=-1":                                          `limit is "-1", must be an integer of 0 or more`,
		"group=x":                                           `group is "x", must be`,
		"hours=24":                                          `"hours" is not a parameter`,
		"by=hour&by=job":                                    "by is given 2 times, must be given once",
	} {
		status, body := s.do("GET", "/api/v1/stats?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message, query)
	}
}
