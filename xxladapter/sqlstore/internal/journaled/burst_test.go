package journaled

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheTablesWaitForABurst checks when they do, and for how long.
func TestTheTablesWaitForABurst(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		change func(f *front, followed *time.Time)
		want   bool
	}{
		"claims work off a list":           {func(*front, *time.Time) {}, true},
		"the list is empty":                {func(f *front, _ *time.Time) { f.due.ids = nil }, false},
		"the tables have changed":          {func(f *front, _ *time.Time) { f.epoch++ }, false},
		"no claim has come for long":       {func(f *front, _ *time.Time) { f.due.at = now.Add(-burstLag) }, false},
		"the tables lag":                   {func(_ *front, followed *time.Time) { *followed = now.Add(-burstLag) }, false},
		"another process has had the pen":  {func(f *front, _ *time.Time) { f.shared.loaded = now.Add(-burstAlone / 2) }, false},
		"a journal of one process's own":   {func(f *front, _ *time.Time) { f.shared = nil }, false},
		"some time ago, and not very long": {func(_ *front, followed *time.Time) { *followed = now.Add(-burstLag / 2) }, true},
	} {
		f := &front{Options: Options{Clock: func() time.Time { return now }}, shared: &shared{loaded: now.Add(-time.Minute)}}
		f.due = dueList{ids: []int64{1}, at: now}
		followed := now
		c.change(f, &followed)
		require.Equal(t, c.want, f.inBurst(followed, now), name)
	}
}
