package xxladapter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestTheDaysOfChina checks sums and edges of the notices: how many days off each names, that each
// make-up day is a day of a weekend, and days that people know.
func TestTheDaysOfChina(t *testing.T) {
	c := (*xxladapter.Restrictions)(nil).Calendar(xxladapter.ChinaCalendar)
	require.NoError(t, c.Validate())
	off := map[int]int{2024: 28, 2025: 28, 2026: 33}
	for _, y := range c.Years {
		require.Len(t, y.Off, off[y.Year], "%d", y.Year)
		require.Contains(t, y.Source, "国办发明电")
		for _, d := range y.Work {
			day := d.In(y.Year)
			require.Contains(t, []time.Weekday{time.Saturday, time.Sunday}, day.Weekday(), "%v", day)
			require.False(t, c.Excludes(day), "%v", day)
		}
		for _, d := range y.Off {
			require.True(t, c.Excludes(d.In(y.Year)))
		}
	}
	for day, excluded := range map[string]bool{
		"2024-02-09": false, "2024-02-10": true, "2024-02-18": false, "2024-10-08": false, "2024-10-12": false,
		"2025-01-01": true, "2025-01-26": false, "2025-01-27": false, "2025-01-28": true, "2025-10-08": true, "2025-10-09": false,
		"2026-01-04": false, "2026-02-14": false, "2026-02-15": true, "2026-02-23": true, "2026-02-24": false, "2026-10-10": false,
		"2026-10-11": true, "2026-11-02": false, "2023-10-02": false, "2023-10-07": true, // no data: the weekend alone
	} {
		at, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		require.Equal(t, excluded, c.Excludes(at), day)
	}
	require.True(t, c.Knows(2026))
	require.False(t, c.Knows(2027))
}

func TestCalendarsThatAreRefused(t *testing.T) {
	year := func(change func(*xxladapter.CalendarYear)) func(*xxladapter.Calendar) {
		return func(c *xxladapter.Calendar) { change(&c.Years[0]) }
	}
	for want, change := range map[string]func(*xxladapter.Calendar){
		`name is ""`:                          func(c *xxladapter.Calendar) { c.Name = "" },
		`name is "Office"`:                    func(c *xxladapter.Calendar) { c.Name = "Office" },
		`name is "` + strings.Repeat("a", 65): func(c *xxladapter.Calendar) { c.Name = strings.Repeat("a", 65) },
		`note has 501 characters`:             func(c *xxladapter.Calendar) { c.Note = strings.Repeat("日", 501) },
		`weekend is "SUN"`:                    func(c *xxladapter.Calendar) { c.Weekend = []xxladapter.Weekday{"SUN"} },
		`weekend names SUNDAY twice`:          func(c *xxladapter.Calendar) { c.Weekend = []xxladapter.Weekday{"SUNDAY", "SUNDAY"} },
		`weekend has all seven weekdays`:      func(c *xxladapter.Calendar) { c.Weekend = xxladapter.Weekday("").Values() },
		`years has 2026 after 2026`:           func(c *xxladapter.Calendar) { c.Years = append(c.Years, c.Years[0]) },
		`years has 101 years`:                 func(c *xxladapter.Calendar) { c.Years = make([]xxladapter.CalendarYear, 101) },
		`year is 1969`:                        year(func(y *xxladapter.CalendarYear) { y.Year = 1969 }),
		`source has 501 characters`:           year(func(y *xxladapter.CalendarYear) { y.Source = strings.Repeat("s", 501) }),
		`off of 2026 has "0229"`:              year(func(y *xxladapter.CalendarYear) { y.Off = []xxladapter.Day{"0229"} }),
		`work of 2026 has "5-1"`:              year(func(y *xxladapter.CalendarYear) { y.Work = []xxladapter.Day{"5-1"} }),
		`off of 2026 has 0101 after 0102`:     year(func(y *xxladapter.CalendarYear) { y.Off = []xxladapter.Day{"0102", "0101"} }),
		`off and work of 2026 both have 0104`: year(func(y *xxladapter.CalendarYear) { y.Off = []xxladapter.Day{"0104"} }),
	} {
		c := &xxladapter.Calendar{Name: "office", Years: []xxladapter.CalendarYear{{Year: 2026, Work: []xxladapter.Day{"0104"}}}}
		require.NoError(t, c.Validate())
		change(c)
		err := c.Validate()
		require.ErrorContains(t, err, want)
	}
}

func TestPausesThatAreRefused(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, p := range map[string]xxladapter.Pause{
		"jobGroup is -1":           {GroupID: -1},
		"must be after now":        {Until: now},
		"must be at most 366 days": {Until: now.Add(xxladapter.MaxPause + time.Second)},
		"note has 501 characters":  {Note: strings.Repeat("x", 501)},
		"must not contain control": {Note: "a\x00b"},
	} {
		require.ErrorContains(t, p.Validate(now), want)
	}
	require.NoError(t, (&xxladapter.Pause{Until: now.Add(time.Second), Note: "维护"}).Validate(now))
}

// TestRestrictionsByZone checks that a day begins at midnight of the zone, also where a clock
// change moves it.
func TestRestrictionsByZone(t *testing.T) {
	var none *xxladapter.Restrictions
	j := &xxladapter.Job{Settings: xxladapter.Settings{Calendar: xxladapter.ChinaCalendar}}
	for zone, first := range map[string]time.Time{
		"Asia/Shanghai":    time.Date(2026, 9, 24, 16, 0, 0, 0, time.UTC),
		"America/New_York": time.Date(2026, 9, 25, 4, 0, 0, 0, time.UTC),
		"America/Santiago": time.Date(2026, 9, 25, 3, 0, 0, 0, time.UTC),
	} {
		in, err := time.LoadLocation(zone)
		require.NoError(t, err)
		_, suppressed := none.Suppression(j, first.Add(-time.Millisecond), in)
		require.False(t, suppressed, zone)
		why, suppressed := none.Suppression(j, first, in)
		require.True(t, suppressed, zone)
		require.Equal(t, xxladapter.ChinaCalendar, why.Calendar.Name)
		require.True(t, why.Until.Equal(first.Add(24*time.Hour)))
		require.True(t, none.NextSuppressed(j, first.Add(-time.Hour), first.Add(time.Hour), in).Equal(first), zone)
	}
	for zone, c := range map[string]struct{ noon, next string }{
		"America/Santiago": {"2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00"}, // midnight is skipped
		"Asia/Gaza":        {"2020-10-23T12:00:00+03:00", "2020-10-24T00:00:00+03:00"}, // midnight comes twice
		"America/New_York": {"2040-12-31T12:00:00-05:00", "2041-01-01T00:00:00-05:00"}, // the last day of a leap year
		"Pacific/Apia":     {"2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00"}, // a day is skipped
	} {
		in, err := time.LoadLocation(zone)
		require.NoError(t, err)
		noon, err := time.Parse(time.RFC3339, c.noon)
		require.NoError(t, err)
		day := xxladapter.Weekday(strings.ToUpper(noon.Weekday().String()))
		own := &xxladapter.Restrictions{Calendars: []*xxladapter.Calendar{{Name: "own", Weekend: []xxladapter.Weekday{day}}}}
		j := &xxladapter.Job{Settings: xxladapter.Settings{Calendar: "own"}}
		why, suppressed := own.Suppression(j, noon, in)
		require.True(t, suppressed)
		require.Equal(t, c.next, why.Until.Format(time.RFC3339))
		_, suppressed = own.Suppression(j, why.Until, in)
		require.False(t, suppressed)
	}
}
