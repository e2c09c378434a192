package trigger

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAJobIsSlowAfterElevenSlowHandOversInOneMinute checks when a job moves to the slow pool
// (XXL-JOB 2.4.2, JobTriggerPoolHelper.java).
func TestAJobIsSlowAfterElevenSlowHandOversInOneMinute(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		times int
		took  time.Duration
		pace  time.Duration // between the ends of two hand-overs
		at    time.Duration // when it is asked, from the start
		slow  bool
	}{
		{"ten", 10, time.Second, time.Second, 30 * time.Second, false},
		{"eleven", 11, time.Second, time.Second, 30 * time.Second, true},
		{"eleven that took half a second", 11, 500 * time.Millisecond, time.Second, 30 * time.Second, false},
		{"eleven that took a bit more", 11, 501 * time.Millisecond, time.Second, 30 * time.Second, true},
		// The minute is the clock's: nothing of it counts in the next one.
		{"to its last moment", 11, time.Second, time.Second, time.Minute - 1, true},
		{"and no longer", 11, time.Second, time.Second, time.Minute, false},
		{"eleven over two minutes", 11, time.Second, 7 * time.Second, 75 * time.Second, false},
		{"eleven in the second minute alone", 23, time.Second, 5 * time.Second, 115 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s slowJobs
			for i := range tt.times {
				s.note(7, tt.took, start.Add(time.Duration(i)*tt.pace))
			}
			require.Equal(t, tt.slow, s.is(7, start.Add(tt.at)))
			require.False(t, s.is(8, start.Add(tt.at)), "another job")
		})
	}
}
