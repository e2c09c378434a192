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

// TestTheListHasTheJobsThatTheMemoryMoved claims such jobs in parts. None is forgotten, and none of
// another node takes a place.
func TestTheListHasTheJobsThatTheMemoryMoved(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000).UTC()
	const ahead = 5 * time.Second
	f := &front{m: newMemory()}
	for id := range int64(6) {
		j := f.m.addJob(&xxladapter.Job{ID: id})
		f.m.moveJob(j, time.Time{}, now.Add(time.Duration(6-id)*time.Second/2), true)
	}
	for i := range f.m.owners {
		f.m.owners[i] = "n1"
	}
	f.due = dueList{node: "n1", ahead: ahead, at: now, all: true, whole: true, ids: []int64{7}}

	serves, whole := f.listDirty("n1", ahead, 2, now)
	require.True(t, serves && whole)
	ids, rest := f.take(f.due, 2, now)
	require.Equal(t, []int64{5, 4, 7}, ids, "earliest first")
	f.due = rest
	f.m.moveJob(f.m.jobs[5], now, now.Add(ahead-time.Millisecond), true)
	f.m.moveJob(f.m.jobs[4], now, now.Add(ahead+time.Millisecond), true)
	serves, _ = f.listDirty("n1", ahead, 2, now)
	require.True(t, serves, "although the query's part is empty")
	require.Equal(t, []int64{3, 2, 1, 0, 5}, f.due.dirty)
	f.listDirty("n1", ahead, 2, now)
	require.Equal(t, []int64{3, 2, 1, 0, 5}, f.due.dirty)
	f.listDirty("n1", ahead, 2, now.Add(time.Millisecond))
	require.Contains(t, f.due.dirty, int64(4))

	f.m.owners[xxladapter.PartitionOf(1)] = "n2"
	f.m.moveJob(f.m.jobs[1], now, now.Add(time.Second), true)
	_, whole = f.listDirty("n1", ahead, 2, now)
	require.False(t, whole)
	require.Equal(t, []int64{3, 2, 0, 5}, f.due.dirty, "another node owns job 1")
	f.m.moveJob(f.m.jobs[1], now, now.Add(time.Second-time.Millisecond), true)
	f.listDirty("n1", ahead, 2, now)
	require.Contains(t, f.due.dirty, int64(1), "its node seems to be away")
}
