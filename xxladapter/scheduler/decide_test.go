package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

const testWindow = 5 * time.Second

// noon is a whole minute, so that seconds in the tables can be read off.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func parsePlan(t *testing.T, kind xxladapter.ScheduleType, conf string) cron.Plan {
	t.Helper()
	plan, err := cron.ParsePlan(string(kind), conf, time.UTC)
	require.NoError(t, err)
	return plan
}

func parsePlanIn(t *testing.T, conf string, zone *time.Location) cron.Plan {
	t.Helper()
	plan, err := cron.ParsePlan(string(xxladapter.ScheduleCron), conf, zone)
	require.NoError(t, err)
	return plan
}

// decideUTC decides about a job whose zone is UTC.
func decideUTC(j *xxladapter.Job, plan cron.Plan, now time.Time, window time.Duration) xxladapter.Decision {
	return decide(j, zonedPlan{plan, time.UTC}, now, window, reach{window, maxFires})
}

func fireDues(d xxladapter.Decision) []time.Time {
	dues := []time.Time{}
	for _, f := range d.Fires {
		dues = append(dues, f.Due)
	}
	return dues
}

// TestDecideBranches checks each edge of XXL-JOB 3.4.2's three branches
// (JobScheduleHelper.java) on a job that is due once a minute.
func TestDecideBranches(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name     string
		late     time.Duration // now minus the due time
		fires    bool
		misfires bool
	}{
		// Ahead of time: planned, to be fired when due.
		{"the far end of the window", -5 * time.Second, true, false},
		{"a millisecond ahead", -1 * ms, true, false},

		// Late: planned, to be fired at once. Both edges belong here.
		{"on time", 0, true, false},
		{"a millisecond late", 1 * ms, true, false},
		{"the whole window late", 5 * time.Second, true, false},

		// Beyond the window.
		{"a millisecond beyond the window", 5*time.Second + 1*ms, false, true},
		{"an hour late", time.Hour, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := &xxladapter.Job{ID: 7, TriggerNext: noon, Misfire: xxladapter.MisfireDoNothing}
			now := noon.Add(tt.late)
			d := decideUTC(j, parsePlan(t, xxladapter.ScheduleCron, "0 * * * * ?"), now, testWindow)

			require.False(t, d.Stop)
			if tt.fires {
				require.Equal(t, []time.Time{noon}, fireDues(d))
				require.Equal(t, xxladapter.TriggerCron, d.Fires[0].Type)
				require.Equal(t, noon, d.Last)
				require.Equal(t, noon.Add(time.Minute), d.Next)
			} else {
				require.Empty(t, d.Fires)
			}
			if tt.misfires {
				require.Len(t, d.Misfires, 1)
				require.Equal(t, now.Truncate(time.Minute).Add(time.Minute), d.Next, "continues from now")
			} else {
				require.Empty(t, d.Misfires)
			}
		})
	}
}

func TestDecidePlansEveryDueTimeUpToTheWindow(t *testing.T) {
	tests := []struct {
		name       string
		kind       xxladapter.ScheduleType
		conf       string
		next       time.Duration // after noon
		now        time.Duration
		fires      []time.Duration
		wantedNext time.Duration
	}{
		{
			"every second, found two seconds late", xxladapter.ScheduleCron, "* * * * * ?",
			0, 2 * time.Second,
			[]time.Duration{0, 1e9, 2e9, 3e9, 4e9, 5e9, 6e9, 7e9}, 8 * time.Second,
		},
		{
			"a fixed rate keeps its phase when it is found late", xxladapter.ScheduleFixRate, "3",
			0, 4 * time.Second,
			[]time.Duration{0, 3e9, 6e9, 9e9}, 12 * time.Second,
		},
		{
			"only what lies within the window", xxladapter.ScheduleFixRate, "5",
			1 * time.Second, 0,
			[]time.Duration{1e9}, 6 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := &xxladapter.Job{ID: 7, TriggerNext: noon.Add(tt.next)}
			d := decideUTC(j, parsePlan(t, tt.kind, tt.conf), noon.Add(tt.now), testWindow)
			want := []time.Time{}
			for _, due := range tt.fires {
				want = append(want, noon.Add(due))
			}
			require.Equal(t, want, fireDues(d))
			require.Equal(t, noon.Add(tt.wantedNext), d.Next)
			require.Equal(t, want[len(want)-1], d.Last)
		})
	}
}

// TestDecideMisfire checks XXL-JOB's two strategies (3.4.2, MisfireDoNothing.java and
// MisfireFireOnceNow.java).
func TestDecideMisfire(t *testing.T) {
	plan := parsePlan(t, xxladapter.ScheduleCron, "0/10 * * * * ?")
	now := noon.Add(65 * time.Second)
	for _, strategy := range []xxladapter.MisfireStrategy{xxladapter.MisfireDoNothing, xxladapter.MisfireFireOnceNow} {
		t.Run(string(strategy), func(t *testing.T) {
			j := &xxladapter.Job{ID: 7, TriggerNext: noon, Misfire: strategy}
			d := decideUTC(j, plan, now, testWindow)

			require.Equal(t, []xxladapter.Misfire{{
				JobID: 7, Due: noon, Until: noon.Add(time.Minute), Strategy: strategy, At: now,
			}}, d.Misfires, "all seven due times from 12:00:00 to 12:01:00")
			// 12:01:10 is ahead by exactly the window.
			want := []time.Time{noon.Add(70 * time.Second)}
			if strategy == xxladapter.MisfireFireOnceNow {
				want = append([]time.Time{noon}, want...)
				require.Equal(t, xxladapter.TriggerMisfire, d.Fires[0].Type)
			}
			require.Equal(t, want, fireDues(d))
			require.Equal(t, noon.Add(80*time.Second), d.Next)
		})
	}
	t.Run("an unknown strategy does nothing, and says so", func(t *testing.T) {
		d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon, Misfire: "WHATEVER"}, plan, now, testWindow)
		require.Equal(t, xxladapter.MisfireDoNothing, d.Misfires[0].Strategy)
	})
}

func TestDecideStopsAScheduleThatEnds(t *testing.T) {
	once := parsePlan(t, xxladapter.ScheduleCron, "0 0 12 2 3 ? 2026")
	t.Run("after its last fire", func(t *testing.T) {
		d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon}, once, noon.Add(-time.Second), testWindow)
		require.Equal(t, []time.Time{noon}, fireDues(d))
		require.True(t, d.Stop)
		require.NotEmpty(t, d.Reason)
		require.Zero(t, d.Next)
		require.Zero(t, d.Last)
	})
	t.Run("after a misfire of its last due time", func(t *testing.T) {
		d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon}, once, noon.Add(time.Hour), testWindow)
		require.Empty(t, d.Fires)
		require.Len(t, d.Misfires, 1)
		require.True(t, d.Stop)
	})
	t.Run("that stands still", func(t *testing.T) {
		d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon}, frozenPlan{noon}, noon, testWindow)
		require.Equal(t, []time.Time{noon}, fireDues(d))
		require.True(t, d.Stop)
	})
}

// A frozenPlan always gives the same time, as a broken schedule would.
type frozenPlan struct{ at time.Time }

func (p frozenPlan) Next(time.Time) time.Time { return p.at }

func TestDecideBoundsTheFiresOfOneJob(t *testing.T) {
	d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon}, tickingPlan(time.Millisecond), noon, testWindow)
	require.Len(t, d.Fires, maxFires)
	require.Equal(t, noon.Add(maxFires*time.Millisecond), d.Next, "the rest is due at the next scan")
	require.False(t, d.Stop)
}

// A tickingPlan is due every period.
type tickingPlan time.Duration

func (p tickingPlan) Next(after time.Time) time.Time { return after.Add(time.Duration(p)) }

func TestMisfireOfAShortPeriodIsBounded(t *testing.T) {
	now := noon.Add(30 * 24 * time.Hour)
	d := decideUTC(&xxladapter.Job{ID: 7, TriggerNext: noon}, tickingPlan(time.Second), now, testWindow)
	require.Equal(t, now, d.Misfires[0].Until)
}
