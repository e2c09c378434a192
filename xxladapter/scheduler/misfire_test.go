package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func seconds(list ...float64) []time.Time {
	times := []time.Time{}
	for _, s := range list {
		times = append(times, noon.Add(time.Duration(s*float64(time.Second))))
	}
	return times
}

// TestMisfireStrategiesOfOurOwn has a job that is due every ten seconds from noon on. It is found
// at noon + 65 s, when the due time of noon + 60 s has passed and that of noon + 70 s is ahead.
func TestMisfireStrategiesOfOurOwn(t *testing.T) {
	plan := parsePlan(t, xxladapter.ScheduleCron, "0/10 * * * * ?")
	now := noon.Add(65 * time.Second)
	tests := []struct {
		name     string
		strategy xxladapter.MisfireStrategy
		settings xxladapter.Settings
		fires    []time.Time
	}{
		{"the latest", xxladapter.MisfireLatest, xxladapter.Settings{}, seconds(60)},
		{"all", xxladapter.MisfireAll, xxladapter.Settings{}, seconds(0, 10, 20, 30, 40, 50, 60)},
		{"all, at most three", xxladapter.MisfireAll, xxladapter.Settings{MisfireLimit: 3}, seconds(40, 50, 60)},
		{"all, exactly as many as the limit", xxladapter.MisfireAll, xxladapter.Settings{MisfireLimit: 7}, seconds(0, 10, 20, 30, 40, 50, 60)},
		{"all, spaced", xxladapter.MisfireAll, xxladapter.Settings{MisfireLimit: 3, MisfireSpacing: 1500}, seconds(65, 66.5, 68)},
		{"spacing is for all only", xxladapter.MisfireLatest, xxladapter.Settings{MisfireSpacing: 1500}, seconds(60)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := &xxladapter.Job{ID: 7, TriggerNext: noon, Misfire: tt.strategy, Settings: tt.settings}
			d := decideUTC(j, plan, now, testWindow)

			require.Equal(t, []xxladapter.Misfire{{
				JobID: 7, Due: noon, Until: noon.Add(time.Minute), Strategy: tt.strategy, At: now,
			}}, d.Misfires)
			n := len(tt.fires)
			require.Len(t, d.Fires, n+1)
			require.Equal(t, tt.fires, fireDues(d)[:n])
			for _, f := range d.Fires[:n] {
				require.Equal(t, xxladapter.TriggerMisfire, f.Type)
			}
			require.Equal(t, noon.Add(70*time.Second), d.Fires[n].Due, "and the schedule continues")
			require.Equal(t, noon.Add(80*time.Second), d.Next)
		})
	}
}

func TestMisfireAllIsBoundedByDefault(t *testing.T) {
	j := &xxladapter.Job{ID: 7, TriggerNext: noon, Misfire: xxladapter.MisfireAll}
	now := noon.Add(24*time.Hour + 500*time.Millisecond)
	d := decideUTC(j, parsePlan(t, xxladapter.ScheduleCron, "* * * * * ?"), now, testWindow)
	dues := fireDues(d)
	require.Equal(t, noon.Add(24*time.Hour), dues[xxladapter.DefaultMisfireLimit-1], "the latest ones")
	require.Equal(t, noon.Add(24*time.Hour-99*time.Second), dues[0])
	require.Len(t, dues, xxladapter.DefaultMisfireLimit+5, "and those of the window ahead")
}

// TestTheMisfireWindowIsTheJobsOwn checks both edges of a window that is shorter, and of one that
// is longer than the scheduler's five seconds.
func TestTheMisfireWindowIsTheJobsOwn(t *testing.T) {
	plan := parsePlan(t, xxladapter.ScheduleCron, "0 * * * * ?")
	tests := []struct {
		window  xxladapter.Milliseconds
		late    time.Duration
		misfire bool
	}{
		{1000, time.Second, false},
		{1000, time.Second + time.Millisecond, true},
		{30_000, 30 * time.Second, false},
		{30_000, 30*time.Second + time.Millisecond, true},
	}
	for _, tt := range tests {
		j := &xxladapter.Job{ID: 7, TriggerNext: noon, Settings: xxladapter.Settings{MisfireWindow: tt.window}}
		d := decideUTC(j, plan, noon.Add(tt.late), testWindow)
		require.Equal(t, tt.misfire, len(d.Misfires) == 1, "%d ms, %v late", tt.window, tt.late)
		require.Equal(t, !tt.misfire, len(d.Fires) == 1)
	}
}

func TestALongWindowCatchesUpOnEveryDueTime(t *testing.T) {
	j := &xxladapter.Job{ID: 7, TriggerNext: noon, Settings: xxladapter.Settings{MisfireWindow: 3600_000}}
	plan := parsePlan(t, xxladapter.ScheduleFixRate, "10")
	var dues []time.Time
	now := noon.Add(50 * time.Minute)
	for !j.TriggerNext.After(now) { // scan after scan
		d := decideUTC(j, plan, now, testWindow)
		require.Empty(t, d.Misfires)
		require.LessOrEqual(t, len(d.Fires), maxFires)
		dues = append(dues, fireDues(d)...)
		j.TriggerNext = d.Next
	}
	require.Len(t, dues, 301)
	for i, due := range dues {
		require.Equal(t, noon.Add(time.Duration(i)*10*time.Second), due)
	}
}

func TestAFixedRateKeepsItsPhaseOverAMisfire(t *testing.T) {
	j := &xxladapter.Job{ID: 7, TriggerNext: noon.Add(250 * time.Millisecond), Misfire: xxladapter.MisfireDoNothing}
	d := decideUTC(j, parsePlan(t, xxladapter.ScheduleFixRate, "1.7"), noon.Add(time.Minute), testWindow)
	require.Equal(t, noon.Add(250*time.Millisecond+35*1700*time.Millisecond), d.Misfires[0].Until, "59.75 s")
	require.Equal(t, noon.Add(250*time.Millisecond+36*1700*time.Millisecond), d.Fires[0].Due, "61.45 s")
}

func TestPlansAreReadInTheJobsOwnZone(t *testing.T) {
	p := newPlans(time.UTC, cron.Quartz)
	at := func(zone string) time.Time {
		plan, err := p.of(&xxladapter.Job{
			ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 12 * * ?", Settings: xxladapter.Settings{Zone: zone},
		})
		require.NoError(t, err)
		return plan.Next(noon.Add(-24 * time.Hour)).UTC()
	}
	require.Equal(t, noon, at(""))
	require.Equal(t, noon.Add(-8*time.Hour), at("Asia/Shanghai"))
	require.Equal(t, noon, at(""), "the same text in another zone is another plan")
	_, err := p.of(&xxladapter.Job{ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 12 * * ?", Settings: xxladapter.Settings{Zone: "Mars/Base"}})
	require.Error(t, err)
}

func TestPlansAreReadInTheProfile(t *testing.T) {
	old := &xxladapter.Job{ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0/0 12 * * ?"}
	_, err := newPlans(time.UTC, cron.Quartz).of(old)
	require.Error(t, err)
	plan, err := newPlans(time.UTC, cron.XXL34).of(old)
	require.NoError(t, err, "XXL-JOB takes it for minute 0")
	require.Equal(t, noon, plan.Next(noon.Add(-time.Hour)))
}
