package checker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// An epoch is a stretch in which a job follows one schedule.
//
// It begins at an unknown instant from `from` to `certain` and ends at one from `until` to `gone`.
// Only due times after `certain`, or from `first` on if it is known, and before `until` had to
// fire, and only if the epoch certainly existed.
type epoch struct {
	def   *Change // the definition it follows
	plan  cron.Plan
	first Instant // its first due time, if the change recorded it; 0 otherwise

	from, certain Instant
	until, gone   Instant
	sure          bool
	ended         *Change // what ended it; nil if nothing did

	anchor Instant // a due time of a fixed rate
	period Instant // period of a fixed rate; 0 for other schedules
}

// A state is one of the states that a job may be in.
type state struct {
	def     *Change // nil means that the job does not exist
	running bool
}

// A job holds the schedules of one job over time, as its changes define them.
type job struct {
	id      int64
	changes []Change // ascending by Asked
	epochs  []epoch
}

// newJob follows the changes of a job. A change that overlaps no other and was acknowledged turns
// each possible state into one. Any other change leaves both the states that it found and those
// that it may have led to, until one change is certain again.
func newJob(changes []Change) (*job, error) {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Asked, b.Asked) })
	j := &job{id: changes[0].Job, changes: changes}
	possible := []state{{}}
	busy := Instant(0) // until when an earlier change may be in flight
	for i := range changes {
		change := &changes[i]
		alone := change.Acked != 0 && change.Asked >= busy && (i+1 == len(changes) ||
			changes[i+1].Asked >= change.Acked)
		busy = max(busy, change.Acked)
		var after []state
		for _, s := range possible {
			if t := apply(change, s); !slices.Contains(after, t) {
				after = append(after, t)
			}
		}
		switch {
		case alone && !touchesSchedule(change, possible):
			// Only the definition is new, which does not affect the epochs.
		case alone:
			for e := range j.epochs {
				if e := &j.epochs[e]; e.ended == nil {
					e.until, e.gone, e.ended = min(e.until, change.Asked), change.Acked, change
				}
			}
			for _, s := range after {
				if err := j.begin(s, change, change.Acked, len(after) == 1); err != nil {
					return nil, err
				}
			}
		default:
			for e := range j.epochs {
				if e := &j.epochs[e]; e.ended == nil && touchesSchedule(change, possible) {
					e.until = min(e.until, change.Asked)
				}
			}
			for _, s := range after {
				if err := j.begin(s, change, 0, false); err != nil {
					return nil, err
				}
			}
			for _, s := range possible {
				if !slices.Contains(after, s) {
					after = append(after, s)
				}
			}
		}
		possible = after
	}
	return j, nil
}

// begin opens an epoch for a running state. acked is when the epoch has certainly begun; 0 means
// that this is not known.
func (j *job) begin(s state, c *Change, acked Instant, sure bool) error {
	if !s.running || s.def == nil || s.def.Type == xxladapter.ScheduleNone {
		return nil
	}
	zone, err := loadZone(s.def.Zone)
	if err != nil {
		return err
	}
	plan, err := cron.ParsePlan(string(s.def.Type), s.def.Conf, zone)
	if err != nil {
		return fmt.Errorf("checker: schedule of job %d: %w", j.id, err)
	}
	if acked == 0 {
		acked = never
	}
	j.epochs = append(j.epochs, epoch{
		def: s.def, plan: plan, first: c.First, from: c.Asked, certain: acked, until: never, gone: never, sure: sure,
	})
	return nil
}

// apply returns the state after the change c of the state s.
func apply(c *Change, s state) state {
	switch c.Op {
	case OpCreate:
		return state{def: c}
	case OpEdit:
		return state{def: c, running: s.running}
	case OpStart:
		return state{def: s.def, running: s.def != nil}
	case OpStop:
		return state{def: s.def}
	}
	return state{}
}

// touchesSchedule reports whether c may begin or end an epoch.
func touchesSchedule(c *Change, possible []state) bool {
	if c.Op != OpEdit || c.First != 0 {
		return true
	}
	for _, s := range possible {
		if s.def == nil || s.def.Type != c.Type || s.def.Conf != c.Conf || s.def.Zone != c.Zone {
			return true
		}
	}
	return false
}

// childrenAt returns the children that a run that succeeded at t must trigger, and those that it
// may trigger.
func (j *job) childrenAt(t Instant) (must, may []int64) {
	var now []int64
	for i := range j.changes {
		c := &j.changes[i]
		if c.Op != OpCreate && c.Op != OpEdit {
			continue
		}
		switch {
		case c.Acked != 0 && c.Acked < t:
			now = c.Children
		case c.Asked <= t:
			may = append(may, c.Children...)
		}
	}
	if len(may) == 0 {
		return now, nil
	}
	for _, child := range now {
		if slices.Contains(may, child) {
			must = append(must, child)
		}
	}
	return must, append(may, now...)
}

// retriesAt returns the largest number of retries that a run at t may have.
func (j *job) retriesAt(t Instant) int {
	n := 0
	for i := range j.changes {
		c := &j.changes[i]
		if (c.Op == OpCreate || c.Op == OpEdit) && c.Asked <= t {
			n = max(n, c.Retries)
		}
	}
	return n
}

// on reports whether t is a due time of the epoch's schedule.
func (e *epoch) on(t Instant) bool {
	if e.period > 0 {
		return e.anchor != 0 && t >= e.anchor && (t-e.anchor)%e.period == 0
	}
	return At(e.plan.Next((t - 1).Time())) == t
}

// next returns the first due time after t, or never.
func (e *epoch) next(t Instant) Instant {
	if n := At(e.plan.Next(t.Time())); n > t {
		return n
	}
	return never
}
