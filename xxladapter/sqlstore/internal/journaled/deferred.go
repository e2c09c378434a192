package journaled

import (
	"math"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// Most planned fires are claimed within seconds, and tables that get each of them insert a row and
// delete it for every trigger. So the tables of a shared log do without a deferred fire. If the log
// is lost, they alone say which due times have a fire. Until the fire is claimed, the tables
// therefore keep the times that its job had before it was planned; after a loss, its due time is
// decided again.
//
// Invariant: what was decided about a job since its first deferred fire is deferred too. So after a
// loss, nothing is decided again that the tables have.

// A deferred fire is due at most deferAhead from now, and has waited at most deferBehind for its
// claim. Fires that wait longer are written, so that the log need not keep their records.
const (
	deferAhead  = 10 * time.Second
	deferBehind = 2 * time.Second
)

// deferrable reports whether the fires of a decision may be deferred: a misfire or the end of a
// schedule is in the tables at once.
func deferrable(d *xxladapter.Decision) bool {
	for i := range d.Fires {
		if d.Fires[i].Type != xxladapter.TriggerCron {
			return false
		}
	}
	return len(d.Misfires) == 0 && !d.Stop
}

// deferFire defers a planned fire. before has the times of its job before the fire was planned.
func (s *fires) deferFire(id int64, before database.MovedJob) {
	f := s.byID[id]
	f.deferred, f.before = true, &before
	delete(s.plans, id)
	s.deferrals = append(s.deferrals, f)
}

// firstDeferral returns the deferred fire that was planned first, or nil.
func (s *fires) firstDeferral() *fire {
	for len(s.deferrals) > 0 && !s.deferrals[0].deferred {
		s.deferrals = s.deferrals[1:]
	}
	if len(s.deferrals) == 0 {
		return nil
	}
	return s.deferrals[0]
}

// release ends the deferral of a job's fires up to an id. The next cut includes those that are
// still planned.
func (s *fires) release(jobID, upTo int64) {
	for _, f := range s.byJob[jobID] {
		if f.deferred && f.ID <= upTo {
			s.undefer(f)
		}
	}
}

func (s *fires) undefer(f *fire) {
	f.deferred = false
	if f.State == xxladapter.FirePlanned && !f.removed {
		s.plans[f.ID] = f
	}
}

// releaseEach ends the deferral of all fires.
func (s *fires) releaseEach() {
	for _, f := range s.deferrals {
		if f.deferred {
			s.undefer(f)
		}
	}
	s.deferrals = nil
}

// releaseAll ends the deferral of all fires of a job.
func (s *fires) releaseAll(jobID int64) { s.release(jobID, math.MaxInt64) }

// releaseOld ends the deferral of fires that wait for their claim, or will wait for it, too long.
func (s *fires) releaseOld(now time.Time) {
	first, last := now.Add(-deferBehind).Unix(), now.Add(deferAhead).Unix()
	for due, second := range s.bySecond {
		if first <= due && due <= last {
			continue
		}
		for _, f := range second.fires {
			if f.deferred && !f.removed {
				s.release(f.JobID, f.ID)
			}
		}
	}
}

// tableTimes returns the times of j, a job of dirtyJob, that belong in the tables; whether they are
// from before a deferred fire; and whether the tables lack them.
func (s *fires) tableTimes(j *job) (times database.MovedJob, before, lacking bool) {
	var first *fire
	for _, f := range s.byJob[j.ID] {
		if f.deferred && (first == nil || f.ID < first.ID) {
			first = f
		}
	}
	if first == nil {
		return records.MovedJobOf(j.Job), false, true
	}
	return *first.before, true, *first.before != j.tables
}

// lacksTimes reports whether a cut without deferred fires would write the times of any job.
func (m *memory) lacksTimes() bool {
	for _, j := range m.dirtyJob {
		if _, _, lacking := m.tableTimes(j); lacking {
			return true
		}
	}
	return false
}

// defers reports whether a cut of a level leaves deferred fires out.
//
// REQUIRES: f.mu is held.
func (f *front) defers(l level) bool {
	return f.shared != nil && (l == settled || l == allRuns) && time.Since(f.shared.loaded) >= burstAlone
}
