package admin

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// audited are bodies with which the changing calls of the API do something, on the objects of
// [auditSite]. A call that changes nothing that is kept has a reason in unaudited instead.
var audited = map[string]string{
	"POST /api/v1/jobs":                                 `{"appName":"some-app","name":"new","author":"a","executorHandler":"h"}`,
	"PUT /api/v1/jobs/{id}":                             `{"name":"renamed"}`,
	"DELETE /api/v1/jobs/{id}":                          ``,
	"POST /api/v1/jobs/{id}/start":                      ``,
	"POST /api/v1/jobs/{id}/stop":                       ``,
	"POST /api/v1/jobs/{id}/copy":                       `{"name":"copy"}`,
	"POST /api/v1/jobs/{id}/trigger":                    `{"executorParam":"p"}`,
	"POST /api/v1/jobs/{id}/glue/{version}/restore":     ``,
	"PUT /api/v1/jobs/{id}/glue":                        `{"glueSource":"echo three","glueRemark":"third"}`,
	"POST /api/v1/jobs/{id}/versions/{version}/restore": ``,
	"POST /api/v1/pauses":                               `{"all":true,"note":"n"}`,
	"POST /api/v1/pauses/{id}/end":                      ``,
	"POST /api/v1/nodes/drain":                          `{"node":"node-1"}`,
	"PUT /api/v1/calendars/{name}":                      `{"weekend":["SUNDAY"],"years":[]}`,
	"DELETE /api/v1/calendars/{name}":                   ``,
	"POST /api/v1/groups":                               `{"appName":"another-app","accessToken":"` + groupSecret + `"}`,
	"PUT /api/v1/groups/{id}":                           `{"accessToken":"` + groupSecret + `"}`,
	"DELETE /api/v1/groups/{id}":                        ``,
	"POST /api/v1/runs/{id}/kill":                       ``,
	"POST /api/v1/runs/clear":                           `{"all":true}`,
	"POST /api/v1/jobs/bulk":                            `{"action":"trigger","ids":[1]}`,
	"POST /api/v1/runs/{id}/rerun":                      `{"executorParam":"p"}`,
	"POST /api/v1/groups/{id}/drain":                    `{"address":"http://10.0.0.7:9999/","note":"upgrade"}`,
	"POST /api/v1/groups/{id}/undrain":                  `{"address":"http://10.0.0.9:9999/"}`,
	"POST /api/v1/jobs/{id}/backfill":                   `{"from":"2026-01-01T00:00:00Z","to":"2026-01-03T00:00:00Z"}`,
	"POST /api/v1/backfills/{id}/cancel":                ``,
	"POST /api/v1/alarms/test":                          `{"emails":["ops@example.org"]}`,
	"POST /api/v1/users":                                `{"name":"third","password":"` + userSecret + `","grants":[{"jobGroup":1,"role":"coder"}]}`,
	"PUT /api/v1/users/{id}":                            `{"password":"` + userSecret + `","grants":[]}`,
	"DELETE /api/v1/users/{id}":                         ``,
	"POST /api/v1/tokens":                               `{"user":"root","name":"ci","expires":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}`,
	"DELETE /api/v1/tokens/{id}":                        ``,
	"POST /api/v1/export":                               ``,
	"POST /api/v1/apply":                                `{"files":[{"name":"jobs.yaml","text":"jobs: [{appName: some-app, key: new, author: a, executorHandler: h}]"}]}`,
}

// unaudited are the changing calls that TestEveryChangingCallIsAudited leaves out, with the reason:
// they leave no audit row, or another test makes them.
var unaudited = map[string]string{
	"POST /api/v1/session":            "who signs in changes nothing, and is in the log",
	"DELETE /api/v1/session":          "who signs out changes nothing",
	"DELETE /api/v1/me/sessions/{id}": "the end of a session changes nothing",
	"POST /api/v1/session/first":      "needs a link: TestChangesByUsersAreAudited",
	"POST /api/v1/takeover":           "needs a database of XXL-JOB: TestTakeOverThroughTheAPI of cmd/xxlwheel",
	"PUT /api/v1/me/password":         "needs a session: TestChangesByUsersAreAudited",
}

// auditedOps are bodies for the calls by which executors change jobs.
var auditedOps = map[string]string{
	wire.OpAddJob:     jobCallBody(`"jobGroup":1,"glueType":"BEAN","name":"by an executor"`),
	wire.OpUpdateJob:  jobCallBody(`"id":1,"name":"by an executor"`),
	wire.OpRemoveJob:  `{"id":1}`,
	wire.OpStartJob:   `{"id":1}`,
	wire.OpStopJob:    `{"id":1}`,
	wire.OpTriggerJob: `{"id":1,"executorParam":"p"}`,
	wire.OpDeclare:    `{"jobs":[{"key":"new","author":"a","executorHandler":"h"}]}`,
}

const (
	groupSecret    = "secret-of-a-group"
	userSecret     = "secret-of-a-user"
	operatorSecret = "secret-of-an-operator"
)

func jobCallBody(fields string) string {
	return `{"author":"a","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","misfireStrategy":"DO_NOTHING","executorRouteStrategy":"FIRST",
		"executorHandler":"h","executorBlockStrategy":"SERIAL_EXECUTION",` + fields + `}`
}

// auditSite returns a site with group 1, which has job 1 with a schedule and two versions of a
// source, an ended run 1 and an open run 2, and group 2, which has no jobs. running says whether
// the schedule is on.
func auditSite(t *testing.T, running bool, change func(*Options)) *site {
	s := siteWith(t, func(o *Options) {
		o.OperatorTokens = []string{operatorSecret}
		o.Purger = &maintenance.Purger{Store: o.Store.(xxladapter.PurgeStore), Logger: slog.New(slog.DiscardHandler)}
		if change != nil {
			change(o)
		}
	})
	ctx := t.Context()
	s.people()
	for _, app := range []string{"some-app", "idle-app"} {
		_, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: app, Title: app})
		require.NoError(t, err)
	}
	j := &xxladapter.Job{
		GroupID: 1, Name: "n", Author: "a", GlueType: xxladapter.GlueShell, GlueSource: "echo one", Handler: "h",
		ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?",
	}
	j.SetDefaults()
	_, err := xxladapter.CreateJob(ctx, s.store, j)
	require.NoError(t, err)
	j.ID, j.GlueSource = 1, "echo two"
	require.NoError(t, xxladapter.UpdateJob(ctx, s.store, j, false))
	for i, result := range []int{xxladapter.ResultOK, 0} {
		s.run(1, xxladapter.ResultOK)
		if result != 0 {
			_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: int64(i + 1), Code: result})
			require.NoError(t, err)
		}
	}
	_, err = s.store.CreatePause(ctx, xxladapter.Pause{GroupID: 2})
	require.NoError(t, err)
	_, err = s.store.SaveCalendar(ctx, &xxladapter.Calendar{Name: "cn"}, time.Time{})
	require.NoError(t, err)
	require.NoError(t, s.store.Register(ctx, "some-app", "http://10.0.0.7:9999/"))
	require.NoError(t, s.store.DrainExecutor(ctx, 1, xxladapter.Drain{Address: "http://10.0.0.9:9999/"}))
	if running {
		require.NoError(t, storetest.StartAt(ctx, s.store, 1, time.Now().Add(time.Hour)))
	}
	return s
}

// pathOf fills the path of a call with the ids of an auditSite.
func pathOf(c api.Call) string {
	id := "1"
	switch c.Path {
	case "/api/v1/groups/{id}", "/api/v1/users/{id}":
		id = "2"
	case "/api/v1/runs/{id}/kill":
		id = "2"
	}
	return strings.NewReplacer("{id}", id, "{version}", "1", "{name}", "cn").Replace(c.Path)
}

func (s *site) audit() []xxladapter.AuditRow {
	s.t.Helper()
	rows, err := s.store.AuditRows(s.t.Context(), xxladapter.AuditFilter{})
	require.NoError(s.t, err)
	return rows
}

// A new call that changes something needs an entry in audited, or in unaudited with the reason.
func TestEveryChangingCallIsAudited(t *testing.T) {
	for _, c := range newSite(t).server.calls() {
		name := c.Method + " " + c.Path
		if c.Method == http.MethodGet || unaudited[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			body, known := audited[name]
			require.True(t, known, "%s may change something, must be in the table of audited calls", name)
			s := auditSite(t, strings.HasSuffix(name, "/stop"), nil)
			if strings.Contains(name, "/backfills/") {
				_, err := s.store.CreateBackfill(t.Context(), &xxladapter.Backfill{
					JobID: 1, Dues: []time.Time{time.Unix(1e9, 0)}, BackfillProgress: xxladapter.BackfillProgress{Parallel: 1},
				})
				require.NoError(t, err)
			}
			if strings.Contains(name, "/nodes/") {
				s.lease("node-1", "node-2")
			}
			if strings.Contains(name, "/versions/") {
				s.do("PUT", "/api/v1/jobs/1", operatorSecret, `{"name":"later"}`)
			}
			before := len(s.audit())
			status, answer := s.do(c.Method, pathOf(c), operatorSecret, body)
			require.Equal(t, http.StatusOK, status, answer)
			rows := s.audit()
			require.Len(t, rows, before+1, "%s left no row, or more than one", name)
			row := rows[before]
			require.Equal(t, name, row.Call)
			require.NotEmpty(t, row.Changes)
			require.Equal(t, "127.0.0.1", row.Actor.Address)
			require.Equal(t, xxladapter.ActorOperator, row.Actor.Kind)
			require.Contains(t, xxladapter.AuditKinds(), row.Object.Kind)
			if strings.Contains(c.Path, "/jobs/{id}") && !strings.HasSuffix(c.Path, "/copy") {
				require.Equal(t, "job", row.Object.Kind)
				require.EqualValues(t, 1, row.Object.ID)
				require.EqualValues(t, 1, row.Object.GroupID)
			}
			s.noSecrets()
		})
	}
	for _, op := range executorapi.Operations() {
		body, changes := "", false
		for name, text := range auditedOps {
			if strings.EqualFold(name, op) {
				body, changes = text, true
			}
		}
		if !changes {
			require.Contains(t, []string{wire.OpRegistry, strings.ToLower(wire.OpRegistryRemove), wire.OpCallback, wire.OpAccept, wire.OpFeed}, op,
				"%s may change something, must be in the table of audited calls", op)
			continue
		}
		s := auditSite(t, strings.HasPrefix(op, "stop"), func(o *Options) { o.AllowDeclare = true })
		token := testToken
		if op == wire.OpDeclare { // needs the group's own token
			token = groupSecret
			_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{ID: 1, AppName: "some-app", Title: "some-app", AccessToken: token})
			require.NoError(t, err)
		}
		before := len(s.audit())
		require.Equal(t, 200, s.call("/api/"+op, "some-app", token, body).Code, op)
		rows := s.audit()
		require.Len(t, rows, before+1, op)
		require.True(t, strings.EqualFold("POST /api/"+op, rows[before].Call), rows[before].Call)
		require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorExecutor, Name: "some-app", Address: "127.0.0.1"}, rows[before].Actor)
		s.noSecrets()
	}
}

// noSecrets fails if the audit has a token or a password of the site.
func (s *site) noSecrets() {
	s.t.Helper()
	for _, path := range []string{"", "/export?format=csv", "/export"} {
		status, all := s.do("GET", "/api/v1/audit"+path, operatorSecret, "")
		require.Equal(s.t, http.StatusOK, status)
		for _, secret := range []string{groupSecret, operatorSecret, testToken, userSecret, "argon2"} {
			require.NotContains(s.t, all, secret)
		}
	}
}

// A refused or failed call leaves no row.
func TestWhatWasRefusedIsNotAudited(t *testing.T) {
	for name, body := range audited {
		method, path, _ := strings.Cut(name, " ")
		c := api.Call{Method: method, Path: path}
		s := auditSite(t, strings.HasSuffix(name, "/stop"), nil)
		before := len(s.audit())
		refused := func(want int, path, token, body string) {
			t.Helper()
			status, answer := s.do(method, path, token, body)
			require.Equal(t, want, status, "%s: %s", name, answer)
			require.Len(t, s.audit(), before, "%s left a row although it was refused: %s", name, answer)
		}
		refused(http.StatusUnauthorized, pathOf(c), "wrong", body)
		refused(http.StatusBadRequest, pathOf(c), operatorSecret, `{"nonsense":1}`)
		refused(http.StatusBadRequest, pathOf(c)+"?nonsense=1", operatorSecret, body)
		if strings.Contains(path, "{id}") {
			refused(http.StatusNotFound, regexp.MustCompile(`\{\w+\}`).ReplaceAllString(path, "77"), operatorSecret, body)
		}
	}
	s := auditSite(t, false, nil)
	s.executors.fail = errors.New("unreachable")
	status, _ := s.do("POST", "/api/v1/runs/2/kill", operatorSecret, "")
	require.Equal(t, http.StatusBadGateway, status)
	require.Empty(t, s.audit(), "it was not killed")
}

// An executorLeft is an executor whose run is killed by a caller who hangs up meanwhile.
type executorLeft struct {
	*fakeExecutors
	hangUp context.CancelFunc
}

func (e *executorLeft) Kill(ctx context.Context, addr, app string, jobID int64) error {
	e.hangUp()
	return errors.Join(e.fakeExecutors.Kill(ctx, addr, app, jobID), ctx.Err())
}

// TestAKillIsAuditedAlthoughItsCallerHangsUp checks that nobody kills without a trace.
func TestAKillIsAuditedAlthoughItsCallerHangsUp(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	s := auditSite(t, false, func(o *Options) {
		o.Executors = &executorLeft{o.Executors.(*fakeExecutors), hangUp}
	})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/runs/2/kill", nil)
	r.Header.Set(wire.HeaderToken, operatorSecret)
	s.server.ServeHTTP(httptest.NewRecorder(), r)
	require.Len(t, s.executors.killed, 1)
	rows := s.audit()
	require.Len(t, rows, 1)
	require.Equal(t, "POST /api/v1/runs/{id}/kill", rows[0].Call)
	require.Equal(t, xxladapter.AuditRun, rows[0].Object.Kind)
}

// A forgetfulTrail loses answers. Its next appends, as many as lost says, fail with
// [xxladapter.ErrInDoubt]. They happen all the same if happens is set.
type forgetfulTrail struct {
	*memstore.Store
	lost    int
	happens bool
}

func (f *forgetfulTrail) AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error {
	if f.lost == 0 {
		return f.Store.AppendAudit(ctx, o, fields)
	}
	f.lost--
	if f.happens {
		return errors.Join(f.Store.AppendAudit(ctx, o, fields), xxladapter.ErrInDoubt)
	}
	return xxladapter.ErrInDoubt
}

// TestAKillIsAuditedOnceAlthoughAnswersAreLost checks that a kill has one row although an answer
// was lost, and that the call fails if no append happened.
func TestAKillIsAuditedOnceAlthoughAnswersAreLost(t *testing.T) {
	for _, tt := range []struct {
		lost    int
		happens bool
		status  int
		rows    int
	}{
		{2, false, http.StatusOK, 1},
		{1, true, http.StatusOK, 1},
		{3, false, http.StatusInternalServerError, 0},
	} {
		trail := &forgetfulTrail{lost: tt.lost, happens: tt.happens}
		s := auditSite(t, false, func(o *Options) {
			trail.Store = o.Store.(*memstore.Store)
			o.Store = trail
		})
		status, body := s.do("POST", "/api/v1/runs/2/kill", operatorSecret, "")
		require.Equal(t, tt.status, status, body)
		require.Len(t, s.executors.killed, 1)
		require.Len(t, s.audit(), tt.rows, "%+v", tt)
	}
}

func TestTheAuditIsListedByFilters(t *testing.T) {
	s := auditSite(t, false, nil)
	for _, body := range []string{`{"name":"one"}`, `{"name":"two"}`} {
		status, answer := s.do("PUT", "/api/v1/jobs/1", operatorSecret, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	status, _ := s.do("PUT", "/api/v1/groups/2", operatorSecret, `{"title":"renamed"}`)
	require.Equal(t, http.StatusOK, status)
	list := func(query string) (ids []int64, next int64) {
		status, body := s.do("GET", "/api/v1/audit?"+query, operatorSecret, "")
		require.Equal(t, http.StatusOK, status, body)
		var answer struct {
			Rows []xxladapter.AuditRow
			Next int64
		}
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
		for _, r := range answer.Rows {
			ids = append(ids, r.ID)
		}
		return ids, answer.Next
	}
	for query, want := range map[string][]int64{
		"":                    {1, 2, 3},
		"newest":              {3, 2, 1},
		"job=1":               {1, 2},
		"group=1":             {1, 2},
		"kind=group&object=2": {3},
		"actor=nobody":        nil,
		"since=2000-01-01T00:00:00Z&before=2001-01-01T00:00:00Z": nil,
		"after=2": {3},
	} {
		ids, next := list(query)
		require.Equal(t, want, ids, query)
		require.Zero(t, next)
	}
	ids, next := list("newest&limit=2")
	require.Equal(t, []int64{3, 2}, ids)
	ids, _ = list(fmt.Sprintf("newest&after=%d", next))
	require.Equal(t, []int64{1}, ids)
	for query, message := range map[string]string{
		"?object=1":          "object is 1, must be together with kind",
		"?job=x":             `job is "x", must be an integer of 0 or more`,
		"?since=noon":        `since is "noon", must be an RFC 3339 instant`,
		"?user=ann":          `"user" is not a parameter`,
		"?kind=nonsense":     `kind is "nonsense", must be one of job, group, run, runs, zone`,
		"?actor=%ff":         "actor is not valid UTF-8",
		"/export?format=xml": `format is "xml", must be jsonl or csv`,
		"/export?limit=1":    `"limit" is not a parameter`,
		"/verify?from=1":     `"from" is not a parameter`,
		"/export?object=1":   "object is 1, must be together with kind",
	} {
		status, body := s.do("GET", "/api/v1/audit"+query, operatorSecret, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message)
	}
}

func TestTheAuditIsExported(t *testing.T) {
	s := auditSite(t, false, nil)
	ctx := xxladapter.WithCall(t.Context(), "=call")
	for range api.MaxPage + 5 {
		require.NoError(t, s.store.AppendAudit(ctx, xxladapter.AuditObject{Kind: "run", ID: 7}, xxladapter.Fields{{Name: "x", Value: "a,\"b\"\n"}}))
	}
	status, lines := s.do("GET", "/api/v1/audit/export", operatorSecret, "")
	require.Equal(t, http.StatusOK, status)
	var rows []xxladapter.AuditRow
	for line := range strings.Lines(lines) {
		var row xxladapter.AuditRow
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		rows = append(rows, row)
	}
	require.Equal(t, s.audit(), rows, "an export can be checked like the store")

	status, text := s.do("GET", "/api/v1/audit/export?format=csv&kind=run", operatorSecret, "")
	require.Equal(t, http.StatusOK, status)
	cells, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, cells, api.MaxPage+6)
	require.Equal(t, "changes", cells[0][11])
	require.Equal(t, "'=call", cells[1][5], "no formula")
	require.Equal(t, rows[0].ChangesText(), cells[1][11])

	failing := &failingAudit{Store: s.store}
	s = siteWith(t, func(o *Options) { o.Store, o.OperatorTokens = failing, []string{operatorSecret} })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/v1/audit/export", nil)
	require.NoError(t, err)
	req.Header.Set(wire.HeaderToken, operatorSecret)
	resp, err := s.client.Do(req)
	if err == nil {
		_, err = resp.Body.Read(make([]byte, 1<<20))
		for err == nil {
			_, err = resp.Body.Read(make([]byte, 1<<20))
		}
		require.NoError(t, resp.Body.Close())
		require.ErrorContains(t, err, "unexpected EOF", "a part must not look whole")
	}
}

// A failingAudit fails after the first page.
type failingAudit struct{ Store }

func (s *failingAudit) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	if f.AfterID > 0 {
		return nil, errors.New("no connection")
	}
	return s.Store.AuditRows(ctx, f)
}

// A tampered store shows rows that someone has changed.
type tampered struct {
	Store
	change func([]xxladapter.AuditRow) []xxladapter.AuditRow
}

func (s *tampered) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	rows, err := s.Store.AuditRows(ctx, f)
	return s.change(rows), err
}

func TestVerifyNamesTheFirstBrokenRow(t *testing.T) {
	store := new(tampered)
	s := auditSite(t, false, func(o *Options) {
		store.Store = o.Store
		o.Store = store
	})
	for i := range 6 {
		store.change = func(rows []xxladapter.AuditRow) []xxladapter.AuditRow { return rows }
		status, _ := s.do("PUT", "/api/v1/jobs/1", operatorSecret, fmt.Sprintf(`{"name":"n%d"}`, i))
		require.Equal(t, http.StatusOK, status)
	}
	_, err := s.store.PurgeAudit(t.Context(), s.audit()[5].At.Add(1), 1)
	require.NoError(t, err)
	type rows = []xxladapter.AuditRow
	for _, c := range []struct {
		name   string
		change func(rows) rows
		broken string
	}{
		{"nothing", func(r rows) rows { return r }, ""},
		{"another actor", func(r rows) rows { r[1].Actor.Name = "eve"; return r }, `{"id":3,"rule":"was changed, its hash differs"}`},
		{"another value", func(r rows) rows { r[2].Changes[0].After = json.RawMessage(`"x"`); return r }, `{"id":4,"rule":"was changed, its hash differs"}`},
		{"another time, with its hash", func(r rows) rows {
			r[1].At = r[1].At.Add(1e9)
			r[1].Hash = r[1].Digest()
			return r
		}, `{"id":4,"rule":"does not follow the row before, one of them was replaced"}`},
		{"one removed", func(r rows) rows { return append(r[:1], r[2:]...) }, `{"id":3,"rule":"is missing, the next one is 4"}`},
		{"the first removed", func(r rows) rows { return r[1:] }, `{"id":2,"rule":"is missing, the next one is 3"}`},
		{"the last removed", func(r rows) rows { return r[:len(r)-1] }, `{"id":6,"rule":"is missing, the last one is 6"}`},
		{"all removed", func(r rows) rows { return nil }, `{"id":2,"rule":"is missing, the last one is 6"}`},
		{"the last replaced", func(r rows) rows {
			last := &r[len(r)-1]
			last.Actor.Name = "eve"
			last.Hash = last.Digest()
			return r
		}, `{"id":6,"rule":"was replaced, the chain ends with another hash"}`},
		{"one added", func(r rows) rows {
			return append(r, xxladapter.NewAuditRow(t.Context(), r[len(r)-1].Position(), r[0].At, xxladapter.AuditObject{}, nil))
		}, `{"id":7,"rule":"is too many, the last one is 6"}`},
	} {
		store.change = func(r []xxladapter.AuditRow) []xxladapter.AuditRow {
			if len(r) == 0 {
				return r
			}
			return c.change(r)
		}
		status, body := s.do("GET", "/api/v1/audit/verify", operatorSecret, "")
		require.Equal(t, http.StatusOK, status, body)
		var check struct {
			Whole        bool
			Rows         int64
			Anchor, Last xxladapter.AuditPosition
			Broken       json.RawMessage
		}
		require.NoError(t, json.Unmarshal([]byte(body), &check))
		require.Equal(t, c.broken == "", check.Whole, "%s: %s", c.name, body)
		if c.broken != "" {
			require.JSONEq(t, c.broken, string(check.Broken), c.name)
		} else {
			require.EqualValues(t, 5, check.Rows)
			require.EqualValues(t, 1, check.Anchor.ID)
			require.EqualValues(t, 6, check.Last.ID)
		}
	}
}

// The audit and the versions of a job name its fields as the calls do.
func TestFieldsHaveTheNamesOfTheCalls(t *testing.T) {
	job, names := (&xxladapter.Job{}).Fields(), formNames[jobForm]()
	for _, f := range job {
		require.Contains(t, names, f.Name)
	}
	for _, readOnly := range []string{"id", "appName", "triggerLastTime", "triggerNextTime", "addTime", "updateTime"} {
		delete(names, readOnly)
	}
	for _, f := range job {
		delete(names, f.Name)
	}
	require.Empty(t, names, "fields of a job that its audit leaves out")
	names = formNames[groupForm]()
	for _, f := range (&xxladapter.Group{AddressType: xxladapter.AddressManual}).Fields() {
		require.Contains(t, names, f.Name)
	}
}

func formNames[T any]() map[string]bool {
	names := map[string]bool{}
	for _, f := range api.JSONFields(reflect.TypeFor[T]()) {
		names[f.Name] = true
	}
	return names
}

// A storeOfXXLJOB is a store beside the tables of XXL-JOB with the user bob, whose password is
// "pass of bob".
type storeOfXXLJOB struct{ *memstore.Store }

func (s storeOfXXLJOB) UpstreamUsers(ctx context.Context, name string) ([]xxladapter.UpstreamUser, error) {
	own, err := s.Users(ctx, xxladapter.UserFilter{Name: "bob"})
	if err != nil || len(own) > 0 || name != "" && name != "bob" {
		return nil, err
	}
	sum := sha256.Sum256([]byte("pass of bob"))
	return []xxladapter.UpstreamUser{{Name: "bob", Password: hex.EncodeToString(sum[:]), Admin: true}}, nil
}

// TestWhoComesFromXXLJOBIsAudited checks that the user that a first sign-in creates is named in
// the audit, with the address from which it came.
func TestWhoComesFromXXLJOBIsAudited(t *testing.T) {
	s := siteWith(t, func(o *Options) {
		o.Accounts = accounts.New(storeOfXXLJOB{o.Store.(*memstore.Store)}, slog.New(slog.DiscardHandler))
	})
	status, body, _ := s.doAs("", "POST", "/api/v1/session", `{"name":"bob","password":"pass of bob"}`)
	require.Equal(t, http.StatusOK, status, body)
	rows := s.audit()
	require.Len(t, rows, 1)
	require.Equal(t, "POST /api/v1/session", rows[0].Call)
	require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "bob", Address: "127.0.0.1"}, rows[0].Actor)
}

// TestChangesByUsersAreAudited makes the changes that need a session or the first link.
func TestChangesByUsersAreAudited(t *testing.T) {
	s := newSite(t)
	link, err := s.server.opts.Accounts.Setup(t.Context())
	require.NoError(t, err)
	_, body, resp := s.doAs("", "POST", "/api/v1/session/first", fmt.Sprintf(`{"token":%q,"name":"ann","password":"pass of ann"}`, link))
	require.Contains(t, body, `"name":"ann"`)
	status, body, _ := s.doAs(cookieOf(resp).Value, "PUT", "/api/v1/me/password", `{"old":"pass of ann","new":"another pass"}`)
	require.Equal(t, http.StatusOK, status, body)
	rows := s.audit()
	require.Len(t, rows, 2)
	require.Equal(t, xxladapter.AuditObject{Kind: "user", ID: 1, Name: "ann"}, rows[0].Object)
	require.Equal(t, "POST /api/v1/session/first", rows[0].Call)
	require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "ann", Address: "127.0.0.1"}, rows[0].Actor)
	require.Equal(t, "PUT /api/v1/me/password", rows[1].Call)
	require.Equal(t, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "ann", Address: "127.0.0.1"}, rows[1].Actor)
	require.Equal(t, "password", rows[1].Changes[0].Field)
	require.JSONEq(t, `"********"`, string(rows[1].Changes[0].After))
}
