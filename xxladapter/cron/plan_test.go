package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestParsePlanNext checks the next time of each schedule type (XXL-JOB 3.4.2,
// CronScheduleType.java and FixRateScheduleType.java).
func TestParsePlanNext(t *testing.T) {
	shanghai := zone(t, "Asia/Shanghai")
	for _, tt := range []struct {
		kind, conf, after, want string
	}{
		{None, "", "2026-01-15T10:20:30Z", ""},
		{None, "anything", "2026-01-15T10:20:30Z", ""},

		// The expression follows the clock of the plan's zone.
		{Cron, "0 0 9 * * ?", "2026-01-15T00:59:59Z", "2026-01-15T09:00:00+08:00"},
		{Cron, "0 0 9 * * ?", "2026-01-15T01:00:00Z", "2026-01-16T09:00:00+08:00"},
		{Cron, "0 0 0 30 2 ?", "2026-01-15T01:00:00Z", ""},

		// A FIX_RATE of whole seconds is due at whole seconds, as in XXL-JOB since 3.4.0.
		{FixRate, "5", "2026-01-15T10:20:30Z", "2026-01-15T18:20:35+08:00"},
		{FixRate, "5", "2026-01-15T10:20:30.001Z", "2026-01-15T18:20:36+08:00"},
		{FixRate, "5.000", "2026-01-15T10:20:30.999999999Z", "2026-01-15T18:20:36+08:00"},
		{FixRate, "2147483647", "2026-01-15T10:20:30Z", "2094-02-02T21:34:37+08:00"},

		// Other periods, and FIX_DELAY, keep milliseconds.
		{FixRate, "0.1", "2026-01-15T10:20:30.95Z", "2026-01-15T18:20:31.05+08:00"},
		{FixRate, "1.5", "2026-01-15T10:20:30.001Z", "2026-01-15T18:20:31.501+08:00"},
		{FixRate, "0.1", "2026-01-15T10:20:30.000000001Z", "2026-01-15T18:20:30.101+08:00"},
		{FixDelay, "5", "2026-01-15T10:20:30.25Z", "2026-01-15T18:20:35.25+08:00"},
		{FixDelay, "0.25", "2026-01-15T10:20:30Z", "2026-01-15T18:20:30.25+08:00"},

		// A single shot, just before and exactly at its instant.
		{Once, "2026-03-01T09:00:00+08:00", "2026-03-01T00:59:59.999999999Z", "2026-03-01T09:00:00+08:00"},
		{Once, "2026-03-01T09:00:00+08:00", "2026-03-01T01:00:00Z", ""},
		{Once, "2026-03-01T01:00:00.5Z", "2026-03-01T01:00:00Z", "2026-03-01T09:00:00.5+08:00"},
	} {
		p, err := ParsePlan(tt.kind, tt.conf, shanghai)
		require.NoError(t, err, "%s %q", tt.kind, tt.conf)
		after, err := time.Parse(time.RFC3339, tt.after)
		require.NoError(t, err)
		got := ""
		if at := p.Next(after); !at.IsZero() {
			got = at.Format(time.RFC3339Nano)
		}
		require.Equal(t, tt.want, got, "%s %q after %s", tt.kind, tt.conf, tt.after)
	}
}

func TestParsePlanRefuses(t *testing.T) {
	for _, tt := range []struct{ kind, conf, want string }{
		{"", "", `schedule type is "", must be one of`},
		{"cron", "0 0 9 * * ?", `schedule type is "cron"`},
		{strings.Repeat("X", 1000), "", `X", must be one of`},
		{Cron, "", "must have 6 or 7 fields"},
		{Cron, "0 0 24 * * ?", `hour "24" at column 5 must be 0 to 23`},
		{FixRate, "", `period of FIX_RATE is "", must be seconds`},
		{FixRate, "0", "must be 0.1 to 2147483647 seconds"},
		{FixRate, "0.099", "must be 0.1 to"},
		{FixRate, "2147483648", "must be 0.1 to"},
		{FixRate, "2147483647.001", "must be 0.1 to"},
		{FixRate, strings.Repeat("9", 500), "must be 0.1 to"},
		{FixRate, "-5", "must be seconds as decimal digits"},
		{FixRate, "+5", "must be seconds"},
		{FixRate, " 5", "must be seconds"},
		{FixRate, "5s", "must be seconds"},
		{FixRate, "1e3", "must be seconds"},
		{FixRate, ".5", "must be seconds"},
		{FixRate, "5.", "must be seconds"},
		{FixRate, "0.1000", "must have at most 3 decimals"},
		{FixDelay, "x", `period of FIX_DELAY is "x"`},
		{Once, "tomorrow", `instant of ONCE is "tomorrow", must be RFC 3339`},
		{Once, "2026-03-01 09:00:00", "must be RFC 3339"},
	} {
		_, err := ParsePlan(tt.kind, tt.conf, nil)
		require.ErrorContains(t, err, tt.want, "%s %q", tt.kind, tt.conf)
	}
}

func TestNilZoneIsLocal(t *testing.T) {
	for _, tt := range [][2]string{{Cron, "0 0 9 * * ?"}, {FixRate, "5"}, {FixDelay, "5"}, {Once, "2030-01-01T00:00:00Z"}} {
		p, err := ParsePlan(tt[0], tt[1], nil)
		require.NoError(t, err)
		require.Equal(t, time.Local, p.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Location())
	}
	s, err := Parse("0 9 * * *", Unix)
	require.NoError(t, err)
	require.Equal(t, time.Local, s.In(nil).Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Location())
}
