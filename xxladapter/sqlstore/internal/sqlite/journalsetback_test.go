//go:build unix

package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

// TestARunIsCountedAlthoughTheClockWasSetBack sets the clock back by an hour while a fire is open.
// The statistics count what is in the tables, and must not pass over its run.
func TestARunIsCountedAlthoughTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var clock movedClock
	s := openJournaled(t, filepath.Join(t.TempDir(), "xxl.db"), clock.Now, JournalOptions{})
	defer s.Close()
	by := fixture.TermOf(t, s, "n1")
	claim := func() xxladapter.Fire {
		now := clock.Now()
		fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: now, Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		claimed, err := s.ClaimFire(ctx, by, fires[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: now}})
		require.NoError(t, err)
		return claimed[0]
	}
	finish := func(f xxladapter.Fire) {
		_, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: xxladapter.ResultOK})
		require.NoError(t, err)
	}
	fold := func() {
		for range 2 { // one finds the last row, and one counts
			_, err := s.FoldStats(ctx, 100)
			require.NoError(t, err)
			clock.advance(xxladapter.StatDelay)
		}
		_, err := s.FoldStats(ctx, 100)
		require.NoError(t, err)
	}
	from := clock.Now().Add(-2 * time.Hour)
	open := claim()
	clock.advance(-time.Hour)
	finish(claim())
	fold()
	finish(open)
	fold()
	stats, err := s.Stats(ctx, xxladapter.StatFilter{From: from, To: from.Add(4 * time.Hour), By: xxladapter.StatByJob})
	require.NoError(t, err)
	require.Len(t, stats, 1)
	require.EqualValues(t, 2, stats[0].Success)
}
