package events

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// manyRuns and manyJobs limit the new runs and the changed jobs that one poll names. A poll
	// that finds more runs, or manyJobs jobs, reports instead that any run or job may have changed.
	manyRuns = 200
	manyJobs = 200
	// openRuns limits the open runs that are followed to the newest ones. The end of an older run
	// is noticed by the daily figures, which do not name the run.
	openRuns = 500
	// latePolls is for how many polls an id is looked for that a later one has overtaken: a
	// database counts ids when rows are written, and shows them when their transactions commit, in
	// any order. Most such ids never appear, because their transactions were rolled back.
	latePolls = 10
	// overlap is how far before the last look a poll begins to look for changed jobs:
	// [xxladapter.TouchedAt] may move a change ahead of the clock, and a Java admin's clock may
	// differ.
	overlap = 5 * time.Second
	// share limits the reads of changed jobs to 1/share of the time. On MySQL, where no index
	// helps, a store of a million jobs is thus read less often.
	share = 20
)

// A view holds the state at the last poll, with which the next one is compared.
type view struct {
	marks xxladapter.Marks
	jobs  map[int64]time.Time          // the times of change of the jobs that changed last
	open  map[int64]xxladapter.RunMark // runs that have not ended
	late  map[int64]int                // ids of runs that may still appear, and for how many polls
	// early is how many runs were seen to have ended that marks does not count yet: they ended
	// between the reads of one poll.
	early int64
	read  time.Time // the store's clock when jobs were read last
	rest  time.Time // changed jobs are not read before this time of the local clock
}

// look returns the first view of a store.
func look(ctx context.Context, store xxladapter.ChangeStore, now time.Time) (v view, err error) {
	if v.marks, err = store.Marks(ctx); err != nil {
		return v, err
	}
	if err = v.changedJobs(ctx, store, now, nil); err != nil {
		return v, err
	}
	recent, err := store.NewRuns(ctx, v.marks.Run-openRuns, openRuns)
	v.open, v.late = map[int64]xxladapter.RunMark{}, map[int64]int{}
	v.follow(recent)
	v.await(v.marks.Run-openRuns, recent)
	return v, err
}

// poll brings the view up to date and returns what has changed. An error leaves the view as it is,
// so that the next poll finds the same changes.
func (v *view) poll(ctx context.Context, store xxladapter.ChangeStore, now time.Time) (found []Event, err error) {
	next := *v
	next.open, next.late = maps.Clone(v.open), maps.Clone(v.late)
	if next.marks, err = store.Marks(ctx); err != nil {
		return nil, err
	}
	if err = next.changedJobs(ctx, store, now, &found); err != nil {
		return nil, err
	}
	ended, err := next.changedRuns(ctx, store, v.marks, &found)
	if err != nil {
		return nil, err
	}
	seen := v.early + ended
	if counted := next.marks.Ended - v.marks.Ended; counted < 0 || counted > seen {
		next.early = 0
		if some := (Event{Topic: TopicRun}); !slices.Contains(found, some) {
			found = append(found, some)
		}
	} else {
		next.early = min(ended, seen-counted)
	}
	for _, other := range []struct {
		topic Topic
		moved bool
	}{
		{TopicJob, next.marks.Removed != v.marks.Removed},
		{TopicMisfire, next.marks.Misfire != v.marks.Misfire},
		{TopicGroup, next.marks.Groups != v.marks.Groups},
		{TopicNode, next.marks.Nodes != v.marks.Nodes},
		{TopicPause, next.marks.Pauses != v.marks.Pauses},
	} {
		if other.moved {
			found = append(found, Event{Topic: other.topic})
		}
	}
	*v = next
	return found, nil
}

// changedJobs reads the jobs that were changed since they were read last, and adds their events to
// found; nil means that none are wanted.
func (v *view) changedJobs(ctx context.Context, store xxladapter.ChangeStore, now time.Time, found *[]Event) error {
	begun := time.Now()
	if begun.Before(v.rest) {
		return nil
	}
	since := now
	if !v.read.IsZero() {
		since = v.read
	}
	changed, err := store.ChangedJobs(ctx, since.Add(-overlap), manyJobs)
	if err != nil {
		return err
	}
	seen := make(map[int64]time.Time, len(changed))
	for _, m := range changed {
		seen[m.ID] = m.Updated
		if found != nil && !v.jobs[m.ID].Equal(m.Updated) && len(changed) < manyJobs {
			*found = append(*found, jobEvent(m))
		}
	}
	if found != nil && len(changed) == manyJobs && !maps.EqualFunc(seen, v.jobs, time.Time.Equal) {
		*found = append(*found, Event{Topic: TopicJob})
	}
	v.jobs, v.read = seen, now
	v.rest = begun.Add(share * time.Since(begun))
	return nil
}

// changedRuns reads new runs, those that were open, and those that may have been committed late.
// ended is how many of them have ended.
func (v *view) changedRuns(
	ctx context.Context, store xxladapter.ChangeStore, was xxladapter.Marks, found *[]Event,
) (ended int64, err error) {
	if len(v.open)+len(v.late) > 0 {
		ids := slices.AppendSeq(slices.Collect(maps.Keys(v.open)), maps.Keys(v.late))
		slices.Sort(ids)
		marks, err := store.RunMarks(ctx, ids)
		if err != nil {
			return 0, err
		}
		is := map[int64]xxladapter.RunMark{}
		for _, m := range marks {
			is[m.ID] = m
		}
		for _, id := range ids {
			m, there := is[id]
			before, known := v.open[id]
			switch {
			case there && m != before:
				*found = append(*found, runEvent(m))
			case known && !there: // deleted with its job
				*found = append(*found, runEvent(before))
			}
			if left := v.late[id] - 1; there || left <= 0 {
				delete(v.late, id)
			} else {
				v.late[id] = left
			}
			ended += endOf(m)
			delete(v.open, id)
		}
		v.follow(marks)
	}
	if v.marks.Run == was.Run {
		return ended, nil
	}
	after := was.Run
	if v.marks.Run-after > manyRuns {
		*found = append(*found, Event{Topic: TopicRun})
		after = v.marks.Run - manyRuns
	}
	begun, err := store.NewRuns(ctx, after, manyRuns)
	if err != nil {
		return 0, err
	}
	for _, m := range begun {
		ended += endOf(m)
		if after == was.Run {
			*found = append(*found, runEvent(m))
		}
		v.marks.Run = max(v.marks.Run, m.ID)
	}
	v.follow(begun)
	v.await(after, begun)
	return ended, nil
}

// await adds the ids above after that are not among runs, though later ones are, to those that are
// looked for, and keeps the highest manyRuns of all.
//
// REQUIRES: runs are ordered by id.
func (v *view) await(after int64, runs []xxladapter.RunMark) {
	if len(runs) == 0 {
		return
	}
	last := runs[len(runs)-1].ID
	for id := max(after, last-manyRuns, 0) + 1; id < last; id++ {
		if _, there := slices.BinarySearchFunc(runs, id, func(m xxladapter.RunMark, id int64) int {
			return cmp.Compare(m.ID, id)
		}); !there {
			v.late[id] = latePolls
		}
	}
	for _, id := range slices.Sorted(maps.Keys(v.late))[:max(0, len(v.late)-manyRuns)] {
		delete(v.late, id)
	}
}

// endOf returns 1 for a run that has ended, and 0 for others.
func endOf(m xxladapter.RunMark) int64 {
	if m.Open() {
		return 0
	}
	return 1
}

// follow adds the runs that are open to the view, and keeps the newest openRuns of all.
func (v *view) follow(runs []xxladapter.RunMark) {
	for _, m := range runs {
		if m.Open() {
			v.open[m.ID] = m
		}
	}
	for _, id := range slices.Sorted(maps.Keys(v.open))[:max(0, len(v.open)-openRuns)] {
		delete(v.open, id)
	}
}
