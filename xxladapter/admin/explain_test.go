package admin

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

type whyShown struct {
	ScheduleIsPresent bool
	Findings          []struct {
		Code     string
		Params   map[string]string
		Words    struct{ En, Zh string }
		Evidence []struct {
			Record string
			ID     int64
		}
	}
}

func (s *site) why(job int64, at time.Time) (shown whyShown, codes []string) {
	s.t.Helper()
	s.get(fmt.Sprintf("/api/v1/jobs/%d/why?at=%s", job, url.QueryEscape(at.Format(time.RFC3339))), &shown)
	for _, f := range shown.Findings {
		codes = append(codes, f.Code)
		require.NotEmpty(s.t, f.Words.En)
		require.NotEmpty(s.t, f.Words.Zh)
		require.NotEmpty(s.t, f.Evidence)
	}
	return shown, codes
}

// TestWhyIsFoundInTheStore asks about a stopped job, a running one, a fire and a run.
func TestWhyIsFoundInTheStore(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 * * * * ?"`)
	next := time.Now().Truncate(time.Minute).Add(2 * time.Minute)
	shown, codes := s.why(job, next)
	require.Equal(t, []string{"stopped"}, codes)
	require.Equal(t, "job", shown.Findings[0].Evidence[0].Record)

	status, body := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", job), testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	_, codes = s.why(job, next)
	require.Equal(t, []string{"not_yet"}, codes)
	_, codes = s.why(job, next.Add(-17*time.Second))
	require.Equal(t, []string{"no_match"}, codes)
	status, body = s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/stop", job), testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	shown, codes = s.why(job, next)
	require.Equal(t, []string{"stopped"}, codes)
	require.Equal(t, "audit", shown.Findings[0].Evidence[0].Record)
	require.Contains(t, shown.Findings[0].Words.En, "switched it off", "the audit tells who")

	// A fire that was claimed in a term that has ended since.
	due := time.Now().Truncate(time.Second).Add(-time.Hour)
	fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: due, Type: xxladapter.TriggerCron, RetryCount: -1}})
	require.NoError(t, err)
	_, codes = s.why(job, due)
	require.Equal(t, []string{"no_scheduler"}, codes)
	lease, err := s.store.Lease(ctx, "n1", time.Hour)
	require.NoError(t, err)
	_, codes = s.why(job, due)
	require.Equal(t, []string{"no_place"}, codes)
	claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: 1, Address: "http://10.0.0.7:9999/", TriggerTime: time.Now()}})
	require.NoError(t, err)
	_, codes = s.why(job, due)
	require.Equal(t, []string{"ran_late", "being_sent"}, codes)
	require.NoError(t, s.store.Resign(ctx, lease.Term))
	_, codes = s.why(job, due)
	require.Equal(t, []string{"ran_late", "node_froze"}, codes)
	second, err := s.store.Lease(ctx, "n2", time.Hour)
	require.NoError(t, err)
	require.NoError(t, s.store.TakeFire(ctx, second.Term, claimed[0].ID, lease.Term))
	_, err = s.store.SettleFire(ctx, second.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 200, Sent: time.Now()})
	require.NoError(t, err)
	_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: 200})
	require.NoError(t, err)
	shown, codes = s.why(job, due)
	require.Equal(t, []string{"node_froze", "ran"}, codes)
	require.Equal(t, []string{"n1", "n2"}, []string{shown.Findings[0].Params["node"], shown.Findings[0].Params["by"]})
	require.Equal(t, claimed[0].LogID, shown.Findings[1].Evidence[0].ID)
}

// A slowListStore takes long to list fires.
type slowListStore struct {
	*memstore.Store
	takes time.Duration
}

func (s *slowListStore) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	time.Sleep(s.takes) // in a bubble
	return s.Store.OpenFires(ctx, f)
}

// TestASlowStoreIsNoClockThatDiffers asks about an overdue job while no scheduler is alive. The
// store takes as long for a list as the clocks may be apart.
func TestASlowStoreIsNoClockThatDiffers(t *testing.T) {
	const limit = time.Second
	for behind, apart := range map[time.Duration]bool{
		0: false, limit - 1: false, 1 - limit: false, limit: false, limit + 1: true, -limit - 1: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			store := &slowListStore{memstore.New(func() time.Time { return time.Now().Add(-behind) }), limit}
			s := siteInBubble(t, func(o *Options) { o.Store, o.Info.SkewLimit = store, limit })
			s.store = store.Store
			job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"* * * * * ?"`)
			due := time.Now().Add(time.Minute)
			require.NoError(t, storetest.StartAt(t.Context(), s.store, job, due))
			time.Sleep(2 * time.Minute) // nothing plans it
			_, codes := s.why(job, due.Add(time.Second))
			require.Contains(t, codes, "no_scheduler")
			require.Equal(t, apart, slices.Contains(codes, "clocks_apart"), "%v behind: %v", behind, codes)
		})
	}
}

func TestATimelineShowsWhatWasDueAndWhatFired(t *testing.T) {
	from := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	s, elapsed := siteAt(t, from.Add(-time.Minute))
	ctx := t.Context()
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 * * * * ?"`)
	status, body := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", job), testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	elapsed(10 * time.Minute)
	lease, err := s.store.Lease(ctx, "n1", time.Hour)
	require.NoError(t, err)
	var logs []int64
	for i := range 2 {
		due := from.Add(time.Duration(i+1) * time.Minute)
		fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: due, Type: xxladapter.TriggerCron, RetryCount: -1}})
		require.NoError(t, err)
		claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: 1, TriggerTime: due}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 500, Sent: due.Add(250 * time.Millisecond)})
		require.NoError(t, err)
		logs = append(logs, claimed[0].LogID)
	}
	var line struct {
		ScheduleIsPresent bool
		Planned           []struct {
			Due  time.Time
			Fate string
		}
		Runs []struct {
			LogID, LatenessMs int64
			Status            string
		}
	}
	path := fmt.Sprintf("/api/v1/jobs/%d/timeline", job)
	query := "?from=" + url.QueryEscape(from.Format(time.RFC3339)) + "&to=" + url.QueryEscape(from.Add(30*time.Minute).Format(time.RFC3339))
	s.get(path+query, &line)
	require.Len(t, line.Planned, 30)
	require.Equal(t, []string{"NOTHING", "FIRED", "FIRED", "NOTHING"}, []string{line.Planned[0].Fate, line.Planned[1].Fate, line.Planned[2].Fate, line.Planned[3].Fate})
	require.Equal(t, "COMING", line.Planned[29].Fate)
	require.Len(t, line.Runs, 2)
	require.Equal(t, []int64{logs[0], 250}, []int64{line.Runs[0].LogID, line.Runs[0].LatenessMs})
	require.Equal(t, "FAIL", line.Runs[0].Status)

	for query, message := range map[string]string{
		"?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z": "to is 1416h0m0s after from, must be at most 768h0m0s",
		"?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "from is 2026-01-02T00:00:00Z, must be before to, 2026-01-01T00:00:00Z",
		"?from=yesterday": `from is "yesterday", must be an RFC 3339 instant such as 2026-01-02T15:04:05Z`,
		"?zone=UTC":       `"zone" is not a parameter of GET /api/v1/jobs/{id}/timeline`,
	} {
		status, body := s.do("GET", path+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		requireError(t, "invalid", message, body)
	}
	for path, message := range map[string]string{
		"/api/v1/jobs/1/why?at=2":                       `at is "2", must be an RFC 3339 instant such as 2026-01-02T15:04:05Z`,
		"/api/v1/jobs/1/why?at=9999-12-31T23:59:00Z":    "at is in the year 10000, must be 1970 to 9999",
		"/api/v1/jobs/4711/why?at=2026-01-01T00:00:00Z": "job 4711 does not exist",
	} {
		_, body := s.do("GET", path, testToken, "")
		require.Contains(t, body, fmt.Sprintf("%q", message))
	}
}
