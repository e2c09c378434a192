// Package forecast computes the expected fires of each quarter of an hour. It is a pure function of
// jobs, their past durations and an instant; it knows no store.
package forecast

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// Step is the length of a cell.
const Step = 15 * time.Minute

// MaxSpan is the longest forecast.
const MaxSpan = 7 * 24 * time.Hour

// A Job holds what a forecast needs of a job whose schedule is on.
type Job struct {
	ID   int64
	Type xxladapter.ScheduleType
	Conf string
	Zone string // the zone of its settings; empty means the default
	Next time.Time
	// GroupID and Calendar select the pauses and the calendar that suppress due times.
	GroupID  int64
	Calendar string
	// Run is the expected duration of one run. It is valid only if Ran is true; 0 then means that
	// earlier runs took less than a millisecond.
	Run time.Duration
	Ran bool
}

// JobOf returns the part of a stored job that a forecast needs. run is the mean duration of its
// runs; without runs, ran is false and run is 0.
func JobOf(j *xxladapter.Job, run time.Duration, ran bool) Job {
	return Job{
		ID: j.ID, Type: j.ScheduleType, Conf: j.ScheduleConf, Zone: j.Settings.Zone, Next: j.TriggerNext,
		GroupID: j.GroupID, Calendar: j.Settings.Calendar, Run: run, Ran: ran,
	}
}

// A Cell holds the expected fires within one [Step].
type Cell struct {
	At    time.Time // its beginning
	Fires int64
	// Run is how long the runs that begin in the cell will take, together.
	Run time.Duration
}

// A Forecast is a list of cells, and the numbers of jobs for which it is incomplete.
type Forecast struct {
	Cells []Cell
	// Unknown counts the jobs that have fires and whose Ran is false, so that their durations are
	// unknown. They add no time.
	Unknown int
	// Unreadable counts the jobs whose schedule or zone cannot be parsed. They have no fires.
	Unreadable int
}

// A Share is what one job adds to a cell. Run is the expected time of all its fires there.
type Share struct {
	JobID int64
	Fires int64
	Run   time.Duration
}

// Options are common to all jobs.
type Options struct {
	Zone *time.Location // the zone of jobs without their own; nil means time.Local
	// Profile says how cron expressions are read; zero is [cron.Quartz].
	Profile cron.Profile
	// Restrictions are the pauses and calendars that suppress due times; nil means that there are
	// none but the built-in calendars. The forecast leaves those due times out: by whole cells for
	// rates and delays, and one by one for the other types.
	Restrictions *xxladapter.Restrictions
}

// Of returns the forecast from the beginning of the cell that contains now. Fires before now are
// left out, and overdue fires count as due now. Sharded runs count once.
//
// A job of type FIX_DELAY is assumed to take its expected duration each time; one that waits for
// the end of a run continues after that duration.
//
// REQUIRES: span is above 0 and at most MaxSpan.
func Of(jobs []Job, now time.Time, span time.Duration, opts Options) Forecast {
	t := newTable(now, span, opts)
	f := Forecast{Cells: make([]Cell, t.cells)}
	for i := range f.Cells {
		f.Cells[i].At = t.begin.Add(time.Duration(i) * Step)
	}
	crowds := map[key]*crowd{}
	for _, j := range jobs {
		if j.Type != xxladapter.ScheduleCron {
			single := crowd{example: j}
			single.add(j, t)
			t.addTo(&f, &single)
			continue
		}
		k := t.keyOf(j)
		if crowds[k] == nil {
			crowds[k] = &crowd{example: j}
		}
		crowds[k].add(j, t)
	}
	for _, c := range crowds {
		t.addTo(&f, c)
	}
	return f
}

// Within returns the jobs that add to the cell that contains at: those whose runs take the most
// time together first, then those with the most fires. It returns none if at is in no cell of the
// forecast.
//
// REQUIRES: span is above 0 and at most MaxSpan.
func Within(jobs []Job, now time.Time, span time.Duration, opts Options, at time.Time) (shares []Share) {
	t := newTable(now, span, opts)
	if at.Before(t.begin) {
		return nil
	}
	cell := int(at.Sub(t.begin) / Step)
	if cell >= t.cells {
		return nil
	}
	known := map[key]int64{} // fires in the cell; -1 if the schedule cannot be read
	for _, j := range jobs {
		n, isKnown := known[t.keyOf(j)]
		if j.Type != xxladapter.ScheduleCron || !isKnown {
			n = -1
			if fires, ok := t.firesOf(j); ok {
				n = fires[cell]
			}
			known[t.keyOf(j)] = n
		}
		if n >= 0 && cell == 0 && t.overdue(j) {
			n++
		}
		if n > 0 {
			shares = append(shares, Share{j.ID, n, time.Duration(n) * j.Run})
		}
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Run, a.Run), cmp.Compare(b.Fires, a.Fires), cmp.Compare(a.JobID, b.JobID))
	})
	return shares
}
