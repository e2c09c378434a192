package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A fakeCompleter records the results it is given.
type fakeCompleter struct {
	got   []wire.Callback
	fail  error
	store *memstore.Store // has the rows of runs that only some callers may end
	gives bool            // store decides who may begin a run; otherwise each run with a positive id may begin
}

func (c *fakeCompleter) Accept(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	if c.gives {
		return c.store.AcceptRuns(ctx, list)
	}
	may := make([]bool, len(list))
	for i, a := range list {
		may[i] = a.LogID > 0
	}
	return may, nil
}

func (c *fakeCompleter) Complete(_ context.Context, list []wire.Callback) error {
	if c.fail != nil {
		return c.fail
	}
	c.got = append(c.got, list...)
	return nil
}

func (c *fakeCompleter) CompleteOwn(ctx context.Context, list []wire.Callback, own trigger.Own) error {
	var kept []wire.Callback
	for _, one := range list {
		l, err := c.store.Log(ctx, int64(one.LogID))
		if errors.Is(err, xxladapter.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		may, err := own(ctx, l)
		if err != nil {
			return err
		}
		if may {
			kept = append(kept, one)
		}
	}
	return c.Complete(ctx, kept)
}

// A site is a server under test.
type site struct {
	t         *testing.T
	server    *Server
	url       string
	client    *http.Client
	store     *memstore.Store
	completer *fakeCompleter
	executors *fakeExecutors
	notes     sync.Mutex // guards the next three, which a bulk call changes from several goroutines
	planned   []xxladapter.Fire
	changed   int
	removed   int
}

// note records what the server has called.
func (s *site) note(record func()) {
	s.notes.Lock()
	defer s.notes.Unlock()
	record()
}

const testToken = "a secret"

func newSite(t *testing.T) *site {
	t.Helper()
	return siteWith(t, nil)
}

// do sends one request and returns status and body.
func (s *site) do(method, path, token, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	if token != "" {
		req.Header.Set(wire.HeaderToken, token)
	}
	status, answer, _ := s.send(req)
	return status, answer
}

// send sends one request and returns status, body and response.
func (s *site) send(req *http.Request) (int, string, *http.Response) {
	s.t.Helper()
	resp, err := s.client.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), api.EventStream) {
		return resp.StatusCode, "", resp // it does not end by itself
	}
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, strings.TrimSpace(string(data)), resp
}

// TestExecutorCallsRefuseBadInput breaks each of the admin's checks (XXL-JOB 3.3.2 to 3.4.2,
// OpenApiController.java): the answer has status 200 and code 500, and nothing is stored.
func TestExecutorCallsRefuseBadInput(t *testing.T) {
	const good = `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`
	tests := []struct {
		name, method, op, token, body, msg string
	}{
		{"method", "GET", "registry", testToken, good, "invalid request, HttpMethod not support."},
		{"method before all else", "PUT", "nosuch", "", "", "invalid request, HttpMethod not support."},
		{"no operation", "POST", "", testToken, good, "invalid request, uri-mapping empty."},
		{"empty body", "POST", "registry", testToken, "", "invalid request, requestBody empty."},
		{"blank body", "POST", "registry", testToken, " \n", "invalid request, requestBody empty."},
		{"no token", "POST", "registry", "", good, "The access token is wrong."},
		{"wrong token", "POST", "registry", "a secreT", good, "The access token is wrong."},
		{"part of the token", "POST", "registry", "a secre", good, "The access token is wrong."},
		{"token before operation", "POST", "nosuch", "wrong", good, "The access token is wrong."},
		{"unknown operation", "POST", "nosuch", testToken, good, "invalid request, uri-mapping(nosuch) not found."},
		{"deeper path", "POST", "registry/x", testToken, good, "invalid request, uri-mapping(registry/x) not found."},
		{"malformed JSON", "POST", "registry", testToken, `{"registryGroup":`, "openapi invoke error: unexpected end of JSON input"},
		{"null", "POST", "registry", testToken, `null`, "openapi invoke error: body is null"},
		{"a list for an object", "POST", "registry", testToken, `[]`, "openapi invoke error: body is a JSON array, must be an object"},
		{"a wrong type", "POST", "registry", testToken, `{"registryKey":{}}`, "openapi invoke error: registryKey is a JSON object, must be a string"},
		{"a field left out", "POST", "registry", testToken, `{"registryGroup":"EXECUTOR","registryKey":"some-app"}`, "Illegal Argument."},
		{"a blank field", "POST", "registry", testToken, `{"registryGroup":"EXECUTOR","registryKey":" ","registryValue":"http://a:1"}`, "Illegal Argument."},
		{"another group", "POST", "registry", testToken, `{"registryGroup":"ADMIN","registryKey":"some-app","registryValue":"http://a:1"}`, `registryGroup is "ADMIN", must be EXECUTOR`},
		{"not an address", "POST", "registry", testToken, `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"file:///etc/passwd"}`, `registryValue contains "file:///etc/passwd", must be http://host:port or https://host:port of at most 255 characters`},
		{"two addresses in one", "POST", "registry", testToken, `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://a:1,http://b:1"}`, `registryValue contains "http://a:1,http://b:1", must be http://host:port or https://host:port of at most 255 characters`},
		{"a callback that is no callback", "POST", "callback", testToken, `"x"`, "openapi invoke error: body is a JSON string, must be a list"},
		{"a log id that is no number", "POST", "callback", testToken, `[{"logId":"abc"}]`, `openapi invoke error: "abc" is not an integer`},
		{"a log id with a fraction", "POST", "callback", testToken, `[{"logId":9.5}]`, `openapi invoke error: 9.5 is not an integer`},
	}
	for _, base := range []string{"/api/", "/xxl-job-admin/api/"} {
		for _, tt := range tests {
			t.Run(base+" "+tt.name, func(t *testing.T) {
				s := newSite(t)
				_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
				require.NoError(t, err)
				status, body := s.do(tt.method, base+tt.op, tt.token, tt.body)
				require.Equal(t, http.StatusOK, status)
				var reply struct {
					Code int
					Msg  string
				}
				require.NoError(t, json.Unmarshal([]byte(body), &reply), body)
				require.Equal(t, 500, reply.Code)
				require.Equal(t, tt.msg, reply.Msg)

				groups, err := s.store.Groups(t.Context())
				require.NoError(t, err)
				require.Empty(t, groups[0].Addresses, "something was stored")
				require.Empty(t, s.completer.got, "something was stored")
			})
		}
	}
}

func TestAnOversizedBodyIsRefused(t *testing.T) {
	s := newSite(t)
	big := `[{"logId":1,"handleCode":200,"handleMsg":"` + strings.Repeat("x", wire.MaxBody) + `"}]`
	status, body := s.do("POST", "/api/registry", testToken, big)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.JSONEq(t, `{"code":500,"msg":"request body is over 5242880 bytes","content":null,"data":null,"success":false}`, body)
	require.Empty(t, s.completer.got)

	fits := `[{"logId":1,"handleCode":200,"handleMsg":"` + strings.Repeat("x", wire.MaxBody-100) + `"}]`
	status, body = s.do("POST", "/api/callback", testToken, fits)
	require.Equal(t, http.StatusOK, status, "and the server continues")
	require.Contains(t, body, `"code":200`)
	require.Len(t, s.completer.got, 1)
}

// TestTheBodyOfARefusedCallIsNotKept sends a large body with a wrong token.
func TestTheBodyOfARefusedCallIsNotKept(t *testing.T) {
	s := unservedSite(t, nil)
	body := strings.NewReader(strings.Repeat("x", wire.MaxBody))
	r := httptest.NewRequest("POST", "http://127.0.0.1/api/callback", body)
	r.Header.Set(wire.HeaderToken, "wrong")
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), wire.MsgWrongToken)
	require.Less(t, wire.MaxBody-body.Len(), 100_000, "bytes that were read")
}

// TestManyResultsMayComeTogether reports what an executor of XXL-JOB before 3.4.1 has accumulated
// in an outage and sends in one call.
func TestManyResultsMayComeTogether(t *testing.T) {
	s := newSite(t)
	one := `{"logId":1,"handleCode":500,"handleMsg":"` + strings.Repeat("x", 50_000) + `"},`
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(one, n), ",") + "]" }
	status, body := s.do("POST", "/api/callback", testToken, list(300))
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"code":200`)
	require.Len(t, s.completer.got, 300)

	chunked, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/callback", io.MultiReader(strings.NewReader(list(300))))
	require.NoError(t, err)
	chunked.Header.Set(wire.HeaderToken, testToken)
	status, body, _ = s.send(chunked)
	require.Equal(t, http.StatusOK, status, body)
	require.Len(t, s.completer.got, 600, "nor does a proxy have to say how many bytes there are")

	status, body = s.do("POST", "/api/callback", testToken, list(1400))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Contains(t, body, "request body is over 67108864 bytes")
}

func TestRegistration(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	_, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	const body = `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"http://10.0.0.7:9999/"}`
	addresses := func() []string {
		groups, err := s.store.Groups(ctx)
		require.NoError(t, err)
		return groups[0].Addresses
	}
	status, reply := s.do("POST", "/xxl-job-admin/api/registry", testToken, body)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"code":200,"msg":"Success","content":null,"data":null,"success":true}`, reply)
	require.Equal(t, []string{"http://10.0.0.7:9999/"}, addresses())

	// Some releases of the common Go executor spell it with a capital R.
	_, reply = s.do("POST", "/api/RegistryRemove", testToken, body)
	require.Contains(t, reply, `"code":200`)
	require.Empty(t, addresses(), "a removed executor is not routed to from that moment")
}

func TestCallbackOfEachGeneration(t *testing.T) {
	want := []wire.Callback{{LogID: 101, LogTime: 1767225600123, HandleCode: 200}, {LogID: 102, LogTime: 1767225600456, HandleCode: 500, HandleMsg: "boom"}}
	for name, body := range map[string]string{
		"G1 to G3":    `[{"logId":101,"logDateTim":1767225600123,"handleCode":200},{"logId":102,"logDateTim":1767225600456,"handleCode":500,"handleMsg":"boom"}]`,
		"G4":          `{"callbackList":[{"logId":101,"logDateTime":1767225600123,"handleCode":200},{"logId":102,"logDateTime":1767225600456,"handleCode":500,"handleMsg":"boom"}]}`,
		"Go executor": `[{"logId":101,"logDateTim":1767225600123,"executeResult":{"code":200,"msg":null}},{"logId":102,"logDateTim":1767225600456,"executeResult":{"code":500,"msg":"boom"},"handleCode":0}]`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			status, reply := s.do("POST", "/api/callback", testToken, body)
			require.Equal(t, http.StatusOK, status)
			require.Contains(t, reply, `"code":200`)
			require.Equal(t, want, s.completer.got)
		})
	}
}

// TestTheMessageOfAResultDoesNotShowTheToken checks that a handler that has written its executor's
// token into its result does not show it to all who read runs.
func TestTheMessageOfAResultDoesNotShowTheToken(t *testing.T) {
	const common = "the-token-of-executors"
	s, runs := guarded(t, common)
	for token, run := range map[string]int64{common: runs[1], "pay-app-token": runs[0]} {
		s.completer.got = nil
		body := fmt.Sprintf(`[{"logId":%d,"handleCode":500,"handleMsg":"sent %s, and"}]`, run, token)
		require.Equal(t, 200, s.call("/api/callback", "", token, body).Code)
		require.Equal(t, []wire.Callback{{LogID: wire.Int(run), HandleCode: 500, HandleMsg: "sent ***, and"}}, s.completer.got)
	}
}

func TestACallbackThatCouldNotBeStoredIsNotAcknowledged(t *testing.T) {
	s := newSite(t)
	s.completer.fail = errors.New("disk full at /some/path")
	_, reply := s.do("POST", "/api/callback", testToken, `[{"logId":1,"handleCode":200}]`)
	require.JSONEq(t, `{"code":500,"msg":"openapi invoke error: internal error","content":null,"data":null,"success":false}`, reply)
}

// createJob creates a job, and a group if there is none, and returns the job's id.
func (s *site) createJob(fields string) int64 {
	s.t.Helper()
	groups, err := s.store.Groups(s.t.Context())
	require.NoError(s.t, err)
	if len(groups) == 0 {
		status, body := s.do("POST", "/api/v1/groups", testToken, `{"appName":"some-app"}`)
		require.Equal(s.t, http.StatusOK, status, body)
	}
	status, body := s.do("POST", "/api/v1/jobs", testToken, `{"appName":"some-app","name":"n","author":"a","executorHandler":"h"`+fields+`}`)
	require.Equal(s.t, http.StatusOK, status, body)
	var created struct{ ID int64 }
	require.NoError(s.t, json.Unmarshal([]byte(body), &created))
	return created.ID
}

func TestJobLife(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	path := fmt.Sprintf("/api/v1/jobs/%d", id)

	j, err := s.store.Job(ctx, id)
	require.NoError(t, err)
	require.False(t, j.Running, "a new job is stopped")
	require.Equal(t, xxladapter.RouteFirst, j.Route)

	status, body := s.do("POST", path+"/start", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	j, err = s.store.Job(ctx, id)
	require.NoError(t, err)
	require.True(t, j.Running)
	require.Equal(t, 2, j.TriggerNext.UTC().Hour())
	require.Equal(t, 1, s.changed)

	status, body = s.do("PUT", path, testToken, `{"scheduleConf":"0 0 3 * * ?","name":"renamed"}`)
	require.Equal(t, http.StatusOK, status, body)
	j, err = s.store.Job(ctx, id)
	require.NoError(t, err)
	require.Equal(t, "renamed", j.Name)
	require.Equal(t, "h", j.Handler, "what is not given stays")
	require.Equal(t, 3, j.TriggerNext.UTC().Hour(), "a running job continues by the new schedule")
	require.Equal(t, 2, s.changed)

	status, body = s.do("GET", "/api/v1/jobs", testToken, "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"name":"renamed"`)

	status, body = s.do("POST", path+"/trigger", testToken, `{"executorParam":"once"}`)
	require.Equal(t, http.StatusOK, status, body)
	require.Len(t, s.planned, 1)
	require.Equal(t, "once", *s.planned[0].Param)
	require.Equal(t, xxladapter.TriggerManual, s.planned[0].Type)

	status, _ = s.do("POST", path+"/stop", testToken, "")
	require.Equal(t, http.StatusOK, status)
	j, err = s.store.Job(ctx, id)
	require.NoError(t, err)
	require.False(t, j.Running)
	require.Zero(t, j.TriggerNext)

	status, _ = s.do("DELETE", path, testToken, "")
	require.Equal(t, http.StatusOK, status)
	status, body = s.do("GET", path, testToken, "")
	require.Equal(t, http.StatusNotFound, status)
	requireError(t, "not_found", fmt.Sprintf("job %d does not exist", id), body)
}

func TestTheAPIRefusesBadInput(t *testing.T) {
	job := func(fields string) string {
		return `{"appName":"some-app","name":"n","author":"a","executorHandler":"h"` + fields + `}`
	}
	tests := []struct {
		name, method, path, token, body string
		status                          int
		message                         string
	}{
		{"no token", "GET", "/api/v1/jobs", "", "", 401, "The access token is wrong."},
		{"no such call", "GET", "/api/v1/nosuch", testToken, "", 404, "no call GET /api/v1/nosuch"},
		{"wrong method", "PATCH", "/api/v1/jobs", testToken, "", 405, "method is PATCH, must be one of GET, HEAD, POST for /api/v1/jobs"},
		{"malformed", "POST", "/api/v1/jobs", testToken, `{`, 400, "request body: unexpected EOF"},
		{"empty", "POST", "/api/v1/jobs", testToken, ``, 400, "request body: EOF"},
		{"two values", "POST", "/api/v1/jobs", testToken, `{} {}`, 400, "request body has more than one JSON value"},
		{"misspelled field", "POST", "/api/v1/jobs", testToken, job(`,"cron":"x"`), 400, `request body: unknown field "cron"`},
		{"wrong type", "POST", "/api/v1/jobs", testToken, job(`,"executorTimeout":"x"`), 400, "executorTimeout is a JSON string, must be an integer"},
		{"no name", "POST", "/api/v1/jobs", testToken, `{"appName":"some-app","author":"a","executorHandler":"h"}`, 400, "name is empty, must have 1 to 255 characters"},
		{"no handler", "POST", "/api/v1/jobs", testToken, `{"appName":"some-app","name":"n","author":"a"}`, 400, "executorHandler is empty, a BEAN job must name its handler"},
		{"no group", "POST", "/api/v1/jobs", testToken, `{"name":"n","author":"a","executorHandler":"h"}`, 400, "jobGroup is missing, must be the id of a group (or give appName)"},
		{"unknown group", "POST", "/api/v1/jobs", testToken, `{"jobGroup":99,"name":"n","author":"a","executorHandler":"h"}`, 400, "jobGroup is 99, must be the id of a group"},
		{"unknown app", "POST", "/api/v1/jobs", testToken, `{"appName":"nosuch","name":"n","author":"a","executorHandler":"h"}`, 404, `appName is "nosuch", must be the app name of a group`},
		{"unknown route", "POST", "/api/v1/jobs", testToken, job(`,"executorRouteStrategy":"BEST"`), 400, `executorRouteStrategy is "BEST", must be one of FIRST, LAST, ROUND, RANDOM, CONSISTENT_HASH, LEAST_FREQUENTLY_USED, LEAST_RECENTLY_USED, FAILOVER, BUSYOVER, SHARDING_BROADCAST`},
		{"unknown schedule", "POST", "/api/v1/jobs", testToken, job(`,"scheduleType":"SOMETIMES","scheduleConf":"5"`), 400, `scheduleType is "SOMETIMES", must be one of NONE, CRON, FIX_RATE, FIX_DELAY, ONCE`},
		{"too long", "POST", "/api/v1/jobs", testToken, job(`,"glueRemark":"` + strings.Repeat("é", 129) + `"`), 400, "glueRemark has 129 characters, must have 0 to 128"},
		{"negative timeout", "POST", "/api/v1/jobs", testToken, job(`,"executorTimeout":-1`), 400, "executorTimeout is -1, must be 0 to 2147483647 seconds"},
		{"negative retries", "POST", "/api/v1/jobs", testToken, job(`,"executorFailRetryCount":-1`), 400, "executorFailRetryCount is -1, must be 0 to 2147483647"},
		{"unknown child", "POST", "/api/v1/jobs", testToken, job(`,"childJobIds":[77]`), 400, "childJobIds contains 77, must be the id of another job"},
		{"what is only shown", "POST", "/api/v1/jobs", testToken, job(`,"running":true`), 400, "running is given, must be omitted: it is read-only"},
		{"id is no number", "GET", "/api/v1/jobs/x", testToken, "", 400, `id is "x", must be a positive integer`},
		{"no such job", "POST", "/api/v1/jobs/99/start", testToken, "", 404, "job 99 does not exist"},
		{"no such run", "GET", "/api/v1/runs/99", testToken, "", 404, "run 99 does not exist"},
		{"bad limit", "GET", "/api/v1/runs?limit=-1", testToken, "", 400, `limit is "-1", must be an integer of 0 or more`},
		{"app name taken", "POST", "/api/v1/groups", testToken, `{"appName":"some-app"}`, 409, `appName "some-app" is taken by group 1`},
		{"short app name", "POST", "/api/v1/groups", testToken, `{"appName":"abc"}`, 400, "appName has 3 characters, must have 4 to 64"},
		{"manual without addresses", "POST", "/api/v1/groups", testToken, `{"appName":"other","addressType":1}`, 400, "addressList is empty, a manual group must have an address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
			require.NoError(t, err)
			status, body := s.do(tt.method, tt.path, tt.token, tt.body)
			require.Equal(t, tt.status, status, body)
			var answer struct{ Message string }
			require.NoError(t, json.Unmarshal([]byte(body), &answer), body)
			require.Equal(t, tt.message, answer.Message)
			jobs, err := s.store.Jobs(t.Context(), xxladapter.JobFilter{})
			require.NoError(t, err)
			require.Empty(t, jobs, "something was stored")
		})
	}
}

func TestABadCronIsRefusedWhenItIsSaved(t *testing.T) {
	s := newSite(t)
	id := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	status, body := s.do("PUT", fmt.Sprintf("/api/v1/jobs/%d", id), testToken, `{"scheduleConf":"0 99 2 * * ?"}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "99")
	j, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "0 0 2 * * ?", j.ScheduleConf)
}

// TestAChildThatIsGoneHindersNoEdit edits a job whose child was removed.
func TestAChildThatIsGoneHindersNoEdit(t *testing.T) {
	s := newSite(t)
	child, other := s.createJob(""), s.createJob("")
	path := fmt.Sprintf("/api/v1/jobs/%d", s.createJob(fmt.Sprintf(`,"childJobIds":[%d]`, child)))
	require.NoError(t, xxladapter.RemoveJob(t.Context(), s.store, child))
	s.edit("PUT", path, `{"author":"another"}`, nil)
	s.edit("PUT", path, fmt.Sprintf(`{"childJobIds":[%d,%d]}`, child, other), nil)
	s.edit("PUT", path, fmt.Sprintf(`{"childJobIds":[%d]}`, other), nil)
	failure := s.refused(http.StatusBadRequest, "PUT", path, fmt.Sprintf(`{"childJobIds":[%d]}`, child))
	require.Contains(t, failure.Message, fmt.Sprintf("childJobIds contains %d", child))
}

func TestACycleOfChildrenIsRefused(t *testing.T) {
	s := newSite(t)
	one, two, three := s.createJob(""), s.createJob(""), s.createJob("")
	setChildren := func(id int64, children string) (int, string) {
		return s.do("PUT", fmt.Sprintf("/api/v1/jobs/%d", id), testToken, `{"childJobIds":`+children+`}`)
	}
	for _, edge := range [][2]int64{{one, two}, {two, three}} {
		status, body := setChildren(edge[0], fmt.Sprintf("[%d]", edge[1]))
		require.Equal(t, http.StatusOK, status, body)
	}
	status, body := setChildren(three, fmt.Sprintf("[%d]", one))
	require.Equal(t, http.StatusBadRequest, status)
	require.JSONEq(t, `{
		"code": "invalid", "message": "childJobIds contains 1, must not lead back to job 3: 3 > 1 > 2 > 3",
		"rule": "child_cycle", "params": {"field": "childJobIds", "value": "1", "job": "3", "way": "3 > 1 > 2 > 3"},
		"messageZh": "childJobIds 含有 1，会绕回任务 3：3 > 1 > 2 > 3"
	}`, body)
	status, _ = setChildren(three, fmt.Sprintf("[%d]", three))
	require.Equal(t, http.StatusBadRequest, status)
	status, body = setChildren(one, fmt.Sprintf("[%d,%d]", two, three))
	require.Equal(t, http.StatusOK, status, "two ways to one job are no cycle: %s", body)
}

func TestAScheduleThatNeverFiresIsNotStarted(t *testing.T) {
	s := newSite(t)
	for conf, rule := range map[string]string{
		`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ? 2020"`: "must have a due time after",
		`,"scheduleType":"NONE"`:                                   "must be another type for the job to be started",
	} {
		id := s.createJob(conf)
		status, body := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", id), testToken, "")
		require.Equal(t, http.StatusBadRequest, status, body)
		require.Contains(t, body, rule)
	}
	require.Zero(t, s.changed)
}

func TestTriggerRefusesAParameterThatNoRowHasRoomFor(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	for size, want := range map[int]int{xxladapter.MaxRowText: http.StatusOK, xxladapter.MaxRowText + 1: http.StatusBadRequest} {
		body := `{"executorParam":"` + strings.Repeat("x", size) + `"}`
		status, answer := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/trigger", id), testToken, body)
		require.Equal(t, want, status, answer)
		if want != http.StatusOK {
			require.Contains(t, answer, "executorParam has 65536 bytes, must have at most 65535")
		}
	}
	require.Len(t, s.planned, 1)
}

func TestTriggerRefusesAddressesThatAreNotRegistered(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	require.NoError(t, s.store.Register(t.Context(), "some-app", "http://10.0.0.7:9999/"))
	path := fmt.Sprintf("/api/v1/jobs/%d/trigger", id)
	status, body := s.do("POST", path, testToken, `{"addressList":["http://169.254.169.254/"]}`)
	require.Equal(t, http.StatusBadRequest, status, body)
	require.Empty(t, s.planned)
	status, body = s.do("POST", path, testToken, `{"addressList":["http://10.0.0.7:9999/"]}`)
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, []string{"http://10.0.0.7:9999/"}, s.planned[0].Addresses)
}

// A fakeExecutors answers for every executor.
type fakeExecutors struct {
	asked  []string
	killed []int64
	fail   error
}

func (e *fakeExecutors) Log(_ context.Context, addr, app string, req wire.LogRequest) (wire.LogResult, error) {
	e.asked = append(e.asked, fmt.Sprintf("%s %s log %d at %d from %d", addr, app, req.LogID, req.LogTime, req.FromLine))
	return wire.LogResult{FromLine: req.FromLine, ToLine: 2, Content: "one\ntwo\n"}, e.fail
}

func (e *fakeExecutors) Kill(_ context.Context, addr, _ string, jobID int64) error {
	e.asked = append(e.asked, addr)
	e.killed = append(e.killed, jobID)
	return e.fail
}

func (e *fakeExecutors) Probe(_ context.Context, addr, app string) (trigger.Probe, error) {
	e.asked = append(e.asked, addr+" "+app)
	return trigger.Probe{Generation: "G3", RoundTrip: 1500 * time.Microsecond}, e.fail
}

// run stores a run of a job that an executor accepted, and returns its log id.
func (s *site) run(jobID int64, code int) int64 {
	s.t.Helper()
	return s.runIn(jobID, 1, code)
}

func (s *site) runIn(jobID, group int64, code int) int64 {
	s.t.Helper()
	ctx := s.t.Context()
	fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: jobID, Due: time.Now(), Type: xxladapter.TriggerManual, State: xxladapter.FirePlanned}})
	require.NoError(s.t, err)
	lease, err := s.store.Lease(ctx, "n", time.Hour)
	require.NoError(s.t, err)
	claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{
		JobID: jobID, GroupID: group, Address: "http://10.0.0.7:9999/", TriggerTime: time.Unix(1767225600, 0),
	}})
	require.NoError(s.t, err)
	_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: code})
	require.NoError(s.t, err)
	return claimed[0].LogID
}

func TestALogShowsTheHistoryOfItsRun(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	now := time.Now().UTC().Truncate(time.Millisecond)
	job := s.createJob("")
	fires, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: now.Add(-time.Minute), Type: xxladapter.TriggerRetry, Attempt: 3, Parent: 17}})
	require.NoError(t, err)
	lease, err := s.store.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)
	claimed, err := s.store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: now}})
	require.NoError(t, err)
	id := claimed[0].LogID
	type answer struct {
		History *struct {
			Due, Claimed                              time.Time
			Sent, Acknowledged, Finished              *time.Time
			TriggerType, Node                         string
			Attempt                                   int
			Term, ParentLogID, LatenessMs, DurationMs int64
		}
	}
	show := func() (shown answer) {
		s.get(fmt.Sprintf("/api/v1/runs/%d", id), &shown)
		var list struct{ Runs []answer }
		s.get("/api/v1/runs", &list)
		require.Equal(t, []answer{shown}, list.Runs, "the list shows the same")
		return shown
	}
	open := show().History
	require.Equal(t, now.Add(-time.Minute), open.Due)
	require.Nil(t, open.Sent)
	require.Equal(t, []any{"RETRY", 3, int64(17), "n", lease.Number}, []any{open.TriggerType, open.Attempt, open.ParentLogID, open.Node, open.Term})

	sent := now.Add(-time.Second)
	_, err = s.store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: id, Code: 200, Sent: sent, Acknowledged: sent.Add(time.Millisecond)})
	require.NoError(t, err)
	h := show().History
	require.Equal(t, sent, *h.Sent)
	require.Equal(t, sent.Add(time.Millisecond), *h.Acknowledged)
	require.Equal(t, int64(59_000), h.LatenessMs)
	require.Nil(t, h.Finished)
	_, _, err = s.store.FinishRun(ctx, xxladapter.RunResult{LogID: id, Code: 200})
	require.NoError(t, err)
	h = show().History
	require.Equal(t, h.Finished.Sub(sent).Milliseconds(), h.DurationMs)
	require.GreaterOrEqual(t, h.DurationMs, int64(1000))
}

func TestRunLogAndKill(t *testing.T) {
	s := newSite(t)
	job := s.createJob("")
	id := s.run(job, xxladapter.ResultOK)
	path := fmt.Sprintf("/api/v1/runs/%d", id)

	status, body := s.do("GET", path+"/log?from=2&address=http://evil/", testToken, "")
	require.Equal(t, http.StatusBadRequest, status, body)
	require.Empty(t, s.executors.asked, "the address is the row's, never the caller's")
	status, body = s.do("GET", path+"/log?from=2", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	require.JSONEq(t, `{"fromLineNum":2,"toLineNum":2,"logContent":"one\ntwo\n","isEnd":false}`, body)
	require.Equal(t, []string{fmt.Sprintf("http://10.0.0.7:9999/ some-app log %d at 1767225600000 from 2", id)}, s.executors.asked)

	_, body = s.do("GET", path+"/log?from=3", testToken, "")
	require.Contains(t, body, `"isEnd":false`, "a run that continues may write more")
	status, body = s.do("GET", "/api/v1/runs/4711", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
	requireError(t, "not_found", "run 4711 does not exist", body)

	status, body = s.do("POST", path+"/kill", testToken, "")
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, []int64{job}, s.executors.killed)

	s.executors.fail = errors.New("connection refused")
	status, body = s.do("POST", path+"/kill", testToken, "")
	require.Equal(t, http.StatusBadGateway, status)
	requireError(t, "unreachable", "executor http://10.0.0.7:9999/: connection refused", body)
	s.executors.fail = nil

	_, _, err := s.store.FinishRun(t.Context(), xxladapter.RunResult{LogID: id, Code: xxladapter.ResultOK})
	require.NoError(t, err)
	status, body = s.do("POST", path+"/kill", testToken, "")
	require.Equal(t, http.StatusConflict, status, body)
	for from, end := range map[int]bool{1: false, 2: false, 3: true} { // the executor says 2 is the last line
		_, body = s.do("GET", fmt.Sprintf("%s/log?from=%d", path, from), testToken, "")
		require.Contains(t, body, fmt.Sprintf(`"isEnd":%t`, end), "a part of a run that has ended may have others after it")
	}

	failed := s.run(job, xxladapter.ResultFail)
	status, body = s.do("GET", fmt.Sprintf("/api/v1/runs/%d/log", failed), testToken, "")
	require.Equal(t, http.StatusConflict, status, body)
}

func TestAServerRefusesMissingOptions(t *testing.T) {
	_, err := New(Options{Completer: new(fakeCompleter)})
	require.EqualError(t, err, "admin: Options.Store is nil, must be set")
	_, err = New(Options{Store: memstore.New(time.Now)})
	require.EqualError(t, err, "admin: Options.Completer is nil, must be set")
}
