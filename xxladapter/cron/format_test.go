package cron

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	for _, tt := range []struct {
		expr, want string
		profile    Profile
	}{
		// The shortest familiar form of a set.
		{expr: "*/1 0-59 /1 1-31 JAN-DEC ? *", want: "* * * * * ?"},
		{expr: "0 0/5 */6 * * ?", want: "0 */5 */6 * * ?"},
		{expr: "0,30 0,20,40 12,0 * * ?", want: "*/30 */20 */12 * * ?"},
		{expr: "1/7 5-30/5 22-2 * * ?", want: "1/7 5-30/5 0-2,22,23 * * ?"},
		{expr: "0 0 0 28-3 11-2 ?", want: "0 0 0 1-3,28-31 1,2,11,12 ?"},
		{expr: "  00 00	007 1,1,1 Jan ?  ", want: "0 0 7 1 1 ?"},

		// Days.
		{expr: "0 0 0 LW,L-3,15W,L,3,2,1,L-2W,L-0 * ?", want: "0 0 0 1-3,15W,L,L-3,LW,L-2W * ?"},
		{expr: "0 0 0 ? * 1-7", want: "0 0 0 * * ?"},
		{expr: "0 0 0 ? * *", want: "0 0 0 * * ?"},
		{expr: "0 0 0 ? * 2-6", want: "0 0 0 ? * MON-FRI"},
		{expr: "0 0 0 ? * FRI-MON", want: "0 0 0 ? * SUN,MON,FRI,SAT"},
		{expr: "0 0 0 ? * L", want: "0 0 0 ? * SAT"},
		{expr: "0 0 0 ? * 6l", want: "0 0 0 ? * FRIL"},
		{expr: "0 0 0 ? * fri#2", want: "0 0 0 ? * FRI#2"},

		// Years keep their items.
		{expr: "0 0 0 1 1 ? 2030,2026-2028,2026-2028/1,2026/2,2027-2027", want: "0 0 0 1 1 ? 2026-2028,2026-9999/2,2027,2030"},
		{expr: "0 0 0 1 1 ? */4,2030", want: "0 0 0 1 1 ? 1970-9999/4,2030"},
		{expr: "0 0 0 1 1 ? 2030,*", want: "0 0 0 1 1 ?"},

		// Only Sane and Unix distinguish fixed hours from steps.
		{profile: Sane, expr: "0 0 0,12 * * ?", want: "0 0 0,12 * * ?"},
		{profile: Sane, expr: "0 0 */12 * * ?", want: "0 0 */12 * * ?"},
		{profile: Sane, expr: "0 0 0-23 * * ?", want: "0 0 0-23 * * ?"},
		{profile: Sane, expr: "0 0 */12,7 * * ?", want: "0 0 0-0/1,7,12 * * ?"},
		{profile: Sane, expr: "0 0 7-7/3 * * ?", want: "0 0 7-7/1 * * ?"},

		{profile: Unix, expr: "*/5 9-17 * * 1-5", want: "*/5 9-17 * * MON-FRI"},
		{profile: Unix, expr: "0 0 13 * 5,7", want: "0 0 13 * SUN,FRI"},
		{profile: Unix, expr: "0 0 1-31 * 0-6", want: "0 0 * * *"},
		{profile: Unix, expr: "0 0 * * 5-7", want: "0 0 * * SUN,FRI,SAT"},

		// What only the lenient profile accepts.
		{profile: XXL34, expr: "5x */0 99 0W 1,,3 ?", want: "5 * * 0W 1,3 ?"},
		{profile: XXL34, expr: "0 0 0 ? * 9#1", want: "0 0 0 ? * 9#1"},
		{profile: XXL34, expr: "0 0 0 ? * 0#1", want: "0 0 0 ? * SAT#1"},
		{profile: XXL34, expr: "0 0 0 1 1 ? L,98,20261-20270", want: "0 0 0 1 1 ? 0"},
	} {
		s, err := Parse(tt.expr, tt.profile)
		require.NoError(t, err, "%q", tt.expr)
		require.Equal(t, tt.want, s.String(), "%v %q", tt.profile, tt.expr)
		again, err := Parse(s.String(), tt.profile)
		require.NoError(t, err, "%v %q", tt.profile, s)
		require.Equal(t, s.String(), again.String())
	}
}

func TestStringParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		p := rapid.SampledFrom([]Profile{Quartz, Sane, XXL34}).Draw(t, "profile")
		s, err := Parse(m.text, p)
		require.NoError(t, err, "%q", m.text)
		again, err := Parse(s.String(), p)
		require.NoError(t, err, "%q of %q", s, m.text)
		sameSchedule(t, s, again)
	})
}

// sameSchedule compares everything but the order of the years and the way in which every day is
// written.
func sameSchedule(t require.TestingT, a, b *Schedule) {
	x, y := *a, *b
	x.years, y.years = a.sortedYears(), b.sortedYears()
	for _, s := range []*Schedule{&x, &y} {
		if s.everyDay() {
			s.byDate, s.byWeek = true, false
		}
		if s.days == allDays && s.byDate && !s.either {
			// * covers everything that a list with it could add
			s.nearest, s.last, s.lastNearest, s.special = 0, 0, 0, false
		}
		if !s.profile.sane() {
			s.hourSteps = false
		}
	}
	require.Equal(t, x, y, "%q and %q", a, b)
}
