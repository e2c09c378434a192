package checker

import (
	"fmt"
	"slices"
)

// A key is what a planted fault and a violation have in common.
type key struct {
	kind Kind
	job  int64
	due  Instant
	log  int64
}

func (k key) String() string {
	return fmt.Sprintf("%v job %d due %v log %d", k.kind, k.job, k.due, k.log)
}

func keyOf(v *Violation) key {
	k := key{kind: v.Kind, job: v.Job}
	switch v.Kind {
	case Missed:
		k.due = v.Due
	case ChildMissed:
	default:
		k.log = v.Log
	}
	return k
}

// plant plants a fault of a kind into the life of a job that has none yet, and returns the key that
// has to be reported. It returns false if the job has no place for the fault.
func (w *world) plant(kind Kind, j *simJob) (key, bool) {
	var normal []int
	for _, i := range j.runs {
		if s := &w.runs[i]; s.normal && !s.gone && s.run.End != 0 && (len(s.results) == 1 || !w.results) && s.run.End < w.end-5000 {
			normal = append(normal, i)
		}
	}
	some := func() *simRun { return &w.runs[normal[w.dice.IntN(len(normal))]] }
	follows := j.child > 0 || j.shape == retryDated || j.shape == retryUndated || j.shape == delayUndated
	undated := undatedShape(j.shape)
	at := func(s *simRun) key { return key{kind: kind, job: j.id, log: s.run.Log} }

	switch kind {
	case Missed:
		if len(normal) == 0 || follows {
			return key{}, false
		}
		s := some()
		s.gone = true
		for i := range w.runs { // its repeated arrivals are removed with it
			if w.runs[i].second && w.runs[i].run.Log == s.run.Log {
				w.runs[i].gone = true
			}
		}
		due := s.run.Due
		if due == 0 {
			due = s.run.At / 15000 * 15000
		}
		return key{kind: kind, job: j.id, due: due}, true

	case Duplicate:
		if len(normal) == 0 || undated || j.child > 0 {
			return key{}, false
		}
		s := *some()
		return at(w.again(&s, func(r *Run) { r.At += 300 })), true

	case Early, Late:
		if len(normal) == 0 || follows {
			return key{}, false
		}
		s := some()
		if w.repeated(s.run.Log) {
			return key{}, false
		}
		by := -300 - (s.run.At - s.due())
		if kind == Late {
			by = 2600
		}
		w.move(s, by)
		return at(s), true

	case Extra:
		if len(normal) == 0 || follows {
			return key{}, false
		}
		s := *some()
		return at(w.again(&s, func(r *Run) {
			if undated {
				r.At += 3000
				return
			}
			r.Due += 137
			r.At += 137
		})), true

	case AfterStop:
		for _, span := range j.stopped {
			t := w.after(span.from + 3000)
			if t > span.to-1000 || follows || t > w.end-5000 {
				continue
			}
			r := Run{Job: j.id, At: t}
			if !undated {
				r.Due = j.next(span.from+1, j.period)
				if j.shape == rateDated {
					r.Due = w.lastDue(j, span.from)
					for r.Due != 0 && r.Due <= span.from {
						r.Due += j.period
					}
					if r.Due == 0 {
						continue
					}
				}
				r.At = max(r.At, r.Due)
				if r.At > span.to-500 {
					continue
				}
			}
			return at(w.add(j, r)), true
		}

	case OldSchedule:
		for _, span := range j.edited {
			if j.shape != cronDated && j.shape != broadcastDated {
				continue
			}
			for t := span.from + 2000; t < min(span.to-2000, w.end-5000); t += 1000 {
				t = t / 1000 * 1000
				first, second := w.firstPeriod(j), j.period
				// On the old schedule and not on the new one.
				if t%60000%first == 0 && t%60000%second != 0 && w.quiet(t) {
					return at(w.add(j, Run{Job: j.id, Due: t, At: t + 40})), true
				}
			}
		}

	case Misfired:
		for _, m := range j.consumed {
			if undated {
				continue
			}
			return at(w.add(j, Run{Job: j.id, Due: m.Due, At: m.At + 100})), true
		}

	case LogTwice:
		if len(normal) == 0 {
			return key{}, false
		}
		s := some()
		if w.repeated(s.run.Log) {
			return key{}, false
		}
		r := s.run
		r.At, r.Start, r.End, r.Code = r.At+400, r.At+400, 0, 0
		w.runs = append(w.runs, simRun{run: r, second: true})
		return key{kind: kind, job: j.id, log: r.Log}, true

	case ResultLost, ResultTwice, ResultWrong, Unlogged:
		if len(normal) == 0 || follows {
			return key{}, false
		}
		s := some()
		switch {
		case kind == ResultLost && w.results:
			s.results = nil
		case kind == ResultLost && w.rows:
			s.row.HandleCode, s.row.Handled = 0, 0
		case kind == ResultTwice && w.results:
			s.results = append(s.results, s.results[0])
		case kind == ResultWrong && w.rows:
			s.row.HandleCode = 502
		case kind == Unlogged && w.rows:
			s.row = nil
		default:
			return key{}, false
		}
		return at(s), true

	case ChildMissed, ChildExtra:
		if j.shape != childOnly {
			return key{}, false
		}
		for _, i := range j.runs {
			s := &w.runs[i]
			if s.of == 0 || s.run.End == 0 || s.run.End > w.end-9000 {
				continue
			}
			if kind == ChildMissed {
				s.gone = true
				for i := range w.runs {
					if w.runs[i].second && w.runs[i].run.Log == s.run.Log {
						w.runs[i].gone = true
					}
				}
				return key{kind: kind, job: j.id}, true
			}
			c := *s
			n := w.again(&c, func(r *Run) { r.At += 20 })
			if s.trigger != nil {
				t := *s.trigger
				t.Log = n.run.Log
				n.trigger = &t
			}
			return at(n), true
		}
	}
	return key{}, false
}

// lastDue returns the last due time of a job before t that had a run, or 0.
func (w *world) lastDue(j *simJob, t Instant) (due Instant) {
	for _, i := range j.runs {
		if d := w.runs[i].run.Due; d < t {
			due = max(due, d)
		}
	}
	return due
}

// due returns when a normal run was due.
func (s *simRun) due() Instant {
	if s.run.Due != 0 {
		return s.run.Due
	}
	return s.run.At / 15000 * 15000
}

func (w *world) repeated(log int64) bool {
	return slices.ContainsFunc(w.runs, func(s simRun) bool { return s.second && s.run.Log == log })
}

func (w *world) firstPeriod(j *simJob) Instant {
	var s int64
	if _, err := fmt.Sscanf(j.changes[0].Conf, "0/%d", &s); err != nil {
		panic(err)
	}
	return Instant(s) * 1000
}

// again adds a run like s under a new log id.
func (w *world) again(s *simRun, change func(*Run)) *simRun {
	r := s.run
	change(&r)
	return w.add(w.jobs[r.Job-1], r)
}

// add adds a complete run.
func (w *world) add(j *simJob, r Run) *simRun {
	w.log++
	r.Log = w.log
	r.Start, r.End, r.Code = r.At, r.At+20, 200
	if j.child > 0 {
		r.Code = 500 // or it would have to have children
	}
	s := simRun{run: r}
	w.complete(&s, r.End+10)
	w.runs = append(w.runs, s)
	return &w.runs[len(w.runs)-1]
}

// move moves a run in time, with all that follows from it.
func (w *world) move(s *simRun, by Instant) {
	s.run.At, s.run.Start, s.run.End = s.run.At+by, s.run.Start+by, s.run.End+by
	for i := range s.results {
		s.results[i].At += by
	}
	if s.row != nil && s.row.Handled != 0 {
		s.row.Handled = (s.row.Handled + by) / 1000 * 1000
	}
}
