package scheduler

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestARenewalWaitsForAnothersLapse(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		name  string
		lapse time.Time
		want  time.Duration
	}{
		{"alone", time.Time{}, leasePace},
		{"all others renew in time", now.Add(leaseLife - leasePace), leasePace},
		{"one is late", now.Add(leasePace / 2), leasePace/2 + lapseSlack},
		{"one has just lapsed", now.Add(-time.Second), lapseSlack},
	} {
		require.Equal(t, c.want, leasePause(c.lapse, now), c.name)
	}
}

// TestADeadNodesPartitionsMoveWhenItsLeaseLapses checks that the partitions do not wait for the
// next renewal that happens to come.
func TestADeadNodesPartitionsMoveWhenItsLeaseLapses(t *testing.T) {
	for offset := time.Duration(0); offset < leasePace; offset += leasePace / 8 {
		inBubble(t, func(b *fixture) {
			one := b.start("one", nil)
			time.Sleep(3*time.Second + offset)
			died := time.Now()
			_, err := b.store.Lease(b.t.Context(), "node-0", leaseLife)
			require.NoError(t, err)
			time.Sleep(2 * leasePace) // "one" may not have noticed it in its last renewal
			require.Equal(t, xxladapter.Partitions/2, one.Stats().Partitions.Len())
			time.Sleep(leaseLife - time.Since(died) + 2*lapseSlack)
			synctest.Wait()
			require.Equal(t, xxladapter.AllPartitions, one.Stats().Partitions)
			one.stop()
		})
	}
}
