package admin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/users"
)

// handler returns the API for a caller with the rights of grants. A stream of events, which does
// not end by itself, ends after listens.
func (s *site) handler(listens time.Duration, grants ...xxladapter.Grant) http.Handler {
	mux := http.NewServeMux()
	for _, c := range s.server.calls() {
		mux.HandleFunc(c.Method+" "+c.Path, func(w http.ResponseWriter, r *http.Request) {
			ctx := access.WithRights(users.WithVisit(r.Context(), rootVisit()), access.NewRights(grants...))
			if c.Stream == api.EventStream {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, listens)
				defer cancel()
			}
			s.server.answers.Answer(w, r.WithContext(ctx), nil, c.Need, c.Serve)
		})
	}
	return mux
}

// as returns a function that makes calls with the rights of grants. It reads no events.
func (s *site) as(grants ...xxladapter.Grant) func(method, path, body string) (int, string) {
	handler := s.handler(0, grants...)
	return func(method, path, body string) (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body)))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
}

func granted(group int64, role xxladapter.Role) xxladapter.Grant {
	return xxladapter.Grant{GroupID: group, Role: role}
}

// least is the role that each call needs at least, and whether it must be for all groups. A new
// call needs an entry.
var least = map[string]struct {
	role   xxladapter.Role
	forAll bool
}{
	"GET /api/v1/openapi.json": {"", false},

	"GET /api/v1/session":             {"", false},
	"POST /api/v1/session":            {"", false},
	"DELETE /api/v1/session":          {"", false},
	"POST /api/v1/session/first":      {"", false},
	"GET /api/v1/login/oidc":          {"", false},
	"GET /api/v1/login/oidc/callback": {"", false},
	"GET /api/v1/me":                  {"", false},
	"PUT /api/v1/me/password":         {"", false},
	"GET /api/v1/me/sessions":         {"", false},
	"DELETE /api/v1/me/sessions/{id}": {"", false},
	"GET /api/v1/tokens":              {"", false},
	"POST /api/v1/tokens":             {"", false},
	"DELETE /api/v1/tokens/{id}":      {"", false},
	"GET /api/v1/users":               {"admin", true},
	"POST /api/v1/users":              {"admin", true},
	"GET /api/v1/users/{id}":          {"admin", true},
	"PUT /api/v1/users/{id}":          {"admin", true},
	"DELETE /api/v1/users/{id}":       {"admin", true},

	"GET /api/v1/cron/next":        {"", false},
	"GET /api/v1/schedule/preview": {"", false},

	"GET /api/v1/jobs":                                  {"viewer", false},
	"GET /api/v1/jobs/{id}":                             {"viewer", false},
	"GET /api/v1/jobs/{id}/glue":                        {"viewer", false},
	"GET /api/v1/jobs/{id}/glue/{version}":              {"viewer", false},
	"GET /api/v1/jobs/{id}/next":                        {"viewer", false},
	"GET /api/v1/jobs/{id}/misfires":                    {"viewer", false},
	"GET /api/v1/jobs/{id}/timeline":                    {"viewer", false},
	"GET /api/v1/jobs/{id}/why":                         {"viewer", false},
	"GET /api/v1/jobs/{id}/versions":                    {"viewer", false},
	"GET /api/v1/jobs/{id}/versions/{version}":          {"viewer", false},
	"POST /api/v1/jobs/{id}/versions/{version}/restore": {"editor", false},
	"PUT /api/v1/jobs/{id}/glue":                        {"coder", false},
	"POST /api/v1/jobs/{id}/start":                      {"operator", false},
	"POST /api/v1/jobs/{id}/stop":                       {"operator", false},
	"POST /api/v1/jobs/{id}/trigger":                    {"operator", false},
	"POST /api/v1/jobs":                                 {"editor", false},
	"PUT /api/v1/jobs/{id}":                             {"editor", false},
	"DELETE /api/v1/jobs/{id}":                          {"editor", false},
	"POST /api/v1/jobs/{id}/copy":                       {"editor", false},
	"POST /api/v1/jobs/{id}/glue/{version}/restore":     {"coder", false},

	"GET /api/v1/pauses":              {"viewer", false},
	"POST /api/v1/pauses":             {"operator", false},
	"POST /api/v1/pauses/{id}/end":    {"operator", false},
	"GET /api/v1/calendars":           {"", false},
	"GET /api/v1/calendars/{name}":    {"", false},
	"PUT /api/v1/calendars/{name}":    {"admin", true},
	"DELETE /api/v1/calendars/{name}": {"admin", true},

	"GET /api/v1/groups":                {"viewer", false},
	"GET /api/v1/groups/{id}":           {"viewer", false},
	"GET /api/v1/groups/{id}/executors": {"viewer", false},
	"PUT /api/v1/groups/{id}":           {"admin", false},
	"POST /api/v1/groups":               {"admin", true},
	"DELETE /api/v1/groups/{id}":        {"admin", true},
	"POST /api/v1/groups/{id}/drain":    {"operator", false},
	"POST /api/v1/groups/{id}/undrain":  {"operator", false},

	"GET /api/v1/runs":             {"viewer", false},
	"GET /api/v1/runs/{id}":        {"viewer", false},
	"GET /api/v1/runs/{id}/log":    {"viewer", false},
	"POST /api/v1/runs/{id}/kill":  {"operator", false},
	"POST /api/v1/runs/clear":      {"editor", false},
	"GET /api/v1/orders/{id}":      {"viewer", false},
	"GET /api/v1/fires":            {"viewer", false},
	"GET /api/v1/nodes":            {"viewer", false},
	"POST /api/v1/nodes/drain":     {"admin", true},
	"GET /api/v1/reports":          {"viewer", true},
	"GET /api/v1/audit":            {"viewer", true},
	"GET /api/v1/audit/export":     {"viewer", true},
	"GET /api/v1/audit/verify":     {"viewer", true},
	"GET /api/v1/runs/{id}/tail":   {"viewer", false},
	"POST /api/v1/runs/{id}/rerun": {"operator", false},
	"POST /api/v1/jobs/bulk":       {"operator", false},
	"GET /api/v1/events":           {"viewer", false},
	"GET /api/v1/forecast":         {"viewer", false},
	"GET /api/v1/overview":         {"viewer", false},
	"GET /api/v1/graph":            {"viewer", false},
	"GET /api/v1/info":             {"viewer", false},
	"GET /api/v1/tags":             {"viewer", false},
	"POST /api/v1/alarms/test":     {"admin", true},
	"GET /api/v1/takeover":         {"admin", true},
	"POST /api/v1/takeover":        {"admin", true},
	"GET /api/v1/stats":            {"viewer", false},
	"GET /api/v1/export":           {"viewer", false},
	"POST /api/v1/export":          {"editor", false},
	"POST /api/v1/apply":           {"editor", false},

	"POST /api/v1/jobs/{id}/backfill":    {"operator", false},
	"GET /api/v1/backfills":              {"viewer", false},
	"GET /api/v1/backfills/{id}":         {"viewer", false},
	"POST /api/v1/backfills/{id}/cancel": {"operator", false},
}

// goodBodies holds a body for each call that needs one.
var goodBodies = map[string]string{
	"POST /api/v1/session":           `{"name":"root","password":"pass of root"}`,
	"POST /api/v1/session/first":     `{"token":"wrong","name":"first","password":"a password"}`,
	"PUT /api/v1/me/password":        `{"old":"pass of root","new":"another pass"}`,
	"POST /api/v1/users":             `{"name":"third","password":"a password","grants":[{"jobGroup":1,"role":"viewer"}]}`,
	"PUT /api/v1/users/{id}":         `{"password":"a password"}`,
	"POST /api/v1/tokens":            `{"name":"ci","expires":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`,
	"POST /api/v1/pauses":            `{"jobGroup":1,"note":"n"}`,
	"PUT /api/v1/calendars/{name}":   `{"weekend":["SUNDAY"],"years":[]}`,
	"POST /api/v1/groups":            `{"appName":"another-app"}`,
	"PUT /api/v1/groups/{id}":        `{"title":"renamed"}`,
	"POST /api/v1/jobs":              `{"jobGroup":1,"name":"n","author":"a","executorHandler":"h"}`,
	"PUT /api/v1/jobs/{id}":          `{"name":"renamed"}`,
	"PUT /api/v1/jobs/{id}/glue":     `{"glueType":"GLUE_SHELL","glueSource":"echo","glueRemark":"new source"}`,
	"POST /api/v1/jobs/{id}/copy":    `{"glueType":"BEAN","glueSource":""}`, // with a script, a coder is needed
	"POST /api/v1/runs/clear":        `{"jobGroup":1,"all":true}`,
	"POST /api/v1/jobs/bulk":         `{"action":"trigger","ids":[1]}`,
	"POST /api/v1/jobs/{id}/trigger": `{"executorParam":"p"}`,

	"POST /api/v1/groups/{id}/drain":   `{"address":"http://shown:9999/"}`,
	"POST /api/v1/jobs/{id}/backfill":  `{"from":"2026-01-01T00:00:00Z","to":"2026-01-03T00:00:00Z","dryRun":true}`,
	"POST /api/v1/groups/{id}/undrain": `{"address":"http://drained:9999/"}`,
	"POST /api/v1/apply":               `{"files":[{"name":"jobs.yaml","text":"jobs: [{appName: shown-app, key: new, author: a, executorHandler: h}]"}]}`,
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// TestWhatEachRoleMayDo makes every call in every role, granted for the group concerned and for
// all.
func TestWhatEachRoleMayDo(t *testing.T) {
	roles := append([]xxladapter.Role{access.None}, xxladapter.Role("").Values()...)
	seen := map[string]bool{}
	unchanged := twoGroupsOn(t)
	for _, c := range newSite(t).server.calls() {
		name := c.Method + " " + c.Path
		want, known := least[name]
		require.True(t, known, "%s has no entry in the table of roles", name)
		seen[name] = true
		for _, role := range roles {
			for _, forAll := range []bool{false, true} {
				group := int64(1)
				if forAll {
					group = access.Everywhere
				}
				may := want.role == "" || role != "" && role.Includes(want.role) && (forAll || !want.forAll)
				s := unchanged // by calls that are refused
				if may {
					s = twoGroupsOn(t)
				}
				status, body := s.as(granted(group, role))(c.Method, pathFor(c)+map[bool]string{true: "?expr=0+0+2+*+*+%3F"}[strings.HasSuffix(c.Path, "cron/next")], goodBodies[name])
				require.Equal(t, may, status != http.StatusForbidden, "%s as %q for all %v: %s", name, role, forAll, body)
				if may && !c.Redirects { // which needs a provider
					require.NotEqual(t, http.StatusNotFound, status, "%s: %s", name, body)
				}
			}
		}
	}
	require.Len(t, seen, len(least), "an entry is of no call")
}

// twoGroupsOn returns a server with the people and two groups; see [site.twoGroups].
func twoGroupsOn(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.twoGroups()
	return s
}

// twoGroups creates the people, a group 1, and a group 2 whose names all contain "secluded". The
// job, run, order, backfill and pause of each group have the group's id.
func (s *site) twoGroups() {
	t := s.t
	t.Helper()
	s.people()
	for i, name := range []string{"shown", "secluded"} {
		group, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{
			AppName: name + "-app", Title: name, AddressType: xxladapter.AddressManual, Addresses: []string{"http://" + name + ":9999/"},
		})
		require.NoError(t, err)
		require.Equal(t, int64(i+1), group)
		j := &xxladapter.Job{
			GroupID: group, Name: name, Author: name, Handler: name, Param: name, ScheduleType: xxladapter.ScheduleCron,
			ScheduleConf: "0 0 2 * * ?", GlueType: xxladapter.GlueShell, GlueSource: "echo " + name,
		}
		j.SetDefaults()
		id, err := xxladapter.CreateJob(t.Context(), s.store, j)
		require.NoError(t, err)
		require.Equal(t, group, id)
		j, err = s.store.Job(t.Context(), id)
		require.NoError(t, err)
		j.GlueUpdated, j.GlueSource = time.Time{}, "echo again "+name
		require.NoError(t, xxladapter.UpdateJob(xxladapter.WithCall(t.Context(), "setup"), s.store, j, false)) // with versions
		_, _, err = s.store.PlanOrder(t.Context(), xxladapter.Fire{
			JobID: id, Due: time.Now().Add(time.Hour), Type: xxladapter.TriggerManual, RetryCount: -1, Param: &name,
		}, "key of "+name, name)
		require.NoError(t, err)
		log := s.runIn(id, group, xxladapter.ResultNone)
		require.Equal(t, group, log)
		_, err = s.store.CreateBackfill(t.Context(), &xxladapter.Backfill{JobID: id, Dues: []time.Time{time.Unix(1e9, 0)}, BackfillProgress: xxladapter.BackfillProgress{Parallel: 1, By: name}})
		require.NoError(t, err)
		require.NoError(t, s.store.DrainExecutor(t.Context(), group, xxladapter.Drain{Address: "http://drained:9999/", Note: name}))
		require.NoError(t, s.store.SaveTexts(t.Context(), []xxladapter.RunText{{LogID: log, Text: name + " text", Complete: true}}))
		pause, err := s.store.CreatePause(t.Context(), xxladapter.Pause{GroupID: group, Note: name})
		require.NoError(t, err)
		require.Equal(t, group, pause.ID)
	}
	_, err := s.store.SaveCalendar(t.Context(), &xxladapter.Calendar{Name: "cn"}, time.Time{})
	require.NoError(t, err)
}

// TestAGroupThatIsNotGrantedDoesNotExist walks all calls as the administrator of another group:
// things of the group are answered like things that do not exist, no list has them, and no call
// stores anything.
func TestAGroupThatIsNotGrantedDoesNotExist(t *testing.T) {
	s := twoGroupsOn(t)
	do := s.as(granted(1, xxladapter.RoleAdmin))
	before := s.contents()
	check := func(method, path, body string) {
		t.Helper()
		ask := func(id string) (int, string) {
			status, answer := do(method, strings.ReplaceAll(path, "{id}", id), strings.ReplaceAll(body, "{id}", id))
			require.NotContains(t, answer, "secluded", "%s %s", method, path)
			require.True(t, before == s.contents(), "%s %s %s has stored something", method, path, body)
			return status, regexp.MustCompile(`\b`+id+`\b`).ReplaceAllString(answer, "N")
		}
		status, answer := ask("2")
		if !strings.Contains(path+body, "{id}") {
			return
		}
		wantStatus, want := ask("4711")
		require.Equal(t, wantStatus, status, "%s %s %s: %s", method, path, body, answer)
		require.Equal(t, want, answer, "%s %s %s", method, path, body)
	}
	for _, c := range s.server.calls() {
		if forUsers(c) || strings.HasPrefix(c.Path, "/api/v1/users") {
			continue
		}
		if strings.Contains(c.Path, "{id}") && c.Path != "/api/v1/groups/{id}" || c.Method == http.MethodGet {
			check(c.Method, strings.ReplaceAll(c.Path, "{version}", "1"), goodBodies[c.Method+" "+c.Path])
		}
	}
	check("GET", "/api/v1/groups/{id}", "")
	check("PUT", "/api/v1/groups/{id}", `{"title":"mine"}`)
	for _, list := range []string{"jobs?group={id}", "runs?group={id}", "runs?job={id}", "runs?after=1", "fires?job={id}", "jobs?name=s&limit=1", "runs?newest&limit=1",
		"runs?text=s&count", "jobs?sort=NAME&desc&count", "forecast?group={id}", "graph?job={id}", "stats?group={id}"} {
		check("GET", "/api/v1/"+list, "")
	}
	for _, call := range []string{
		`POST /api/v1/jobs {"jobGroup":{id},"name":"n","author":"a","executorHandler":"h"}`,
		`PUT /api/v1/jobs/1 {"jobGroup":{id}}`,
		`PUT /api/v1/jobs/1 {"childJobIds":[{id}]}`,
		`POST /api/v1/jobs/1/copy {"jobGroup":{id}}`,
		`POST /api/v1/runs/clear {"jobGroup":{id},"all":true}`,
		`POST /api/v1/runs/clear {"jobId":{id},"all":true}`,
		`POST /api/v1/pauses {"jobGroup":{id}}`,
		`POST /api/v1/jobs/bulk {"action":"stop","ids":[{id}]}`,
		`POST /api/v1/jobs/bulk {"action":"delete","ids":[{id}]}`,
		`POST /api/v1/jobs/bulk {"action":"stop","filter":{"jobGroup":{id}}}`,
	} {
		parts := strings.SplitN(call, " ", 3)
		check(parts[0], parts[1], parts[2])
	}
	for _, app := range []string{"secluded-app", "no-such-app"} {
		status, answer := do("PUT", "/api/v1/jobs/1", `{"appName":"`+app+`"}`)
		require.Equal(t, http.StatusNotFound, status)
		require.Contains(t, answer, "must be the app name of a group")
	}
	require.True(t, before == s.contents())

	// A caller to whom it is granted sees the group.
	_, answer := s.as(granted(2, xxladapter.RoleViewer))("GET", "/api/v1/jobs", "")
	require.Contains(t, answer, "secluded")
	require.NotContains(t, answer, "shown")
}

// TestWhatTheGroupOfAChangeDecides lists changes that reach further than the job that they name.
func TestWhatTheGroupOfAChangeDecides(t *testing.T) {
	const ok, forbidden = http.StatusOK, http.StatusForbidden
	for name, tt := range map[string]struct {
		grants []xxladapter.Grant
		call   string
		status int
	}{
		"an editor keeps the script":           {[]xxladapter.Grant{granted(1, "editor")}, `PUT /jobs/1 {"glueSource":"echo again shown"}`, ok},
		"an editor does not change the script": {[]xxladapter.Grant{granted(1, "editor")}, `PUT /jobs/1 {"glueSource":"rm"}`, forbidden},
		"nor its language":                     {[]xxladapter.Grant{granted(1, "editor")}, `PUT /jobs/1 {"glueType":"GLUE_PYTHON"}`, forbidden},
		"a coder does":                         {[]xxladapter.Grant{granted(1, "coder")}, `PUT /jobs/1 {"glueSource":"rm"}`, ok},
		"a copy brings a script":               {[]xxladapter.Grant{granted(1, "editor")}, `POST /jobs/1/copy {}`, forbidden},
		"a new script job":                     {[]xxladapter.Grant{granted(1, "editor")}, `POST /jobs {"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_SHELL","glueSource":"x"}`, forbidden},
		"a source that waits for its type":     {[]xxladapter.Grant{granted(1, "editor")}, `POST /jobs {"jobGroup":1,"name":"n","author":"a","executorHandler":"h","glueSource":"x"}`, forbidden},
		"a new job without a script":           {[]xxladapter.Grant{granted(1, "editor")}, `POST /jobs {"jobGroup":1,"name":"n","author":"a","executorHandler":"h"}`, ok},
		"a move needs both groups":             {[]xxladapter.Grant{granted(1, "coder"), granted(2, "viewer")}, `PUT /jobs/1 {"jobGroup":2}`, forbidden},
		"a move brings the script":             {[]xxladapter.Grant{granted(1, "coder"), granted(2, "editor")}, `PUT /jobs/1 {"jobGroup":2}`, forbidden},
		"a move by a coder":                    {[]xxladapter.Grant{granted(1, "editor"), granted(2, "coder")}, `PUT /jobs/1 {"jobGroup":2}`, ok},
		"a child that may only be read":        {[]xxladapter.Grant{granted(1, "editor"), granted(2, "viewer")}, `PUT /jobs/1 {"childJobIds":[2]}`, forbidden},
		"a child that may be triggered":        {[]xxladapter.Grant{granted(1, "editor"), granted(2, "operator")}, `PUT /jobs/1 {"childJobIds":[2]}`, ok},
		"all runs of all groups":               {[]xxladapter.Grant{granted(1, "admin"), granted(2, "admin")}, `POST /runs/clear {"all":true}`, forbidden},
		"all runs, for all":                    {[]xxladapter.Grant{granted(0, "editor")}, `POST /runs/clear {"all":true}`, ok},
		"runs of a group that may be read":     {[]xxladapter.Grant{granted(1, "admin"), granted(2, "viewer")}, `POST /runs/clear {"jobGroup":2,"all":true}`, forbidden},
		"runs of a job that may be read":       {[]xxladapter.Grant{granted(1, "admin"), granted(2, "viewer")}, `POST /runs/clear {"jobId":2,"all":true}`, forbidden},
		"runs of a job, with two roles":        {[]xxladapter.Grant{granted(0, "viewer"), granted(1, "editor")}, `POST /runs/clear {"jobId":2,"all":true}`, forbidden},
		"runs of a job of one's own":           {[]xxladapter.Grant{granted(0, "viewer"), granted(1, "editor")}, `POST /runs/clear {"jobId":1,"all":true}`, ok},
		"runs of a job that is gone":           {[]xxladapter.Grant{granted(0, "viewer"), granted(1, "editor")}, `POST /runs/clear {"jobId":9,"all":true}`, http.StatusNotFound},
		"a pause of a group":                   {[]xxladapter.Grant{granted(1, "operator")}, `POST /pauses {"appName":"shown-app"}`, ok},
		"a pause of all groups":                {[]xxladapter.Grant{granted(1, "admin"), granted(2, "admin")}, `POST /pauses {"all":true}`, forbidden},
		"a pause of all groups, for all":       {[]xxladapter.Grant{granted(0, "operator")}, `POST /pauses {"all":true}`, ok},
		"the end of a pause that may be read":  {[]xxladapter.Grant{granted(1, "admin"), granted(2, "viewer")}, `POST /pauses/2/end {}`, forbidden},
		"the title of a group":                 {[]xxladapter.Grant{granted(1, "admin")}, `PUT /groups/1 {"title":"x","appName":"shown-app","addressType":1,"addressList":["http://shown:9999/"]}`, ok},
		"the app name of a group":              {[]xxladapter.Grant{granted(1, "admin")}, `PUT /groups/1 {"appName":"x-app"}`, forbidden},
		"the address type of a group":          {[]xxladapter.Grant{granted(1, "admin")}, `PUT /groups/1 {"addressType":0}`, forbidden},
		"the addresses of a group":             {[]xxladapter.Grant{granted(1, "admin")}, `PUT /groups/1 {"addressList":["http://evil:9999/"]}`, forbidden},
		"the token of a group":                 {[]xxladapter.Grant{granted(1, "admin")}, `PUT /groups/1 {"accessToken":""}`, forbidden},
		"the addresses of a group, for all":    {[]xxladapter.Grant{granted(0, "admin")}, `PUT /groups/1 {"addressList":["http://other:9999/"]}`, ok},
		"a role elsewhere":                     {[]xxladapter.Grant{granted(1, "viewer"), granted(2, "admin")}, `POST /jobs/1/start {}`, forbidden},
	} {
		s := twoGroupsOn(t)
		parts := strings.SplitN(tt.call, " ", 3)
		status, answer := s.as(tt.grants...)(parts[0], api.Base+parts[1], parts[2])
		require.Equal(t, tt.status, status, "%s: %s", name, answer)
	}
}

// TestACycleThroughAnotherGroupIsFound checks that a cycle of child jobs is refused even if a part
// of it does not exist for the caller, and that this part is not shown.
func TestACycleThroughAnotherGroupIsFound(t *testing.T) {
	s := twoGroupsOn(t)
	for _, call := range []string{
		`POST /jobs {"jobGroup":1,"name":"third","author":"a","executorHandler":"h"}`, `PUT /jobs/1 {"childJobIds":[2]}`, `PUT /jobs/2 {"childJobIds":[3]}`,
	} {
		parts := strings.SplitN(call, " ", 3)
		status, answer := s.do(parts[0], api.Base+parts[1], testToken, parts[2])
		require.Equal(t, http.StatusOK, status, answer)
	}
	status, answer := s.as(granted(1, "editor"))("PUT", "/api/v1/jobs/3", `{"childJobIds":[1]}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, `must not lead back to job 3: 3 \u003e 1 \u003e ... \u003e 3`)

	status, answer = s.as(granted(1, "editor"))("PUT", "/api/v1/jobs/1", `{"name":"keeps its foreign child"}`)
	require.Equal(t, http.StatusOK, status, answer)
}

// TestTheActorIsKnownToTheStore checks who a change is said to come from.
func TestTheActorIsKnownToTheStore(t *testing.T) {
	seen := map[string]xxladapter.Actor{}
	for kind, token := range map[string]string{"operator": testToken, "open": ""} {
		noted := new(actorStore)
		s := siteWith(t, func(o *Options) {
			o.AccessToken = token
			noted.Store, o.Store = o.Store, noted
		})
		status, body := s.do("POST", "/api/v1/groups", token, `{"appName":"some-app"}`)
		require.Equal(t, http.StatusOK, status, body)
		seen[kind] = noted.by
		require.Equal(t, 200, s.call("/api/registry", "some-app", token, `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`).Code)
		seen["executor"] = noted.by
	}
	require.Equal(t, map[string]xxladapter.Actor{
		"operator": {Kind: xxladapter.ActorOperator, Address: "127.0.0.1"},
		"open":     {Kind: xxladapter.ActorOpen, Address: "127.0.0.1"},
		"executor": {Kind: xxladapter.ActorExecutor, Name: "some-app", Address: "127.0.0.1"},
	}, seen)
	require.Zero(t, xxladapter.ActorOf(t.Context()))
}

// An actorStore notes by whom it was changed last.
type actorStore struct {
	Store
	by xxladapter.Actor
}

func (s *actorStore) SaveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	s.by = xxladapter.ActorOf(ctx)
	return s.Store.SaveGroup(ctx, g)
}

func (s *actorStore) Register(ctx context.Context, app, addr string) error {
	s.by = xxladapter.ActorOf(ctx)
	return s.Store.Register(ctx, app, addr)
}

// TestARoleCountsOnlyInItsGroup has a caller with the highest role in one group, who may only look
// in another: what needs more there is refused and stores nothing.
func TestARoleCountsOnlyInItsGroup(t *testing.T) {
	s := twoGroupsOn(t)
	do := s.as(granted(1, xxladapter.RoleAdmin), granted(2, xxladapter.RoleViewer))
	before := s.contents()
	refused := func(method, path, body string) {
		t.Helper()
		status, answer := do(method, path, body)
		require.Equal(t, http.StatusForbidden, status, "%s %s %s: %s", method, path, body, answer)
		require.True(t, before == s.contents(), "%s %s %s has stored something", method, path, body)
	}
	inPaths := 0
	for _, c := range s.server.calls() {
		name := c.Method + " " + c.Path
		if strings.Contains(c.Path, "{id}") && least[name].role != "" && least[name].role != xxladapter.RoleViewer {
			refused(c.Method, strings.NewReplacer("{id}", "2", "{version}", "1").Replace(c.Path), goodBodies[name])
			inPaths++
		}
	}
	require.Greater(t, inPaths, 15)
	for _, call := range []string{
		`POST /api/v1/jobs {"jobGroup":2,"name":"n","author":"a","executorHandler":"h"}`,
		`PUT /api/v1/jobs/1 {"jobGroup":2}`,
		`POST /api/v1/jobs/1/copy {"jobGroup":2}`,
		`POST /api/v1/runs/clear {"jobGroup":2,"all":true}`,
		`POST /api/v1/pauses {"jobGroup":2}`,
	} {
		parts := strings.SplitN(call, " ", 3)
		refused(parts[0], parts[1], parts[2])
	}
	// A bulk call refuses each job by itself.
	_, answer := do("POST", "/api/v1/jobs/bulk", `{"action":"stop","filter":{"jobGroup":2}}`)
	require.Contains(t, answer, `"code":"forbidden"`)
	require.Contains(t, answer, `{"done":true,"failed":1}`)
	require.True(t, before == s.contents())
}
