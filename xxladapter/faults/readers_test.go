//go:build linux

package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestSlowReaders locks a table that scheduling does not need, while many API callers of each
// scheduler read it. The callers wait, no scheduler loses its lease, and no fire is late.
func TestSlowReaders(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.lockMisfires == "" {
			t.Skip("readers of this store wait for no lock")
		}
		c := newCluster(t, e)
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		db := openDatabase(t, c.db.url)
		defer func() { require.NoError(t, db.Close()) }()
		for range rounds(1, 20) {
			conn, err := db.Conn(c.ctx)
			require.NoError(t, err)
			for _, statement := range strings.Split(e.lockMisfires, ";") {
				_, err = conn.ExecContext(c.ctx, statement)
				require.NoError(t, err)
			}
			var readers errgroup.Group
			for range 30 {
				for i := range c.servers {
					readers.Go(func() error { return c.callAt(i, "GET", fmt.Sprintf("/jobs/%d/misfires", c.jobs[0].id), nil, nil) })
				}
			}
			pause(9 * time.Second) // several leases
			_, err = conn.ExecContext(c.ctx, e.unlock)
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			require.NoError(t, readers.Wait(), "they got what they waited for")
		}
		c.judge(checker.Options{NoMisfires: true})
		for _, n := range c.nodes {
			require.NotContains(t, n.log.String(), "steps down")
			require.NotContains(t, n.log.String(), "no lease")
		}
	})
}
