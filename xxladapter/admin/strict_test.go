package admin

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestAWrongMethodIsAnsweredWithTheRightOnes(t *testing.T) {
	s := newSite(t)
	for path, allow := range map[string]string{
		"PATCH /api/v1/jobs/1":           "DELETE, GET, HEAD, PUT",
		"GET /api/v1/jobs/1/start":       "POST",
		"POST /api/v1/nodes":             "GET, HEAD",
		"OPTIONS /api/v1/jobs":           "GET, HEAD, POST",
		"DELETE /api/v1/runs/clear":      "GET, HEAD, POST", // clear could be a log's id
		"PUT /api/v1/jobs/1/glue/2":      "GET, HEAD",
		"POST /api/v1/jobs/1/glue":       "GET, HEAD, PUT",
		"PUT /api/v1/jobs/1/versions/2":  "GET, HEAD",
		"DELETE /api/v1/orders/1":        "GET, HEAD",
		"DELETE /api/v1/nowhere":         "",
		"GET /api/v1/jobs/1/start/twice": "",
	} {
		method, path, _ := strings.Cut(path, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+testToken)
		resp, err := s.client.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		want := http.StatusMethodNotAllowed
		if allow == "" {
			want = http.StatusNotFound
		}
		require.Equal(t, want, resp.StatusCode, "%s %s", method, path)
		require.Equal(t, allow, resp.Header.Get("Allow"), "%s %s", method, path)
	}
	status, body := s.do("PATCH", "/api/v1/jobs", testToken, "")
	require.Equal(t, http.StatusMethodNotAllowed, status)
	require.JSONEq(t, `{"code":"invalid","message":"method is PATCH, must be one of GET, HEAD, POST for /api/v1/jobs"}`, body)
	status, _ = s.do("PATCH", "/api/v1/jobs", "wrong", "")
	require.Equal(t, http.StatusUnauthorized, status)
}

func TestWhatJSONDecodersTolerateIsRefused(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	for _, tt := range []struct{ call, body, message string }{
		{"POST /api/v1/jobs/1/start", `{"at":"noon"}`, `request body: unknown field "at"`},
		{"POST /api/v1/jobs/1/stop", `now`, "request body: invalid character"},
		{"DELETE /api/v1/jobs/1", `{"id":1}`, `request body: unknown field "id"`},
		{"GET /api/v1/jobs/1", `[]`, "request body is a JSON array, must be an object"},
		{"PUT /api/v1/jobs/1", `{"NAME":"x"}`, `request body: unknown field "NAME"`},
		{"PUT /api/v1/jobs/1", `{"settings":{"Zone":"UTC"}}`, `request body: unknown field "Zone"`},
		{"PUT /api/v1/jobs/1", `{"name":"x","name":"y"}`, "name is given twice, must be given once"},
		{"PUT /api/v1/jobs/1", `{"settings":{"zone":"UTC","zone":"UTC"}}`, "zone is given twice"},
		{"PUT /api/v1/jobs/1", "{\"name\":\"x\xff\"}", "request body is not valid UTF-8"},
		{"PUT /api/v1/jobs/1", `{} {}`, "request body has more than one JSON value"},
		{"PUT /api/v1/jobs/1", `{}} anything`, "request body has more than one JSON value"},
		{"PUT /api/v1/jobs/+1", `{}`, `id is "+1", must be a positive integer`},
		{"GET /api/v1/jobs/01", ``, `id is "01", must be a positive integer`},
		{"GET /api/v1/jobs?limit=%2B5", ``, `limit is "+5", must be an integer of 0 or more`},
		{"PUT /api/v1/jobs/1", `{"alarmEmail":"ops@example.org, no-at"}`, `alarmEmail contains "no-at", must be an address such as ops@example.org`},
		{"PUT /api/v1/jobs/1", `{"childJobIds":[-1]}`, "childJobIds contains -1"},
		{"POST /api/v1/groups", `{"appName":"other","addressType":1,"addressList":["http://10.0.0.7:0/"]}`, "addressList contains \"http://10.0.0.7:0/\", must have a port from 1 to 65535"},
	} {
		method, path, _ := strings.Cut(tt.call, " ")
		status, body := s.do(method, path, testToken, tt.body)
		require.Equal(t, http.StatusBadRequest, status, "%s %s", tt.call, tt.body)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), tt.message, "%s %s", tt.call, tt.body)
	}
	for _, body := range []string{"", "{}", " {} "} {
		status, answer := s.do("POST", "/api/v1/jobs/1/stop", testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	status, answer := s.do("PUT", "/api/v1/jobs/1", testToken, `{"alarmEmail":"a@example.org, Ops <b@example.org>,"}`)
	require.Equal(t, http.StatusOK, status, answer)
}

// TestAStoredAlarmAddressIsLeftAlone checks that what another tool has stored does not prevent a
// job from being changed.
func TestAStoredAlarmAddressIsLeftAlone(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	j, err := s.store.Job(t.Context(), id)
	require.NoError(t, err)
	j.AlarmEmail = "no-at"
	require.NoError(t, xxladapter.UpdateJob(t.Context(), s.store, j, false))
	for _, body := range []string{`{"name":"renamed"}`, `{"alarmEmail":"no-at"}`} {
		status, answer := s.do("PUT", "/api/v1/jobs/1", testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
}

// TestOnlyResultsAreAcknowledged checks that a body that is no result is refused: a result that is
// acknowledged and not stored is lost for good.
func TestOnlyResultsAreAcknowledged(t *testing.T) {
	s := newSite(t)
	for body, msg := range map[string]string{
		`{"logId":6,"handleCode":200}`:            "callbackList is missing, must be a list",
		`{"data":[{"logId":6,"handleCode":200}]}`: "callbackList is missing, must be a list",
		`{"callbackList":null}`:                   "callbackList is missing, must be a list",
		`[null]`:                                  "callback 0 is null, must be an object",
		`{"callbackList":[{"logId":1},null]}`:     "callback 1 is null, must be an object",
		`[{"handleCode":200}]`:                    "callback 0 has no logId, must have that of its run",
		`{}`:                                      "callbackList is missing, must be a list",
		`"x"`:                                     "body is a JSON string, must be a list",
	} {
		got := s.call("/api/callback", "", testToken, body)
		require.Equal(t, reply{Code: 500, Msg: wire.PrefixOpenAPIErr + msg}, got, body)
		require.Empty(t, s.completer.got, body)
	}
	for _, body := range []string{`[]`, `{"callbackList":[]}`, `[{"logId":6,"handleCode":200}]`, `{"callbackList":[{"logId":"6","handleCode":200}]}`} {
		require.Equal(t, 200, s.call("/api/callback", "", testToken, body).Code, body)
	}
	require.Len(t, s.completer.got, 2)
}

func TestRegistryKeysAreAppNames(t *testing.T) {
	s := newSite(t)
	register := func(key, addr string) reply {
		return s.call("/api/registry", "", testToken, fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":%q}`, key, addr))
	}
	require.Equal(t, 200, register("some-app", "http://10.0.0.7:9999/").Code)
	require.Equal(t, "registryKey has 1 characters, must have 4 to 64", register("x", "http://10.0.0.7:9999/").Msg)
	require.Contains(t, s.call("/api/registry", "", testToken, `{"registryGroup":"EXECUTOR","registryKey":"some\u0000app","registryValue":"http://10.0.0.7:9999/"}`).Msg,
		"must not contain control characters")
	_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "x", Title: "of another tool"})
	require.NoError(t, err)
	require.Equal(t, 200, register("x", "http://10.0.0.7:9999/").Code)
	for _, port := range []string{"0", "99999", "65536"} {
		require.Contains(t, register("some-app", "http://10.0.0.7:"+port+"/").Msg, "must have a port from 1 to 65535")
		require.Contains(t, register("some-app", "http://executor:"+port+"/").Msg, "must have a port from 1 to 65535")
	}
}

func TestOneLineForAllResultsOfOtherApps(t *testing.T) {
	var logged bytes.Buffer
	s := siteWith(t, func(o *Options) { o.AccessToken, o.Logger = "", slog.New(slog.NewTextHandler(&logged, nil)) })
	var runs []string
	for _, app := range []string{"pay-app", "mail-app"} {
		_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: app, Title: app, AccessToken: app + "-token"})
		require.NoError(t, err)
	}
	job, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: 2, Name: "mail"})
	require.NoError(t, err)
	for range 5 {
		runs = append(runs, fmt.Sprintf(`{"logId":%d,"handleCode":200}`, s.runIn(job, 2, xxladapter.ResultOK)))
	}
	require.Equal(t, 200, s.call("/api/callback", "", "pay-app-token", "["+strings.Join(runs, ",")+"]").Code)
	require.Equal(t, 1, strings.Count(logged.String(), "level=WARN"), logged.String())
	require.Contains(t, logged.String(), "results=5")
}

// TestACodeWithoutAStatusLine checks that a code without a status is a fault of the server, and not
// a panic.
func TestACodeWithoutAStatusLine(t *testing.T) {
	s := siteWith(t, func(o *Options) {
		o.Store = newCode{o.Store}
	})
	status, body := s.do("GET", "/api/v1/jobs", testToken, "")
	require.Equal(t, http.StatusInternalServerError, status)
	require.JSONEq(t, `{"code":"brand_new","message":"something that nobody has thought of"}`, body)
}

type newCode struct{ Store }

func (newCode) Jobs(context.Context, xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	return nil, &xxladapter.Error{Code: "brand_new", Message: "something that nobody has thought of"}
}

func TestAnEmptyOperatorTokenOpensNothing(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.OperatorTokens = []string{""} })
	status, _ := s.do("GET", "/api/v1/jobs", "", "")
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = s.do("GET", "/api/v1/jobs", testToken, "")
	require.Equal(t, http.StatusOK, status)
}
