//go:build unix

package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestRecordsThatTheTablesHaveAreSkipped cuts a process off after it has written the tables, and
// before it removes the records from Redis. The next process brings in what the tables lack, and
// nothing twice.
func TestRecordsThatTheTablesHaveAreSkipped(t *testing.T) {
	t.Parallel()
	url, file := testserver.StartRedis(t).URL("0"), emptySQLite(t)
	behind := "sqlite:" + file
	redis, client := testserver.NewProxy(t, url), clientOf(t, url)
	a := newDeferring(t, redis.URL(), behind)
	removal := func(permission string) {
		require.NoError(t, client.Do(t.Context(), "ACL", "SETUSER", "default", permission+"xtrim").Err())
	}
	removal("-")
	planned, ended, begun, late := a.job(xxladapter.Settings{}), a.job(xxladapter.Settings{}), a.job(xxladapter.Settings{}), a.job(xxladapter.Settings{})
	require.Len(t, a.claimUpTo(1), 1) // the tables do without it, so the later records stay in any case
	logs := map[int64]int64{}
	fires, _, err := a.ClaimDue(t.Context(), a.term, 0, 100, func(now time.Time, due []*xxladapter.Job) (decisions []xxladapter.Decision) {
		for _, j := range due {
			d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: now.Add(time.Hour)}
			if j.ID == late {
				d.Misfires = []xxladapter.Misfire{{JobID: j.ID, Due: j.TriggerNext, Until: j.TriggerNext, Strategy: xxladapter.MisfireDoNothing, At: now}}
			} else {
				d.Fires = []xxladapter.Fire{{Type: xxladapter.TriggerCron, Due: j.TriggerNext, RetryCount: -1}}
			}
			decisions = append(decisions, d)
		}
		return decisions
	})
	require.NoError(t, err)
	require.Len(t, fires, 2)
	for _, f := range fires {
		logs[f.JobID] = a.send(f)
	}
	_, err = a.SettleFire(t.Context(), a.term, xxladapter.Settlement{
		FireID: fireOf(fires, ended), LogID: logs[ended], Code: xxladapter.ResultOK, Msg: "sent", Sent: time.Now(), Acknowledged: time.Now(),
	})
	require.NoError(t, err)
	applied, _, err := a.FinishRun(t.Context(), xxladapter.RunResult{LogID: logs[ended], Code: xxladapter.ResultOK})
	require.NoError(t, err)
	require.True(t, applied)
	a.defers(file, 1)
	redis.Refuse() // the process is dead
	redis.Reset()
	t.Cleanup(func() { redis.Accept(t) })
	streams, err := client.Keys(t.Context(), "*:log").Result()
	require.NoError(t, err)
	left, err := client.XLen(t.Context(), streams[0]).Result()
	require.NoError(t, err)
	require.Positive(t, left, "the records are still there")

	b := open(t, url, behind, nil)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	misfires, err := b.Misfires(t.Context(), xxladapter.MisfireFilter{})
	require.NoError(t, err)
	require.Len(t, misfires, 1)
	require.Equal(t, late, misfires[0].JobID)
	rows, err := b.Logs(t.Context(), xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	fires, err = b.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Len(t, fires, 2)
	require.ElementsMatch(t, []int64{begun, planned}, []int64{fires[0].JobID, fires[1].JobID})
	row, err := b.Log(t.Context(), logs[ended])
	require.NoError(t, err)
	require.Equal(t, xxladapter.LogSuccess, row.Status())
	removal("+")
	found, err := b.Compare(t.Context())
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	left, err = client.XLen(t.Context(), streams[0]).Result()
	require.NoError(t, err)
	require.Zero(t, left)
}

// fireOf returns the id of a job's fire.
func fireOf(fires []xxladapter.Fire, job int64) int64 {
	for _, f := range fires {
		if f.JobID == job {
			return f.ID
		}
	}
	return 0
}
