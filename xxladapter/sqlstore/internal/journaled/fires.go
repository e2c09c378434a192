package journaled

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A fire is an open fire in memory.
type fire struct {
	xxladapter.Fire
	version int   // counts its changes
	born    int64 // the number of the record that added it; 0 if it came from the tables

	before   *database.MovedJob // if it was deferred, its job's times before it was planned
	deferred bool               // the tables need not have it yet
	stored   bool               // the tables have a version of it
	removed  bool               // it has left the store
}

// fires are all open fires, with the ways in which they are looked up.
type fires struct {
	byID     map[int64]*fire
	byLog    map[int64]*fire
	byJob    map[int64][]*fire    // those of a job; mostly few
	bySecond map[int64]*dueSecond // by the Unix second in which they are due
	// Fires of which the tables have no version or an older one, by id: planned ones, and others.
	plans, dirty map[int64]*fire
	deferrals    []*fire // those that are deferred, and some that were, in the order of planning

	dropped []int64 // ids of fires that the tables have and that are removed
}

func newFires() fires {
	return fires{
		byID: map[int64]*fire{}, byLog: map[int64]*fire{}, byJob: map[int64][]*fire{},
		bySecond: map[int64]*dueSecond{}, plans: map[int64]*fire{}, dirty: map[int64]*fire{},
	}
}

// add adds a fire that is not in memory.
func (s *fires) add(f *fire) {
	s.byID[f.ID] = f
	if f.LogID != 0 {
		s.byLog[f.LogID] = f
	}
	s.byJob[f.JobID] = append(s.byJob[f.JobID], f)
	due := f.Due.Unix()
	if s.bySecond[due] == nil {
		s.bySecond[due] = newDueSecond()
	}
	s.bySecond[due].add(f)
	if !f.stored {
		s.lacking(f)
	}
}

// lacking notes that the tables lack a fire as it is.
func (s *fires) lacking(f *fire) {
	if f.State == xxladapter.FirePlanned {
		s.plans[f.ID] = f
		return
	}
	s.leavePlan(f)
	s.dirty[f.ID] = f
}

// leavePlan notes that a fire is no longer planned. Fires of its job that were planned before it
// are no longer deferred: after a loss, their times would let this one be planned again.
func (s *fires) leavePlan(f *fire) {
	delete(s.plans, f.ID)
	if f.deferred {
		f.deferred = false
		s.release(f.JobID, f.ID)
	}
}

// changed notes that a fire is no longer as the tables have it.
func (s *fires) changed(f *fire) {
	f.version++
	s.lacking(f)
	if f.LogID != 0 {
		s.byLog[f.LogID] = f
	}
}

// remove removes a fire from memory, and from the tables with the next flush.
func (s *fires) remove(f *fire) {
	s.forget(f)
	if f.stored {
		s.dropped = append(s.dropped, f.ID)
	}
}

// forget removes a fire from memory alone.
func (s *fires) forget(f *fire) {
	f.removed = true
	delete(s.byID, f.ID)
	delete(s.byLog, f.LogID)
	s.leavePlan(f)
	delete(s.dirty, f.ID)
	rest := slices.DeleteFunc(s.byJob[f.JobID], func(other *fire) bool { return other == f })
	if s.byJob[f.JobID] = rest; len(rest) == 0 {
		delete(s.byJob, f.JobID)
	}
	due := f.Due.Unix()
	if s.bySecond[due].leave(); s.bySecond[due].empty() {
		delete(s.bySecond, due)
	}
}

// at returns the open fires of a job with a due time.
func (s *fires) at(jobID int64, due time.Time) (found []*fire) {
	for _, f := range s.byJob[jobID] {
		if f.Due.Equal(due) {
			found = append(found, f)
		}
	}
	return found
}

// isBehind reports whether a planned fire of the job's schedule was due before a time.
func (s *fires) isBehind(jobID int64, before time.Time) bool {
	return slices.ContainsFunc(s.byJob[jobID], func(f *fire) bool {
		return f.State == xxladapter.FirePlanned && f.Type.Scheduled() && f.Due.Before(before)
	})
}

// anyDue reports whether a fire is due.
func (s *fires) anyDue(now time.Time) bool {
	for due, fires := range s.bySecond {
		if due <= now.Unix() && fires.anyDue(now) {
			return true
		}
	}
	return false
}

// list returns copies of the fires that f selects, by due time, then id.
func (s *fires) list(f xxladapter.FireFilter) (found []xxladapter.Fire) {
	keep := func(fire *fire) bool {
		switch {
		case f.JobID != 0 && fire.JobID != f.JobID,
			f.State != "" && fire.State != f.State,
			f.Owner != xxladapter.Term{} && fire.Owner != f.Owner,
			f.Partitions != 0 && !f.Partitions.HasJob(fire.JobID),
			!f.DueBefore.IsZero() && !fire.Due.Before(f.DueBefore),
			f.AfterID != 0 && cmp.Or(fire.Due.Compare(milli(f.AfterDue)), cmp.Compare(fire.ID, f.AfterID)) <= 0:
			return false
		}
		return true
	}
	var kept []*fire
	if f.IDs != nil {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(f.IDs))) {
			if fire := s.byID[id]; fire != nil && keep(fire) {
				kept = append(kept, fire)
			}
		}
		return firstOf(kept, f.Limit)
	}
	if f.JobID != 0 {
		for _, fire := range s.byJob[f.JobID] {
			if keep(fire) {
				kept = append(kept, fire)
			}
		}
		return firstOf(kept, f.Limit)
	}
	for _, due := range slices.Sorted(maps.Keys(s.bySecond)) {
		if f.AfterID != 0 && due < f.AfterDue.Unix() || !f.DueBefore.IsZero() && due > f.DueBefore.Unix() {
			continue
		}
		for _, fire := range s.bySecond[due].from(milli(f.AfterDue), f.AfterID) {
			if fire.removed || !keep(fire) {
				continue
			}
			if kept = append(kept, fire); len(kept) == f.Limit {
				return copies(kept)
			}
		}
	}
	return copies(kept)
}

// firstOf returns copies of the first limit fires by due time, then id; of all if limit is 0. It
// sorts found.
func firstOf(found []*fire, limit int) []xxladapter.Fire {
	slices.SortFunc(found, byDue)
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return copies(found)
}

// copies returns copies of fires, and nil for none.
func copies(fires []*fire) []xxladapter.Fire {
	if len(fires) == 0 {
		return nil
	}
	list := make([]xxladapter.Fire, len(fires))
	for i, f := range fires {
		list[i] = copyFire(f.Fire)
	}
	return list
}

// copyFire returns a deep copy of f.
func copyFire(f xxladapter.Fire) xxladapter.Fire {
	f.Addresses = append([]string(nil), f.Addresses...)
	if f.Param != nil {
		param := *f.Param
		f.Param = &param
	}
	return f
}

// milli truncates t to whole milliseconds, as the tables do.
func milli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// second truncates t to whole seconds, as upstream's columns do.
func second(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.Unix(t.Unix(), 0).UTC()
}
