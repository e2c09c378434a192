package admin

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xxlwheel/xxlwheel/xxladapter"
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

// TestATokenOfAnAppAcceptsRunsOfThatAppAlone has a group with a secret of its own.
func TestATokenOfAnAppAcceptsRunsOfThatAppAlone(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	runs := map[string]int64{}
	for _, app := range []string{"own-app", "other-app"} {
		group, err := s.store.SaveGroup(ctx, &xxladapter.Group{AppName: app, Title: app, AccessToken: "secret-of-" + app})
		require.NoError(t, err)
		job := &xxladapter.Job{GroupID: group, Name: app, Author: "a", Handler: "h"}
		job.SetDefaults()
		id, err := s.store.CreateJob(ctx, job)
		require.NoError(t, err)
		lease, err := s.store.Lease(ctx, "n1", 1e12)
		require.NoError(t, err)
		planned, err := s.store.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: job.Added, Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		fires, err := s.store.ClaimFire(ctx, lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: id, GroupID: group}})
		require.NoError(t, err)
		runs[app] = fires[0].LogID
	}
	ask := func(app string, logID string) any {
		reply := s.call("/api/accept", "own-app", "secret-of-own-app", `[{"logId":`+logID+`,"address":"nats://`+app+`/a"}]`)
		require.Equal(t, 200, reply.Code, reply.Msg)
		return reply.Data
	}
	require.Equal(t, map[string]int64{"own-app": 1, "other-app": 2}, runs)
	require.Equal(t, []any{true}, ask("own-app", "1"))
	require.Equal(t, []any{false}, ask("own-app", "2"), "the run of another app")
	require.Equal(t, []any{false}, ask("other-app", "2"), "under the other app's name")
	require.Equal(t, []any{false}, ask("own-app", "4711"))
}
