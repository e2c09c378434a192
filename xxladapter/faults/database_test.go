//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestDatabaseRestarted shuts down or kills the database server under load, and starts it again.
// The schedulers need no restart, and continue within seconds of its return.
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
			c.waitForRuns(20) // planned before the outage or since
			require.Less(t, time.Since(returned), longestPeriod(), "scheduling continues")
			worst = max(worst, time.Since(down))
			pause(between(r, time.Second, 4*time.Second))
		}
		pause(inDoubt)
		t.Logf("longest gap without runs: %v", worst)
		c.judge(checker.Options{Epsilon: worst + inDoubt})
	})
}

// inDoubt limits how late a fire may be, counted from the server's return, if the server committed
// the claim of the fire and could no longer answer. The scheduler cannot look for the claim before
// the return, and its lease may have lapsed meanwhile.
const inDoubt = 5 * time.Second
