package scheduler

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Next times that no schedule has given: upstream's column default, which the stores read as the
// zero time, and what else a tool may have written.
var astray = []time.Time{{}, time.UnixMilli(0), time.UnixMilli(-1), time.UnixMilli(-1 << 60), time.UnixMilli(math.MinInt64 / 2)}

// TestATimeThatNoScheduleGaveIsOneMisfire checks that the job is overdue once, by its strategy, and
// continues from now, whatever the type.
func TestATimeThatNoScheduleGaveIsOneMisfire(t *testing.T) {
	now := noon.Add(500*time.Millisecond + 300*time.Microsecond)
	found := now.Truncate(time.Millisecond)
	for _, kind := range []struct {
		of     xxladapter.ScheduleType
		conf   string
		ahead  []time.Time // due within the window
		next   time.Time
		ending string // why it stops
	}{
		{of: xxladapter.ScheduleCron, conf: "0/3 * * * * ?", ahead: seconds(3), next: noon.Add(6 * time.Second)},
		{of: xxladapter.ScheduleFixRate, conf: "3", ahead: seconds(4), next: noon.Add(7 * time.Second)},
		{of: xxladapter.ScheduleFixRate, conf: "2147483647", next: noon.Add(time.Second + math.MaxInt32*time.Second)},
		{of: xxladapter.ScheduleFixDelay, conf: "2"},
		{of: xxladapter.ScheduleNone, ending: scheduleEnded},
	} {
		plan := parsePlan(t, kind.of, kind.conf)
		for _, strategy := range []xxladapter.MisfireStrategy{
			xxladapter.MisfireDoNothing, xxladapter.MisfireFireOnceNow, xxladapter.MisfireLatest, xxladapter.MisfireAll,
		} {
			for _, at := range astray {
				for _, window := range []xxladapter.Milliseconds{0, 1000, math.MaxInt64 / 1_000_000} {
					j := &xxladapter.Job{ID: 7, ScheduleType: kind.of, ScheduleConf: kind.conf, Misfire: strategy, TriggerNext: at}
					j.Settings.MisfireWindow, j.Settings.MisfireSpacing = window, 100
					d := decideUTC(j, plan, now, testWindow)

					require.Len(t, d.Misfires, 1)
					require.Equal(t, xxladapter.Misfire{JobID: 7, Due: found, Until: found, Strategy: strategy, At: now}, d.Misfires[0])
					want := []time.Time{}
					if strategy != xxladapter.MisfireDoNothing {
						want = append(want, found)
						require.Equal(t, xxladapter.TriggerMisfire, d.Fires[0].Type)
					}
					next := kind.next
					if kind.of == xxladapter.ScheduleFixDelay {
						next = xxladapter.AfterRun
						if strategy == xxladapter.MisfireDoNothing {
							next = now.Add(2 * time.Second).Truncate(time.Millisecond).Add(time.Millisecond)
						}
					}
					require.Equal(t, append(want, kind.ahead...), fireDues(d), "%s %s from %v", kind.of, strategy, at)
					require.Equal(t, next, d.Next)
					require.Equal(t, kind.ending, d.Reason)
					require.False(t, d.Last.Before(found) && !d.Stop, "%v", d.Last)
				}
			}
		}
	}
}

// TestAOnceThatWasNeverPlannedHasItsInstant checks that a ONCE is due at the instant of its
// configuration.
func TestAOnceThatWasNeverPlannedHasItsInstant(t *testing.T) {
	for _, at := range astray {
		j := &xxladapter.Job{ID: 7, ScheduleType: xxladapter.ScheduleOnce, Misfire: xxladapter.MisfireFireOnceNow, TriggerNext: at}
		plan := parsePlan(t, j.ScheduleType, noon.Format(time.RFC3339))

		early := decideUTC(j, plan, noon.Add(-time.Hour), testWindow)
		require.Equal(t, xxladapter.Decision{JobID: 7, Next: noon}, early)

		late := decideUTC(j, plan, noon.Add(time.Hour), testWindow)
		require.Equal(t, []time.Time{noon}, fireDues(late))
		require.Equal(t, noon, late.Misfires[0].Due)
		require.True(t, late.Stop)
	}
}

// TestAFixedRateOfAnotherAgeIsOneMisfire checks a rate that is overdue by more years than a
// Duration has.
func TestAFixedRateOfAnotherAgeIsOneMisfire(t *testing.T) {
	first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	now := time.Date(2680, 1, 1, 0, 0, 1, 0, time.UTC)
	j := &xxladapter.Job{ID: 7, ScheduleType: xxladapter.ScheduleFixRate, Misfire: xxladapter.MisfireDoNothing, TriggerNext: first}
	d := decideUTC(j, parsePlan(t, j.ScheduleType, "3600"), now, testWindow)
	require.Empty(t, d.Fires)
	require.Len(t, d.Misfires, 1)
	require.Equal(t, now.Add(-time.Second), d.Misfires[0].Until)
	require.Equal(t, now.Add(time.Hour-time.Second), d.Next)
}

// TestARowWithoutANextTimeFiresAsAnyOther checks what a tool's INSERT leaves.
func TestARowWithoutANextTimeFiresAsAnyOther(t *testing.T) {
	inBubble(t, func(b *fixture) {
		id := b.addJob(xxladapter.ScheduleFixRate, "3", -time.Hour)
		ctx := b.t.Context()
		l, err := b.store.Lease(ctx, "tool", time.Second)
		require.NoError(b.t, err)
		_, _, err = b.store.ClaimDue(ctx, l.Term, 0, 1, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{JobID: id}}
		})
		require.NoError(b.t, err)
		require.NoError(b.t, b.store.Resign(ctx, l.Term))

		b.run(10*time.Second + 100*time.Millisecond)
		fires := b.pool.fires()
		require.Len(b.t, fires, 3)
		misfires, err := b.store.Misfires(ctx, xxladapter.MisfireFilter{})
		require.NoError(b.t, err)
		require.Len(b.t, misfires, 1)
	})
}
