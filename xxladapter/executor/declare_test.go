package executor

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestAJobHasTheFieldsOfAFile compares what code can declare with what a file can.
func TestAJobHasTheFieldsOfAFile(t *testing.T) {
	fieldsOf := func(of reflect.Type) (names []string) {
		for _, f := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
				names = append(names, name)
			}
		}
		return names
	}
	want := slices.DeleteFunc(fieldsOf(reflect.TypeFor[declare.JobEntry]()), func(name string) bool {
		return name == "appName" || strings.HasPrefix(name, "glue") // the app is the executor's, and code is no script
	})
	require.ElementsMatch(t, want, append(fieldsOf(reflect.TypeFor[Job]()), "executorTimeout"))
	text, err := json.Marshal(Job{Key: "k", Timeout: time.Minute, Overwrite: true})
	require.NoError(t, err)
	require.JSONEq(t, `{"key":"k","author":"","executorHandler":"","executorTimeout":60}`, string(text))
}

func TestDeclaredJobsAreChecked(t *testing.T) {
	e, err := New(Options{Admins: []string{"http://admin"}, AppName: "orders", AccessToken: "of orders", NoListen: true, Address: "http://10.0.0.7:9999/"})
	require.NoError(t, err)
	require.NoError(t, e.Declare(Job{Key: "close"}))
	for want, job := range map[string]Job{
		`executor: Job.Key is "a b", must have letters, digits, dots, hyphens and underscores only`: {Key: "a b"},
		`executor: Job.Key is "close", must be declared once`:                                       {Key: "close"},
		`executor: Job.Timeout of "ship" is 1.5s, must be whole seconds`:                            {Key: "ship", Timeout: 1500 * time.Millisecond},
	} {
		require.EqualError(t, e.Declare(Job{Key: "other"}, job), want)
	}
	require.Equal(t, []Job{{Key: "close", Author: "orders", Handler: "close"}}, e.declared, "a refused call declares nothing")

	e, err = New(Options{Listen: "127.0.0.1:0"})
	require.NoError(t, err)
	require.ErrorContains(t, e.Declare(Job{Key: "k"}), "Options.Admins")
	e, err = New(Options{Listen: "127.0.0.1:0", Admins: []string{"http://admin"}, AppName: "orders"})
	require.NoError(t, err)
	require.ErrorContains(t, e.Declare(Job{Key: "k"}), "Options.AccessToken is empty")
}

// TestDeclaredJobsAreSentUntilAccepted has a scheduler that is down at first, then refuses, and
// then accepts.
func TestDeclaredJobsAreSentUntilAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var bodies []string
		answer := wire.Fail("executors must not declare jobs")
		admin := &fakeAdmin{down: true}
		admin.fail = func(r *http.Request, body []byte) *wire.Reply {
			if !strings.HasSuffix(r.URL.Path, "/"+wire.OpDeclare) {
				return nil
			}
			bodies = append(bodies, string(body))
			return &answer
		}
		var e *Executor
		r := startWith(t, admin, Options{AccessToken: "of orders"}, func(is *Executor) {
			e = is
			e.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
			require.NoError(t, e.Declare(Job{Key: "close", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?", Running: true, Overwrite: true}))
		})
		require.ErrorContains(t, e.Declare(Job{Key: "late"}), "Declare was called after Run")
		time.Sleep(10 * time.Second) // in the bubble
		admin.setDown(false)
		time.Sleep(time.Hour)
		admin.mu.Lock()
		tries := len(bodies)
		require.Greater(t, tries, 11, "every five minutes")
		require.Less(t, tries, 25)
		require.JSONEq(t, `{"jobs":[{"key":"close","author":"orders","executorHandler":"close","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?","running":true}],"overwrite":["close"]}`, bodies[0])
		answer = wire.OK().WithPayload(json.RawMessage(`{"changes":[{"action":"create","key":"close","id":7}],"unchanged":2,"kept":[{"key":"ship","id":8,"reason":"its owner is \"billing\""}]}`))
		admin.mu.Unlock()
		time.Sleep(time.Hour)
		admin.mu.Lock()
		require.Len(t, bodies, tries+1, "accepted once")
		admin.mu.Unlock()
		r.stop()
		text := log.String()
		require.Equal(t, 1, strings.Count(text, "executors must not declare jobs"), "the same error is logged once")
		require.Contains(t, text, `msg="job declared" action=create key=close job=7`)
		require.Contains(t, text, `level=WARN msg="declared job stays as it is at the scheduler" key=ship job=8 reason="its owner is \"billing\""`)
		require.Contains(t, text, `changed=1 unchanged=2 kept=1`)
	})
}
