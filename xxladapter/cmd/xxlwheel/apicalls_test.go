package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// callers has a command line for each call of the API that a command makes. FILE is a file with a
// calendar.
var callers = map[string]string{
	"GET /openapi.json":                          "mcp",
	"POST /session":                              "session list --user ann",
	"DELETE /session":                            "session list --user ann",
	"PUT /me/password":                           "session password --user ann",
	"GET /me/sessions":                           "session list --user ann",
	"DELETE /me/sessions/{id}":                   "session end 1 --user ann",
	"GET /users":                                 "user list",
	"POST /users":                                "user create ann",
	"GET /users/{id}":                            "user grant 1 viewer --all",
	"PUT /users/{id}":                            "user password 1",
	"DELETE /users/{id}":                         "user remove 1 --yes",
	"GET /tokens":                                "token list",
	"POST /tokens":                               "token create ci --user ann",
	"DELETE /tokens/{id}":                        "token revoke 1 --yes",
	"GET /jobs":                                  "job list",
	"POST /jobs":                                 "job add --app some-app --name n --handler h",
	"GET /jobs/{id}":                             "job show 1",
	"PUT /jobs/{id}":                             "job update 1 --name n",
	"DELETE /jobs/{id}":                          "job remove 1 --yes",
	"POST /jobs/{id}/start":                      "job start 1",
	"POST /jobs/{id}/stop":                       "job stop 1",
	"POST /jobs/{id}/copy":                       "job copy 1",
	"POST /jobs/{id}/trigger":                    "job trigger 1",
	"POST /jobs/bulk":                            "job bulk start 1",
	"POST /jobs/{id}/backfill":                   "job backfill 1 --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z",
	"GET /backfills":                             "backfill list",
	"GET /backfills/{id}":                        "job backfill 1 --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --wait",
	"POST /backfills/{id}/cancel":                "backfill cancel 1",
	"GET /tags":                                  "job tags",
	"GET /jobs/{id}/glue":                        "job glue list 1",
	"PUT /jobs/{id}/glue":                        "job glue save 1 --file FILE --remark second",
	"GET /jobs/{id}/glue/{version}":              "job glue show 1 2",
	"POST /jobs/{id}/glue/{version}/restore":     "job glue restore 1 2",
	"GET /jobs/{id}/versions":                    "job versions 1",
	"GET /jobs/{id}/versions/{version}":          "job diff 1 2",
	"POST /jobs/{id}/versions/{version}/restore": "job restore 1 2",
	"GET /jobs/{id}/next":                        "job next 1",
	"GET /jobs/{id}/timeline":                    "job timeline 1",
	"GET /jobs/{id}/why":                         "job why 1 --at 02:00",
	"GET /jobs/{id}/misfires":                    "job misfires 1",
	"GET /pauses":                                "pause list",
	"POST /pauses":                               "pause begin --all",
	"POST /pauses/{id}/end":                      "pause end 1",
	"GET /calendars":                             "calendar list",
	"GET /calendars/{name}":                      "calendar show cn",
	"PUT /calendars/{name}":                      "calendar set cn FILE",
	"DELETE /calendars/{name}":                   "calendar remove cn --yes",
	"GET /groups":                                "group list",
	"POST /groups":                               "group add some-app",
	"GET /groups/{id}":                           "group show 1",
	"PUT /groups/{id}":                           "group update 1 --title t",
	"DELETE /groups/{id}":                        "group remove 1 --yes",
	"POST /groups/{id}/drain":                    "group drain 1 http://10.0.0.7:9999/",
	"POST /groups/{id}/undrain":                  "group undrain 1 http://10.0.0.7:9999/",
	"GET /groups/{id}/executors":                 "group show 1",
	"GET /runs":                                  "run list",
	"GET /runs/{id}":                             "run show 1",
	"GET /runs/{id}/log":                         "run log 1",
	"POST /runs/{id}/rerun":                      "run rerun 1",
	"POST /runs/{id}/kill":                       "run kill 1",
	"POST /runs/clear":                           "run clear --all --yes",
	"GET /orders/{id}":                           "job trigger 1",
	"GET /fires":                                 "job fires",
	"GET /nodes":                                 "node list",
	"POST /nodes/drain":                          "node drain web-1",
	"GET /schedule/preview":                      "schedule preview 30",
	"GET /events":                                "events",
	"GET /overview":                              "overview",
	"GET /forecast":                              "forecast",
	"GET /graph":                                 "graph",
	"GET /info":                                  "info",
	"POST /alarms/test":                          "alarm probe",
	"GET /export":                                "export",
	"POST /export":                               "export",
	"POST /apply":                                "apply -f -",
	"GET /stats":                                 "stats",
	"GET /reports":                               "report",
	"GET /audit":                                 "audit list",
	"GET /audit/export":                          "audit export",
	"GET /audit/verify":                          "audit verify",
}

// uncalled has the calls that no command makes, with the reason.
var uncalled = map[string]string{
	"GET /session":             "a browser asks it whether it is signed in",
	"POST /session/first":      "the one-time link leads a browser there",
	"GET /login/oidc":          "a browser is led through it",
	"GET /login/oidc/callback": "a browser is led through it",
	"GET /me":                  "a browser shows who is signed in; token list shows whose token a command has",
	"GET /runs/{id}/tail":      "run log --follow reads the same from /runs/{id}/log",
	"GET /cron/next":           "cron next computes the same without a scheduler",
	"GET /takeover":            "takeover reads the same database without a scheduler",
	"POST /takeover":           "takeover writes the same without a scheduler",
}

// TestEveryCallHasACommand runs a command line for each call of the API's description, against a
// server that records the calls that arrive.
func TestEveryCallHasACommand(t *testing.T) {
	t.Parallel()
	resp, err := http.Get(apiServer(t, admin.Options{Store: memstore.New(time.Now)}).URL + "/api/v1/openapi.json")
	require.NoError(t, err)
	defer resp.Body.Close()
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&description))
	var calls []string
	for path, methods := range description.Paths {
		for method := range methods {
			calls = append(calls, strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1"))
		}
	}
	require.Greater(t, len(calls), 80)
	file := writeFile(t, `{"weekend":[],"years":[]}`)
	for _, call := range calls {
		line := callers[call]
		require.True(t, (line == "") != (uncalled[call] == ""), "%s must have a command or a reason to have none", call)
		if line == "" {
			continue
		}
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var made atomic.Bool
			mux := http.NewServeMux()
			for _, each := range calls {
				method, path, _ := strings.Cut(each, " ")
				mux.HandleFunc(method+" /api/v1"+path, func(w http.ResponseWriter, _ *http.Request) {
					if each == call {
						made.Store(true)
						defer cancel() // a command may repeat the call until it is interrupted
					}
					fmt.Fprint(w, `{"id":1,"order":7,"state":"STARTED","logIds":[3],"done":true}`)
				})
			}
			server := httptest.NewServer(mux)
			defer server.Close()
			var out, errs bytes.Buffer
			args := append(strings.Fields(strings.ReplaceAll(line, "FILE", file)), "--server", server.URL)
			code := run(ctx, args, command.Console{Stdin: strings.NewReader(inputOf(line)), Stdout: &out, Stderr: &errs})
			require.NotEqual(t, command.ExitUsage, code, errs.String())
			require.True(t, made.Load(), "%s did not call it: %s", line, errs.String())
		})
	}
	require.Len(t, calls, len(callers)+len(uncalled), "an entry is of no call")
}

// TestAuditVerifyNeedsAnAnswer gets an object of another call, as from a foreign server.
func TestAuditVerifyNeedsAnAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id":1}`) }))
	defer server.Close()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"audit", "verify", "--server", server.URL},
		command.Console{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	require.NotZero(t, code)
	require.Contains(t, errs.String(), "has neither whole true nor broken, must have one of them")
	require.Empty(t, out.String())
}

// inputOf returns what a command reads from its standard input.
func inputOf(line string) string {
	switch {
	case strings.HasPrefix(line, "session password"):
		return "pass of ann\nanother pass\n"
	case strings.HasPrefix(line, "session"), strings.HasPrefix(line, "user"):
		return "pass of ann\n"
	case strings.HasPrefix(line, "apply"):
		return "jobs: []\n"
	}
	return ""
}
