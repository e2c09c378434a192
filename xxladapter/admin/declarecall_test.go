package admin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const codeApp, codeToken = "code-app", "token of code-app"

// siteOfCode returns a server at which code-app and other-app have tokens of their own.
func siteOfCode(t *testing.T, allow bool) *site {
	t.Helper()
	s := siteWith(t, func(o *Options) { o.AllowDeclare = allow })
	for _, app := range []string{codeApp, "other-app"} {
		_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: app, Title: app, AccessToken: "token of " + app})
		require.NoError(t, err)
	}
	return s
}

// declares sends jobs as code-app, and returns what happened to them, or the text of the refusal.
func (s *site) declares(jobs, overwrite string) []string {
	s.t.Helper()
	got := s.call(wire.AdminPath+wire.OpDeclare, codeApp, codeToken, fmt.Sprintf(`{"jobs":[%s],"overwrite":[%s]}`, jobs, overwrite))
	if got.Code != wire.CodeOK {
		return []string{got.Msg}
	}
	data, err := json.Marshal(got.Data)
	require.NoError(s.t, err)
	var result codeResult
	require.NoError(s.t, json.Unmarshal(data, &result))
	told := []string{}
	for _, c := range result.Changes {
		told = append(told, fmt.Sprint(c.Action, " ", c.Key, " ", c.ID))
	}
	for _, k := range result.Kept {
		told = append(told, fmt.Sprint("kept ", k.Key, ": ", k.Reason))
	}
	return append(told, fmt.Sprint("unchanged ", result.Unchanged))
}

// made creates a job by hand.
func (s *site) made(app, name string) {
	s.t.Helper()
	status, body := s.do("POST", "/api/v1/jobs", testToken, fmt.Sprintf(`{"appName":%q,"name":%q,"author":"somebody","executorHandler":"h"}`, app, name))
	require.Equal(s.t, 200, status, body)
}

const hourly = `{"key":"hourly","author":"team","executorHandler":"h","scheduleType":"CRON","scheduleConf":"0 0 * * * ?","running":true,"children":["after"]}`
const after = `{"key":"after","author":"team","executorHandler":"h"}`

func TestCodeDeclaresItsJobs(t *testing.T) {
	s := siteOfCode(t, true)
	require.Equal(t, []string{"create hourly 1", "create after 2", "unchanged 0"}, s.declares(hourly+","+after, ""))
	require.Equal(t, []string{"unchanged 2"}, s.declares(hourly+","+after, ""), "a second replica changes nothing")
	require.Equal(t, []string{"unchanged 1"}, s.declares(after, ""), "what is no longer declared is not deleted")
	j, err := s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, j.Running)
	require.Equal(t, []int64{2}, j.ChildIDs)
	rows := s.audit()
	require.Equal(t, declareName, rows[0].Call)
	require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorExecutor, Name: codeApp, Address: "127.0.0.1"}, rows[0].Actor)

	// Whether the schedule is on is decided by operators, and is no edit.
	status, _ := s.do("POST", "/api/v1/jobs/1/stop", testToken, "")
	require.Equal(t, 200, status)
	require.Equal(t, []string{"unchanged 2"}, s.declares(hourly+","+after, ""))
	later := `{"key":"hourly","author":"team","executorHandler":"h","scheduleType":"CRON","scheduleConf":"0 30 * * * ?","running":true,"children":["after"]}`
	require.Equal(t, []string{"change hourly 1", "unchanged 0"}, s.declares(later, ""))
	j, err = s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	require.False(t, j.Running)
	require.Equal(t, "0 30 * * * ?", j.ScheduleConf)
}

func TestCodeLeavesEditsByHand(t *testing.T) {
	s := siteOfCode(t, true)
	s.declares(hourly+","+after, "")
	edit := func(id int64, fields string) {
		status, body := s.do("PUT", fmt.Sprint("/api/v1/jobs/", id), testToken, fields)
		require.Equal(t, 200, status, body)
	}
	edit(2, `{"author":"somebody"}`)
	require.Equal(t, []string{"kept after: it was edited since code declared it", "unchanged 1"}, s.declares(hourly+","+after, ""))
	changed := `{"key":"after","author":"team","executorHandler":"other"}`
	require.Equal(t, []string{"kept after: it was edited since code declared it", "unchanged 0"}, s.declares(changed, ""))
	edit(2, `{"author":"team"}`)
	require.Equal(t, []string{"change after 2", "unchanged 0"}, s.declares(changed, ""), "edited back")
	edit(2, `{"author":"somebody"}`)
	require.Equal(t, []string{"change after 2", "unchanged 0"}, s.declares(changed, `"after"`), "asked to overwrite")

	// A job that somebody has made by hand is left too, unless its key is to be overwritten. A job
	// that a file declares is always left.
	s.made(codeApp, "byhand")
	byhand := `{"key":"byhand","author":"team","executorHandler":"h"}`
	require.Equal(t, []string{"kept byhand: it was not declared from code", "unchanged 0"}, s.declares(byhand, ""))
	require.Equal(t, []string{"change byhand 3", "unchanged 0"}, s.declares(byhand, `"byhand"`))
	lines, _ := s.applies("owner: billing\njobs:\n- {appName: code-app, key: filed, author: a, executorHandler: h}\n", "", false)
	require.Len(t, lines, 1)
	status, said := s.do("POST", "/api/v1/apply", testToken, filesOf(t, "owner: executor\njobs: []\n", true))
	require.Equal(t, 400, status)
	require.Contains(t, said, "must not be that of jobs declared from code", "pruning would delete them")
	require.Equal(t, []string{`kept filed: its owner is "billing"`, "unchanged 0"}, s.declares(`{"key":"filed","author":"team","executorHandler":"h"}`, `"filed"`))
}

// TestCodeClosesNoCycleThroughAJobThatStays checks a job whose children somebody has edited, so
// that it stays as it is: its children are those that the store has, not those that code declares.
func TestCodeClosesNoCycleThroughAJobThatStays(t *testing.T) {
	s := siteOfCode(t, true)
	const first = `{"key":"first","author":"team","executorHandler":"h"}`
	const second = `{"key":"second","author":"team","executorHandler":"h","children":["first"]}`
	require.Equal(t, []string{"create first 1", "unchanged 0"}, s.declares(first, ""))
	s.made(codeApp, "second")
	status, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"childJobIds":[2]}`)
	require.Equal(t, 200, status, body)
	require.Equal(t, []string{`job "second": children lead back to the job itself: code-app/first > code-app/second > code-app/first`},
		s.declares(first+","+second, `"second"`))

	// Conversely, children that code declares for a job that stays close no cycle.
	status, body = s.do("PUT", "/api/v1/jobs/1", testToken, `{"childJobIds":[],"author":"somebody"}`)
	require.Equal(t, 200, status, body)
	require.Equal(t, []string{"change second 2", "kept first: it was edited since code declared it", "unchanged 0"},
		s.declares(strings.Replace(first, "}", `,"children":["second"]}`, 1)+","+second, `"second"`))
}

func TestWhatCodeMayNotDeclare(t *testing.T) {
	off := siteOfCode(t, false)
	require.Equal(t, []string{"executors must not declare jobs at this scheduler, which permits it only if started so (xxlwheel serve --allow-declare)"}, off.declares(hourly, ""))

	s := siteOfCode(t, true)
	s.made("other-app", "foreign")
	for _, c := range []struct{ app, token, want string }{
		{codeApp, testToken, "access token is that of all executors, must be that of the group whose jobs are declared"},
		{"", testToken, "access token is that of all executors, must be that of the group whose jobs are declared"},
		{"other-app", codeToken, wire.MsgWrongAppToken},
		{codeApp, "guessed", wire.MsgWrongAppToken},
	} {
		require.Equal(t, c.want, s.call(wire.AdminPath+wire.OpDeclare, c.app, c.token, `{"jobs":[`+after+`]}`).Msg, c)
	}
	for _, c := range []struct{ job, want string }{
		{`{"key":"a","author":"t","executorHandler":"h","children":["other-app/foreign"]}`,
			`job "a": children contains "other-app/foreign", must be the key of a job that exists or is declared`},
		{`{"key":"a","author":"t","executorHandler":"h","appName":"other-app"}`, `job "a" has an app name or a script, must have neither in a declaration from code`},
		{`{"key":"a","author":"t","glueType":"GLUE_SHELL","glueSource":"id"}`, `job "a" has an app name or a script, must have neither in a declaration from code`},
		{`{"key":"a","author":"t","executorHandler":"h","running":"yes"}`, "jobs.running is a JSON string, must be true or false"},
		{`{"key":"a","writer":"t"}`, `request body: unknown field "writer"`},
		{after + `,{"key":"b","author":"t"},{"key":"c d","author":"t","executorHandler":"h"}`,
			`job "c d": key is "c d", must have letters, digits, dots, hyphens and underscores only; job "b": executorHandler is empty, a BEAN job must name its handler`},
	} {
		require.Equal(t, []string{c.want}, s.declares(c.job, ""))
	}
	jobs, err := s.store.Jobs(t.Context(), xxladapter.JobFilter{})
	require.NoError(t, err)
	require.Len(t, jobs, 1, "all or nothing")
}
