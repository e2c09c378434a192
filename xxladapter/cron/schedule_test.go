package cron

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The interface of github.com/robfig/cron/v3, so that a *Schedule is a drop-in.
var _ interface{ Next(time.Time) time.Time } = (*Schedule)(nil)

func TestNextByProfile(t *testing.T) {
	for _, tt := range []struct {
		profile           Profile
		zone, expr, after string
		want              string
	}{
		// Sane, gap, fixed hours: fires once, right after the gap.
		{Sane, "America/New_York", "0 30 2 * * ?", "2026-03-07T20:00:00-05:00", "2026-03-08T03:00:00-04:00 2026-03-09T02:30:00-04:00"},
		{Sane, "America/New_York", "0 0/10 2 * * ?", "2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00 2026-03-09T02:00:00-04:00"},
		{Sane, "America/New_York", "0 0,30 2,3 * * ?", "2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00 2026-03-08T03:30:00-04:00"},
		{Sane, "America/New_York", "0 30 2 8 3 ? 2026", "2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00"},
		{Sane, "America/New_York", "0 30 2 8 3 ? 2026", "2026-03-08T03:00:00-04:00", ""},
		{Sane, "Europe/London", "0 30 1 ? 3 1L", "2026-03-01T00:00:00Z", "2026-03-29T02:00:00+01:00 2027-03-28T02:00:00+01:00"},
		{Sane, "America/Santiago", "0 0 0 * * ?", "2026-09-05T20:00:00-04:00", "2026-09-06T01:00:00-03:00 2026-09-07T00:00:00-03:00"},
		// The date line skipped a whole day.
		{Sane, "Pacific/Apia", "0 0 12 30 12 ?", "2011-12-29T20:00:00-10:00", "2011-12-31T00:00:00+14:00 2012-12-30T12:00:00+14:00"},
		{Quartz, "Pacific/Apia", "0 0 12 30 12 ?", "2011-12-29T20:00:00-10:00", "2012-12-30T12:00:00+14:00 2013-12-30T12:00:00+14:00"},

		// Sane, gap, steps: elapsed time.
		{Sane, "America/New_York", "0 30 * * * ?", "2026-03-08T01:00:00-05:00", "2026-03-08T01:30:00-05:00 2026-03-08T03:30:00-04:00"},
		{Sane, "America/New_York", "0 0 */2 * * ?", "2026-03-08T00:00:00-05:00", "2026-03-08T04:00:00-04:00 2026-03-08T06:00:00-04:00"},

		// Sane, overlap, fixed hours: the first time only.
		{Sane, "America/New_York", "0 30 1 * * ?", "2026-10-31T20:00:00-04:00", "2026-11-01T01:30:00-04:00 2026-11-02T01:30:00-05:00"},
		{Sane, "America/New_York", "0 30 1 * * ?", "2026-11-01T01:00:00-05:00", "2026-11-02T01:30:00-05:00 2026-11-03T01:30:00-05:00"},
		{Sane, "America/New_York", "0 0,30 1,2 * * ?", "2026-11-01T01:00:00-04:00", "2026-11-01T01:30:00-04:00 2026-11-01T02:00:00-05:00"},

		// Sane, overlap, steps: both passes.
		{Sane, "America/New_York", "0 30 * * * ?", "2026-11-01T00:30:00-04:00", "2026-11-01T01:30:00-04:00 2026-11-01T01:30:00-05:00"},
		{Sane, "Australia/Lord_Howe", "0 */20 * * * ?", "2026-04-05T01:20:00+11:00", "2026-04-05T01:40:00+11:00 2026-04-05T01:40:00+10:30"},

		{Sane, "Australia/Sydney", "0 30 2/22 * * ?", "2026-04-05T02:45:00+11:00", "2026-04-05T02:30:00+10:00 2026-04-06T02:30:00+10:00"},

		// Unix: the two day fields are alternatives, unless one is *.
		{Unix, "UTC", "0 0 13 * 5", "2026-01-15T10:20:30Z", "2026-01-16T00:00:00Z 2026-01-23T00:00:00Z"},
		{Unix, "UTC", "0 0 13 * 4", "2026-02-10T00:00:00Z", "2026-02-12T00:00:00Z 2026-02-13T00:00:00Z"},
		{Unix, "UTC", "0 0 13 * *", "2026-01-15T10:20:30Z", "2026-02-13T00:00:00Z 2026-03-13T00:00:00Z"},
		{Unix, "UTC", "0 0 * * 7", "2026-01-15T10:20:30Z", "2026-01-18T00:00:00Z 2026-01-25T00:00:00Z"},
		{Unix, "UTC", "0 0 * * 0", "2026-01-15T10:20:30Z", "2026-01-18T00:00:00Z 2026-01-25T00:00:00Z"},
		{Unix, "UTC", "*/15 9-17 * jan mon-fri", "2026-01-15T17:45:00Z", "2026-01-16T09:00:00Z 2026-01-16T09:15:00Z"},
		{Unix, "UTC", "0 0 * * mon-mon", "2026-01-15T10:20:30Z", "2026-01-19T00:00:00Z 2026-01-26T00:00:00Z"},
		{Unix, "UTC", "0 3-3 * * *", "2026-01-15T10:20:30Z", "2026-01-16T03:00:00Z 2026-01-17T03:00:00Z"},

		// The lenient profile takes the lowest of the days beside a #, and a day that does not
		// exist never comes.
		{XXL34, "UTC", "0 0 0 ? * 6#2,3", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z 2026-02-10T00:00:00Z"},
		{XXL34, "UTC", "0 0 0 ? * 3,6#2", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z 2026-02-10T00:00:00Z"},
		{XXL34, "UTC", "0 0 0 ? * 7#1", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z 2026-02-07T00:00:00Z"},
		{XXL34, "UTC", "0 0 0 ? * 8#1", "2026-01-01T00:00:00Z", ""},

		{Unix, "UTC", "0 0 31 4,6 *", "2026-01-15T17:45:00Z", ""},
		{Unix, "UTC", "0 0 31 4,6 1", "2026-04-01T00:00:00Z", "2026-04-06T00:00:00Z 2026-04-13T00:00:00Z"},
		{Unix, "America/New_York", "30 2 * * *", "2026-03-07T20:00:00-05:00", "2026-03-08T03:00:00-04:00 2026-03-09T02:30:00-04:00"},

		// The horizon is a hundred years.
		{Quartz, "UTC", "0 0 0 1 1 ? 2126", "2026-01-01T00:00:00Z", "2126-01-01T00:00:00Z"},
		{Quartz, "UTC", "0 0 0 1 1 ? 2127", "2026-12-31T23:59:58Z", ""},
		{Quartz, "UTC", "59 59 23 31 12 ? 2126", "2026-01-01T00:00:00Z", "2126-12-31T23:59:59Z"},
		{Quartz, "UTC", "0 0 0 29 2 ? 1970/100", "2026-01-01T00:00:00Z", ""},
		{Quartz, "UTC", "0 0 0 29 2 ?", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z 2108-02-29T00:00:00Z"},

		// Before 1970, and across the start of Unix time.
		{Quartz, "UTC", "0 0 0 29 2 ?", "1967-01-01T00:00:00Z", "1968-02-29T00:00:00Z 1972-02-29T00:00:00Z"},
		{Quartz, "UTC", "0 0 0 ? * MON", "1969-12-30T00:00:00.5Z", "1970-01-05T00:00:00Z 1970-01-12T00:00:00Z"},
		{Quartz, "UTC", "* * * * * ?", "1969-12-31T23:59:58.999Z", "1969-12-31T23:59:59Z 1970-01-01T00:00:00Z"},
	} {
		s, err := Parse(tt.expr, tt.profile)
		require.NoError(t, err, "%q", tt.expr)
		got := next(s, instant(t, tt.after, zone(t, tt.zone)), 2)
		require.Equal(t, tt.want, got, "%v %q after %s in %s", tt.profile, tt.expr, tt.after, tt.zone)
	}
}

func TestPrev(t *testing.T) {
	for _, tt := range []struct {
		zone, expr, before, want string
		profile                  Profile
	}{
		{"UTC", "0 0 9 * * ?", "2026-01-15T09:00:00Z", "2026-01-14T09:00:00Z", Quartz},
		{"UTC", "0 0 9 * * ?", "2026-01-15T09:00:00.000000001Z", "2026-01-15T09:00:00Z", Quartz},
		{"UTC", "0 0 9 * * ?", "2026-01-15T09:00:01Z", "2026-01-15T09:00:00Z", Quartz},
		{"UTC", "0 0 0 29 2 ?", "2026-01-15T00:00:00Z", "2024-02-29T00:00:00Z", Quartz},
		{"UTC", "0 0 0 L * ?", "2026-03-15T00:00:00Z", "2026-02-28T00:00:00Z", Quartz},
		{"UTC", "0 0 9 1W * ?", "2026-08-15T00:00:00Z", "2026-08-03T09:00:00Z", Quartz},
		{"UTC", "0 0 0 ? 2 1#5", "2026-01-15T00:00:00Z", "2004-02-29T00:00:00Z", Quartz},
		{"UTC", "0 0 0 1 1 ? 2030/5", "2050-01-01T00:00:00Z", "2045-01-01T00:00:00Z", Quartz},
		{"UTC", "0 0 0 1 1 ? 2030-2040/4,2032", "2050-01-01T00:00:00Z", "2038-01-01T00:00:00Z", Quartz},
		{"UTC", "0 0 0 1 1 ? 2030", "2030-01-01T00:00:00Z", "", Quartz},
		{"UTC", "0 0 0 30 2 ?", "2030-01-01T00:00:00Z", "", Quartz},
		{"UTC", "0 0 0 1 1 ? 1970", "2070-06-01T00:00:00Z", "1970-01-01T00:00:00Z", Quartz},
		{"UTC", "0 0 0 1 1 ? 1970", "2071-06-01T00:00:00Z", "", Quartz},

		// Nothing fires in a gap, nor in the first pass of a repeated hour.
		{"America/New_York", "0 30 2 * * ?", "2026-03-08T12:00:00-04:00", "2026-03-07T02:30:00-05:00", Quartz},
		{"America/New_York", "0 */10 * * * ?", "2026-03-08T03:00:00-04:00", "2026-03-08T01:50:00-05:00", Quartz},
		{"America/New_York", "0 */10 * * * ?", "2026-11-01T01:30:00-04:00", "2026-11-01T00:50:00-04:00", Quartz},
		{"America/New_York", "0 */10 * * * ?", "2026-11-01T01:00:00-05:00", "2026-11-01T00:50:00-04:00", Quartz},
		{"America/New_York", "0 */10 * * * ?", "2026-11-01T01:30:00-05:00", "2026-11-01T01:20:00-05:00", Quartz},

		// In Sane, fixed hours fire right after a gap, and in the first pass.
		{"America/New_York", "0 30 2 * * ?", "2026-03-08T03:00:01-04:00", "2026-03-08T03:00:00-04:00", Sane},
		{"America/New_York", "0 30 2 * * ?", "2026-03-08T03:00:00-04:00", "2026-03-07T02:30:00-05:00", Sane},
		{"America/New_York", "0 30 1 * * ?", "2026-11-01T01:10:00-05:00", "2026-11-01T01:30:00-04:00", Sane},
		{"America/New_York", "0 30 1 * * ?", "2026-11-01T01:30:00-04:00", "2026-10-31T01:30:00-04:00", Sane},
		{"America/New_York", "0 30 1 * * ?", "2026-11-01T05:00:00-05:00", "2026-11-01T01:30:00-04:00", Sane},

		// With steps every instant counts.
		{"America/New_York", "0 30 * * * ?", "2026-11-01T01:30:00-05:00", "2026-11-01T01:30:00-04:00", Sane},
		{"America/New_York", "0 30 * * * ?", "2026-03-08T03:30:00-04:00", "2026-03-08T01:30:00-05:00", Sane},
	} {
		s, err := Parse(tt.expr, tt.profile)
		require.NoError(t, err, "%q", tt.expr)
		before, err := time.Parse(time.RFC3339Nano, tt.before)
		require.NoError(t, err)
		got := ""
		if at := s.Prev(before.In(zone(t, tt.zone))); !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		require.Equal(t, tt.want, got, "%v %q before %s", tt.profile, tt.expr, tt.before)
	}
}

// TestFixedZones uses fixed offsets of any size, without clock changes.
func TestFixedZones(t *testing.T) {
	s, err := Parse("0 0 9 * * ?")
	require.NoError(t, err)
	for _, offset := range []int{-100_000, -12345, 0, 1, 12345, 200_000} {
		loc := time.FixedZone("odd", offset)
		at := time.Date(2026, 1, 15, 8, 59, 59, 0, loc)
		require.Equal(t, time.Date(2026, 1, 15, 9, 0, 0, 0, loc), s.Next(at))
		require.Equal(t, time.Date(2026, 1, 14, 9, 0, 0, 0, loc), s.Prev(at))
	}
}

func TestLocationIsKept(t *testing.T) {
	s, err := Parse("0 0 9 * * ?")
	require.NoError(t, err)
	for _, loc := range []*time.Location{time.UTC, time.Local, zone(t, "Asia/Shanghai")} {
		require.Same(t, loc, s.Next(time.Unix(0, 0).In(loc)).Location())
		require.Same(t, loc, s.Prev(time.Unix(0, 0).In(loc)).Location())
	}
}

func TestAll(t *testing.T) {
	s, err := Parse("0 0 0 1 1 ? 2026-2029")
	require.NoError(t, err)
	seq := s.All(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	for range 2 { // it may be used again
		var years []int
		for at := range seq {
			years = append(years, at.Year())
		}
		require.Equal(t, []int{2027, 2028, 2029}, years)
	}
	for at := range seq {
		require.Equal(t, 2027, at.Year())
		break
	}
}

func TestZeroScheduleNeverFires(t *testing.T) {
	var s Schedule
	at := time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
	require.Zero(t, s.Next(at))
	require.Zero(t, s.Prev(at))
}

func TestFarAwayInstants(t *testing.T) {
	for _, expr := range []string{"* * * * * ?", "0 0 0 29 2 ?", "0 0 0 15W * ?", "0 0 0 1 1 ? 2026"} {
		for _, p := range []Profile{Quartz, XXL34, Sane} {
			s, err := Parse(expr, p)
			require.NoError(t, err)
			for _, at := range []time.Time{
				{},
				time.Unix(math.MaxInt64, 0),
				time.Unix(math.MinInt64, 0),
				time.Unix(math.MaxInt64>>3-1, 0).UTC(),
				time.Unix(math.MinInt64>>3+1, 0).UTC(),
				time.Date(-100_000, 1, 1, 0, 0, 0, 0, time.UTC),
				time.Date(100_000, 1, 1, 0, 0, 0, 0, zone(t, "America/New_York")),
			} {
				if next := s.Next(at); !next.IsZero() {
					require.True(t, next.After(at), "%q after %v: %v", expr, at, next)
				}
				if prev := s.Prev(at); !prev.IsZero() {
					require.True(t, prev.Before(at), "%q before %v: %v", expr, at, prev)
				}
			}
		}
	}
}

func TestProfileString(t *testing.T) {
	require.Equal(t, "Quartz", Profile(0).String())
	require.Equal(t, "XXL34", XXL34.String())
	require.Equal(t, "Sane", Sane.String())
	require.Equal(t, "Unix", Unix.String())
	require.Equal(t, "Profile(9)", Profile(9).String())
}

func TestEachProfileHasAName(t *testing.T) {
	seen := map[Profile]bool{}
	for name, want := range map[string]Profile{"quartz": Quartz, "xxl34": XXL34, "sane": Sane, "unix": Unix} {
		got, err := ParseProfile(name)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, got.UnmarshalText([]byte("quartz")))
		require.Equal(t, Quartz, got)
		seen[want] = true
	}
	require.Len(t, Profile(0).Values(), len(seen))
	require.Equal(t, "Profile(4)", Profile(len(seen)).String(), "no profile is missing from Values")
	for _, name := range []string{"", "Quartz", "cron", strings.Repeat("x", 1000)} {
		_, err := ParseProfile(name)
		require.ErrorContains(t, err, "must be one of quartz, xxl34, sane, unix")
		require.Less(t, len(err.Error()), 200)
	}
}

func TestLastOptionCounts(t *testing.T) {
	_, err := Parse("0 9 * * *", Quartz, Unix)
	require.NoError(t, err)
	_, err = Parse("0 9 * * *", Unix, nil)
	require.NoError(t, err)
	_, err = Parse("0 9 * * *", Unix, Quartz)
	require.Error(t, err)
}

// TestConcurrentUse checks that using a Schedule does not change it.
func TestConcurrentUse(t *testing.T) {
	s, err := Parse("0 */5 * 15W,L * ? 2026-2030")
	require.NoError(t, err)
	at := time.Date(2026, 1, 15, 0, 0, 0, 0, zone(t, "America/New_York"))
	want := s.Next(at)
	results := make(chan bool)
	for range 8 {
		go func() {
			ok := true
			for range 100 {
				ok = ok && s.Next(at).Equal(want) && s.String() != "" && s.Describe(Chinese) != ""
			}
			results <- ok
		}()
	}
	for range 8 {
		require.True(t, <-results)
	}
}

func TestCalendarAgainstTime(t *testing.T) {
	for day := int64(-800_000); day < 800_000; day += 97 {
		want := time.Unix(day*secondsPerDay, 0).UTC()
		year, month, dom := civil(day)
		require.Equal(t, [3]int{want.Year(), int(want.Month()), want.Day()}, [3]int{int(year), int(month), int(dom)})
		require.Equal(t, day-int64(dom)+1, dayNumber(year, month))
		require.Equal(t, int(want.Weekday()), int(weekdayOf(day)))
		require.Equal(t, time.Date(want.Year(), want.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day(), int(monthLength(year, month)))
	}
}
