package cron_test

import (
	"fmt"
	"time"
	_ "time/tzdata"

	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// show prints the next n times of an expression.
func show(expr string, after time.Time, n int, opts ...cron.Option) {
	s, err := cron.Parse(expr, opts...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for at := range s.All(after) {
		if n--; n < 0 {
			return
		}
		fmt.Println(at.Format("Mon 2006-01-02 15:04:05 MST"))
	}
}

var newYork = func() *time.Location {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	return loc
}()

func Example() {
	s, err := cron.Parse("0 0/30 9-17 ? * MON-FRI")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	fmt.Println(s.Describe(cron.English))
	fmt.Println(s.Describe(cron.Chinese))
	fmt.Println(s.Next(time.Date(2026, 1, 16, 17, 40, 0, 0, time.UTC)))
	// Output:
	// 0 */30 9-17 ? * MON-FRI
	// every 30 minutes, from 09:00 to 17:59, on Monday to Friday
	// 周一至周五，09:00至17:59，每30分钟
	// 2026-01-19 09:00:00 +0000 UTC
}

// Weekday 6 is Friday in Quartz and Saturday in Unix cron.
func ExampleParse_weekdays() {
	after := time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)
	show("0 0 12 ? * 6", after, 1)
	show("0 12 * * 6", after, 1, cron.Unix)
	// Output:
	// Fri 2026-01-16 12:00:00 UTC
	// Sat 2026-01-17 12:00:00 UTC
}

// An error names the field, the column and the rule. For Unix expressions it also names a way out.
func ExampleParse_errors() {
	for _, expr := range []string{
		"0 0 24 * * ?",
		"0 0 12 * * MON",
		"0 0 12 ? * MON-FRI/2",
		"0 12 * * 1-5",
	} {
		_, err := cron.Parse(expr)
		fmt.Println(err)
	}
	// Output:
	// cron: hour "24" at column 5 must be 0 to 23
	// cron: day of week "MON" at column 12 and day of month are both given, but one of them must be ?; write ? as day of month
	// cron: day of week "MON-FRI/2" at column 12 has text after a name range; Quartz ignores a step after names; write numbers
	// cron: expression "0 12 * * 1-5" at column 1 must have 6 or 7 fields, second to day of week and perhaps year, but has 5; five fields are Unix cron, where Sunday is 0: parse them with the Unix option, or write 0 0 12 ? * MON-FRI
}

// Steps start anew in each field: from minute 50 it is ten minutes to the next time, not
// twenty-five.
func ExampleParse_steps() {
	show("0 */25 * * * ?", time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), 3)
	// Output:
	// Thu 2026-01-15 09:25:00 UTC
	// Thu 2026-01-15 09:50:00 UTC
	// Thu 2026-01-15 10:00:00 UTC
}

// Months without a 31st are skipped: 31 does not stand for the last day; L does.
func ExampleParse_shortMonths() {
	after := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	show("0 0 0 31 * ?", after, 2)
	show("0 0 0 L * ?", after, 2)
	// Output:
	// Tue 2026-03-31 00:00:00 UTC
	// Sun 2026-05-31 00:00:00 UTC
	// Sat 2026-02-28 00:00:00 UTC
	// Tue 2026-03-31 00:00:00 UTC
}

// W never leaves the month: when the 1st is a Saturday, 1W is Monday the 3rd, although the Friday
// before is nearer.
func ExampleParse_nearestWeekday() {
	show("0 0 9 1W * ?", time.Date(2026, 7, 15, 0, 0, 0, 0, time.UTC), 1)
	show("0 0 9 15W * ?", time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC), 1)
	// Output:
	// Mon 2026-08-03 09:00:00 UTC
	// Fri 2026-08-14 09:00:00 UTC
}

// In the day of week, L alone is Saturday; after a weekday it means the last one of the month.
func ExampleParse_lastWeekday() {
	after := time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
	show("0 0 0 ? * L", after, 2)
	show("0 0 0 ? * 6L", after, 2)
	// Output:
	// Sat 2026-01-17 00:00:00 UTC
	// Sat 2026-01-24 00:00:00 UTC
	// Fri 2026-01-30 00:00:00 UTC
	// Fri 2026-02-27 00:00:00 UTC
}

// On 8 March 2026 the clock in New York goes from 02:00 to 03:00. Quartz skips that day; Sane fires
// right after the gap.
func ExampleSchedule_Next_springForward() {
	after := time.Date(2026, 3, 7, 20, 0, 0, 0, newYork)
	show("0 30 2 * * ?", after, 2)
	fmt.Println()
	show("0 30 2 * * ?", after, 2, cron.Sane)
	// Output:
	// Mon 2026-03-09 02:30:00 EDT
	// Tue 2026-03-10 02:30:00 EDT
	//
	// Sun 2026-03-08 03:00:00 EDT
	// Mon 2026-03-09 02:30:00 EDT
}

// On 1 November 2026 the hour from 01:00 to 02:00 comes twice. Quartz pauses during its first pass,
// however often the job fires; Sane continues.
func ExampleSchedule_Next_fallBack() {
	after := time.Date(2026, 11, 1, 0, 20, 0, 0, newYork)
	show("0 */30 * * * ?", after, 4)
	fmt.Println()
	show("0 */30 * * * ?", after, 4, cron.Sane)
	// Output:
	// Sun 2026-11-01 00:30:00 EDT
	// Sun 2026-11-01 01:00:00 EST
	// Sun 2026-11-01 01:30:00 EST
	// Sun 2026-11-01 02:00:00 EST
	//
	// Sun 2026-11-01 00:30:00 EDT
	// Sun 2026-11-01 01:00:00 EDT
	// Sun 2026-11-01 01:30:00 EDT
	// Sun 2026-11-01 01:00:00 EST
}

// XXL-JOB 3.4 keeps the time of day when it moves to the nearest weekday, and so skips the earlier
// times of that day.
func ExampleProfile_xxl34() {
	after := time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)
	show("0 0 9,17 LW * ?", after, 1)
	show("0 0 9,17 LW * ?", after, 1, cron.XXL34)
	// Output:
	// Fri 2026-02-27 09:00:00 UTC
	// Fri 2026-02-27 17:00:00 UTC
}

func ExampleSchedule_Prev() {
	s, _ := cron.Parse("0 0 9 LW * ?")
	fmt.Println(s.Prev(time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)))
	// Output: 2026-02-27 09:00:00 +0000 UTC
}

func ExampleSchedule_All() {
	s, _ := cron.Parse("0 0 12 ? * MON#5 2026")
	for at := range s.All(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		fmt.Println(at.Format(time.DateOnly))
	}
	// Output:
	// 2026-03-30
	// 2026-06-29
	// 2026-08-31
	// 2026-11-30
}

func ExampleParsePlan() {
	after := time.Date(2026, 1, 15, 10, 20, 30, 0, time.UTC)
	for _, p := range [][2]string{
		{cron.None, ""},
		{cron.Cron, "0 0 9 * * ?"},
		{cron.FixRate, "0.1"},
		{cron.FixDelay, "30"},
		{cron.Once, "2026-03-01T09:00:00+08:00"},
	} {
		plan, err := cron.ParsePlan(p[0], p[1], newYork)
		if err != nil {
			fmt.Println(err)
			continue
		}
		if next := plan.Next(after); next.IsZero() {
			fmt.Println(p[0], "never")
		} else {
			fmt.Println(p[0], next)
		}
	}
	// Output:
	// NONE never
	// CRON 2026-01-15 09:00:00 -0500 EST
	// FIX_RATE 2026-01-15 05:20:30.1 -0500 EST
	// FIX_DELAY 2026-01-15 05:21:00 -0500 EST
	// ONCE 2026-02-28 20:00:00 -0500 EST
}
