package alarm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// stepsOf parses a story: F is a failed run, R one with a retry to follow, O an old one, S a
// success. Log ids count from first.
func stepsOf(first int64, story string) []step {
	var steps []step
	for i, c := range story {
		s := step{logID: first + int64(i)}
		switch c {
		case 'S':
			s.ok = true
		case 'R':
			s.retries = 1
		case 'O':
			s.old = true
		case '.': // a run that is still open
			continue
		}
		steps = append(steps, s)
	}
	return steps
}

// told shows what a verdict does to each run of a story: A alarm, q quiet, V recovered, - nothing.
func told(first int64, story string, v verdict) string {
	out := []byte(strings.Repeat("-", len(story)))
	for _, id := range v.quiet {
		out[id-first] = 'q'
	}
	for _, id := range v.alarm {
		out[id-first] = 'A'
	}
	if v.recovered != 0 {
		out[v.recovered-first] = 'V'
	}
	return string(out)
}

func TestRules(t *testing.T) {
	each := xxladapter.Settings{}
	eachBack := xxladapter.Settings{AlarmRecovered: true}
	last := xxladapter.Settings{AlarmOn: xxladapter.AlarmLastRetry}
	lastBack := xxladapter.Settings{AlarmOn: xxladapter.AlarmLastRetry, AlarmRecovered: true}
	three := xxladapter.Settings{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 3}
	threeBack := xxladapter.Settings{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 3, AlarmRecovered: true}
	one := xxladapter.Settings{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 1}
	never := xxladapter.Settings{AlarmOn: xxladapter.AlarmNever, AlarmRecovered: true}

	for _, tt := range []struct {
		rule  xxladapter.Settings
		story string // spaces separate polls
		told  string
	}{
		// Every failed attempt.
		{each, "F", "A"},
		{each, "RF", "AA"},
		{each, "F S F", "A - A"},
		{each, "OF", "qA"},
		{xxladapter.Settings{AlarmOn: xxladapter.AlarmEach}, "FF F", "AA A"},

		// The last attempt of each trigger.
		{last, "RRF", "qqA"},
		{last, "R R F", "q q A"},
		{last, "RRS", "qq-"},
		{last, "F F", "A A"},
		{last, "O", "q"},

		// The third in a row, whatever the number of polls.
		{three, "FFF", "qqA"},
		{three, "F F F", "q q A"},
		{three, "FF F F F", "qq A q q"},
		{three, "FFFFFF", "qqAqqq"},
		{three, "FFSFF", "qq-qq"},
		{three, "FF S FFF", "qq - qqA"},
		{three, "FFFSFFF", "qqA-qqA"},
		{three, "RRF", "qqA"}, // attempts are runs
		{three, "F.F.F", "q-q-A"},
		{three, "OOF", "qqA"}, // an old failure counts, and is not reported
		{three, "FFO F", "qqq A"},
		{one, "F F S F", "A q - A"},

		// Recoveries, each reported once.
		{eachBack, "F S S", "A V -"},
		{eachBack, "FS", "AV"},
		{eachBack, "F FFS", "A AAV"},
		{eachBack, "FSF", "A-A"}, // failing again already
		{eachBack, "FSFS", "A-AV"},
		{eachBack, "S S", "- -"},
		{eachBack, "OS", "q-"}, // nothing was reported
		{lastBack, "RS", "q-"},
		{lastBack, "RF S", "qA V"},
		{threeBack, "FFS", "qq-"},
		{threeBack, "FFF F S F", "qqA q V q"},
		{threeBack, "FFF SF FFS", "qqA Vq qA" + "V"}, // recovery and new failure in one poll
		{threeBack, "FFF SFFF", "qqA -qqA"},

		// No alarms.
		{never, "F F S", "q q -"},
	} {
		t.Run(fmt.Sprintf("%s%d/%s", tt.rule.AlarmOn, tt.rule.AlarmAfter, tt.story), func(t *testing.T) {
			var state xxladapter.AlarmState
			first := int64(10)
			var got []string
			for look := range strings.SplitSeq(tt.story, " ") {
				v := judge(tt.rule, state, stepsOf(first, look))
				got = append(got, told(first, look, v))
				state = v.after
				first += int64(len(look))
			}
			require.Equal(t, tt.told, strings.Join(got, " "))
		})
	}
}

func TestRunsThatEndOutOfOrder(t *testing.T) {
	three := xxladapter.Settings{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 3}
	v := judge(three, xxladapter.AlarmState{}, []step{{logID: 10}, {logID: 14}})
	require.Equal(t, 2, v.after.InARow)

	between := judge(three, v.after, []step{{logID: 12}})
	require.Equal(t, []int64{12}, between.alarm, "it began within the series, so it is the third")
	before := judge(three, v.after, []step{{logID: 9}})
	require.Equal(t, []int64{9}, before.quiet, "it began before the series")
	require.Equal(t, v.after, before.after)

	late := judge(three, v.after, []step{{logID: 12, ok: true}})
	require.Equal(t, v.after, late.after, "a success from within the series does not end it")
	itself := judge(three, v.after, []step{{logID: 14, ok: true}})
	require.Zero(t, itself.after.InARow, "the last judged run became a success")
}

func TestARuleThatWasChangedToNeverTellsNoRecovery(t *testing.T) {
	raised := xxladapter.AlarmState{JobID: 1, Version: 1, Raised: true, InARow: 1, SinceID: 5, LastID: 5}
	never := xxladapter.Settings{AlarmOn: xxladapter.AlarmNever, AlarmRecovered: true}
	v := judge(never, raised, []step{{logID: 6, ok: true}})
	require.Zero(t, v.recovered)
	require.False(t, v.after.Raised)
}

// TestARecoveryIsNotReportedIfALaterPartOfTheSeriesFails puts the recovery and the failure after it
// into different transactions.
func TestARecoveryIsNotReportedIfALaterPartOfTheSeriesFails(t *testing.T) {
	rule := xxladapter.Settings{AlarmRecovered: true}
	for story, recovered := range map[string]int64{
		strings.Repeat("F", maxRows-1) + "S":                                  maxRows,
		strings.Repeat("F", maxRows-1) + "SF":                                 0,
		strings.Repeat("F", maxRows-1) + "SFS":                                maxRows + 2,
		strings.Repeat("F", maxRows-1) + "S" + strings.Repeat("O", 2*maxRows): maxRows,
	} {
		decisions := decide(rule, xxladapter.AlarmState{}, stepsOf(1, story), time.Now())
		for i, d := range decisions {
			want := int64(0)
			if i == len(decisions)-1 {
				want = recovered
			}
			require.Equal(t, want, d.Recovered, "%d of %d", i, len(decisions))
		}
	}
}

// TestDecisionsKeepTogether checks that the same runs are reported however a series is divided into
// transactions.
func TestDecisionsKeepTogether(t *testing.T) {
	rules := []xxladapter.Settings{
		{}, {AlarmRecovered: true}, {AlarmOn: xxladapter.AlarmLastRetry},
		{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 3, AlarmRecovered: true},
	}
	now := time.UnixMilli(1_700_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(rules).Draw(t, "rule")
		story := rapid.StringMatching(`[FRS]{0,700}`).Draw(t, "story")
		want := judge(rule, xxladapter.AlarmState{}, stepsOf(1, story))

		var got verdict
		state := xxladapter.AlarmState{}
		decisions := decide(rule, state, stepsOf(1, story), now)
		for i, d := range decisions {
			require.Equal(t, state.Version, d.Before.Version)
			require.Equal(t, int64(i), d.Before.Version)
			require.LessOrEqual(t, len(d.Alarm)+len(d.Quiet), maxRows)
			if len(d.Alarm) > 0 || d.Recovered != 0 {
				require.Equal(t, now, d.After.Sent)
			}
			got.alarm, got.quiet = append(got.alarm, d.Alarm...), append(got.quiet, d.Quiet...)
			require.True(t, d.Recovered == 0 || i == len(decisions)-1)
			got.recovered = d.Recovered
			state = d.After
			state.Version++
		}
		require.Equal(t, want.alarm, got.alarm)
		require.Equal(t, want.quiet, got.quiet)
		require.Equal(t, want.recovered, got.recovered)
		state.Version, state.Sent = 0, time.Time{}
		require.Equal(t, want.after, state)
	})
}
