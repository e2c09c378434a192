package admin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A reply is the part of a reply that a G4 program reads.
type reply struct {
	Code int
	Msg  string
	Data any
}

// replay sends a recorded call to base, with another token. In the body it replaces the first text
// of each pair by the second.
func (s *site) replay(base, op, app, token string, replace ...string) reply {
	s.t.Helper()
	f, err := os.Open("../wire/testdata/g4/" + op + ".http")
	require.NoError(s.t, err)
	defer f.Close()
	r, err := http.ReadRequest(bufio.NewReader(f))
	require.NoError(s.t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(s.t, err)
	return s.call(base+op, app, token, strings.NewReplacer(replace...).Replace(string(body)))
}

// call posts as a G4 peer does.
func (s *site) call(path, app, token, body string) (out reply) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", wire.ContentType)
	if token != "" {
		req.Header.Set(wire.HeaderToken, token)
	}
	if app != "" {
		req.Header.Set(wire.HeaderAppName, app)
	}
	resp, err := s.client.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Equal(s.t, http.StatusOK, resp.StatusCode)
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, json.Unmarshal(data, &out), "%s", data)
	return out
}

// TestJobCallsOfG4 takes a job through its life with XXL-JOB 3.5's own calls
// (OpenApiController.java), on both context paths.
func TestJobCallsOfG4(t *testing.T) {
	for _, base := range []string{wire.AdminPath, wire.AdminContextPath} {
		t.Run(base, func(t *testing.T) {
			s := newSite(t)
			ctx := t.Context()
			_, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t"})
			require.NoError(t, err)
			done := reply{Code: 200, Msg: "Success"}

			require.Equal(t, reply{Code: 200, Msg: "Success", Data: "1"}, s.replay(base, "addJob", "some-app", testToken), "the id is a string")
			j, err := s.store.Job(ctx, 1)
			require.NoError(t, err)
			require.Equal(t, "nightly", j.Name)
			require.Equal(t, "ops@example.org", j.AlarmEmail)
			require.Equal(t, xxladapter.RouteRound, j.Route)
			require.Equal(t, time.Minute, j.Timeout)
			require.Equal(t, 2, j.RetryCount)
			require.Equal(t, "a=1", j.Param)
			require.Equal(t, "first", j.GlueRemark)
			require.False(t, j.Running, "a new job is stopped")

			require.Equal(t, done, s.replay(base, "startJob", "some-app", testToken, `12`, `1`))
			require.Equal(t, done, s.replay(base, "updateJob", "some-app", testToken, `:12`, `:1`))
			j, err = s.store.Job(ctx, 1)
			require.NoError(t, err)
			require.Equal(t, "nightly at three", j.Name)
			require.True(t, j.Running)
			require.Equal(t, 3, j.TriggerNext.UTC().Hour(), "it continues by the new schedule")
			require.Equal(t, int64(1), j.GroupID)

			require.NoError(t, s.store.Register(ctx, "some-app", "http://10.0.0.7:9999/"))
			require.NoError(t, s.store.Register(ctx, "some-app", "http://10.0.0.8:9999/"))
			require.Equal(t, done, s.replay(base, "triggerJob", "some-app", testToken, `12`, `1`))
			require.Equal(t, xxladapter.TriggerAPI, s.planned[0].Type)
			require.Equal(t, "once", *s.planned[0].Param)
			require.Equal(t, []string{"http://10.0.0.7:9999/", "http://10.0.0.8:9999/"}, s.planned[0].Addresses)
			require.Equal(t, done, s.call(base+"triggerJob", "", testToken, `{"id":"1"}`))
			require.Empty(t, *s.planned[1].Param, "left out, it replaces the job's own by nothing")
			require.Empty(t, s.planned[1].Addresses)

			require.Equal(t, done, s.replay(base, "stopJob", "some-app", testToken, `12`, `1`))
			j, err = s.store.Job(ctx, 1)
			require.NoError(t, err)
			require.False(t, j.Running)
			require.Equal(t, done, s.replay(base, "removeJob", "some-app", testToken, `12`, `1`))
			_, err = s.store.Job(ctx, 1)
			require.ErrorIs(t, err, xxladapter.ErrNotFound)
			require.Equal(t, 1, s.removed, "its log rows are still to go")
		})
	}
}

func TestJobCallsRefuse(t *testing.T) {
	for _, tt := range []struct{ name, op, replace, with, msg string }{
		{"no such job", "startJob", "12", "99", "job 99 does not exist"},
		{"no such group", "addJob", `"jobGroup":1`, `"jobGroup":99`, "group 99 does not exist"},
		{"no id", "removeJob", `"id":12`, `"x":1`, "job 0 does not exist"},
		{"id is no number", "stopJob", "12", `"x"`, `openapi invoke error: "x" is not an integer`},
		{"no name", "addJob", `"name":"nightly"`, `"name":""`, "name is empty, must have 1 to 255 characters"},
		{"no route", "addJob", `"executorRouteStrategy":"ROUND"`, `"x":1`, "executorRouteStrategy is missing, must be given"},
		{"bad route", "addJob", "ROUND", "BEST", `executorRouteStrategy is "BEST", must be one of FIRST, `},
		{"bad cron", "addJob", "0 0 2", "0 99 2", "99"},
		{"negative timeout", "addJob", `"executorTimeout":60`, `"executorTimeout":-1`, "executorTimeout is -1, must be 0 to 2147483647 seconds"},
		{"start without a schedule", "startJob", "12", "1", "scheduleType is NONE, must be another type for the job to be started"},
		{"not an object", "addJob", "{", "[{", "openapi invoke error: "},
		{"foreign address", "triggerJob", `"id":12`, `"id":1`, `addressList contains "http://10.0.0.7:9999/", must be an address of group some-app`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			s.createJob("")
			got := s.replay(wire.AdminPath, tt.op, "", testToken, tt.replace, tt.with)
			require.Equal(t, 500, got.Code)
			require.Contains(t, got.Msg, tt.msg)
			require.Empty(t, s.planned)
			jobs, err := s.store.Jobs(t.Context(), xxladapter.JobFilter{})
			require.NoError(t, err)
			require.Len(t, jobs, 1)
		})
	}
}

func TestTooManyJobCalls(t *testing.T) {
	s := newSite(t)
	server := s.server
	server.executors.JobCalls.SetLimit(0.01)
	server.executors.JobCalls.SetBurst(1)
	require.Equal(t, 500, s.replay(wire.AdminPath, "startJob", "", testToken).Code)
	require.Equal(t, reply{Code: 502, Msg: "Too many requests, please try again later."}, s.replay(wire.AdminPath, "startJob", "", testToken))
	require.Equal(t, 200, s.replay(wire.AdminPath, "registry", "", testToken).Code, "executors are not held up by it")
}

// TestUpdateJobLeavesChildJobsAlone checks that a call whose body cannot name child jobs does not
// remove them, unlike that of XXL-JOB 3.5 (XxlJobServiceImpl.java).
func TestUpdateJobLeavesChildJobsAlone(t *testing.T) {
	s := newSite(t)
	child := s.createJob("")
	parent := s.createJob(fmt.Sprintf(`,"childJobIds":[%d]`, child))
	require.Equal(t, reply{Code: 200, Msg: "Success"}, s.replay(wire.AdminPath, "updateJob", "", testToken, `:12`, fmt.Sprint(":", parent)))
	j, err := s.store.Job(t.Context(), parent)
	require.NoError(t, err)
	require.Equal(t, "nightly at three", j.Name)
	require.Equal(t, []int64{child}, j.ChildIDs)
}
