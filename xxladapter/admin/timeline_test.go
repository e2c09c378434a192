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

// siteAt returns a site whose store has a clock of its own, which elapsed sets.
func siteAt(t *testing.T, start time.Time) (s *site, elapsed func(since time.Duration)) {
	t.Helper()
	var now atomic.Int64
	store := memstore.New(func() time.Time { return start.Add(time.Duration(now.Load())) })
	s = siteWith(t, func(o *Options) { o.Store = store })
	s.store = store
	return s, func(since time.Duration) { now.Store(int64(since)) }
}

// A lineShown is a timeline as the API shows it.
type lineShown struct {
	ScheduleIsPresent, More bool
	Schedules               []struct {
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

// timeline asks for the timeline of a job.
func (s *site) timeline(job int64, from, to time.Time) (shown lineShown) {
	s.t.Helper()
	query := url.Values{"from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}
	s.get(fmt.Sprintf("/api/v1/jobs/%d/timeline?%s", job, query.Encode()), &shown)
	return shown
}

func (l *lineShown) planned() (shown []string) {
	for _, tick := range l.Planned {
		shown = append(shown, tick.Due.Format(time.TimeOnly)+" "+tick.Fate)
	}
	return shown
}

func (l *lineShown) schedules() (shown []string) {
	for _, span := range l.Schedules {
		shown = append(shown, fmt.Sprintf("%s %s %v %s %s%s", span.From.Format(time.TimeOnly), span.To.Format(time.TimeOnly), span.Running, span.ScheduleType, span.ScheduleConf, span.Zone))
	}
	return shown
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
			Misfires: []xxladapter.Misfire{{JobID: job, Due: late, Until: late, Strategy: xxladapter.MisfireDoNothing, At: now}},
		}}
	})
	require.NoError(t, err)
	require.Equal(t, 1, due)

	ask := func(from, to time.Duration) lineShown {
		t.Helper()
		return s.timeline(job, two.Add(from), two.Add(to))
	}
	line := ask(-30*time.Second, 4*time.Minute)
	require.False(t, line.ScheduleIsPresent)
	require.Equal(t, []string{"02:00:10 NOTHING", "02:00:20 NOTHING", "02:00:40 NOTHING", "02:02:40 MISFIRE", "02:03:40 COMING"}, line.planned())
	require.Len(t, line.Misfires, 1)
	require.Equal(t, string(xxladapter.MisfireDoNothing), line.Misfires[0].MisfireStrategy)
	require.Equal(t, []string{
		"01:59:30 02:00:01 false CRON 0/10 * * * * ?",
		"02:00:01 02:00:25 true CRON 0/10 * * * * ?",
		"02:00:25 02:01:30 true CRON 40 * * * * ?",
		"02:01:30 02:02:10 false CRON 40 * * * * ?",
		"02:02:10 02:04:00 true CRON 40 * * * * ?",
	}, line.schedules())

	// A job that is off has no due times to come.
	call(170*time.Second, "POST", path+"/stop", "")
	line = ask(175*time.Second, 10*time.Minute)
	require.Empty(t, line.planned())
	require.Len(t, line.Schedules, 1)

	// Each time is explained by the schedule that the job had then.
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

// TestATimelineFollowsTheEditsOfOtherPrograms edits jobs through the API and, in between, as a Java
// admin does, without a row of the audit.
func TestATimelineFollowsTheEditsOfOtherPrograms(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	s, elapsed := siteAt(t, two)
	call := func(at time.Duration, method, path, body string) {
		t.Helper()
		elapsed(at)
		status, answer := s.do(method, path, testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	another := func(at time.Duration, job int64, conf string) {
		t.Helper()
		elapsed(at)
		j, err := s.store.Job(t.Context(), job)
		require.NoError(t, err)
		j.ScheduleConf = conf
		require.NoError(t, xxladapter.UpdateJob(t.Context(), s.store, j, false))
	}
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 * * * * ?"`)
	path := fmt.Sprintf("/api/v1/jobs/%d", job)
	call(time.Second, "POST", path+"/start", "")
	call(1*time.Minute, "PUT", path, `{"scheduleConf":"10 * * * * ?"}`)
	another(2*time.Minute, job, "20 * * * * ?")
	call(3*time.Minute, "PUT", path, `{"scheduleConf":"30 * * * * ?"}`)
	another(4*time.Minute, job, "40 * * * * ?")
	elapsed(6 * time.Minute)

	check := func() {
		t.Helper()
		line := s.timeline(job, two.Add(-30*time.Second), two.Add(5*time.Minute))
		require.False(t, line.ScheduleIsPresent)
		require.Equal(t, []string{
			"01:59:30 02:00:01 false CRON 0 * * * * ?",
			"02:00:01 02:01:00 true CRON 0 * * * * ?",
			"02:01:00 02:02:00 true CRON 10 * * * * ?",
			"02:02:00 02:03:00 true CRON 20 * * * * ?",
			"02:03:00 02:04:00 true CRON 30 * * * * ?",
			"02:04:00 02:05:00 true CRON 40 * * * * ?",
		}, line.schedules())
		require.Equal(t, []string{"02:01:00 NOTHING", "02:01:10 NOTHING", "02:02:20 NOTHING", "02:03:30 NOTHING", "02:04:40 NOTHING"}, line.planned())
		shown, codes := s.why(job, two.Add(2*time.Minute+10*time.Second))
		require.Equal(t, []string{"no_match"}, codes)
		require.Equal(t, "20 * * * * ?", shown.Findings[0].Params["conf"])
		require.False(t, shown.ScheduleIsPresent)
	}
	check()

	// The versions tell what the audit no longer has.
	deleted, err := s.store.PurgeAudit(t.Context(), two.Add(time.Hour), 100)
	require.NoError(t, err)
	require.NotZero(t, deleted)
	check()

	// Nothing tells how a job was before an edit of another program that is older than all
	// versions.
	made, err := s.store.Job(t.Context(), job)
	require.NoError(t, err)
	theirs, err := xxladapter.CreateJob(t.Context(), s.store, made)
	require.NoError(t, err)
	another(8*time.Minute, theirs, "50 * * * * ?")
	call(10*time.Minute, "PUT", fmt.Sprintf("/api/v1/jobs/%d", theirs), `{"scheduleConf":"0 0 1 * * ?"}`)
	line := s.timeline(theirs, two.Add(7*time.Minute), two.Add(11*time.Minute))
	require.True(t, line.ScheduleIsPresent)
	require.Equal(t, []string{
		"02:07:00 02:08:00 false CRON 0 0 1 * * ?",
		"02:08:00 02:10:00 false CRON 50 * * * * ?",
		"02:10:00 02:11:00 false CRON 0 0 1 * * ?",
	}, line.schedules())
	line = s.timeline(theirs, two.Add(8*time.Minute), two.Add(11*time.Minute))
	require.False(t, line.ScheduleIsPresent)

	// Before a job was created it had no other schedule.
	elapsed(12 * time.Minute)
	theirs, err = xxladapter.CreateJob(t.Context(), s.store, made)
	require.NoError(t, err)
	call(13*time.Minute, "PUT", fmt.Sprintf("/api/v1/jobs/%d", theirs), `{"scheduleConf":"0 0 1 * * ?"}`)
	line = s.timeline(theirs, two.Add(11*time.Minute), two.Add(14*time.Minute))
	require.False(t, line.ScheduleIsPresent)
	require.Equal(t, []string{"02:11:00 02:13:00 false CRON 40 * * * * ?", "02:13:00 02:14:00 false CRON 0 0 1 * * ?"}, line.schedules())
}

// TestATimelineFindsOldMisfires asks about a time before the newest 10,001 misfires of a job, and
// about the time of these, which are one more than a timeline shows.
func TestATimelineFindsOldMisfires(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	s, elapsed := siteAt(t, two)
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0/10 * * * * ?"`)
	status, answer := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", job), testToken, "")
	require.Equal(t, http.StatusOK, status, answer)
	elapsed(2 * time.Hour)
	lease, err := s.store.Lease(t.Context(), "n1", time.Hour)
	require.NoError(t, err)
	_, due, err := s.store.ClaimDue(t.Context(), lease.Term, 5*time.Second, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		d := xxladapter.Decision{JobID: job, Last: now, Next: now.Add(time.Minute)}
		missed := func(after time.Duration) {
			at := two.Add(after)
			d.Misfires = append(d.Misfires, xxladapter.Misfire{JobID: job, Due: at, Until: at, Strategy: xxladapter.MisfireDoNothing, At: now})
		}
		missed(10 * time.Second)
		for range maxMisfires + 1 {
			missed(time.Hour)
		}
		return []xxladapter.Decision{d}
	})
	require.NoError(t, err)
	require.Equal(t, 1, due)
	line := s.timeline(job, two.Add(time.Second), two.Add(15*time.Second))
	require.Equal(t, []string{"02:00:10 MISFIRE"}, line.planned())
	require.Len(t, line.Misfires, 1)
	require.False(t, line.More)
	_, codes := s.why(job, two.Add(10*time.Second))
	require.Equal(t, []string{"misfire"}, codes)

	line = s.timeline(job, two.Add(15*time.Second), two.Add(61*time.Minute))
	require.Len(t, line.Misfires, maxMisfires)
	require.True(t, line.More)
}

// TestATimelineFindsRunsThatCameLate asks about a time of which one run was triggered an hour after
// it was due, and the next one in time.
func TestATimelineFindsRunsThatCameLate(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	s, elapsed := siteAt(t, two)
	job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0/10 * * * * ?"`)
	status, answer := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", job), testToken, "")
	require.Equal(t, http.StatusOK, status, answer)
	lease, err := s.store.Lease(t.Context(), "n1", 3*time.Hour)
	require.NoError(t, err)
	ran := func(due, at time.Duration) int64 {
		t.Helper()
		elapsed(at)
		fires, err := s.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: job, Due: two.Add(due), Type: xxladapter.TriggerCron, RetryCount: -1}})
		require.NoError(t, err)
		claimed, err := s.store.ClaimFire(t.Context(), lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: 1, TriggerTime: two.Add(at)}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK})
		require.NoError(t, err)
		return claimed[0].LogID
	}
	inTime := ran(20*time.Second, 20*time.Second)
	late := ran(10*time.Second, time.Hour)
	var line struct {
		Planned []struct{ Fate string }
		Runs    []struct {
			LogID         int64
			Due           time.Time
			Sent, Claimed *time.Time
		}
	}
	s.get(fmt.Sprintf("/api/v1/jobs/%d/timeline?from=2026-03-01T02:00:05Z&to=2026-03-01T02:02:00Z", job), &line)
	require.Equal(t, []string{"FIRED", "FIRED", "NOTHING"}, []string{line.Planned[0].Fate, line.Planned[1].Fate, line.Planned[2].Fate})
	require.Len(t, line.Runs, 2)
	require.Equal(t, []int64{late, inTime}, []int64{line.Runs[0].LogID, line.Runs[1].LogID})
	require.True(t, two.Add(10*time.Second).Equal(line.Runs[0].Due))
	require.True(t, two.Add(time.Hour).Equal(*line.Runs[0].Claimed))
	require.Nil(t, line.Runs[0].Sent)
}
