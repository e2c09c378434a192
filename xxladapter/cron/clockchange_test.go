package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// changes returns the instants between two years at which loc's clock changes.
func changes(loc *time.Location, from, to int) []time.Time {
	var out []time.Time
	at := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC).In(loc)
	for {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.Year() > to {
			return out
		}
		_, before := end.Add(-time.Second).Zone()
		if _, offset := end.Zone(); offset != before {
			out = append(out, end)
		}
		if !end.After(at) {
			end = at.Add(24 * time.Hour) // see TestLastDayOfLeapYears
		}
		at = end
	}
}

// fires reports whether a profile fires at the instant u, by the definitions in its documentation;
// gaps contains all clock changes.
func (m *model) fires(p Profile, u time.Time, gaps map[int64]bool) bool {
	if p == Sane && !m.hourSteps && gaps[u.Unix()] {
		_, offset := u.Zone()
		if _, before := u.Add(-time.Second).Zone(); offset > before {
			skipped := time.Date(u.Year(), u.Month(), u.Day(), u.Hour(), u.Minute(), u.Second()-(offset-before), 0, time.UTC)
			for range offset - before {
				if m.matches(skipped) {
					return true
				}
				skipped = skipped.Add(time.Second)
			}
		}
	}
	if !m.matches(u) {
		return false
	}
	same := instants(u, u.Location())
	switch {
	case p == Quartz:
		return same[len(same)-1].Equal(u)
	case m.hourSteps:
		return true
	}
	return same[0].Equal(u)
}

// TestClockChanges compares Next and Prev with a scan of every second around the clock changes of
// all model zones.
func TestClockChanges(t *testing.T) {
	const window = 26 * 3600 // seconds; more than any gap
	byZone := make(map[string][]time.Time)
	for _, name := range modelZones {
		if c := changes(zone(t, name), 1936, 2045); len(c) > 0 {
			byZone[name] = c
		}
	}
	require.Greater(t, len(byZone), 40)

	rapid.Check(t, func(t *rapid.T) {
		loc := drawZone(t)
		all := byZone[loc.String()]
		if all == nil {
			return
		}
		gaps := make(map[int64]bool)
		for _, c := range all {
			gaps[c.Unix()] = true
		}
		m := &model{date: func(int, int, int) bool { return true }}
		var seconds, minutes, hours string
		seconds, m.second = drawList(t, "seconds", 0, 59, 59, nil)
		minutes, m.minute = drawList(t, "minutes", 0, 59, 59, nil)
		hours, m.hour = drawList(t, "hours", 0, 23, 23, nil)
		m.hourSteps = strings.ContainsAny(hours, "*/")
		m.text = seconds + " " + minutes + " " + hours + " * * ?"

		p := rapid.SampledFrom([]Profile{Quartz, Sane}).Draw(t, "profile")
		s, err := Parse(m.text, p)
		require.NoError(t, err, "%q", m.text)
		for range 5 {
			change := rapid.SampledFrom(all).Draw(t, "change")
			at := change.Add(time.Duration(rapid.IntRange(-3*3600, 3*3600).Draw(t, "seconds from change")) * time.Second)

			from := at
			if same := instants(at, loc); p == Quartz {
				from = same[len(same)-1] // the first pass counts as the second
			}
			want := time.Time{}
			for n := 1; n < window && want.IsZero(); n++ {
				if u := from.Add(time.Duration(n) * time.Second); m.fires(p, u, gaps) {
					want = u
				}
			}
			if got := s.Next(at); !want.IsZero() {
				require.Equal(t, want, got, "%v: %q after %v in %s", p, m.text, at, loc)
			} else {
				require.True(t, got.Sub(from) >= (window-1)*time.Second, "%v: %q after %v in %s gives %v", p, m.text, at, loc, got)
			}

			want = time.Time{}
			for n := 1; n < window && want.IsZero(); n++ {
				if u := at.Add(time.Duration(-n) * time.Second); m.fires(p, u, gaps) {
					want = u
				}
			}
			if got := s.Prev(at); !want.IsZero() {
				require.Equal(t, want, got, "%v: %q before %v in %s", p, m.text, at, loc)
			} else {
				require.True(t, at.Sub(got) >= (window-1)*time.Second, "%v: %q before %v in %s gives %v", p, m.text, at, loc, got)
			}
		}
	})
}

// TestLastDayOfLeapYears checks that a search that goes from period to period does not hang on 31
// December of a leap year that a zone's table no longer covers: there time.Time.ZoneBounds returns
// an end in the past.
func TestLastDayOfLeapYears(t *testing.T) {
	for _, name := range []string{"America/New_York", "Europe/London", "Australia/Lord_Howe", "Africa/Cairo"} {
		loc := zone(t, name)
		for _, p := range []Profile{Quartz, Sane} {
			for _, expr := range []string{"0 0 12 * * ?", "0 30 */6 * * ?", "0 0 2 31 3 ?", "*/7 * * ? * MON"} {
				s, err := Parse(expr, p)
				require.NoError(t, err)
				for _, year := range []int{2028, 2040, 2044} {
					at := time.Date(year, 12, 30, 23, 0, 0, 0, loc)
					for range 40 {
						next := s.Next(at)
						require.True(t, next.After(at))
						require.Equal(t, next, s.Next(s.Prev(next)))
						at = at.Add(time.Hour)
					}
				}
			}
		}
	}
}
