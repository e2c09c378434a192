//go:build linux

package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestKilledAmidABackfill kills schedulers with SIGKILL while a backfill is in progress. Those that
// are left, or start next, continue it: each of its due times runs once.
func TestKilledAmidABackfill(t *testing.T) {
	testserver.Long(t)
	onEach(t, append(engines, oneFile), func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		var job, begun struct{ ID int64 }
		c.must("POST", "/jobs", map[string]any{
			"jobGroup": c.group, "name": "backfilled", "author": "faults", "executorHandler": "note",
			"executorRouteStrategy": "ROUND", "scheduleType": xxladapter.ScheduleCron, "scheduleConf": "* * * * * ?",
		}, &job)
		total := pick(400, 10_000)
		to := time.Now().Add(-time.Minute).Truncate(time.Second)
		from := to.Add(-time.Duration(total) * time.Second)
		c.must("POST", fmt.Sprintf("/jobs/%d/backfill", job.ID), map[string]any{"from": from, "to": to, "parallel": 7}, &begun)

		var progress struct {
			State                             xxladapter.BackfillState
			Total, Succeeded, Failed, Dropped int
		}
		kills := 0
		for progress.State != xxladapter.BackfillDone && kills < pick(30, 300) {
			before := c.runsOf(job.ID)
			victim := c.nodes[r.IntN(len(c.nodes))]
			pause(between(r, 200*time.Millisecond, time.Second))
			victim.kill()
			kills++
			if len(c.nodes) > 1 {
				pause(between(r, 0, time.Second)) // the others continue meanwhile
			}
			victim.start()
			testserver.Eventually(t, resolved(), "it continues", func() bool {
				c.must("GET", fmt.Sprintf("/backfills/%d", begun.ID), nil, &progress)
				return progress.State == xxladapter.BackfillDone || c.runsOf(job.ID) > before+20
			})
		}
		testserver.Eventually(t, time.Minute, "it is done", func() bool {
			c.must("GET", fmt.Sprintf("/backfills/%d", begun.ID), nil, &progress)
			return progress.State == xxladapter.BackfillDone
		})
		require.Equal(t, [4]int{total, total, 0, 0}, [4]int{progress.Total, progress.Succeeded, progress.Failed, progress.Dropped})
		require.Greater(t, kills, 2, "the backfill was over before it was disturbed")

		h, err := checker.Read(strings.NewReader(c.history.String()))
		require.NoError(t, err)
		ran := map[time.Time]int{}
		for _, run := range h.Runs {
			ran[run.Due.Time()]++
		}
		for due := from; due.Before(to); due = due.Add(time.Second) {
			require.Equal(t, 1, ran[due.UTC()], "runs for %v", due.UTC())
		}
		require.Len(t, ran, total)
	})
}

// TestOnePauseHoldsAllNodes pauses and continues a group while several schedulers run its jobs. No
// due time of the pause runs, on any of them, and each is accounted for.
func TestOnePauseHoldsAllNodes(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		c := newCluster(t, e)
		c.addJobs(pick(60, *jobs), mixed, nil)
		type span struct{ from, until time.Time }
		var pauses []span
		for range rounds(2, 50) {
			c.waitForRuns(120)
			var held, ended struct {
				ID    int64
				From  time.Time
				Until time.Time
			}
			c.must("POST", "/pauses", map[string]any{"jobGroup": c.group, "note": "faults"}, &held)
			pause(3 * time.Second) // longer than two scans
			c.must("POST", fmt.Sprintf("/pauses/%d/end", held.ID), nil, &ended)
			pauses = append(pauses, span{held.From, ended.Until})
		}
		c.waitForRuns(120)
		c.judge(checker.Options{Epsilon: resolved()})
		h, err := checker.Read(strings.NewReader(c.history.String()))
		require.NoError(t, err)
		for _, run := range h.Runs {
			for _, p := range pauses {
				due := run.Due.Time()
				require.False(t, !due.Before(p.from) && due.Before(p.until), "job %d ran for %v in the pause from %v until %v", run.Job, due, p.from, p.until)
			}
		}
	})
}
