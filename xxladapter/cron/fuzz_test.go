package cron

import (
	"errors"
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var profiles = []Profile{Quartz, XXL34, Sane, Unix}

// No single call may exceed these for any expression.
const (
	maxCost  = time.Millisecond
	maxBytes = 64 << 10
)

// cheap fails if fn exceeds a limit each of ten times, so that a busy machine or the fuzzing engine
// does not make it fail. It measures only while fuzzing: the ordinary tests do not depend on the
// clock.
func cheap(t *testing.T, what string, fn func()) {
	fn()
	if f := flag.Lookup("test.fuzz"); f == nil || f.Value.String() == "" {
		return
	}
	for range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		fn()
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if took <= maxCost && after.TotalAlloc-before.TotalAlloc <= maxBytes {
			return
		}
	}
	t.Errorf("%s takes more than %v or %d bytes", what, maxCost, maxBytes)
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{"cron_vectors.csv", "cron_invalid.csv", "cron_quirks.csv", "cron_version_diffs.csv"} {
		for _, row := range records(f, file) {
			f.Add(row["expr"])
		}
	}
	for _, expr := range hostile() {
		if len(expr) <= 2*maxLength {
			f.Add(expr)
		}
	}
	f.Fuzz(func(t *testing.T, expr string) {
		for _, p := range profiles {
			var s *Schedule
			var err error
			cheap(t, "Parse", func() { s, err = Parse(expr, p) })
			if err != nil {
				var e *ParseError
				require.True(t, errors.As(err, &e))
				requireHonest(t, expr, e)
				require.Nil(t, s)
				continue
			}
			text := s.String()
			require.LessOrEqual(t, len(text), maxLength)
			again, err := Parse(text, p)
			require.NoError(t, err, "%v: normal form of %q", p, expr)
			sameSchedule(t, s, again)
			require.Equal(t, text, again.String())
			require.NotEmpty(t, s.Describe(English))
			require.NotEmpty(t, s.Describe(Chinese))
		}
	})
}

func FuzzNext(f *testing.F) {
	for i, row := range records(f, "cron_vectors.csv") {
		from, err := time.Parse(time.RFC3339, row["from_rfc3339"])
		require.NoError(f, err)
		f.Add(row["expr"], from.Unix(), uint8(i))
	}
	f.Fuzz(func(t *testing.T, expr string, at int64, where uint8) {
		loc := zone(t, modelZones[int(where)%len(modelZones)])
		after := time.Unix(at, 0).In(loc)
		for _, p := range profiles {
			s, err := Parse(expr, p)
			if err != nil {
				continue
			}
			var next, prev time.Time
			cheap(t, "Next", func() { next = s.Next(after) })
			if next.IsZero() {
				continue
			}
			require.True(t, next.After(after), "%v %q after %v: %v", p, expr, after, next)
			require.LessOrEqual(t, next.Year(), after.Year()+horizon+1)
			require.Equal(t, loc, next.Location())
			if p == XXL34 && s.special {
				continue // its times depend on where the search starts
			}
			require.Equal(t, next, s.Prev(next.Add(1)), "%v %q: just after %v", p, expr, next)
			cheap(t, "Prev", func() { prev = s.Prev(next) })
			if prev.IsZero() {
				continue
			}
			require.True(t, prev.Before(next))
			require.Equal(t, next, s.Next(prev), "%v %q: %v lies before %v", p, expr, prev, next)
		}
	})
}

func FuzzParsePlan(f *testing.F) {
	for _, kind := range []string{None, Cron, FixRate, FixDelay, Once} {
		for _, conf := range []string{"", "5", "0.1", "2147483647.000", "0 0 9 * * ?", "2026-03-01T09:00:00+08:00"} {
			f.Add(kind, conf, int64(1_768_000_000_000_000_000))
		}
	}
	f.Fuzz(func(t *testing.T, kind, conf string, ns int64) {
		p, err := ParsePlan(kind, conf, time.UTC)
		if err != nil {
			require.LessOrEqual(t, len(err.Error()), 600)
			return
		}
		after := time.Unix(0, ns)
		if next := p.Next(after); !next.IsZero() {
			require.True(t, next.After(after))
			require.Equal(t, time.UTC, next.Location())
		}
	})
}
