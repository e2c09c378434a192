package preview

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func TestARequestIsCompleted(t *testing.T) {
	tokyo, berlin := zone(t, "Asia/Tokyo"), zone(t, "Europe/Berlin")
	for _, c := range []struct {
		name  string
		ask   Request
		want  Schedule
		count int
	}{
		{"nothing given", Request{}, Schedule{"CRON", "", tokyo, cron.Sane}, 50},
		{"all given", Request{"FIX_RATE", "30", "Europe/Berlin", "unix", 7, 12},
			Schedule{"FIX_RATE", "30", berlin, cron.Unix}, 7},
		{"the limits", Request{Conf: strings.Repeat("é", 128), Count: 1000, Months: 12},
			Schedule{"CRON", strings.Repeat("é", 128), tokyo, cron.Sane}, 1000},
	} {
		s, count, err := c.ask.Read(tokyo, cron.Sane)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, s, c.name)
		require.Equal(t, c.count, count, c.name)
	}
}

func TestAWrongRequestIsRefused(t *testing.T) {
	for message, ask := range map[string]Request{
		`scheduleType is "DAILY", must be one of NONE, CRON, FIX_RATE, FIX_DELAY, ONCE`: {Type: "DAILY"},
		"scheduleConf has 129 characters, must have at most 128":                        {Conf: strings.Repeat("é", 129)},
		"count is 1001, must be 1 to 1000":                                              {Count: 1001},
		"count is -1, must be 1 to 1000":                                                {Count: -1},
		"months is 13, must be 0 to 12":                                                 {Months: 13},
		"months is -1, must be 0 to 12":                                                 {Months: -1},
		`zone is "Mars", must be an IANA time zone such as Europe/Berlin`:               {Zone: "Mars"},
		`zone is "Local", must be an IANA time zone such as Europe/Berlin`:              {Zone: "Local"},
		`cron: profile is "odd", must be one of quartz, xxl34, sane, unix`:              {Profile: "odd"},
	} {
		_, _, err := ask.Read(time.UTC, cron.Sane)
		require.EqualError(t, err, message)
		var refused *xxladapter.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, strings.Fields(strings.TrimPrefix(message, "cron: "))[0], refused.Field())
	}
}

func TestNextTimesAreCounted(t *testing.T) {
	for count, want := range map[int]int{0: 5, 1: 1, 100: 100} {
		n, err := NextOf(count)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for count, message := range map[int]string{-1: "count is -1, must be 1 to 100", 101: "count is 101, must be 1 to 100"} {
		_, err := NextOf(count)
		require.EqualError(t, err, message)
	}
}

func TestACronRequestIsRead(t *testing.T) {
	tokyo := zone(t, "Asia/Tokyo")
	s, err := CronRequest{Expr: strings.Repeat("*", 128)}.Read(tokyo, cron.Sane)
	require.NoError(t, err)
	require.Equal(t, Schedule{"CRON", strings.Repeat("*", 128), tokyo, cron.Sane}, s)
	s, err = CronRequest{"x", "Europe/Berlin", "unix"}.Read(tokyo, cron.Sane)
	require.NoError(t, err)
	require.Equal(t, Schedule{"CRON", "x", zone(t, "Europe/Berlin"), cron.Unix}, s)
	for message, ask := range map[string]CronRequest{
		"expr has 129 bytes, must have at most 128":                        {Expr: strings.Repeat("*", 129)},
		`zone is "Mars", must be an IANA time zone such as Europe/Berlin`:  {Zone: "Mars"},
		`cron: profile is "odd", must be one of quartz, xxl34, sane, unix`: {Profile: "odd"},
	} {
		_, err := ask.Read(time.UTC, cron.Sane)
		require.EqualError(t, err, message)
	}
}

// TestUnknownYears asks a calendar that knows 2026 and 2028.
func TestUnknownYears(t *testing.T) {
	c := &xxladapter.Calendar{Years: []xxladapter.CalendarYear{{Year: 2026}, {Year: 2028}}}
	shanghai := zone(t, "Asia/Shanghai")
	yearly := Schedule{Type: "CRON", Conf: "0 0 0 1 1 ?", Zone: shanghai}
	for _, p := range []struct {
		name          string
		from          string
		count, months int
		want          []int
	}{
		{"no times", "2026-06-01T00:00:00Z", 0, 0, nil},
		{"the next year begins in the zone", "2026-12-31T16:00:00Z", 0, 0, []int{2027}},
		{"not yet", "2026-12-31T15:59:59Z", 0, 0, nil},
		{"times", "2026-06-01T00:00:00Z", 4, 0, []int{2027, 2029, 2030}},
		{"days reach further than times", "2026-06-01T00:00:00Z", 0, 12, []int{2027}},
		{"many", "2026-06-01T00:00:00Z", 100, 0,
			[]int{2027, 2029, 2030, 2031, 2032, 2033, 2034, 2035, 2036, 2037, 2038, 2039, 2040, 2041, 2042, 2043, 2044,
				2045, 2046, 2047}},
	} {
		shown, err := Of(yearly, instant(t, p.from), p.count, p.months)
		require.NoError(t, err, p.name)
		require.Equal(t, p.want, shown.UnknownYears(c, instant(t, p.from), shanghai), p.name)
	}
}
