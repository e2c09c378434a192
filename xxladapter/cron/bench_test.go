package cron

import (
	"testing"
	"time"
)

// common lists expressions that jobs usually have. The comparison with other libraries in
// bench/rivals/cron uses those that they can parse.
var common = []struct{ name, expr string }{
	{"every-second", "* * * * * ?"},
	{"every-5-minutes", "0 */5 * * * ?"},
	{"daily-at-nine", "0 0 9 * * ?"},
	{"workdays", "0 30 8-18/2 ? * MON-FRI"},
	{"monthly", "0 0 3 1 * ?"},
	{"yearly", "0 0 0 1 1 ?"},
	{"leap-day", "0 0 0 29 2 ?"},
}

// special lists expressions with items that only this dialect has, and one that never fires.
var special = []struct{ name, expr string }{
	{"last-day", "0 0 0 L * ?"},
	{"nearest-weekday", "0 0 9 15W * ?"},
	{"last-friday", "0 0 9 ? * FRIL"},
	{"third-monday", "0 0 9 ? * MON#3"},
	{"never", "0 0 0 30 2 ?"},
}

func BenchmarkParse(b *testing.B) {
	for _, e := range append(common[:len(common):len(common)], special...) {
		b.Run(e.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(e.expr); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	for _, z := range []string{"UTC", "Asia/Shanghai", "America/New_York"} {
		for _, e := range append(common[:len(common):len(common)], special...) {
			b.Run(z+"/"+e.name, func(b *testing.B) {
				s, err := Parse(e.expr)
				if err != nil {
					b.Fatal(err)
				}
				at := time.Date(2026, 1, 15, 10, 20, 30, 0, zone(b, z))
				b.ReportAllocs()
				for b.Loop() {
					s.Next(at)
				}
			})
		}
	}
}
