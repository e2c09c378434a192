package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestAJobStartedThroughAnyNodeFiresInTime lets both nodes rest, and wakes the one that the job
// does not belong to.
func TestAJobStartedThroughAnyNodeFiresInTime(t *testing.T) {
	for first := 100 * time.Millisecond; first < 2*idlePace; first += 700 * time.Millisecond {
		for _, conf := range []string{"1", "60"} {
			inBubble(t, func(b *fixture) {
				peers := []*peer{b.start("one", nil), b.start("two", nil)}
				time.Sleep(21300 * time.Millisecond)
				id := b.addJob(xxladapter.ScheduleFixRate, conf, first)
				for _, p := range peers {
					if !p.Stats().Partitions.HasJob(id) {
						p.Wake()
					}
				}
				time.Sleep(2 * idlePace)
				for _, p := range peers {
					p.stop()
				}
				seen := dues(t, peers...)
				require.NotEmpty(t, seen)
				for _, p := range peers {
					for _, g := range p.pool.fires() {
						require.Equal(t, 1, seen[g.fire.Due.UnixMilli()])
						require.LessOrEqual(t, g.at.Sub(g.fire.Due), ringLate, "job first due after %v", first)
					}
				}
			})
		}
	}
}
