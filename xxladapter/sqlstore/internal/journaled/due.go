package journaled

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// ClaimDue implements [xxladapter.Store]. decide runs with the memory locked, so it must not call
// the store.
//
// The tables name the due jobs, since they have the index of due times, and the memory corrects
// them by the times that the tables lack.
func (s *Store) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) (planned []xxladapter.Fire, claimed int, err error) {

	f := s.front
	if err := f.tooFarBehind(); err != nil {
		return nil, 0, err
	}
	if f.besideJava() {
		return s.claimInTables(ctx, by, ahead, limit, decide)
	}
	ids, pinned, err := f.findDue(ctx, by, ahead, limit)
	defer pinned()
	if err != nil {
		return nil, 0, err
	}
	err = f.act(ctx, need{jobs: ids, ids: claimIDs}, func(a *act, _ answer) error {
		if !a.m.holds(by, a.now) {
			return transition.Fenced(by)
		}
		due := a.m.due(a.m.shardsOf(by.Node), milli(a.now.Add(ahead)), milli(a.now.Add(ahead/5)), ids)
		due = due[:min(limit, len(due))]
		claimed = len(due)
		if claimed == 0 {
			return nil
		}
		read := make(map[int64]*job, len(due)) // jobs that were read and not decided yet
		shown := make([]*xxladapter.Job, len(due))
		for i, j := range due {
			read[j.ID] = j
			shown[i] = copyJob(&j.Job)
			shown[i].Restrictions = a.m.restrictions
		}
		decisions := decide(a.now, shown)
		for _, d := range decisions {
			if j := read[d.JobID]; j != nil {
				delete(read, d.JobID)
				planned = a.decided(j, withoutDoubt(d, &j.Job, a.m.doubt, a.now), by.Node, planned)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return planned, claimed, nil
}

// decided stores a decision and adds the fires that it planned to planned.
func (a *act) decided(j *job, d xxladapter.Decision, node string, planned []xxladapter.Fire) []xxladapter.Fire {
	a.move(j, d.Last, d.Next, !d.Stop)
	for _, f := range d.Fires {
		f.JobID = d.JobID
		if f, ok := a.planDue(f); ok {
			planned = append(planned, f)
		}
	}
	for _, m := range d.Misfires {
		m.JobID, m.Due, m.Until, m.At = d.JobID, milli(m.Due), milli(m.Until), milli(m.At)
		a.miss(m)
	}
	if d.Stop {
		a.end(stop{node: node, at: milli(a.now), jobID: j.ID, group: j.GroupID, name: j.Name, reason: d.Reason})
	}
	return planned
}

// findDue returns the jobs that may be due and are not behind. What it has read is valid until
// pinned is called.
func (f *front) findDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int) (ids []int64, pinned func(), err error) {
	pinned = func() {}
	if err := f.enter(ctx); err != nil {
		return nil, pinned, err
	}
	defer f.running.Done()
	if err := f.lock(ctx); err != nil {
		return nil, pinned, err
	}
	since := f.pin()
	pinned = func() {
		f.mu.Lock()
		f.unpin(since)
		f.mu.Unlock()
	}
	for id := range f.m.dirtyJob {
		ids = append(ids, id)
	}
	moved, behind := len(ids), f.behind
	f.mu.Unlock()
	for {
		// The tables may still have an earlier time of every job that the memory has moved, and do
		// not say which jobs are behind. So the query's limit leaves room for both.
		now, most := f.Clock(), limit+moved+behind
		due, err := f.store.FindDue(with(ctx, own), by.Node, now, ahead, most)
		if err != nil {
			return nil, pinned, err
		}
		found := append(ids[:moved:moved], due...)
		slices.Sort(found)
		found = slices.Compact(found)
		all := len(found)
		f.mu.Lock()
		before := milli(now.Add(-xxladapter.BehindAfter))
		found = slices.DeleteFunc(found, func(id int64) bool { return f.m.isBehind(id, before) })
		behind = all - len(found)
		f.behind = behind
		f.mu.Unlock()
		if len(due) < most || limit+moved+behind <= most {
			return found, pinned, nil
		}
	}
}

// due returns those of the jobs that are due, earliest first: those of the shards whose next
// trigger time is at most until, and those of other shards whose time is before orphaned.
func (m *memory) due(shards xxladapter.ShardSet, until, orphaned time.Time, ids []int64) (due []*job) {
	if shards == 0 {
		return nil
	}
	for _, id := range ids {
		j := m.jobs[id]
		if j != nil && j.Running && !j.TriggerNext.After(until) && (shards.HasJob(id) || j.TriggerNext.Before(orphaned)) {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, func(a, b *job) int {
		return cmp.Or(a.TriggerNext.Compare(b.TriggerNext), cmp.Compare(a.ID, b.ID))
	})
	return due
}
