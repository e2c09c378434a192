package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An executorSite is an executor of another make together with our scheduler.
type executorSite struct {
	t     *testing.T
	api   client.API
	token string
	app   string
}

func (s executorSite) job(args ...string) string {
	s.t.Helper()
	return mustCLI(s.t, append([]string{"job", "--server", s.api.Server, "--access-token", s.token}, args...)...)
}

func (s executorSite) addresses() []string {
	s.t.Helper()
	var list struct {
		Groups []struct {
			AppName     string
			AddressList []string
		}
	}
	require.NoError(s.t, s.api.Call(s.t.Context(), "GET", "/groups", nil, &list))
	for _, g := range list.Groups {
		if g.AppName == s.app {
			return g.AddressList
		}
	}
	return nil
}

type loggedRun struct {
	ID                      int64
	TriggerTime             time.Time
	TriggerCode, HandleCode int
	HandleMsg               string
	ExecutorShardingParam   string
}

// ended waits until n runs of a job have their results.
func (s executorSite) ended(id string, n int) []loggedRun {
	s.t.Helper()
	var rows []loggedRun
	testserver.Eventually(s.t, 30*time.Second, fmt.Sprintf("%d runs of job %s have ended", n, id), func() bool {
		var list struct{ Runs []json.RawMessage }
		require.NoError(s.t, s.api.Call(s.t.Context(), "GET", "/runs?job="+id, nil, &list))
		rows = nil
		for _, raw := range list.Runs {
			var l loggedRun
			require.NoError(s.t, json.Unmarshal(raw, &l))
			if l.HandleCode != 0 {
				rows = append(rows, l)
			}
		}
		return len(rows) >= n
	})
	return rows
}

// checkRuns runs the handlers greet and fail of the samples each second.
func (s executorSite) checkRuns() {
	s.t.Helper()
	good := s.job("add", "--name", "good", "--app", s.app, "--handler", "greet", "--param", "a <b> & 'c'", "--cron", "* * * * * ?", "--start")
	bad := s.job("add", "--name", "bad", "--app", s.app, "--handler", "fail", "--cron", "* * * * * ?", "--start")
	shard := s.job("add", "--name", "shard", "--app", s.app, "--handler", "greet", "--route", "SHARDING_BROADCAST", "--cron", "* * * * * ?", "--start")
	for _, l := range s.ended(good, 3) {
		require.Equal(s.t, 200, l.TriggerCode)
		require.Equal(s.t, 200, l.HandleCode)
		require.Equal(s.t, "did a <b> & 'c' 0/1", l.HandleMsg)
	}
	for _, l := range s.ended(bad, 2) {
		require.Equal(s.t, 500, l.HandleCode)
		require.Contains(s.t, l.HandleMsg, "as asked")
	}
	for _, l := range s.ended(shard, 2) {
		require.Equal(s.t, 200, l.HandleCode)
		require.Equal(s.t, "0/1", l.ExecutorShardingParam)
	}
	for _, id := range []string{good, bad, shard} {
		s.job("stop", id)
	}
}
