package cron

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLastIsWhatFollowingThePlanFinds compares Last with every due time in between.
func TestLastIsWhatFollowingThePlanFinds(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct{ kind, conf string }{
		{Cron, "* * * * * ?"}, {Cron, "0/7 * * * * ?"}, {Cron, "0 0 3 * * ?"}, {Cron, "0 30 2 ? * SUN"},
		{Cron, "0/10 * 8-18 ? * MON-FRI"}, {Cron, "0 0 0 29 2 ?"},
		{FixRate, "1"}, {FixRate, "0.1"}, {FixRate, "7"}, {FixRate, "3.3"},
		{Once, "2026-10-25T03:00:00+02:00"},
	} {
		t.Run(tt.kind+" "+tt.conf, func(t *testing.T) {
			plan, err := ParsePlan(tt.kind, tt.conf, berlin)
			require.NoError(t, err)
			for range 50 {
				// Around the end of summer time, when an hour is repeated.
				from := time.Date(2026, 10, 24, rnd.IntN(24), rnd.IntN(60), rnd.IntN(60), 0, berlin)
				first := plan.Next(from)
				if first.IsZero() {
					continue
				}
				until := first.Add(time.Duration(rnd.Int64N(int64(30 * time.Minute))))
				if rnd.IntN(2) == 0 && tt.conf != "* * * * * ?" && tt.conf != "0.1" {
					until = first.Add(time.Duration(rnd.Int64N(int64(48 * time.Hour))))
				}
				want := first
				for next := plan.Next(want); !next.IsZero() && !next.After(until); next = plan.Next(want) {
					want = next
				}
				require.Equal(t, want.UnixNano(), Last(plan, first, until).UnixNano(), "from %v until %v", first, until)
			}
		})
	}
}

// TestLastInXXL34WithWIsWhatFollowingThePlanFinds compares Last with every due time in between
// where due times depend on the start of the search, with the expressions of the vectors and
// others.
func TestLastInXXL34WithWIsWhatFollowingThePlanFinds(t *testing.T) {
	exprs := []string{"0 0 9,17 1W,15W * ?", "0 0 9,17 20,LW * ?", "0 0/30 * 1W,2W,3W,31W * ?", "0 0 2,9 1W,25W 3,10 ?"}
	for _, row := range append(records(t, "cron_vectors.csv"), records(t, "cron_version_diffs.csv")...) {
		if fields := strings.Fields(row["expr"]); len(fields) > 3 && strings.Contains(fields[3], "W") {
			exprs = append(exprs, row["expr"])
		}
	}
	require.Greater(t, len(exprs), 50)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, expr := range exprs {
		for _, loc := range []*time.Location{time.UTC, zone(t, "Europe/Berlin")} {
			plan, err := ParsePlan(Cron, expr, loc, XXL34)
			require.NoError(t, err)
			for range 4 {
				from := time.Date(2026, 1, 1, 0, 0, rnd.IntN(365*24*3600), 0, loc)
				first := plan.Next(from)
				if first.IsZero() {
					continue
				}
				until := first.Add(time.Duration(rnd.Int64N(int64(120 * 24 * time.Hour))))
				want := first
				for next := plan.Next(want); !next.IsZero() && !next.After(until); next = plan.Next(want) {
					want = next
				}
				require.Equal(t, want.UnixNano(), Last(plan, first, until).UnixNano(),
					"%s from %v until %v: want %v", expr, first, until, want)
			}
		}
	}
}

func TestLastOfLongAgoIsFoundAtOnce(t *testing.T) {
	plan := &counting{Plan: mustPlan(t, Cron, "* * * * * ?")}
	first := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	until := time.Date(2026, 1, 1, 0, 0, 0, 999, time.UTC)
	require.Equal(t, until.Truncate(time.Second), Last(plan.Plan, first, until))
	require.Equal(t, until, Last(plan, first, until), "a plan of another package is not followed forever")
	require.LessOrEqual(t, plan.asked, 1000)
}

// stuck returns the instant it is asked about, or one before it.
type stuck time.Duration

func (s stuck) Next(after time.Time) time.Time { return after.Add(-time.Duration(s)) }

func TestLastOfAPlanThatDoesNotAdvanceIsItsFirst(t *testing.T) {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, back := range []time.Duration{0, 1, time.Hour} {
		require.Equal(t, first, Last(stuck(back), first, first.Add(time.Hour)))
	}
}

// counting hides the kind of a plan and counts the calls.
type counting struct {
	Plan
	asked int
}

func (c *counting) Next(after time.Time) time.Time {
	c.asked++
	return c.Plan.Next(after)
}

func mustPlan(t *testing.T, kind, conf string) Plan {
	t.Helper()
	plan, err := ParsePlan(kind, conf, time.UTC)
	require.NoError(t, err)
	return plan
}
