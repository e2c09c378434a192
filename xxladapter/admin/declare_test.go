package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// filesOf returns the body that applies one file.
func filesOf(t *testing.T, text string, prune bool) string {
	t.Helper()
	body, err := json.Marshal(applyForm{Files: []declare.File{{Name: "jobs.yaml", Text: text}}, Prune: prune})
	require.NoError(t, err)
	return string(body)
}

// applies applies a file and returns what has changed, one line for each group or job.
func (s *site) applies(text, query string, prune bool) (lines []string, unchanged int) {
	s.t.Helper()
	status, body := s.do("POST", "/api/v1/apply"+query, testToken, filesOf(s.t, text, prune))
	require.Equal(s.t, http.StatusOK, status, body)
	var result applyResult
	require.NoError(s.t, json.Unmarshal([]byte(body), &result))
	require.Equal(s.t, query != "", result.DryRun)
	for _, c := range result.Changes {
		line := fmt.Sprintf("%s %s %s/%s %d", c.Action, c.Kind, c.AppName, c.Key, c.ID)
		for _, f := range c.Fields {
			if c.Action == declare.Edit {
				line += fmt.Sprintf(" %s %s > %s", f.Field, f.Before, f.After)
			}
		}
		lines = append(lines, line)
	}
	return lines, result.Unchanged
}

const declaredJobs = `
owner: team
groups:
- appName: declared-app
jobs:
- appName: declared-app
  key: parent
  author: ops
  executorHandler: h
  scheduleType: CRON
  scheduleConf: 0 0 2 * * ?
  running: true
  children: [child]
- appName: declared-app
  key: child
  author: ops
  executorHandler: h
`

func TestDeclaredJobsAreAppliedOnce(t *testing.T) {
	woken := 0
	s := siteWith(t, func(o *Options) { o.JobChanged = func() { woken++ } })
	want := []string{"create group declared-app/ 0", "create job declared-app/parent 0", "create job declared-app/child 0"}
	lines, _ := s.applies(declaredJobs, "?dryRun=true", false)
	require.Equal(t, want, lines)
	groups, err := s.store.Groups(t.Context())
	require.NoError(t, err)
	require.Empty(t, groups, "a dry run changes nothing")
	require.Zero(t, woken)

	lines, _ = s.applies(declaredJobs, "", false)
	require.Equal(t, []string{"create group declared-app/ 0", "create job declared-app/parent 1", "create job declared-app/child 2"}, lines)
	require.Equal(t, 1, woken, "the scheduler is told")
	parent, err := s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []int64{2}, parent.ChildIDs)
	require.True(t, parent.Running)
	require.Equal(t, 2, parent.TriggerNext.In(time.Local).Hour())
	rows := len(s.audit())

	lines, unchanged := s.applies(declaredJobs, "", true)
	require.Empty(t, lines, "a second time nothing changes")
	require.Equal(t, 3, unchanged)
	require.Len(t, s.audit(), rows)
	require.Equal(t, 1, woken)

	status, file := s.do("GET", "/api/v1/export?format=yaml&owner=team", testToken, "")
	require.Equal(t, http.StatusOK, status, file)
	lines, unchanged = s.applies(file, "", true)
	require.Empty(t, lines, file)
	require.Equal(t, 3, unchanged)

	rest := declaredJobs[:strings.LastIndex(declaredJobs, "- appName")]
	rest = strings.Replace(rest, "  children: [child]\n", "", 1)
	lines, _ = s.applies(strings.Replace(rest, "0 0 2", "0 0 3", 1), "", true)
	require.Equal(t, []string{
		`change job declared-app/parent 1 scheduleConf "0 0 2 * * ?" > "0 0 3 * * ?" children ["child"] > []`, "delete job declared-app/child 2",
	}, lines)
	parent, err = s.store.Job(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, 3, parent.TriggerNext.In(time.Local).Hour(), "it continues with its new schedule")
	_, err = s.store.Job(t.Context(), 2)
	require.ErrorIs(t, err, xxladapter.ErrNotFound)
}

// A meddled store gives a group another token between the plan of a declaration and its
// transaction.
type meddled struct {
	*memstore.Store
	once sync.Once
}

func (m *meddled) Declare(ctx context.Context, d *xxladapter.Declaration) (ids []int64, err error) {
	m.once.Do(func() {
		g, readErr := m.Group(ctx, 1)
		g.AccessToken = "new-token-of-the-group"
		_, saveErr := m.SaveGroup(ctx, g)
		err = errors.Join(readErr, saveErr)
	})
	if err != nil {
		return nil, err
	}
	return m.Store.Declare(ctx, d)
}

// TestADeclaredTitleUndoesNoOtherEditOfTheGroup checks that a token that was replaced meanwhile
// does not come back.
func TestADeclaredTitleUndoesNoOtherEditOfTheGroup(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.Store = &meddled{Store: o.Store.(*memstore.Store)} })
	_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{
		AppName: "some-app", Title: "old", AccessToken: "old-token-of-the-group",
	})
	require.NoError(t, err)
	lines, _ := s.applies("groups: [{appName: some-app, title: new}]", "", false)
	require.Equal(t, []string{`change group some-app/ 1 title "old" > "new"`}, lines)
	g, err := s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "new", g.Title)
	require.Equal(t, "new-token-of-the-group", g.AccessToken)
}

func TestWhatIsWrongWithDeclarationsIsSaidAtOnce(t *testing.T) {
	s := newSite(t)
	status, body := s.do("POST", "/api/v1/apply", testToken, filesOf(t, declaredJobs+
		"- appName: declared-app\n  key: bad\n  author: ops\n  scheduleType: CRON\n  scheduleConf: nonsense\n  alarmEmail: no-at\n", false))
	require.Equal(t, http.StatusBadRequest, status)
	var answer api.Error
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	var shown []string
	for _, p := range answer.Problems {
		shown = append(shown, fmt.Sprint(p.Line, " ", p.At))
		require.NotEmpty(t, p.Chinese, p.Message)
	}
	require.Equal(t, "jobs.yaml:18: jobs[2].executorHandler: 缺少 executorHandler", answer.Chinese)
	require.Equal(t, []string{"18 jobs[2].executorHandler", "22 jobs[2].scheduleConf", "23 jobs[2].alarmEmail"}, shown, body)
	require.True(t, strings.HasPrefix(answer.Message, "jobs.yaml:18: jobs[2].executorHandler: executorHandler is empty"), answer.Message)
	groups, err := s.store.Groups(t.Context())
	require.NoError(t, err)
	require.Empty(t, groups)
}

func TestKeysStayWhenAJobIsRenamed(t *testing.T) {
	s := twoGroupsOn(t)
	_, file := s.do("GET", "/api/v1/export?format=yaml", testToken, "")
	require.Contains(t, file, "key: shown\n")
	status, body := s.as(granted(1, "editor"), granted(2, "viewer"))("POST", "/api/v1/export", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"kept":1}`, body, "not in a group in which the caller only looks")
	status, _ = s.do("PUT", "/api/v1/jobs/1", testToken, `{"name":"renamed"}`)
	require.Equal(t, http.StatusOK, status)
	lines, _ := s.applies(file, "?dryRun=true", false)
	require.Equal(t, []string{
		`change job secluded-app/secluded 2 key  > "secluded" owner  > ""`, `change job shown-app/shown 1 name "renamed" > "shown"`,
	}, lines)
}

func TestWhoMayApplyWhat(t *testing.T) {
	const ok, forbidden, bad = http.StatusOK, http.StatusForbidden, http.StatusBadRequest
	const mine = "{appName: shown-app, key: shown, author: shown, executorHandler: shown, executorParam: shown, scheduleType: CRON, scheduleConf: '0 0 2 * * ?', glueType: GLUE_SHELL, glueSource: echo again shown%s}"
	theirs := strings.ReplaceAll(mine, "shown", "secluded")
	plain := func(app string) string { return "{appName: " + app + ", key: new, author: a, executorHandler: h%s}" }
	for name, tt := range map[string]struct {
		grants []xxladapter.Grant
		jobs   string
		status int
	}{
		"a job of a granted group":             {[]xxladapter.Grant{granted(1, "editor")}, fmt.Sprintf(plain("shown-app"), ""), ok},
		"a job of another group":               {[]xxladapter.Grant{granted(1, "admin")}, fmt.Sprintf(plain("secluded-app"), ""), bad},
		"a group in which one only looks":      {[]xxladapter.Grant{granted(1, "admin"), granted(2, "viewer")}, fmt.Sprintf(plain("secluded-app"), ""), forbidden},
		"one of two jobs":                      {[]xxladapter.Grant{granted(1, "coder"), granted(2, "viewer")}, fmt.Sprintf(plain("shown-app"), "") + "," + fmt.Sprintf(theirs, ", executorTimeout: 5"), forbidden},
		"a job that stays as it is":            {[]xxladapter.Grant{granted(1, "coder"), granted(2, "coder")}, fmt.Sprintf(mine, "") + "," + fmt.Sprintf(theirs, ""), ok},
		"the fields of a script's job":         {[]xxladapter.Grant{granted(1, "editor")}, fmt.Sprintf(mine, ", executorTimeout: 5"), ok},
		"a script":                             {[]xxladapter.Grant{granted(1, "editor")}, strings.Replace(fmt.Sprintf(mine, ""), "echo again", "rm", 1), forbidden},
		"a script, by a coder":                 {[]xxladapter.Grant{granted(1, "coder")}, strings.Replace(fmt.Sprintf(mine, ""), "echo again", "rm", 1), ok},
		"a new script":                         {[]xxladapter.Grant{granted(1, "editor")}, fmt.Sprintf(plain("shown-app"), ", glueType: GLUE_SHELL, glueSource: x"), forbidden},
		"a child in a group that is not shown": {[]xxladapter.Grant{granted(1, "editor")}, fmt.Sprintf(plain("shown-app"), ", children: [secluded-app/secluded]"), bad},
		"a child that may only be read":        {[]xxladapter.Grant{granted(1, "editor"), granted(2, "viewer")}, fmt.Sprintf(plain("shown-app"), ", children: [secluded-app/secluded]"), forbidden},
		"a child that may be triggered":        {[]xxladapter.Grant{granted(1, "editor"), granted(2, "operator")}, fmt.Sprintf(plain("shown-app"), ", children: [secluded-app/secluded]"), ok},
		"an operator":                          {[]xxladapter.Grant{granted(1, "operator")}, fmt.Sprintf(plain("shown-app"), ""), forbidden},
		"a group":                              {[]xxladapter.Grant{granted(1, "admin")}, "],groups: [{appName: new-app}", forbidden},
		"the title of a group":                 {[]xxladapter.Grant{granted(1, "admin")}, "],groups: [{appName: shown-app, title: x, addressList: ['http://shown:9999/']}", ok},
		"the addresses of a group":             {[]xxladapter.Grant{granted(1, "admin")}, "],groups: [{appName: shown-app, title: x}", forbidden},
		"a calendar":                           {[]xxladapter.Grant{granted(1, "admin"), granted(2, "admin")}, "],calendars: [{name: office}", forbidden},
		"a calendar, for all":                  {[]xxladapter.Grant{granted(0, "admin")}, "{appName: shown-app, key: new, author: a, executorHandler: h, settings: {calendar: office}}],calendars: [{name: office}", ok},
		"a calendar that nobody has declared":  {[]xxladapter.Grant{granted(0, "admin")}, "{appName: shown-app, key: new, author: a, executorHandler: h, settings: {calendar: office}}", bad},
		"a group, for all":                     {[]xxladapter.Grant{granted(0, "admin")}, "],groups: [{appName: new-app}", ok},
	} {
		s := twoGroupsOn(t)
		before := storedText(s)
		status, body := s.as(tt.grants...)("POST", "/api/v1/apply", filesOf(t, "{jobs: ["+tt.jobs+"]}", false))
		require.Equal(t, tt.status, status, "%s: %s", name, body)
		if status != ok {
			require.Equal(t, before, storedText(s), name)
			require.NotContains(t, strings.ReplaceAll(body, "secluded-app", ""), "secluded\"", name)
		}
	}

	// What an owner has declared in a group that is not shown is neither listed nor deleted.
	s := twoGroupsOn(t)
	_, _ = s.applies("owner: team\njobs: ["+fmt.Sprintf(theirs, "")+"]", "", false)
	status, body := s.as(granted(1, "admin"))("POST", "/api/v1/apply", filesOf(t, "owner: team\njobs: []", true))
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"changes":[],"unchanged":0}`, body)
	status, body = s.as(granted(1, "admin"), granted(2, "viewer"))("POST", "/api/v1/apply", filesOf(t, "owner: team\njobs: []", true))
	require.Equal(t, http.StatusForbidden, status, body)
	_, body = s.as(granted(1, "viewer"))("GET", "/api/v1/export", "")
	require.NotContains(t, body, "secluded")
}

// TestJobsOfAnotherOwnerAreAdoptedOnRequest checks that a file gets the jobs of another owner only
// with adopt, and that the body has no field takeOver.
func TestJobsOfAnotherOwnerAreAdoptedOnRequest(t *testing.T) {
	s := newSite(t)
	_, _ = s.applies(declaredJobs, "", false)
	body := func(more string) string {
		theirs := strings.Replace(declaredJobs, "owner: team", "owner: others", 1)
		require.NotEqual(t, declaredJobs, theirs)
		return strings.TrimSuffix(filesOf(t, theirs, false), "}") + more + "}"
	}
	status, said := s.do("POST", "/api/v1/apply", testToken, body(""))
	require.Equal(t, http.StatusBadRequest, status, said)
	require.Contains(t, said, `must not be that of a job whose owner is \"team\"`)
	status, said = s.do("POST", "/api/v1/apply", testToken, body(`,"takeOver":true`))
	require.Equal(t, http.StatusBadRequest, status, said)
	require.Contains(t, said, "takeOver")
	status, said = s.do("POST", "/api/v1/apply", testToken, body(`,"adopt":true`))
	require.Equal(t, http.StatusOK, status, said)
	keys, err := s.store.JobKeys(t.Context(), 0)
	require.NoError(t, err)
	for _, k := range keys {
		require.Equal(t, "others", k.Owner)
	}
}

// storedText returns all jobs, groups and calendars of a site as a text.
func storedText(s *site) string {
	jobs, err := s.store.Jobs(s.t.Context(), xxladapter.JobFilter{})
	require.NoError(s.t, err)
	groups, err := s.store.Groups(s.t.Context())
	require.NoError(s.t, err)
	calendars, err := s.store.Calendars(s.t.Context())
	require.NoError(s.t, err)
	text, err := json.Marshal([]any{jobs, groups, calendars})
	require.NoError(s.t, err)
	return string(text)
}

// TestAPrunedJobThatRunsKeepsItsRuns checks that pruning deletes a job like any other deletion: a
// run in progress can still end.
func TestAPrunedJobThatRunsKeepsItsRuns(t *testing.T) {
	removed := 0
	s := siteWith(t, func(o *Options) { o.JobRemoved = func() { removed++ } })
	_, _ = s.applies(declaredJobs, "", false)
	require.NoError(t, storetest.StartAt(t.Context(), s.store, 1, time.Now().Add(time.Hour)))
	log := s.runIn(1, 1, xxladapter.ResultNone)
	lines, _ := s.applies("owner: team", "", true)
	require.Equal(t, []string{"delete job declared-app/parent 1", "delete job declared-app/child 2"}, lines)
	require.Equal(t, 1, removed)
	_, err := s.store.Log(t.Context(), log)
	require.NoError(t, err)
	applied, _, err := s.store.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
	require.NoError(t, err)
	require.True(t, applied)
}

// A contestedStore refuses the second declaration, as if somebody had changed one of its jobs.
type contestedStore struct {
	*memstore.Store
	declared int
}

func (s *contestedStore) Declare(ctx context.Context, d *xxladapter.Declaration) ([]int64, error) {
	if s.declared++; s.declared == 2 {
		return nil, xxladapter.ErrConflict
	}
	return s.Store.Declare(ctx, d)
}

func TestKeysAreCountedOverAllTries(t *testing.T) {
	store := &contestedStore{Store: memstore.New(time.Now)}
	s := siteWith(t, func(o *Options) { o.Store = store })
	s.store = store.Store
	first, err := s.store.Job(t.Context(), s.createJob(""))
	require.NoError(t, err)
	for i := range maxDeclared {
		j := *first
		j.ID, j.Name = 0, fmt.Sprintf("job %d", i)
		_, err := xxladapter.CreateJob(t.Context(), s.store, &j)
		require.NoError(t, err)
	}
	status, body := s.do("POST", "/api/v1/export", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	require.JSONEq(t, fmt.Sprintf(`{"kept":%d}`, maxDeclared+1), body)
	require.Equal(t, 3, store.declared)
}
