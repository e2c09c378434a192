package cron

import (
	"errors"
	"testing"
	"time"

	"github.com/adhocore/gronx"
	"github.com/hashicorp/cronexpr"
	"github.com/reugn/go-quartz/quartz"
	robfig "github.com/robfig/cron/v3"

	xxl "github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// An expression is given in the dialect that we share with go-quartz, and in that of the other
// libraries. Weekdays have names, because their numbers differ.
type expression struct{ name, quartz, star string }

var errInvalid = errors.New("gronx: invalid expression")

var common = []expression{
	{"every-second", "* * * * * ?", "* * * * * *"},
	{"every-5-minutes", "0 */5 * * * ?", "0 */5 * * * *"},
	{"daily-at-nine", "0 0 9 * * ?", "0 0 9 * * *"},
	{"workdays", "0 30 8-18/2 ? * MON-FRI", "0 30 8-18/2 * * MON-FRI"},
	{"monthly", "0 0 3 1 * ?", "0 0 3 1 * *"},
	{"yearly", "0 0 0 1 1 ?", "0 0 0 1 1 *"},
	{"leap-day", "0 0 0 29 2 ?", "0 0 0 29 2 *"},
}

// A library prepares the parsing of an expression and the search from an instant. Each returned
// closure does one operation.
type library struct {
	name  string
	parse func(expression) func() error
	next  func(testing.TB, expression, time.Time) func() time.Time
}

var robfigParser = robfig.NewParser(robfig.Second | robfig.Minute | robfig.Hour | robfig.Dom | robfig.Month | robfig.Dow)

func must[T any](tb testing.TB) func(T, error) T {
	return func(v T, err error) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

var libraries = []library{
	{
		name:  "xxlwheel",
		parse: func(e expression) func() error { return func() error { _, err := xxl.Parse(e.quartz); return err } },
		next: func(tb testing.TB, e expression, at time.Time) func() time.Time {
			s := must[*xxl.Schedule](tb)(xxl.Parse(e.quartz))
			return func() time.Time { return s.Next(at) }
		},
	},
	{
		name: "robfig",
		parse: func(e expression) func() error {
			return func() error { _, err := robfigParser.Parse(e.star); return err }
		},
		next: func(tb testing.TB, e expression, at time.Time) func() time.Time {
			s := must[robfig.Schedule](tb)(robfigParser.Parse(e.star))
			return func() time.Time { return s.Next(at) }
		},
	},
	{
		name: "hashicorp",
		parse: func(e expression) func() error {
			text := e.star + " *" // only seven fields include seconds
			return func() error { _, err := cronexpr.Parse(text); return err }
		},
		next: func(tb testing.TB, e expression, at time.Time) func() time.Time {
			s := must[*cronexpr.Expression](tb)(cronexpr.Parse(e.star + " *"))
			return func() time.Time { return s.Next(at) }
		},
	},
	{
		name: "go-quartz",
		parse: func(e expression) func() error {
			return func() error { _, err := quartz.NewCronTrigger(e.quartz); return err }
		},
		next: func(tb testing.TB, e expression, at time.Time) func() time.Time {
			s := must[*quartz.CronTrigger](tb)(quartz.NewCronTriggerWithLoc(e.quartz, at.Location()))
			ns := at.UnixNano()
			return func() time.Time { t, _ := s.NextFireTime(ns); return time.Unix(0, t) }
		},
	},
	{
		name: "gronx",
		parse: func(e expression) func() error {
			return func() error {
				if !gronx.IsValid(e.star) {
					return errInvalid
				}
				return nil
			}
		},
		next: func(tb testing.TB, e expression, at time.Time) func() time.Time {
			must[time.Time](tb)(gronx.NextTickAfter(e.star, at, false))
			return func() time.Time { t, _ := gronx.NextTickAfter(e.star, at, false); return t }
		},
	},
}

func BenchmarkParse(b *testing.B) {
	for _, e := range common {
		for _, l := range libraries {
			b.Run("expr="+e.name+"/lib="+l.name, func(b *testing.B) {
				parse := l.parse(e)
				if err := parse(); err != nil {
					b.Skip(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					_ = parse()
				}
			})
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for _, name := range []string{"UTC", "Asia/Shanghai", "America/New_York"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			b.Fatal(err)
		}
		at := time.Date(2026, 1, 15, 10, 20, 30, 0, loc)
		for _, e := range common {
			for _, l := range libraries {
				b.Run("zone="+loc.String()+"/expr="+e.name+"/lib="+l.name, func(b *testing.B) {
					next := l.next(b, e, at)
					if wrong[l.name] == e.name {
						b.Skip("gives a wrong answer")
					}
					b.ReportAllocs()
					for b.Loop() {
						next()
					}
				})
			}
		}
	}
}

// wrong lists cases that a library answers wrongly, which are not measured. go-quartz 0.15.2 fires
// on 1 March when there is no 29 February.
var wrong = map[string]string{"go-quartz": "leap-day"}

// TestSameTimes checks that all libraries answer the measured question in the same way, except in
// the cases of wrong, where the answers must differ.
func TestSameTimes(t *testing.T) {
	for _, e := range common {
		at := time.Date(2026, 1, 15, 10, 20, 30, 0, time.UTC)
		want := libraries[0].next(t, e, at)()
		for _, l := range libraries[1:] {
			if got := l.next(t, e, at)(); got.Equal(want) == (wrong[l.name] == e.name) {
				t.Errorf("%s: %s says %v, want %v", e.name, l.name, got, want)
			}
		}
	}
}
