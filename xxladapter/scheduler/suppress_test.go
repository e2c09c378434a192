package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// pauseFrom returns a pause between two instants in seconds after noon. An until of 0 means no end.
func pauseFrom(id int64, from, until int) xxladapter.Pause {
	p := xxladapter.Pause{ID: id, From: noon.Add(time.Duration(from) * time.Second)}
	if until != 0 {
		p.Until = noon.Add(time.Duration(until) * time.Second)
	}
	return p
}

// afterNoon returns instants as seconds after noon.
func afterNoon(all ...time.Time) (after []int) {
	for _, at := range all {
		after = append(after, int(at.Sub(noon).Seconds()))
	}
	return after
}

// A missedSpan is a misfire in seconds after noon.
type missedSpan struct {
	kind       xxladapter.MisfireKind
	due, until int
}

func missedSpans(d xxladapter.Decision) (all []missedSpan) {
	for _, m := range d.Misfires {
		all = append(all, missedSpan{m.Kind(), afterNoon(m.Due)[0], afterNoon(m.Until)[0]})
	}
	return all
}

// TestAPauseKeepsDueTimes decides about a job of group 1 that is due each second, from noon on.
func TestAPauseKeepsDueTimes(t *testing.T) {
	const late, paused = xxladapter.MisfireLate, xxladapter.MisfirePaused
	for _, tt := range []struct {
		name    string
		pauses  []xxladapter.Pause
		now     int // seconds after noon
		misfire xxladapter.MisfireStrategy
		fires   []int
		missed  []missedSpan
		next    int
	}{
		// Ahead of time: the due times in a pause are recorded only up to the end of the window,
		// since the pause may be ended early.
		{"no pause", nil, 0, "", []int{0, 1, 2, 3, 4, 5}, nil, 6},
		{"a pause without an end", []xxladapter.Pause{pauseFrom(1, -9, 0)}, 0, "", nil, []missedSpan{{paused, 0, 5}}, 6},
		{"its first instant belongs to it", []xxladapter.Pause{pauseFrom(1, 2, 0)}, 0, "", []int{0, 1}, []missedSpan{{paused, 2, 5}}, 6},
		{"its end does not", []xxladapter.Pause{pauseFrom(1, -9, 3)}, 0, "", []int{3, 4, 5}, []missedSpan{{paused, 0, 2}}, 6},
		{"in the middle", []xxladapter.Pause{pauseFrom(1, 1, 3)}, 0, "", []int{0, 3, 4, 5}, []missedSpan{{paused, 1, 2}}, 6},
		{"a pause that is over", []xxladapter.Pause{pauseFrom(1, -9, 0), pauseFrom(2, -20, -10)}[1:], 0, "", []int{0, 1, 2, 3, 4, 5}, nil, 6},
		{"the first of two pauses counts", []xxladapter.Pause{pauseFrom(1, -9, 2), pauseFrom(2, -8, 4)}, 0, "", []int{4, 5}, []missedSpan{{paused, 0, 1}, {paused, 2, 3}}, 6},

		// After its end: no due time in the pause fires, no matter when the end is noticed.
		{"ended while nobody looked", []xxladapter.Pause{pauseFrom(1, -9, 3600)}, 3600, xxladapter.MisfireAll, []int{3600, 3601, 3602, 3603, 3604, 3605}, []missedSpan{{paused, 0, 3599}}, 3606},
		{"noticed late", []xxladapter.Pause{pauseFrom(1, -9, 3600)}, 3620, xxladapter.MisfireFireOnceNow, []int{3600, 3621, 3622, 3623, 3624, 3625}, []missedSpan{{paused, 0, 3599}, {late, 3600, 3620}}, 3626},

		// Before its beginning: what was due then and not planned does not fire while it lasts.
		{"missed, then paused", []xxladapter.Pause{pauseFrom(1, 60, 0)}, 3600, xxladapter.MisfireLatest, nil, []missedSpan{{paused, 0, 3605}}, 3606},
		{"late, then paused", []xxladapter.Pause{pauseFrom(1, 3, 0)}, 3, "", nil, []missedSpan{{paused, 0, 8}}, 9},
		{"missed, then paused until soon", []xxladapter.Pause{pauseFrom(1, 60, 182)}, 180, xxladapter.MisfireAll, []int{182, 183, 184, 185}, []missedSpan{{paused, 0, 181}}, 186},
		{"missed, then paused twice", []xxladapter.Pause{pauseFrom(1, 60, 120), pauseFrom(2, 170, 0)}, 180, xxladapter.MisfireAll, nil, []missedSpan{{paused, 0, 185}, {paused, 60, 119}}, 186},

		// Both ends have passed.
		{"a strategy counts all that was missed as one", []xxladapter.Pause{pauseFrom(1, 60, 120)}, 180, xxladapter.MisfireFireOnceNow, []int{0, 181, 182, 183, 184, 185}, []missedSpan{{late, 0, 59}, {paused, 60, 119}, {late, 120, 180}}, 186},
		{"the latest one", []xxladapter.Pause{pauseFrom(1, 60, 120)}, 180, xxladapter.MisfireLatest, []int{180, 181, 182, 183, 184, 185}, []missedSpan{{late, 0, 59}, {paused, 60, 119}, {late, 120, 180}}, 186},
		{"all within the limit", []xxladapter.Pause{pauseFrom(1, 2, 178)}, 180, xxladapter.MisfireAll, []int{0, 1, 178, 179, 180, 181, 182, 183, 184, 185}, []missedSpan{{late, 0, 1}, {paused, 2, 177}}, 186},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &xxladapter.Job{
				ID: 7, GroupID: 1, TriggerNext: noon, ScheduleType: xxladapter.ScheduleCron, Misfire: tt.misfire,
				Restrictions: &xxladapter.Restrictions{Pauses: tt.pauses},
			}
			now := noon.Add(time.Duration(tt.now) * time.Second)
			d := decideUTC(j, parsePlan(t, xxladapter.ScheduleCron, "* * * * * ?"), now, testWindow)
			require.Equal(t, tt.fires, afterNoon(fireDues(d)...))
			require.Equal(t, tt.missed, missedSpans(d))
			require.Equal(t, tt.next, afterNoon(d.Next)[0])
			for _, m := range d.Misfires {
				if m.Kind() == paused {
					require.Equal(t, xxladapter.MisfireDoNothing, m.Strategy)
					require.Equal(t, now, m.At)
				}
			}
		})
	}
}

func TestAPauseOfAnotherGroupKeepsNothing(t *testing.T) {
	p := pauseFrom(1, -9, 0)
	p.GroupID = 2
	j := &xxladapter.Job{ID: 7, GroupID: 1, TriggerNext: noon, Restrictions: &xxladapter.Restrictions{Pauses: []xxladapter.Pause{p}}}
	plan := parsePlan(t, xxladapter.ScheduleCron, "0 * * * * ?")
	require.Len(t, decideUTC(j, plan, noon, testWindow).Fires, 1)
	j.GroupID = 2
	d := decideUTC(j, plan, noon, testWindow)
	require.Empty(t, d.Fires)
	require.EqualValues(t, 1, d.Misfires[0].PauseID)
}

// TestPausedSchedulesOfOtherTypes checks that a rate keeps its phase, that a delay counts on from
// its due time or from now, whichever is later, and that a ONCE job ends.
func TestPausedSchedulesOfOtherTypes(t *testing.T) {
	pauses := &xxladapter.Restrictions{Pauses: []xxladapter.Pause{pauseFrom(1, -9, 0)}}
	for _, tt := range []struct {
		kind xxladapter.ScheduleType
		conf string
		now  int
		next int
		stop bool
	}{
		{xxladapter.ScheduleFixRate, "7", 20, 28, false},
		{xxladapter.ScheduleFixDelay, "7", -3, 7, false},
		{xxladapter.ScheduleFixDelay, "7", 20, 27, false},
		{xxladapter.ScheduleOnce, "2026-03-02T12:00:00Z", 0, 0, true},
		{xxladapter.ScheduleOnce, "2026-03-02T12:00:00Z", 20, 0, true},
	} {
		j := &xxladapter.Job{ID: 7, TriggerNext: noon, ScheduleType: tt.kind, Restrictions: pauses}
		d := decideUTC(j, parsePlan(t, tt.kind, tt.conf), noon.Add(time.Duration(tt.now)*time.Second), testWindow)
		require.Empty(t, d.Fires, tt.kind)
		require.Len(t, d.Misfires, 1)
		require.EqualValues(t, 1, d.Misfires[0].PauseID)
		require.Equal(t, tt.stop, d.Stop)
		if !tt.stop {
			require.Equal(t, tt.next, afterNoon(d.Next)[0], "%s at %d", tt.kind, tt.now)
		}
	}
}

// TestACalendarKeepsWholeDays checks the first eleven days of May 2026 in China. The 1st is a
// holiday, and the 9th is a Saturday with work.
func TestACalendarKeepsWholeDays(t *testing.T) {
	china, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	hourly := parsePlanIn(t, "0 0 * * * ?", china)
	j := &xxladapter.Job{ID: 7, ScheduleType: xxladapter.ScheduleCron, Settings: xxladapter.Settings{Calendar: xxladapter.ChinaCalendar}}
	at := func(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, china) }
	d := at(1, 0)
	var fired []string
	var missed []xxladapter.Misfire
	for now := at(1, 0).Add(-time.Second); now.Before(at(11, 12)); now = d.Add(-time.Second) {
		j.TriggerNext = d
		decision := decide(j, zonedPlan{hourly, china}, now, testWindow, reach{testWindow, maxFires})
		for _, f := range decision.Fires {
			if day := f.Due.In(china).Format("01-02"); len(fired) == 0 || fired[len(fired)-1] != day {
				fired = append(fired, day)
			}
		}
		missed = append(missed, decision.Misfires...)
		require.True(t, decision.Next.After(d))
		d = decision.Next
	}
	require.Equal(t, []string{"05-06", "05-07", "05-08", "05-09", "05-11"}, fired)
	require.Len(t, missed, 6, "one for each day without work")
	for _, m := range missed {
		require.Equal(t, xxladapter.MisfireExcluded, m.Kind())
		require.Equal(t, 0, m.Due.In(china).Hour())
		require.Equal(t, m.Due.Add(23*time.Hour), m.Until)
	}

	// An outage over days without work: what was missed is what was due on days with work.
	j.TriggerNext, j.Misfire = at(8, 22), xxladapter.MisfireFireOnceNow
	decision := decide(j, zonedPlan{hourly, china}, at(11, 1), testWindow, reach{testWindow, maxFires})
	require.Len(t, decision.Fires, 1)
	require.Equal(t, at(8, 22), decision.Fires[0].Due)
	var kinds []xxladapter.MisfireKind
	for _, m := range decision.Misfires {
		kinds = append(kinds, m.Kind())
	}
	require.Equal(t, []xxladapter.MisfireKind{xxladapter.MisfireLate, xxladapter.MisfireExcluded, xxladapter.MisfireLate}, kinds)

	// A calendar that does not exist suppresses no due time.
	j.TriggerNext, j.Settings.Calendar = at(1, 0), "gone"
	require.Len(t, decide(j, zonedPlan{hourly, china}, at(1, 0), testWindow, reach{testWindow, maxFires}).Fires, 1)
}

// TestACalendarKeepsWholeDaysOfADelay checks that a day without work has one record, however short
// the delay is.
func TestACalendarKeepsWholeDaysOfADelay(t *testing.T) {
	china, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	delay, err := cron.ParsePlan(cron.FixDelay, "60", china)
	require.NoError(t, err)
	at := func(day, hour, second int) time.Time { return time.Date(2026, 5, day, hour, 0, second, 0, china) }
	j := &xxladapter.Job{
		ID: 7, ScheduleType: xxladapter.ScheduleFixDelay, TriggerNext: at(1, 9, 5),
		Settings: xxladapter.Settings{Calendar: xxladapter.ChinaCalendar},
	}
	for _, tt := range []struct{ now, until, next time.Time }{
		{at(1, 9, 2), at(1, 24, -55), at(2, 0, 5)}, // ahead of time
		{at(1, 9, 7), at(1, 24, -53), at(2, 0, 7)}, // late: it counts from now
		{at(2, 7, 0), at(1, 9, 5), at(2, 7, 60)},   // after the day
	} {
		d := decide(j, zonedPlan{delay, china}, tt.now, testWindow, reach{testWindow, maxFires})
		require.Empty(t, d.Fires)
		require.Len(t, d.Misfires, 1)
		require.Equal(t, xxladapter.MisfireExcluded, d.Misfires[0].Kind())
		require.Equal(t, j.TriggerNext, d.Misfires[0].Due)
		require.Equal(t, tt.until, d.Misfires[0].Until)
		require.Equal(t, tt.next, d.Next)
	}
}

// TestALongOutageOverManyDaysWithoutWork checks that what one decision does not get to is left to
// the next one, which finds it late as well.
func TestALongOutageOverManyDaysWithoutWork(t *testing.T) {
	office := &xxladapter.Calendar{Name: "office", Weekend: []xxladapter.Weekday{"TUESDAY", "THURSDAY", "SATURDAY"}}
	j := &xxladapter.Job{
		ID: 7, ScheduleType: xxladapter.ScheduleCron, TriggerNext: noon, Misfire: xxladapter.MisfireDoNothing,
		Settings:     xxladapter.Settings{Calendar: office.Name},
		Restrictions: &xxladapter.Restrictions{Calendars: []*xxladapter.Calendar{office}},
	}
	now := noon.AddDate(0, 0, 300)
	plan := parsePlan(t, xxladapter.ScheduleCron, "0 0 * * * ?")
	for scans := 0; !j.TriggerNext.After(now.Add(testWindow)); scans++ {
		d := decideUTC(j, plan, now, testWindow)
		require.Less(t, scans, 5)
		for _, due := range fireDues(d) {
			require.False(t, due.Before(now), "%v fires", due)
		}
		j.TriggerNext = d.Next
	}
}
