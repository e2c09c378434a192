package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func TestDecideDelay(t *testing.T) {
	due := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		now     time.Duration // from the due time
		misfire xxladapter.MisfireStrategy
		grace   xxladapter.Milliseconds
		trigger xxladapter.TriggerType // of the one fire; empty means none
		missed  xxladapter.MisfireStrategy
	}{
		{"ahead", -3 * time.Second, "", 0, xxladapter.TriggerCron, ""},
		{"late", 5 * time.Second, "", 0, xxladapter.TriggerCron, ""},
		{"late, by the job's own window", 50 * time.Second, "", 60_000, xxladapter.TriggerCron, ""},
		{"missed", 5*time.Second + time.Millisecond, xxladapter.MisfireDoNothing, 0, "", xxladapter.MisfireDoNothing},
		{"missed, by a strategy of another release", time.Minute, "LATER", 0, "", xxladapter.MisfireDoNothing},
		{"missed and made up for", time.Minute, xxladapter.MisfireFireOnceNow, 0, xxladapter.TriggerMisfire, xxladapter.MisfireFireOnceNow},
		{"all that was missed is one", 24 * time.Hour, xxladapter.MisfireAll, 0, xxladapter.TriggerMisfire, xxladapter.MisfireAll},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := cron.ParsePlan("FIX_DELAY", "2", time.UTC)
			require.NoError(t, err)
			now := due.Add(tt.now)
			d := decideUTC(&xxladapter.Job{
				ID: 7, ScheduleType: xxladapter.ScheduleFixDelay, ScheduleConf: "2", TriggerNext: due, Misfire: tt.misfire,
				Settings: xxladapter.Settings{MisfireWindow: tt.grace},
			}, plan, now, 5*time.Second)
			require.False(t, d.Stop)
			require.Equal(t, due, d.Last)
			if tt.trigger == "" {
				require.Empty(t, d.Fires)
				require.Equal(t, now.Add(2*time.Second), d.Next, "no run will end, so it does not wait for one")
			} else {
				require.Equal(t, []xxladapter.Fire{scheduledFire(7, due, tt.trigger)}, d.Fires)
				require.Equal(t, xxladapter.AfterRun, d.Next)
			}
			if tt.missed == "" {
				require.Empty(t, d.Misfires)
			} else {
				require.Equal(t, []xxladapter.Misfire{{JobID: 7, Due: due, Until: due, Strategy: tt.missed, At: now}}, d.Misfires)
			}
		})
	}
}
