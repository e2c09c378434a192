package forecast

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A crowd is a group of jobs with the same due times, so that these are computed once: one job, or
// all jobs of one key.
type crowd struct {
	example      Job
	all, overdue tally
}

// A tally counts jobs and adds up their runs.
type tally struct {
	jobs    int64
	unknown int           // jobs whose Ran is false
	run     time.Duration // sum of the expected durations, one run for each job
}

func (c *crowd) add(j Job, t *table) {
	c.all.add(j)
	if t.overdue(j) {
		c.overdue.add(j)
	}
}

func (y *tally) add(j Job) {
	y.jobs++
	y.run += j.Run
	if !j.Ran {
		y.unknown++
	}
}

// add adds n fires of each job of a tally to the cell.
func (c *Cell) add(n int64, y tally) {
	c.Fires += n * y.jobs
	c.Run += time.Duration(n) * y.run
}

// addTo adds the fires of a crowd to a forecast.
func (t *table) addTo(f *Forecast, c *crowd) {
	fires, ok := t.firesOf(c.example)
	if !ok {
		f.Unreadable += int(c.all.jobs)
		return
	}
	unknown := c.overdue.unknown
	for i, n := range fires {
		if n > 0 {
			f.Cells[i].add(n, c.all)
			unknown = c.all.unknown
		}
	}
	f.Cells[0].add(1, c.overdue)
	f.Unknown += unknown
}

// A key identifies jobs that have the same due times, if their type is CRON.
type key struct {
	kind       xxladapter.ScheduleType
	conf, zone string
	pauses     int64 // the group, if it has pauses of its own, and otherwise 0
	calendar   string
}

func (t *table) keyOf(j Job) key {
	return key{kind: j.Type, conf: j.Conf, zone: j.Zone, pauses: t.pausesOf(j), calendar: j.Calendar}
}

// pausesOf returns the key of t.restrictions for a job.
func (t *table) pausesOf(j Job) int64 {
	if t.restrictions[j.GroupID] != nil {
		return j.GroupID
	}
	return 0
}

// restrictionsFrom returns the restrictions by group: for each group with pauses of its own, and
// under 0 for all others. It leaves out pauses that have ended, which are most of them, and those
// that begin at end or later.
func restrictionsFrom(r *xxladapter.Restrictions, now, end time.Time) map[int64]*xxladapter.Restrictions {
	all := map[int64]*xxladapter.Restrictions{0: {}}
	if r == nil {
		return all
	}
	of := func(group int64) (pauses []xxladapter.Pause) {
		for _, p := range r.Pauses {
			if p.HoldsAt(now) && p.From.Before(end) && (p.GroupID == 0 || p.GroupID == group) {
				pauses = append(pauses, p)
			}
		}
		return pauses
	}
	all[0] = &xxladapter.Restrictions{Pauses: of(0), Calendars: r.Calendars}
	for _, p := range r.Pauses {
		if all[p.GroupID] == nil && p.HoldsAt(now) && p.From.Before(end) {
			all[p.GroupID] = &xxladapter.Restrictions{Pauses: of(p.GroupID), Calendars: r.Calendars}
		}
	}
	return all
}
