//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestDatabaseRestarted ends the database server under load, in its orderly
// way and as a power cut would, and starts it again. The schedulers must not
// have to be restarted, and go on within seconds of its return.
func TestDatabaseRestarted(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		r := random(t)
		db := e.alone(t)
		if db.server == nil {
			t.Skip("the database is a file, which goes down with its scheduler: see the tests that kill that")
		}
		c := newClusterOn(t, e, db)
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		var worst time.Duration
		for round := range rounds(2, 50) {
			if round%2 == 0 {
				c.db.server.Kill(t)
			} else {
				c.db.server.Stop(t)
			}
			down := time.Now()
			pause(between(r, 0, time.Second))
			c.db.server.Start(t)
			returned := time.Now()
			c.waitForRuns(20) // they were planned before, or are planned now
			require.Less(t, time.Since(returned), 5*time.Second, "scheduling goes on")
			worst = max(worst, time.Since(down))
			pause(between(r, time.Second, 4*time.Second))
		}
		pause(inDoubt)
		t.Logf("longest gap without runs: %v", worst)
		c.judge(checker.Options{Epsilon: worst + inDoubt})
	})
}

// inDoubt is how late a fire may be, after the server's return, whose claim the server has
// committed and could not answer any more. Its scheduler cannot look for the claim before, and its
// lease may have lapsed meanwhile.
const inDoubt = 5 * time.Second
