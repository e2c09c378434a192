package cron

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// makeZone creates a zone that has offsets[0] at first, and offsets[i+1] from changes[i] on.
// Offsets are in seconds east of UTC, changes in Unix time. The format is version 1 of RFC 8536.
func makeZone(t require.TestingT, changes []int64, offsets []int) *time.Location {
	b := append([]byte("TZif"), make([]byte, 16)...)
	count := func(n int) { b = binary.BigEndian.AppendUint32(b, uint32(n)) }
	count(0)
	count(0)
	count(0)
	count(len(changes))
	count(len(offsets))
	count(4)
	for _, c := range changes {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(c)))
	}
	for i := range changes {
		b = append(b, byte(i+1))
	}
	for _, o := range offsets {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(o)))
		b = append(b, 0, 0)
	}
	loc, err := time.LoadLocationFromTZData("odd", append(b, "ODD\x00"...))
	require.NoError(t, err)
	return loc
}

// drawOddZone draws a zone with a few clock changes, and returns the zone and the changes. apart is
// the least time between two changes, in seconds.
func drawOddZone(t *rapid.T, apart int64) (*time.Location, []time.Time) {
	const start = 1_700_000_000
	offset := rapid.Custom(func(t *rapid.T) int { return 900 * rapid.IntRange(-4*12, 4*14).Draw(t, "quarters") })
	at, unix, offsets := int64(start), []int64(nil), []int{offset.Draw(t, "offset")}
	for range rapid.IntRange(1, 5).Draw(t, "changes") {
		at += apart + 60*rapid.Int64Range(0, 2000).Draw(t, "minutes apart")
		unix, offsets = append(unix, at), append(offsets, offset.Draw(t, "offset"))
	}
	loc := makeZone(t, unix, offsets)
	var out []time.Time
	for _, u := range unix {
		out = append(out, time.Unix(u, 0).In(loc))
	}
	return loc, out
}

// TestOddZones draws clock changes of any size, up to more than a day, so far apart that they do
// not interact, and compares with a scan of every second.
func TestOddZones(t *testing.T) {
	const window = 26 * 3600
	rapid.Check(t, func(t *rapid.T) {
		loc, all := drawOddZone(t, 4*24*3600)
		gaps := make(map[int64]bool)
		for _, c := range all {
			gaps[c.Unix()] = true
		}
		m := &model{date: func(int, int, int) bool { return true }, second: map[int]bool{7: true}}
		var minutes, hours string
		minutes, m.minute = drawList(t, "minutes", 0, 59, 59, nil)
		hours, m.hour = drawList(t, "hours", 0, 23, 23, nil)
		m.hourSteps = strings.ContainsAny(hours, "*/")
		m.text = "7 " + minutes + " " + hours + " * * ?"
		p := rapid.SampledFrom([]Profile{Quartz, Sane}).Draw(t, "profile")
		s, err := Parse(m.text, p)
		require.NoError(t, err)

		change := rapid.SampledFrom(all).Draw(t, "change")
		at := change.Add(time.Duration(rapid.IntRange(-30*3600, 30*3600).Draw(t, "seconds from change")) * time.Second)
		from := at
		if same := instants(at, loc); p == Quartz {
			from = same[len(same)-1]
		}
		for n := 1; n < window; n++ {
			if u := from.Add(time.Duration(n) * time.Second); m.fires(p, u, gaps) {
				require.Equal(t, u, s.Next(at), "%v: %q after %v", p, m.text, at)
				break
			}
		}
		for n := 1; n < window; n++ {
			if u := at.Add(time.Duration(-n) * time.Second); m.fires(p, u, gaps) {
				require.Equal(t, u, s.Prev(at), "%v: %q before %v", p, m.text, at)
				break
			}
		}
	})
}

// TestCrowdedChanges draws changes so close together that a repeated time may be skipped the second
// time. No real zone is like that; the promise that remains is that the search ends and makes
// progress.
func TestCrowdedChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, all := drawOddZone(t, 60)
		m := drawModel(t)
		for _, p := range []Profile{Quartz, XXL34, Sane} {
			s, err := Parse(m.text, p)
			require.NoError(t, err)
			at := all[0].Add(-36 * time.Hour)
			for range 50 {
				next := s.Next(at)
				if next.IsZero() {
					break
				}
				require.True(t, next.After(at), "%v: %q after %v gives %v", p, m.text, at, next)
				if prev := s.Prev(at); !prev.IsZero() {
					require.True(t, prev.Before(at), "%v: %q before %v gives %v", p, m.text, at, prev)
				}
				at = next
			}
		}
	})
}
