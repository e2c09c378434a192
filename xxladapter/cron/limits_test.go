package cron

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostile returns expressions that are meant to cost as much as possible.
func hostile() map[string]string {
	fill := func(head, item string) string {
		return head + strings.Repeat(item, (maxLength-len(head))/len(item))
	}
	var dates []string
	for _, n := range []string{"1", "7", "13", "19", "25", "30", "31"} {
		dates = append(dates, n+"W", "L-"+n[:1], "L-"+n[:1]+"W")
	}
	var years []string
	for range maxYears {
		years = append(years, "1970-9999/8029")
	}
	return map[string]string{
		"a megabyte":                strings.Repeat("*", 1<<20),
		"a megabyte of fields":      strings.Repeat("* ", 1<<19),
		"blanks":                    strings.Repeat(" ", 1<<20),
		"longest list":              fill("0 0 0 ? * MON", ",MON"),
		"longest second list":       fill("0", ",*/7") + " 0 0 1 1 ?",
		"longest list of years":     fill("0 0 0 1 1 ? 2026", ",2026"),
		"never: long years":         "0 0 0 31 2 ? " + strings.Join(years, ","),
		"never: years and W":        "0 0 0 30W,31W,L-30W 2 ? " + strings.Join(years, ","),
		"never: only in the past":   "* * * * * ? 1970",
		"never: only later":         "* * * * * ? 9999",
		"rare: a fifth Monday":      "0 0 0 ? 2 MON#5 2026/9",
		"rare: all date forms":      "59 59 23 " + strings.Join(dates, ",") + " 2 ? 2026/99",
		"rare: leap day":            "0 0 0 29 2 ?",
		"in a gap each year":        "0 30 1 ? 3 1L",
		"in a gap each year, steps": "0 30 1-1/2 ? 3 1L",
		"nearly in gaps only":       "*/7 0-59 2 ? 3 SUN#2",
		"lenient item":              fill("5", "x") + " * * * * ?",
	}
}

// TestHostileBytes checks that Parse allocates at most maxBytes, whether it accepts or refuses.
func TestHostileBytes(t *testing.T) {
	const runs = 50
	for name, expr := range hostile() {
		for _, p := range profiles {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range runs {
				if s, err := Parse(expr, p); err == nil {
					_ = s.String()
				} else {
					_ = err.Error()
				}
			}
			runtime.ReadMemStats(&after)
			require.LessOrEqual(t, (after.TotalAlloc-before.TotalAlloc)/runs, uint64(maxBytes), "%s in %v", name, p)
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	for _, p := range []Profile{Quartz, XXL34, Sane} {
		for name, expr := range hostile() {
			s, err := Parse(expr, p)
			if err != nil {
				continue
			}
			for _, loc := range []string{"UTC", "Europe/London", "America/New_York"} {
				at := time.Date(2026, 3, 8, 1, 59, 59, 0, zone(t, loc))
				require.Zero(t, testing.AllocsPerRun(10, func() { s.Next(at) }), "Next of %s", name)
				require.Zero(t, testing.AllocsPerRun(10, func() { s.Prev(at) }), "Prev of %s", name)
			}
		}
		for _, e := range append(common[:len(common):len(common)], special...) {
			s, err := Parse(e.expr, p)
			require.NoError(t, err)
			at := time.Date(2026, 3, 8, 1, 59, 59, 0, zone(t, "America/New_York"))
			require.Zero(t, testing.AllocsPerRun(10, func() { s.Next(at) }), "Next of %s", e.name)
		}
	}
}

// BenchmarkHostile measures each expression in a zone whose clock changes each year and whose
// changes are computed rather than looked up.
func BenchmarkHostile(b *testing.B) {
	loc := zone(b, "Europe/London")
	at := time.Date(2040, 3, 24, 20, 0, 0, 0, loc)
	for name, expr := range hostile() {
		for _, p := range []Profile{Quartz, XXL34, Sane} {
			s, err := Parse(expr, p)
			b.Run(name+"/"+p.String()+"/Parse", func(b *testing.B) {
				for b.Loop() {
					_, _ = Parse(expr, p)
				}
			})
			if err != nil {
				continue
			}
			b.Run(name+"/"+p.String()+"/Next", func(b *testing.B) {
				for b.Loop() {
					s.Next(at)
				}
			})
		}
	}
}
