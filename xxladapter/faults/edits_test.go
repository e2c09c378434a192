//go:build linux

package faults

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestEditsRaceWithFires changes, stops and starts jobs up to a hundred times a second while they
// fire. Once a stop is acknowledged its job no longer fires, and once an edit is acknowledged
// nothing fires on the old schedule.
func TestEditsRaceWithFires(t *testing.T) {
	testserver.Long(t)
	schedules := []schedule{
		{xxladapter.ScheduleCron, "* * * * * ?"},
		{xxladapter.ScheduleCron, "0/2 * * * * ?"},
		{xxladapter.ScheduleCron, "1/3 * * * * ?"},
	}
	onEach(t, engines, func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(40, schedules, nil)
		c.waitForRuns(40)
		running := make(map[int64]bool)
		for _, j := range c.jobs {
			running[j.id] = true
		}
		edits := 0
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		for end := time.Now().Add(pick(8*time.Second, cmp.Or(*lasting, 10*time.Minute))); time.Now().Before(end); edits++ {
			<-pace.C
			j := c.jobs[r.IntN(len(c.jobs))]
			switch {
			case r.IntN(3) > 0:
				require.NoError(t, c.edit(j, schedules[r.IntN(len(schedules))]))
			case running[j.id]:
				require.NoError(t, c.change(j, checker.OpStop))
				running[j.id] = false
			default:
				require.NoError(t, c.change(j, checker.OpStart))
				running[j.id] = true
			}
		}
		// While jobs are edited all the time, hardly any due time has to fire. Now each has to.
		pause(5 * time.Second)
		t.Logf("%d changes", edits)
		c.judge(checker.Options{Epsilon: 2 * time.Second})
	})
}
