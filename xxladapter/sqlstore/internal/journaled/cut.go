package journaled

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A cut is a copy of what the tables lack, at one moment.
type cut struct {
	position journal.Position // the last record at that moment
	applied  applied
	runs     []cutRun
	fires    []cutFire
	jobs     []cutJob
	gone     []int64 // fires that the tables still have
	misfires []xxladapter.Misfire
	orders   [][]xxladapter.Fire
	stops    []stop
	spill    int64 // planned fires of records up to this number are in fires; or noSpill
	lastFire int64
	lastLog  int64
	at       time.Time // what shared.at is once this is written; zero without a shared log
}

// noSpill is the spill of a cut that does not have all old planned fires.
const noSpill = -1

// A cutRun is a run as it was in a cut.
type cutRun struct {
	run     *run
	row     records.WrittenLog
	state   transition.LogState // of the row
	version int
}

// A cutFire is a fire as it was in a cut.
type cutFire struct {
	fire    *fire
	row     xxladapter.Fire
	stored  bool // the tables had an older version
	version int
}

// A cutJob is a job as it was in a cut.
type cutJob struct {
	job     *job
	row     database.MovedJob
	before  bool // row has the times before a deferred fire
	version int
}

// spillLimit limits the planned fires that one transaction takes along only because their records
// are old. Renewals of leases wait for a transaction that runs.
const spillLimit = 5000

// cutOff copies what the tables lack, up to a level.
//
// REQUIRES: f.mu is held.
func (f *front) cutOff(l level) cut {
	m := &f.m
	c := cut{applied: f.applied, spill: noSpill, lastFire: m.lastFire, lastLog: m.lastLog}
	if f.shared != nil {
		c.at = f.shared.at
	}
	if l == unchanged {
		return c
	}
	if f.shared != nil {
		c.at = f.Clock()
		if f.defers(l) {
			m.releaseOld(c.at)
		} else {
			m.releaseEach()
		}
		l = all
	}
	c.position, c.spill = f.journal.Last(), f.spill
	c.gone, c.misfires, c.orders, c.stops = slices.Clone(m.dropped), m.misfires, m.orders, m.stops
	held := c.takeRuns(m, l, f.Clock())
	c.takeFires(m, l, held)
	c.takeJobs(m)
	c.applied.settled = c.position.Number
	c.applied.runs, c.applied.plans = max(c.applied.runs, f.snapshot), max(c.applied.plans, f.snapshot)
	if l >= allRuns || len(held) == 0 {
		c.applied.runs = c.position.Number
	}
	if l == all {
		c.applied.plans = c.position.Number
		if first := m.firstDeferral(); first != nil {
			c.applied.plans = first.born - 1
		}
	}
	return c
}

// takeJobs adds the jobs whose times the tables lack. For a job with deferred fires, these are the
// times before the first of them.
func (c *cut) takeJobs(m *memory) {
	c.jobs = make([]cutJob, 0, len(m.dirtyJob))
	for _, j := range m.dirtyJob {
		if times, before, lacking := m.tableTimes(j); lacking {
			c.jobs = append(c.jobs, cutJob{j, times, before, j.version})
		}
	}
}

// takeRuns adds the runs and returns the log ids of those that stay behind. Below allRuns, a run
// without a result stays behind if its fire is open, it is young, and the tables do not have it:
// most such runs end soon, and are then written once. One that began after now is not young: the
// clock was set back, and may take hours to get there.
func (c *cut) takeRuns(m *memory, l level, now time.Time) (held map[int64]bool) {
	held = map[int64]bool{}
	c.runs = make([]cutRun, 0, len(m.dirtyRun))
	for _, r := range m.dirtyRun {
		if l < allRuns && !r.stored && r.HandleCode == xxladapter.ResultNone && m.byLog[r.ID] != nil &&
			r.began.After(now.Add(-youth)) && !r.began.After(now) {
			held[r.ID] = true
			continue
		}
		row := r.Log
		c.runs = append(c.runs, cutRun{
			run: r,
			row: records.WrittenLog{
				Log: &row, Stored: r.stored, Base: r.base, WantText: r.wantText, Run: r.history,
			},
			state:   transition.StateOf(&row),
			version: r.version,
		})
	}
	return held
}

// takeFires adds the fires, except those of held runs. Planned ones come along if all are wanted,
// or if they are of records up to the number c.spill. Deferred ones stay behind.
func (c *cut) takeFires(m *memory, l level, held map[int64]bool) {
	upTo := c.spill
	if l == all {
		c.fires = make([]cutFire, 0, len(m.plans)+len(m.fires.dirty))
	}
	if l == all || upTo > 0 {
		for _, fire := range m.plans {
			if l < all && len(c.fires) >= spillLimit {
				c.spill = noSpill // the next transaction continues
				break
			}
			if l == all || fire.born <= upTo {
				c.take(fire)
			}
		}
	}
	for _, fire := range m.fires.dirty {
		if !held[fire.LogID] {
			c.take(fire)
		}
	}
}

func (c *cut) take(fire *fire) {
	c.fires = append(c.fires, cutFire{fire, copyFire(fire.Fire), fire.stored, fire.version})
}

// rows returns how many rows the tables lack.
func (c *cut) rows() int {
	return len(c.fires) + len(c.runs) + len(c.jobs) + len(c.misfires) + len(c.orders) + len(c.stops) + len(c.gone)
}

// runRows returns the rows of the runs by log id.
func (c *cut) runRows() []records.WrittenLog {
	rows := make([]records.WrittenLog, len(c.runs))
	for i := range c.runs {
		rows[i] = c.runs[i].row
	}
	slices.SortFunc(rows, func(a, b records.WrittenLog) int { return int(a.Log.ID - b.Log.ID) })
	return rows
}

// replaced returns the ids of fires of which the tables have an older version.
func (c *cut) replaced() (ids []int64) {
	for i := range c.fires {
		if c.fires[i].stored {
			ids = append(ids, c.fires[i].row.ID)
		}
	}
	return ids
}

func (c *cut) fireRows() []xxladapter.Fire {
	rows := make([]xxladapter.Fire, len(c.fires))
	for i := range c.fires {
		rows[i] = c.fires[i].row
	}
	return rows
}

// written notes that the tables have a cut. What has changed since the cut stays to be written.
//
// REQUIRES: f.mu is held.
func (f *front) written(c *cut) {
	m := &f.m
	for i := range c.runs {
		was := &c.runs[i]
		r := was.run
		r.stored, r.base = true, was.state
		if was.row.WantText != 0 {
			r.wantText = 0
		}
		if r.version == was.version {
			delete(m.dirtyRun, r.ID)
			r.history, r.clean = transition.RunChange{}, f.commits
			if r.HandleCode != xxladapter.ResultNone {
				f.evictable = append(f.evictable, r)
			}
		}
	}
	for i := range c.fires {
		fire := c.fires[i].fire
		fire.stored = true
		switch {
		case fire.removed:
			m.dropped = append(m.dropped, fire.ID)
		case fire.version == c.fires[i].version:
			delete(m.plans, fire.ID)
			delete(m.fires.dirty, fire.ID)
		}
	}
	for i := range c.jobs {
		j := c.jobs[i].job
		j.tables = c.jobs[i].row
		if !c.jobs[i].before && j.version == c.jobs[i].version {
			delete(m.dirtyJob, j.ID)
			j.clean = f.commits
		}
	}
	if f.spill == c.spill {
		f.spill = 0
	}
	m.dropped = m.dropped[len(c.gone):]
	m.misfires, m.orders, m.stops = m.misfires[len(c.misfires):], m.orders[len(c.orders):], m.stops[len(c.stops):]
	if len(m.misfires) == 0 {
		m.misfires = nil
	}
	if len(m.orders) == 0 {
		m.orders = nil
	}
	f.applied = c.applied
	if f.shared != nil {
		f.shared.at = c.at
	}
}
