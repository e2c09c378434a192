package journaled

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestOneQueryServesTheClaimsOfABurst checks which claims do without a query, and what a list has
// after them.
func TestOneQueryServesTheClaimsOfABurst(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000).UTC()
	f := &front{m: newMemory(), epoch: 3}
	f.m.fires.add(&fire{Fire: xxladapter.Fire{
		ID: 1, JobID: 2, Due: now.Add(-time.Hour), Type: xxladapter.TriggerCron, State: xxladapter.FirePlanned,
	}})
	list := dueList{ids: []int64{1, 2, 3, 4, 5}, node: "n1", ahead: 5 * time.Second, at: now, epoch: 3, all: true}

	ids, rest := f.take(list, 3, now)
	require.Equal(t, []int64{1, 3, 4}, ids, "a job that is behind takes no place")
	require.Equal(t, []int64{2, 5}, rest.ids, "it may be settled meanwhile")
	ids, rest = f.take(rest, 3, now)
	require.Equal(t, []int64{5}, ids)
	require.Equal(t, []int64{2}, rest.ids)

	for name, c := range map[string]struct {
		change func(l *dueList)
		limit  int
		want   bool
	}{
		"fresh":                              {func(*dueList) {}, 3, true},
		"fewer than the claim takes":         {func(*dueList) {}, 9, true},
		"fewer, and the tables have more":    {func(l *dueList) { l.all = false }, 9, false},
		"enough":                             {func(l *dueList) { l.all = false }, 5, true},
		"nothing left":                       {func(l *dueList) { l.ids = nil }, 3, false},
		"another node":                       {func(l *dueList) { l.node = "n2" }, 3, false},
		"another window":                     {func(l *dueList) { l.ahead = time.Second }, 3, false},
		"the tables have changed":            {func(l *dueList) { l.epoch = 2 }, 3, false},
		"a second old":                       {func(l *dueList) { l.at = now.Add(-time.Second) }, 3, false},
		"not quite a second old":             {func(l *dueList) { l.at = now.Add(-999 * time.Millisecond) }, 3, true},
		"from before the clock was set back": {func(l *dueList) { l.at = now.Add(time.Second) }, 3, false},
	} {
		f.due = list
		c.change(&f.due)
		require.Equal(t, c.want, f.serves("n1", 5*time.Second, c.limit, now), name)
	}
	require.Equal(t, []int64{3, 1, 2}, unique([]int64{3, 1}, []int64{1, 2, 3}), "no job is shown twice")
	for i := range f.m.owners {
		f.m.owners[i] = "n1"
	}
	f.due = list
	f.due.at = now.Add(-1999 * time.Millisecond)
	require.True(t, f.serves("n1", 5*time.Second, 3, now), "no job is in a partition of another node")
	f.due.at = now.Add(-2 * time.Second)
	require.False(t, f.serves("n1", 5*time.Second, 3, now))
	f.due = list
	f.due.ahead = 0
	require.False(t, f.serves("n1", 0, 3, now), "what becomes due at this moment is found")
}
