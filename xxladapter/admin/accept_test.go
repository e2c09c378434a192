package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestExecutorsAskForRunsTheyHaveTakenFromAQueue(t *testing.T) {
	s := newSite(t)
	reply := s.call("/api/accept", "some-app", testToken, `[{"logId":1,"address":"nats://some-app/a"},{"logId":0,"address":"nats://some-app/a"}]`)
	require.Equal(t, 200, reply.Code, reply.Msg)
	require.Equal(t, []any{true, false}, reply.Data)
	for body, want := range map[string]string{
		`[{"logId":1,"address":"http://a:1"}]`:       "is not that of an executor with a queue",
		`[{"logId":1,"address":"nats://some-app"}]`:  "is not that of an executor with a queue",
		`[{"logId":1,"address":"nats://some-app/"}]`: "is not that of an executor with a queue",
		`{}`: "openapi invoke error",
	} {
		reply := s.call("/api/accept", "some-app", testToken, body)
		require.Equal(t, 500, reply.Code)
		require.Contains(t, reply.Msg, want)
	}
	require.Equal(t, 500, s.call("/api/accept", "some-app", "wrong", `[]`).Code)
}

func TestAQueueAddressIsRegisteredForItsAppAlone(t *testing.T) {
	s := newSite(t)
	register := func(app, address string) int {
		return s.call("/api/registry", app, testToken, `{"registryGroup":"EXECUTOR","registryKey":"`+app+`","registryValue":"`+address+`"}`).Code
	}
	require.Equal(t, 200, register("some-app", "nats://some-app/a"))
	require.Equal(t, 500, register("some-app", "nats://other-app/a"))
	require.Equal(t, 500, register("some-app", "nats://some-app"))
}

// queuedRuns adds a group with a token of its own for each app, with a run that waits in its queue,
// and returns the runs.
func (s *site) queuedRuns(apps ...string) (runs []int64) {
	s.t.Helper()
	ctx := s.t.Context()
	for _, app := range apps {
		group, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: app, Title: app, AccessToken: "secret-of-" + app})
		require.NoError(s.t, err)
		job := &xxladapter.Job{GroupID: group, Name: app, Author: "a", Handler: "h"}
		job.SetDefaults()
		id, err := xxladapter.CreateJob(ctx, s.store, job)
		require.NoError(s.t, err)
		lease, err := s.store.Lease(ctx, "n1", 1e12)
		require.NoError(s.t, err)
		planned, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: job.Added, Type: xxladapter.TriggerManual}})
		require.NoError(s.t, err)
		fires, err := s.store.ClaimFire(ctx, lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: id, GroupID: group, Address: "nats://" + app}})
		require.NoError(s.t, err)
		runs = append(runs, fires[0].LogID)
	}
	return runs
}

// TestATokenOfAnAppAcceptsRunsOfThatAppAlone has a group with a secret of its own.
func TestATokenOfAnAppAcceptsRunsOfThatAppAlone(t *testing.T) {
	s := newSite(t)
	s.completer.gives = true
	require.Equal(t, []int64{1, 2}, s.queuedRuns("own-app", "other-app"))
	ask := func(app string, logID string) any {
		reply := s.call("/api/accept", "own-app", "secret-of-own-app", `[{"logId":`+logID+`,"address":"nats://`+app+`/a"}]`)
		require.Equal(t, 200, reply.Code, reply.Msg)
		return reply.Data
	}
	require.Equal(t, []any{true}, ask("own-app", "1"))
	require.Equal(t, []any{false}, ask("own-app", "2"), "the run of another app")
	require.Equal(t, []any{false}, ask("other-app", "2"), "under the other app's name")
	require.Equal(t, []any{false}, ask("own-app", "4711"))
}

// A fakeQueue records what it has prepared.
type fakeQueue struct{ prepared []xxladapter.QueueAddress }

func (q *fakeQueue) Prepare(_ context.Context, at xxladapter.QueueAddress) error {
	q.prepared = append(q.prepared, at)
	return nil
}

func (q *fakeQueue) State(_ context.Context, app string) (xxladapter.QueueState, error) {
	if app == "broken-app" {
		return xxladapter.QueueState{}, errors.New("no broker")
	}
	return xxladapter.QueueState{Runs: 7, Oldest: time.UnixMilli(1767225600000), Redelivered: 2}, nil
}

// queuedCall makes a call as if it had come over the queue, on a subject of an app, with the token
// of all executors.
func (s *site) queuedCall(app, op, header, body string) wire.Reply {
	return s.queuedCallAs(testToken, app, op, header, body)
}

// queuedCallAs makes such a call with a token.
func (s *site) queuedCallAs(token, app, op, header, body string) wire.Reply {
	s.t.Helper()
	r := httptest.NewRequestWithContext(access.WithQueuedApp(s.t.Context(), app), http.MethodPost, wire.AdminPath+op, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set(wire.HeaderToken, token)
	r.Header.Set(wire.HeaderAppName, header)
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	got, err := wire.DecodeReply(w.Body.Bytes())
	require.NoError(s.t, err)
	return got
}

// TestACallOverTheQueueIsForTheAppOfItsSubjectAlone has callers with the token of all executors:
// the broker says which app they are of.
func TestACallOverTheQueueIsForTheAppOfItsSubjectAlone(t *testing.T) {
	queue := new(fakeQueue)
	s := siteWith(t, func(o *Options) { o.Queue = queue })
	s.completer.gives = true
	runs := s.queuedRuns("own-app", "other-app")
	for _, header := range []string{"own-app", "other-app", ""} {
		registration := func(app string) string {
			return fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":"nats://%s/a"}`, app, app)
		}
		for _, op := range []string{"registry", "registryRemove"} {
			require.Equal(t, 200, s.queuedCall("own-app", op, header, registration("own-app")).Code, op)
			require.Equal(t, 500, s.queuedCall("own-app", op, header, registration("other-app")).Code, op)
		}
		require.Equal(t, 200, s.queuedCall("own-app", "feed", header, `{"address":"nats://own-app/a"}`).Code)
		for _, address := range []string{"nats://other-app/a", "nats://own-app", "http://a:1"} {
			require.Equal(t, 500, s.queuedCall("own-app", "feed", header, fmt.Sprintf(`{"address":%q}`, address)).Code)
		}
		for _, address := range []string{"nats://own-app/a", "nats://other-app/a"} {
			got := s.queuedCall("own-app", "accept", header, fmt.Sprintf(`[{"logId":%d,"address":%q}]`, runs[1], address))
			require.Equal(t, "[false]", string(got.Payload), "a run of the other app for %s", address)
		}
		s.completer.got = nil
		require.Equal(t, 200, s.queuedCall("own-app", "callback", header, fmt.Sprintf(`[{"logId":%d,"handleCode":200},{"logId":%d,"handleCode":200}]`, runs[0], runs[1])).Code)
		require.Len(t, s.completer.got, 1)
		require.EqualValues(t, runs[0], s.completer.got[0].LogID)
	}
	require.Equal(t, "[true]", string(s.queuedCall("own-app", "accept", "own-app", fmt.Sprintf(`[{"logId":%d,"address":"nats://own-app/a"}]`, runs[0])).Payload))
	require.Len(t, queue.prepared, 3)
	require.Equal(t, xxladapter.QueueAddress{App: "own-app", Instance: "a"}, queue.prepared[0])
	require.Equal(t, 500, newSite(t).queuedCall("own-app", "feed", "own-app", `{"address":"nats://own-app/a"}`).Code, "without a queue")
}

// TestATokenOfAnotherAppOpensNothingOverTheQueue has a caller whom the broker knows as one app and
// who has the token of another one, too.
func TestATokenOfAnotherAppOpensNothingOverTheQueue(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.AllowDeclare = true })
	s.queuedRuns("own-app", "other-app")
	const declares = `{"jobs":[{"key":"k","author":"a","executorHandler":"h"}]}`
	for _, header := range []string{"other-app", ""} {
		for _, op := range executorapi.Operations() {
			got := s.queuedCallAs("secret-of-other-app", "own-app", op, header, declares)
			require.Equal(t, []any{500, wire.MsgWrongAppToken}, []any{got.Code, got.Msg}, op)
		}
	}
	require.Equal(t, 200, s.queuedCallAs("secret-of-own-app", "own-app", wire.OpDeclare, "", declares).Code, "its own token")
	keys, err := s.store.JobKeys(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, keys, 1)
	require.Equal(t, int64(1), keys[0].GroupID)
}

// TestTheAuditNamesTheAppOfAQueue has callers with the token of all executors that name another app
// than the broker does.
func TestTheAuditNamesTheAppOfAQueue(t *testing.T) {
	s := newSite(t)
	s.queuedRuns("own-app", "other-app")
	for _, header := range []string{"own-app", "other-app", ""} {
		require.Equal(t, 200, s.queuedCall("own-app", wire.OpTriggerJob, header, `{"id":1}`).Code)
		rows := s.audit()
		require.Equal(t, "own-app", rows[len(rows)-1].Actor.Name)
	}
}
