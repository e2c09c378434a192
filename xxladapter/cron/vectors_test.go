package cron

import (
	"encoding/csv"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the vectors, on any machine

	"github.com/stretchr/testify/require"
)

// The files in testdata were recorded from the parsers that XXL-JOB shipped. All these parsers
// agree with cron_vectors.csv, except for the L and W faults of 3.1.0 to 3.3.2.

// records returns the rows of a file, without its header, as maps by column.
func records(t testing.TB, name string) []map[string]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var out []map[string]string
	for _, row := range rows[1:] {
		m := make(map[string]string)
		for i, column := range rows[0] {
			m[column] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func instant(t testing.TB, text string, loc *time.Location) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at.In(loc)
}

// next returns the next n times of a schedule, or fewer if it ends, in RFC 3339 and separated by
// spaces.
func next(s *Schedule, after time.Time, n int) string {
	var out []string
	for range n {
		if after = s.Next(after); after.IsZero() {
			break
		}
		out = append(out, after.Format(time.RFC3339))
	}
	return strings.Join(out, " ")
}

// TestVectors checks expressions that XXL-JOB 2.4.2 (CronExpression.java) and the default profile
// read alike.
func TestVectors(t *testing.T) {
	rows := records(t, "cron_vectors.csv")
	require.Len(t, rows, 472)
	for _, p := range []Profile{Quartz, XXL34} {
		for _, row := range rows {
			loc := zone(t, row["zone"])
			s, err := Parse(row["expr"], p)
			require.NoError(t, err, "%v %q", p, row["expr"])
			want := strings.TrimSpace(row["next1"] + " " + row["next2"] + " " + row["next3"])
			got := next(s, instant(t, row["from_rfc3339"], loc), 3)
			require.Equal(t, want, got, "%v %q from %s in %s", p, row["expr"], row["from_rfc3339"], loc)
		}
	}
}

// TestQuirks checks what XXL-JOB accepts although it means nothing in Quartz (3.4.2,
// CronExpression.java).
func TestQuirks(t *testing.T) {
	rows := records(t, "cron_quirks.csv")
	require.Len(t, rows, 62)
	for _, row := range rows {
		loc := zone(t, row["zone"])
		s, err := Parse(row["expr"], XXL34)
		require.NoError(t, err, "%q: %s", row["expr"], row["note"])
		want := strings.TrimSpace(row["next1"] + " " + row["next2"] + " " + row["next3"])
		got := next(s, instant(t, row["from_rfc3339"], loc), 3)
		require.Equal(t, want, got, "%q: %s", row["expr"], row["note"])
	}
}

// TestInvalid checks that what XXL-JOB refuses is refused (2.4.2 to 3.4.2, CronExpression.java),
// except for what only 2.4.2 refuses.
func TestInvalid(t *testing.T) {
	rows := records(t, "cron_invalid.csv")
	require.Len(t, rows, 216)
	for _, row := range rows {
		expr := row["expr"]
		if by := row["rejected_by"]; by != "A" {
			for _, p := range []Profile{Quartz, Sane, XXL34} {
				_, err := Parse(expr, p)
				require.Error(t, err, "%v %q: %s", p, expr, row["reason"])
				var pe *ParseError
				require.True(t, errors.As(err, &pe))
			}
		} else {
			_, err := Parse(expr)
			require.NoError(t, err, "%q", expr)
		}
	}
}

// TestVersionDiffs checks expressions that the parsers of XXL-JOB 2.4.2, 3.3.2 and 3.4.2
// (CronExpression.java) read differently.
func TestVersionDiffs(t *testing.T) {
	rows := records(t, "cron_version_diffs.csv")
	require.Len(t, rows, 70)
	for _, row := range rows {
		loc := zone(t, row["zone"])
		from := instant(t, row["from_rfc3339"], loc)
		check := func(p Profile, want string) {
			s, err := Parse(row["expr"], p)
			if want == "rejected" || want == "" {
				require.Error(t, err, "%v %q", p, row["expr"])
				return
			}
			require.NoError(t, err, "%v %q", p, row["expr"])
			if want == "never" {
				want = ""
			}
			require.Equal(t, want, next(s, from, 3), "%v %q from %v", p, row["expr"], from)
		}
		check(Quartz, row["intended"])
		check(XXL34, row["dialect_C_ge_3.4.0"])
	}
}
