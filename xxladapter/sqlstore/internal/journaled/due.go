package journaled

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
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
	ids, rest, pinned, err := f.findDue(ctx, by, ahead, limit)
	defer pinned()
	if err != nil {
		return nil, 0, err
	}
	err = f.act(ctx, need{jobs: ids, ids: claimIDs}, func(a *act, _ answer) error {
		planned, claimed = nil, 0
		if !a.m.holds(by, a.now) {
			return transition.Fenced(by)
		}
		until := milli(a.now.Add(ahead))
		due := a.m.due(a.m.partitionsOf(by.Node), until, orphanedBefore(a.now, ahead), ids)
		f.due = rest
		f.due.whole = rest.whole && a.m.partitionsOf(by.Node) == xxladapter.AllPartitions
		due, more := due[:min(limit, len(due))], due[min(limit, len(due)):]
		claimed = len(due)
		if claimed == 0 {
			return nil
		}
		read := make(map[int64]*job, len(due)) // jobs that were read and not decided yet
		copies, shown := make([]xxladapter.Job, len(due)), make([]*xxladapter.Job, len(due))
		for i, j := range due {
			read[j.ID] = j
			copies[i] = copyJob(j.Job)
			copies[i].Restrictions = a.m.restrictions
			shown[i] = &copies[i]
		}
		decisions := decide(a.now, shown)
		planned, a.buf = slices.Grow(planned, len(decisions)), slices.Grow(a.buf, decisionSize*len(decisions))
		for _, d := range decisions {
			if j := read[d.JobID]; j != nil {
				delete(read, d.JobID)
				planned = a.decided(j, withoutDoubt(d, j.Job, a.m.doubt, a.now), by.Node, planned)
			}
		}
		// A job that is still due, without a decision or after one, stays in the list.
		due = slices.DeleteFunc(due, func(j *job) bool { return !j.isDue(until) })
		f.due.ids = rest.ids
		if len(due)+len(more) > 0 {
			f.due.ids = unique(idsOf(due), idsOf(more), rest.ids)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return planned, claimed, nil
}

// decisionSize is how many bytes a record needs for most decisions.
const decisionSize = 80

// decided stores a decision and adds the fires that it planned to planned.
func (a *act) decided(j *job, d xxladapter.Decision, node string, planned []xxladapter.Fire) []xxladapter.Fire {
	before, defers := records.MovedJobOf(j.Job), a.shared && deferrable(&d)
	if !defers {
		a.m.releaseAll(j.ID)
	}
	a.move(j, d.Last, d.Next, !d.Stop)
	for i, f := range d.Fires {
		f.JobID = d.JobID
		if i > 0 {
			before.Last, before.Next = database.ToMilli(d.Fires[i-1].Due), database.ToMilli(f.Due)
		}
		if f, ok := a.planDue(f); ok {
			planned = append(planned, f)
			if defers {
				a.m.deferFire(f.ID, before)
			}
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

// A dueList has the jobs that a query has found due and that no claim has decided yet, earliest
// first. A burst takes many claims, and while the tables lag behind, each query would read most of
// the burst again.
type dueList struct {
	ids   []int64
	dirty []int64 // likewise; found in the memory, because the tables have older times
	node  string
	ahead time.Duration
	at    time.Time // of the query, by the store's clock
	epoch int64     // of the front at the query
	all   bool      // the query has found all that were due
	// whole says that the node had all partitions, so that no claim has passed over a job.
	whole bool
}

// dueRoom is how many due jobs a query reads if the claim takes fewer. It has room for a whole
// burst of 100,000 jobs, since a query that reads so many costs as much as ten claims.
const dueRoom = 1 << 17

// listLife returns how long a list is used. What becomes due within the window meanwhile is not in
// it, and is found well before it is due. Jobs of other partitions are found later, with a fifth of
// the window left. all says that the node owns all partitions, so that there are no such jobs.
func listLife(ahead time.Duration, all bool) time.Duration {
	if all {
		return ahead * 2 / 5
	}
	return ahead / 5
}

// serves reports whether a claim may do without a query.
//
// REQUIRES: f.mu is held.
func (f *front) serves(node string, ahead time.Duration, limit int, now time.Time) bool {
	l := &f.due
	return len(l.ids)+len(l.dirty) > 0 && (l.all || len(l.ids) >= limit) && l.node == node && l.ahead == ahead &&
		l.epoch == f.epoch &&
		now.Sub(l.at).Abs() < listLife(ahead, f.m.partitionsOf(node) == xxladapter.AllPartitions)
}

// take returns up to limit jobs of each part of a list that are not behind, and the list without
// them. Those that are behind stay in it, since they may be settled.
//
// REQUIRES: f.mu is held.
func (f *front) take(l dueList, limit int, now time.Time) (ids []int64, rest dueList) {
	before := behindBefore(now)
	rest = l
	dirty, left := f.takeIDs(l.dirty, limit, before)
	rest.dirty = left
	listed, left := f.takeIDs(l.ids, limit, before)
	rest.ids = left
	return unique(dirty, listed), rest
}

// takeIDs returns up to limit jobs of a list that are not behind, and the list without them.
//
// REQUIRES: f.mu is held.
func (f *front) takeIDs(from []int64, limit int, before time.Time) (ids, rest []int64) {
	var behind []int64
	for len(from) > 0 && len(ids) < limit {
		id := from[0]
		from = from[1:]
		if f.m.isBehind(id, before) {
			behind = append(behind, id)
		} else {
			ids = append(ids, id)
		}
	}
	if len(behind) > 0 {
		from = append(behind, from...)
	}
	return ids, from
}

// behindBefore returns the due time before which a fire puts its job behind.
func behindBefore(now time.Time) time.Time { return milli(now.Add(-xxladapter.BehindAfter)) }

// findDue returns jobs that may be due and are not behind, up to limit from each part of the list,
// and the list of the others. What it has read is valid until pinned is called.
func (f *front) findDue(
	ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
) (ids []int64, rest dueList, pinned func(), err error) {
	pinned = func() {}
	if err := f.enter(ctx); err != nil {
		return nil, dueList{}, pinned, err
	}
	defer f.running.Done()
	if err := f.lock(ctx); err != nil {
		return nil, dueList{}, pinned, err
	}
	since := f.pin()
	pinned = func() {
		f.mu.Lock()
		f.unpin(since)
		f.mu.Unlock()
	}
	now := f.Clock()
	serves, whole := f.listDirty(by.Node, ahead, limit, now)
	if serves {
		ids, rest = f.take(f.due, limit, now)
		f.mu.Unlock()
		return ids, rest, pinned, nil
	}
	moved, behind, room := len(f.m.dirtyJob), f.behind, max(limit, dueRoom)
	rest = dueList{node: by.Node, ahead: ahead, epoch: f.epoch, dirty: f.due.dirty, whole: whole}
	dirty := maps.Clone(f.m.dirtyJob)
	f.mu.Unlock()
	for {
		// The tables may still have an earlier time of every job that the memory has moved, and do
		// not say which jobs are behind. So the query's limit leaves room for both.
		now, most := f.Clock(), room+moved+behind
		due, err := f.store.FindDue(with(ctx, own), by.Node, now, ahead, most)
		if err != nil {
			return nil, dueList{}, pinned, err
		}
		rest.at, rest.all = now, len(due) < most
		rest.ids = slices.DeleteFunc(due, func(id int64) bool { return dirty[id] != nil })
		f.mu.Lock()
		behind = 0
		before := behindBefore(now)
		for _, id := range rest.ids {
			if f.m.isBehind(id, before) {
				behind++
			}
		}
		f.behind = behind
		if rest.all || room+moved+behind <= most {
			ids, rest = f.take(rest, limit, now)
			f.mu.Unlock()
			return ids, rest, pinned, nil
		}
		f.mu.Unlock()
	}
}

// listDirty updates the part of f.due with the jobs that the memory has moved. It reports whether
// f.due serves the claim, and whether the node has all partitions. Only the list of a node with all
// partitions keeps such jobs: any other node passes over jobs of other partitions, which must be
// found again.
//
// REQUIRES: f.mu is held.
func (f *front) listDirty(node string, ahead time.Duration, limit int, now time.Time) (serves, whole bool) {
	owned := f.m.partitionsOf(node)
	serves, whole = f.serves(node, ahead, limit, now), owned == xxladapter.AllPartitions
	if !serves || !whole || !f.due.whole {
		f.m.soonest, f.due.dirty = time.Time{}, nil
	}
	until := milli(now.Add(ahead))
	if more := f.m.dueDirty(until); len(more) > 0 {
		f.due.dirty = unique(idsOf(f.m.due(owned, until, orphanedBefore(now, ahead), more)), f.due.dirty)
	}
	return serves, whole
}

// orphanedBefore returns the time before which a due job is claimed although another node owns it.
func orphanedBefore(now time.Time, ahead time.Duration) time.Time { return milli(now.Add(ahead / 5)) }

// unique joins lists and leaves out duplicates: a job that the memory has moved may be in two
// lists.
func unique(lists ...[]int64) (ids []int64) {
	seen := map[int64]bool{}
	for _, list := range lists {
		for _, id := range list {
			if !seen[id] {
				seen[id], ids = true, append(ids, id)
			}
		}
	}
	return ids
}

func idsOf(jobs []*job) []int64 {
	ids := make([]int64, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// due returns those of the jobs that are due, earliest first: those of the partitions whose next
// trigger time is at most until, and those of other partitions whose time is before orphaned. It
// returns none if there are no partitions.
func (m *memory) due(partitions xxladapter.PartitionSet, until, orphaned time.Time, ids []int64) (due []*job) {
	if partitions == 0 {
		return nil
	}
	for _, id := range ids {
		j := m.jobs[id]
		if j != nil && j.isDue(until) && (partitions.HasJob(id) ||
			j.TriggerNext.Before(orphaned)) {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, func(a, b *job) int {
		return cmp.Or(a.TriggerNext.Compare(b.TriggerNext), cmp.Compare(a.ID, b.ID))
	})
	return due
}
