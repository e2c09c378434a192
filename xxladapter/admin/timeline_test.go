package admin

import (
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// siteAt is a site whose store has a clock of its own, which elapsed sets.
func siteAt(t *testing.T, start time.Time) (s *site, elapsed func(since time.Duration)) {
	t.Helper()
	var now atomic.Int64
	store := memstore.New(func() time.Time { return start.Add(time.Duration(now.Load())) })
	s = siteWith(t, func(o *Options) { o.Store = store })
	s.store = store
	return s, func(since time.Duration) { now.Store(int64(since)) }
}

// TestATimelineFollowsTheChangesOfItsTime edits, stops and starts a job through the API within four
// minutes: the due times are those of the schedule of each moment.
func TestATimelineFollowsTheChangesOfItsTime(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	s, elapsed := siteAt(t, two)
	call := func(at time.Duration, method, path, body string) {
		t.Helper()
		elapsed(at)
		status, answer := s.do(method, path, testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0/10 * * * * ?"`)
	path := fmt.Sprintf("/api/v1/jobs/%d", job)
	call(time.Second, "POST", path+"/start", "")
	call(25*time.Second, "PUT", path, `{"scheduleConf":"40 * * * * ?"}`)
	call(30*time.Second, "PUT", path, `{"author":"somebody else"}`)
	call(90*time.Second, "POST", path+"/stop", "")
	call(130*time.Second, "POST", path+"/start", "")

	elapsed(165 * time.Second)
	lease, err := s.store.Lease(t.Context(), "n1", time.Hour)
	require.NoError(t, err)
	_, due, err := s.store.ClaimDue(t.Context(), lease.Term, 5*time.Second, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		late := due[0].TriggerNext
		return []xxladapter.Decision{{
			JobID: job, Last: late, Next: late.Add(time.Minute),
			Misfires: []xxladapter.Misfire{{JobID: job, Due: late, Until: late, Policy: xxladapter.MisfireDoNothing, At: now}},
		}}
	})
	require.NoError(t, err)
	require.Equal(t, 1, due)

	var line struct {
		ScheduleIsPresent bool
		Schedules         []struct {
			From, To                         time.Time
			Running                          bool
			ScheduleType, ScheduleConf, Zone string
		}
		Planned []struct {
			Due  time.Time
			Fate string
		}
		Misfires []struct{ MisfireStrategy string }
	}
	ask := func(from, to time.Duration) {
		t.Helper()
		query := url.Values{"from": {two.Add(from).Format(time.RFC3339)}, "to": {two.Add(to).Format(time.RFC3339)}}
		line.Schedules, line.Planned, line.Misfires = nil, nil, nil
		s.get(path+"/timeline?"+query.Encode(), &line)
	}
	planned := func() (shown []string) {
		for _, tick := range line.Planned {
			shown = append(shown, tick.Due.Format(time.TimeOnly)+" "+tick.Fate)
		}
		return shown
	}
	ask(-30*time.Second, 4*time.Minute)
	require.False(t, line.ScheduleIsPresent)
	require.Equal(t, []string{"02:00:10 NOTHING", "02:00:20 NOTHING", "02:00:40 NOTHING", "02:02:40 MISFIRE", "02:03:40 COMING"}, planned())
	require.Len(t, line.Misfires, 1)
	require.Equal(t, string(xxladapter.MisfireDoNothing), line.Misfires[0].MisfireStrategy)
	var schedules []string
	for _, span := range line.Schedules {
		schedules = append(schedules, fmt.Sprintf("%s %s %v %s %s%s", span.From.Format(time.TimeOnly), span.To.Format(time.TimeOnly), span.Running, span.ScheduleType, span.ScheduleConf, span.Zone))
	}
	require.Equal(t, []string{
		"01:59:30 02:00:01 false CRON 0/10 * * * * ?",
		"02:00:01 02:00:25 true CRON 0/10 * * * * ?",
		"02:00:25 02:01:30 true CRON 40 * * * * ?",
		"02:01:30 02:02:10 false CRON 40 * * * * ?",
		"02:02:10 02:04:00 true CRON 40 * * * * ?",
	}, schedules)

	// What will come of a job that is off: nothing.
	call(170*time.Second, "POST", path+"/stop", "")
	ask(175*time.Second, 10*time.Minute)
	require.Empty(t, planned())
	require.Len(t, line.Schedules, 1)

	// An edited schedule explains the minute in which it stood.
	_, codes := s.why(job, two.Add(20*time.Second))
	require.Equal(t, []string{"no_record"}, codes)
	shown, codes := s.why(job, two.Add(50*time.Second))
	require.Equal(t, []string{"no_match"}, codes)
	require.Equal(t, "40 * * * * ?", shown.Findings[0].Params["conf"])
	_, codes = s.why(job, two.Add(100*time.Second))
	require.Equal(t, []string{"stopped"}, codes)
	shown, codes = s.why(job, two.Add(160*time.Second))
	require.Equal(t, []string{"misfire"}, codes)
	require.Equal(t, string(xxladapter.MisfireDoNothing), shown.Findings[0].Params["strategy"])
}
