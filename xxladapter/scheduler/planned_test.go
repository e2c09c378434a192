package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestPlannedFiresGoOutWhenTheyAreDue lets fires be planned outside of a scan, halfway between two
// sweeps.
func TestPlannedFiresGoOutWhenTheyAreDue(t *testing.T) {
	for _, tt := range []struct {
		ahead, late time.Duration
		held        int
	}{
		{-time.Second, time.Second, 0}, // goes at once
		{300 * time.Millisecond, ringLate, 1},
		{armAhead, ringLate, 1},
		{armAhead + time.Millisecond, sweepPace + ringLate, 0},
	} {
		inBubble(t, func(b *fixture) {
			id, err := xxladapter.CreateJob(t.Context(), b.store, &xxladapter.Job{GroupID: b.group, Name: "without a schedule"})
			require.NoError(t, err)
			go func() {
				time.Sleep(2500 * time.Millisecond)
				planned, err := b.store.PlanFires(t.Context(), []xxladapter.Fire{{JobID: id, Due: time.Now().Add(tt.ahead), Type: xxladapter.TriggerRetry}})
				if err != nil {
					panic(err)
				}
				b.sched.Planned(planned)
				time.Sleep(time.Microsecond) // for the pool, in the bubble's own time
				if held := b.sched.Held(); held != tt.held {
					t.Errorf("planned %v ahead: %d fires are held, must be %d", tt.ahead, held, tt.held)
				}
			}()
			b.run(armAhead + 5*time.Second)
			fired := b.pool.fires()
			require.Len(t, fired, 1)
			late := fired[0].at.Sub(fired[0].fire.Due)
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.LessOrEqual(t, late, tt.late, "planned %v ahead", tt.ahead)
		})
	}
}

// TestAScheduleThatContinuesSoonIsScannedNow checks that such a schedule brings the next scan
// forward, and that one that the next scan finds in time anyway does not.
func TestAScheduleThatContinuesSoonIsScannedNow(t *testing.T) {
	inBubble(t, func(b *fixture) {
		defer b.sched.ring.stop()
		b.sched.Resumed(time.Now().Add(time.Minute))
		require.Empty(t, b.sched.scanNow)
		b.sched.Resumed(time.Now().Add(time.Second))
		require.Len(t, b.sched.scanNow, 1)
	})
}
