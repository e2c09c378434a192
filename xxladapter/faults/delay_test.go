//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestDelaysSurviveKills kills schedulers while they run jobs whose next due time follows from the
// end of the last run. An end that is lost with a scheduler would stop its job forever; an end that
// counts twice would double the job.
func TestDelaysSurviveKills(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(30, *jobs/4), []schedule{
			{xxladapter.ScheduleFixDelay, "1"},
			{xxladapter.ScheduleFixDelay, "0.4"},
			{xxladapter.ScheduleFixDelay, "2.5"},
			{xxladapter.ScheduleFixRate, "1"}, // its due times are known, so the checker can match them
		}, nil)
		for range rounds(3, 300) {
			victim := c.nodes[r.IntN(len(c.nodes))]
			pause(between(r, 500*time.Millisecond, 2*time.Second))
			victim.kill()
			victim.start()
		}
		pause(resolved())
		c.changeAll(checker.OpStop)
		c.changeAll(checker.OpStart) // each job has one chain of runs again, not two
		pause(3 * time.Second)
		c.judge(checker.Options{Epsilon: resolved()})
	})
}
