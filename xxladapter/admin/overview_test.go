package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestTheOverviewNamesWhatIsWrongAndWhatComes stores a job of each kind.
func TestTheOverviewNamesWhatIsWrongAndWhatComes(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	var o overviewForm
	s.get("/api/v1/overview", &o)
	require.Zero(t, o.RunningJobs.Count+o.RunsNow.Count+o.Failed.Count)
	require.Nil(t, o.LateP99)

	group, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app"})
	require.NoError(t, err)
	add := func(name string, next time.Duration) int64 {
		id, err := xxladapter.CreateJob(ctx, s.store, &xxladapter.Job{GroupID: group, Name: name})
		require.NoError(t, err)
		if next != 0 {
			require.NoError(t, storetest.StartAt(ctx, s.store, id, time.Now().Add(next)))
		}
		return id
	}
	late, soon, rare := add("late", -time.Minute), add("soon", 23*time.Hour), add("rare", 25*time.Hour)
	good, bad, recovered := add("good", 0), add("bad", 0), add("recovered", 0)
	finish := func(job int64, code int) int64 {
		lease, err := s.store.Lease(ctx, "n", time.Hour)
		require.NoError(t, err)
		fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now().Add(-5 * time.Second), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: group, TriggerTime: time.Now(), Address: "http://10.0.0.7:9999/"}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 200, Sent: time.Now()})
		require.NoError(t, err)
		if code != 0 {
			_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: code})
			require.NoError(t, err)
		}
		return claimed[0].LogID
	}
	finish(good, 200)
	finish(bad, 200)
	finish(bad, 500)
	newest := finish(bad, 500)
	finish(recovered, 500)
	finish(recovered, 200)
	last := finish(good, 0)

	s.get("/api/v1/overview", &o)
	require.Equal(t, figure{3, false}, o.RunningJobs)
	require.Equal(t, figure{1, false}, o.RunsNow)
	require.Equal(t, figure{3, false}, o.Failed)
	require.InDelta(t, 5000, *o.LateP99, 1000)
	require.Len(t, o.Failing, 1)
	require.Equal(t, []any{bad, "bad", 2, newest}, []any{o.Failing[0].ID, o.Failing[0].Name, o.Failing[0].InARow, o.Failing[0].LogID})
	require.Len(t, o.Overdue, 1)
	require.Equal(t, late, o.Overdue[0].ID)
	require.Equal(t, []int64{soon, rare}, []int64{o.Next[0].ID, o.Next[1].ID})
	require.Len(t, o.NotFired, 1, "others fire within a day")
	require.Equal(t, rare, o.NotFired[0].ID)
	require.Equal(t, []idleGroup{{group, "some-app", figure{3, false}}}, o.NoExecutor)
	require.Len(t, o.Gone, 1)
	require.Equal(t, []any{"http://10.0.0.7:9999/", group, last}, []any{o.Gone[0].Address, o.Gone[0].JobGroup, o.Gone[0].LogID})

	require.NoError(t, s.store.Register(ctx, "some-app", "http://10.0.0.7:9999/"))
	for i := range 130 { // more than a page of them
		add(fmt.Sprint("late ", i), -time.Hour)
	}
	o = overviewForm{}
	s.get("/api/v1/overview", &o)
	require.Empty(t, o.Gone, "the executor is registered")
	require.Len(t, o.Overdue, shownJobs)
	require.Equal(t, []int64{soon, rare}, []int64{o.Next[0].ID, o.Next[1].ID})
	require.Empty(t, o.NoExecutor)
}

// TestTheOverviewOfAGroupHasNoRunsOfAnother has a job fail in a group, and again in the group that
// it is moved to.
func TestTheOverviewOfAGroupHasNoRunsOfAnother(t *testing.T) {
	s := twoGroupsOn(t)
	ctx := t.Context()
	fail := func(group int64) int64 {
		lease, err := s.store.Lease(ctx, "n", time.Hour)
		require.NoError(t, err)
		fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: 1, GroupID: group, TriggerTime: time.Now()}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultFail})
		require.NoError(t, err)
		return claimed[0].LogID
	}
	failing := func(group int64) []failingJob {
		status, body := s.as(granted(group, xxladapter.RoleViewer))("GET", "/api/v1/overview", "")
		require.Equal(t, http.StatusOK, status, body)
		var o overviewForm
		require.NoError(t, json.Unmarshal([]byte(body), &o))
		return o.Failing
	}
	first := fail(1)
	require.Len(t, failing(1), 1)
	require.Equal(t, first, failing(1)[0].LogID)
	j := s.stored(1)
	j.GroupID = 2
	require.NoError(t, xxladapter.UpdateJob(ctx, s.store, j, false))
	second := fail(2)
	require.Empty(t, failing(1), "its newest run is one of the other group")
	require.Len(t, failing(2), 1)
	require.Equal(t, second, failing(2)[0].LogID)
}

func TestPercentile99(t *testing.T) {
	values := make([]time.Duration, 200)
	for i := range values {
		values[i] = time.Duration(200 - i)
	}
	require.Equal(t, time.Duration(198), percentile99(values))
	require.Equal(t, time.Duration(7), percentile99([]time.Duration{7}))
	require.Equal(t, time.Duration(99), percentile99(append(make([]time.Duration, 98), 100, 99)))
}

// TestTheOverviewEndsBehindJobsThatWait has more overdue jobs than the list shows, and behind them
// more than a page of jobs that wait for the end of a run.
func TestTheOverviewEndsBehindJobsThatWait(t *testing.T) {
	s := newSite(t)
	group, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app"})
	require.NoError(t, err)
	for i := range shownJobs + 6*shownJobs {
		id, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: group, Name: fmt.Sprint(i)})
		require.NoError(t, err)
		next := xxladapter.AfterRun
		if i < shownJobs {
			next = time.Now().Add(-time.Hour)
		}
		require.NoError(t, storetest.StartAt(t.Context(), s.store, id, next))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // which only an endless search needs
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/overview", nil)
	require.NoError(t, err)
	req.Header.Set(wire.HeaderToken, testToken)
	status, body, _ := s.send(req)
	require.Equal(t, http.StatusOK, status, body)
	var o overviewForm
	require.NoError(t, json.Unmarshal([]byte(body), &o))
	require.Len(t, o.Overdue, shownJobs)
	require.Empty(t, o.Next)
}

// TestNoJobIsBetweenTheOverdueOnesAndTheNext has a job that is due at the first instant at which a
// job is not overdue, with the lowest id, and more than a page of overdue jobs.
func TestNoJobIsBetweenTheOverdueOnesAndTheNext(t *testing.T) {
	s := newSite(t)
	now := time.Now().Truncate(time.Millisecond)
	group, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app"})
	require.NoError(t, err)
	for i := range 1 + 6*shownJobs {
		id, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: group, Name: fmt.Sprint(i)})
		require.NoError(t, err)
		next := now.Add(-overdueAfter)
		if i > 0 {
			next = now.Add(-time.Hour)
		}
		require.NoError(t, storetest.StartAt(t.Context(), s.store, id, next))
	}
	rights := access.NewRights(granted(access.Everywhere, xxladapter.RoleViewer))
	o := overview{Server: s.server, ctx: access.WithRights(t.Context(), rights)}
	o.form.Now = now
	o.due(new(true))
	require.NoError(t, o.err)
	require.Len(t, o.form.Overdue, shownJobs)
	require.Len(t, o.form.Next, 1)
	require.EqualValues(t, 1, o.form.Next[0].ID)
}
