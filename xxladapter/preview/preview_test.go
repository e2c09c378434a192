package preview

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

// shown formats due times with their marks.
func shown(times []Time) (texts []string) {
	for _, at := range times {
		text := at.At.Format(time.RFC3339)
		if at.Mark != "" {
			text += " " + string(at.Mark)
		}
		texts = append(texts, text)
	}
	return texts
}

func TestClockChangesAreMarked(t *testing.T) {
	for _, c := range []struct {
		name          string
		zone, conf    string
		profile       cron.Profile
		from          string
		times         []string
		before, after time.Duration
		skipped       []string
	}{
		{
			name: "Quartz skips what the clock skips", zone: "Europe/Berlin", conf: "0 30 2 * * ?",
			from: "2026-03-28T00:00:00+01:00", times: []string{"2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00"},
			before: time.Hour, after: 2 * time.Hour, skipped: []string{"02:30:00"},
		},
		{
			name: "Sane fires right after the gap", zone: "Europe/Berlin", conf: "0 0,30 2 * * ?", profile: cron.Sane,
			from:   "2026-03-28T12:00:00+01:00",
			times:  []string{"2026-03-29T03:00:00+02:00 SHIFTED", "2026-03-30T02:00:00+02:00", "2026-03-30T02:30:00+02:00"},
			before: time.Hour, after: 2 * time.Hour, skipped: []string{"02:00:00", "02:30:00"},
		},
		{
			name: "Quartz fires in the second pass", zone: "Europe/Berlin", conf: "0 30 2 * * ?",
			from: "2026-10-24T12:00:00+02:00", times: []string{"2026-10-25T02:30:00+01:00 SECOND_PASS", "2026-10-26T02:30:00+01:00"},
			before: 2 * time.Hour, after: time.Hour,
		},
		{
			name: "Sane fires in the first pass", zone: "Europe/Berlin", conf: "0 30 2 * * ?", profile: cron.Sane,
			from: "2026-10-24T12:00:00+02:00", times: []string{"2026-10-25T02:30:00+02:00 FIRST_PASS", "2026-10-26T02:30:00+01:00"},
			before: 2 * time.Hour, after: time.Hour,
		},
		{
			name: "the edges of the passes", zone: "Europe/Berlin", conf: "0 0 * * * ?", profile: cron.Sane,
			from: "2026-10-25T00:30:00+02:00",
			times: []string{
				"2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00 FIRST_PASS", "2026-10-25T02:00:00+01:00 SECOND_PASS", "2026-10-25T03:00:00+01:00",
			},
			before: 2 * time.Hour, after: time.Hour,
		},
		{
			name: "the edges of the gap", zone: "Europe/Berlin", conf: "0 0 1-3 * * ?",
			from: "2026-03-29T00:30:00+01:00", times: []string{"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"},
			before: time.Hour, after: 2 * time.Hour, skipped: []string{"02:00:00"},
		},
		{
			name: "half an hour", zone: "Australia/Lord_Howe", conf: "0 15,45 1 * * ?", profile: cron.Sane,
			from:   "2026-04-04T12:00:00+11:00",
			times:  []string{"2026-04-05T01:15:00+11:00", "2026-04-05T01:45:00+11:00 FIRST_PASS", "2026-04-06T01:15:00+10:30"},
			before: 11 * time.Hour, after: 10*time.Hour + 30*time.Minute,
		},
		{
			name: "at midnight", zone: "America/Santiago", conf: "0 0 0 * * ?", profile: cron.Sane,
			from: "2026-09-05T12:00:00-04:00", times: []string{"2026-09-06T01:00:00-03:00 SHIFTED", "2026-09-07T00:00:00-03:00"},
			before: -4 * time.Hour, after: -3 * time.Hour, skipped: []string{"00:00:00"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Schedule{Type: cron.Cron, Conf: c.conf, Zone: zone(t, c.zone), Profile: c.profile}
			p, err := Of(s, instant(t, c.from), len(c.times), 0)
			require.NoError(t, err)
			require.Equal(t, c.times, shown(p.Times))
			require.Len(t, p.Changes, 1)
			require.Equal(t, []time.Duration{c.before, c.after}, []time.Duration{p.Changes[0].Before, p.Changes[0].After})
			var skipped []string
			for _, at := range p.Changes[0].Skipped {
				require.Equal(t, time.UTC, at.Location())
				skipped = append(skipped, at.Format(time.TimeOnly))
			}
			require.Equal(t, c.skipped, skipped)
		})
	}
}

func TestOtherTypesFollowNoClock(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	from := instant(t, "2026-10-25T01:30:00+02:00")
	for _, c := range []struct {
		kind, conf string
		times      []string
		assumed    bool
	}{
		{cron.FixRate, "3600", []string{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"}, false},
		{cron.FixDelay, "1800", []string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00"}, true},
		{cron.Once, "2026-10-25T02:30:00Z", []string{"2026-10-25T03:30:00+01:00"}, false},
		{cron.None, "", nil, false},
	} {
		p, err := Of(Schedule{Type: c.kind, Conf: c.conf, Zone: berlin}, from, 2, 0)
		require.NoError(t, err)
		require.Equal(t, c.times, shown(p.Times), c.kind)
		require.Equal(t, c.assumed, p.Assumed, c.kind)
		for _, change := range p.Changes {
			require.Empty(t, change.Skipped)
		}
	}
}

func TestDaysAreCounted(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	of := func(kind, conf string, months int) []Day {
		p, err := Of(Schedule{Type: kind, Conf: conf, Zone: berlin}, instant(t, "2026-03-27T12:00:00+01:00"), 0, months)
		require.NoError(t, err)
		return p.Days
	}
	workdays := of(cron.Cron, "0 0 9,17 ? * MON-FRI", 1)
	require.Equal(t, []Day{{"2026-03-27", 1, false}, {"2026-03-30", 2, false}}, workdays[:2])
	require.Equal(t, "2026-04-27", workdays[len(workdays)-1].Date)

	seconds := of(cron.Cron, "* * * * * ?", 12)
	require.Len(t, seconds, 366)
	for _, day := range seconds {
		require.True(t, day.Times == MaxPerDay && day.More, day)
	}
	quarters := of(cron.Cron, "0 */15 * * * ?", 1)
	require.Equal(t, Day{"2026-03-28", 96, false}, quarters[1])
	require.Equal(t, Day{"2026-03-29", 92, false}, quarters[2], "an hour is skipped")
	hundred := of(cron.Cron, "0/36 0/24 * * * ?", 1)
	require.Equal(t, Day{"2026-03-28", MaxPerDay, true}, hundred[1])
	require.Len(t, of(cron.Cron, "0 0 0 1 * ?", 12), 12)
	require.Empty(t, of(cron.None, "", 12))

	p, err := Of(Schedule{Type: cron.Cron, Conf: "* * * * * ?", Zone: zone(t, "America/Santiago")}, instant(t, "2026-09-04T12:00:00-04:00"), 0, 1)
	require.NoError(t, err)
	require.Equal(t, []Day{{"2026-09-04", 100, true}, {"2026-09-05", 100, true}, {"2026-09-06", 100, true}}, p.Days[:3], "midnight is skipped")

	// The month ends half an hour after one of the two midnights of its last day.
	p, err = Of(Schedule{Type: cron.Cron, Conf: "0 * * * * ?", Zone: zone(t, "Asia/Amman")}, instant(t, "2021-09-29T00:30:00+03:00"), 0, 1)
	require.NoError(t, err)
	require.Equal(t, []Day{{"2021-10-28", 100, true}, {"2021-10-29", 30, false}}, p.Days[len(p.Days)-2:], "midnight comes twice, and nothing fires before the second one")
}

// TestTheDaysOfARateKeepItsPhase compares the days of rates with a count of each due time. The
// rates have more than MaxPerDay of them on some days or on most.
func TestTheDaysOfARateKeepItsPhase(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for _, from := range []string{"2026-03-27T12:10:00+01:00", "2026-03-27T12:07:30+01:00", "2026-10-01T00:00:00+02:00"} {
		for _, conf := range []string{"600", "7", "863"} {
			plan, err := cron.ParsePlan(cron.FixRate, conf, berlin)
			require.NoError(t, err)
			var want []Day
			end := instant(t, from).In(berlin).AddDate(0, 1, 0)
			for at := plan.Next(instant(t, from)); at.Before(end); at = plan.Next(at) {
				date := at.Format(time.DateOnly)
				if len(want) == 0 || want[len(want)-1].Date != date {
					want = append(want, Day{Date: date})
				}
				if day := &want[len(want)-1]; day.Times < MaxPerDay {
					day.Times++
				} else {
					day.More = true
				}
			}
			p, err := Of(Schedule{Type: cron.FixRate, Conf: conf, Zone: berlin}, instant(t, from), 0, 1)
			require.NoError(t, err)
			require.Equal(t, want, p.Days, "%s from %s", conf, from)
		}
	}
}

// TestAPreviewEnds previews a schedule that never fires, and one that passes the last day of a leap
// year, on which package time is wrong about zones.
func TestAPreviewEnds(t *testing.T) {
	p, err := Of(Schedule{Type: cron.Cron, Conf: "0 0 9 30 2 ?", Zone: time.UTC}, instant(t, "2026-01-01T00:00:00Z"), MaxTimes, MaxMonths)
	require.NoError(t, err)
	require.Empty(t, p.Times)
	p, err = Of(Schedule{Type: cron.Cron, Conf: "0 0 2 * * ?", Zone: zone(t, "America/New_York")}, instant(t, "2048-12-31T12:00:00Z"), MaxTimes, MaxMonths)
	require.NoError(t, err)
	require.Len(t, p.Times, MaxTimes)
	require.Len(t, p.Changes, 5)
	require.Len(t, p.Changes[0].Skipped, 1)
}

// TestNothingIsAfterTheYear9999 checks the days and the clock changes of the last months for which
// RFC 3339 has a form.
func TestNothingIsAfterTheYear9999(t *testing.T) {
	p, err := Of(Schedule{Type: cron.Cron, Conf: "0 0 2 * * ?", Zone: zone(t, "Europe/Berlin")}, instant(t, "9999-06-01T00:00:00Z"), 5, 12)
	require.NoError(t, err)
	require.Equal(t, "9999-12-31", p.Days[len(p.Days)-1].Date)
	require.Len(t, p.Changes, 1, "the clock is changed in autumn")
}

func TestAWrongScheduleIsNamed(t *testing.T) {
	_, err := Of(Schedule{Type: cron.Cron, Conf: "0 0 25 * * ?"}, time.Now(), 1, 0)
	require.ErrorContains(t, err, `cron: hour "25" at column 5 must be 0 to 23`)
}

func BenchmarkTwelveMonths(b *testing.B) {
	s := Schedule{Type: cron.Cron, Conf: "* * * * * ?", Zone: zone(b, "Europe/Berlin")}
	from := instant(b, "2026-03-27T12:00:00+01:00")
	for b.Loop() {
		if _, err := Of(s, from, MaxTimes, MaxMonths); err != nil {
			b.Fatal(err)
		}
	}
}

// TestADayIsItselfInEveryZone checks days on which clocks skip or repeat midnight.
func TestADayIsItselfInEveryZone(t *testing.T) {
	for day, name := range map[string]string{
		"2026-09-06": "America/Santiago", "2026-03-08": "America/Havana", "2026-11-01": "America/Havana",
		"2026-03-29": "Atlantic/Azores", "2026-04-24": "Africa/Cairo", "2026-03-01": "Asia/Shanghai",
	} {
		require.Equal(t, day, Day{Date: day}.In(zone(t, name)).Format(time.DateOnly), name)
	}
}
