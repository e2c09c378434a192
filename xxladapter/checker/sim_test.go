package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// This file simulates a scheduler without faults. Its histories contain everything that is allowed.
// It computes due times without package cron.

const (
	base     = Instant(1_772_323_200_000) // 2026-03-01T00:00:00Z
	misfires = Instant(1000)              // the simulated misfire window
)

// A shape is the kind of life of a simulated job.
type shape int

const (
	cronDated shape = iota
	cronUndated
	rateDated
	broadcastDated
	broadcastUndated
	onceDated
	parentDated
	childOnly
	manualOnly
	delayUndated
	retryDated
	retryUndated

	shapes
)

type simRun struct {
	run     Run
	gone    bool // removed again
	second  bool // a further arrival of its log id
	trigger *Trigger
	results []Result
	row     *Log
	resends []Resend
	normal  bool // for a due time, far from everything that could excuse it
	of      int  // the index of the parent's run + 1
}

// A span is a stretch of time.
type span struct{ from, to Instant }

type simJob struct {
	id       int64
	shape    shape
	period   Instant // of the first schedule
	period2  Instant // of the second; 0 means that it is never edited
	strategy xxladapter.MisfireStrategy
	named    bool // triggers name the log ids

	changes  []Change
	stopped  []span // certainly stopped
	edited   []span // certainly on the second schedule, after the first
	consumed []Misfire
	runs     []int // indices of world.runs
	child    int   // the index of its child + 1
}

type world struct {
	dice     *rand.Rand
	end      Instant
	outages  []span
	jobs     []*simJob
	runs     []simRun
	refused  []Log
	misfires []Misfire
	triggers []Trigger // without log ids
	log      int64
	rows     bool // a dump of log rows is part of the history
	results  bool
}

// newWorld simulates n jobs for a while.
func newWorld(seed uint64, n int, length Instant) *world {
	w := &world{dice: rand.New(rand.NewPCG(seed, 1)), end: base + length}
	w.rows, w.results = w.dice.IntN(3) > 0, w.dice.IntN(3) > 0
	for t := base + 20000 + w.upTo(10000); t < w.end-20000; t += 30000 + w.upTo(20000) {
		d := 100 + w.upTo(700) // a restart
		if w.dice.IntN(2) == 0 {
			d = 8000 + w.upTo(8000) // long enough for misfires
		}
		w.outages = append(w.outages, span{t, t + d})
	}
	for i := range n {
		j := &simJob{id: int64(i + 1), shape: shape(i % int(shapes)), strategy: xxladapter.MisfireDoNothing, named: w.dice.IntN(2) == 0}
		if w.dice.IntN(2) == 0 {
			j.strategy = xxladapter.MisfireFireOnceNow
		}
		j.period = 1000 * Instant([]int{1, 2, 3, 5}[w.dice.IntN(4)])
		if w.dice.IntN(3) == 0 {
			j.period2 = 1000 * Instant([]int{4, 6, 10}[w.dice.IntN(3)])
		}
		switch j.shape {
		case cronUndated, broadcastUndated, retryUndated:
			j.period, j.period2 = 15000, 0
		case delayUndated, parentDated:
			j.period, j.period2 = 6000, 0
		}
		w.jobs = append(w.jobs, j)
	}
	for i, j := range w.jobs {
		if j.shape == parentDated && i+1 < n {
			j.child = i + 2
		}
	}
	for _, j := range w.jobs {
		if j.shape != childOnly {
			w.live(j)
		} else {
			w.change(j, OpCreate, base+500, nil)
		}
	}
	return w
}

func (w *world) upTo(n int) Instant { return Instant(w.dice.IntN(n)) }

// after moves t out of outages.
func (w *world) after(t Instant) Instant {
	for _, o := range w.outages {
		if o.from <= t && t < o.to {
			return o.to + 1
		}
	}
	return t
}

// calm moves the moment of a change to when the scheduler has caught up.
func (w *world) calm(t Instant) Instant {
	for _, o := range w.outages {
		if o.from-500 <= t && t < o.to+500 {
			return o.to + 500
		}
	}
	return t
}

// quiet reports whether neither an outage nor the end is near t.
func (w *world) quiet(t Instant) bool {
	for _, o := range w.outages {
		if o.from-3000 < t && t < o.to+20000 {
			return false
		}
	}
	return t < w.end-16000
}

func (w *world) change(j *simJob, op Op, e Instant, def func(*Change)) *Change {
	c := Change{Job: j.id, Op: op, Asked: e - w.upTo(300), Acked: e + w.upTo(300)}
	if op == OpCreate || op == OpEdit {
		switch j.shape {
		case rateDated:
			c.Type, c.Conf = xxladapter.ScheduleFixRate, fmt.Sprint(int64(j.period/1000))
		case childOnly, manualOnly:
			c.Type = xxladapter.ScheduleNone
		case onceDated:
			c.Type, c.Conf = xxladapter.ScheduleOnce, (base + 17000).Time().Format("2006-01-02T15:04:05Z07:00")
		case delayUndated:
			c.Type, c.Conf = xxladapter.ScheduleFixDelay, fmt.Sprint(int64(j.period/1000))
		default:
			c.Type, c.Conf = xxladapter.ScheduleCron, fmt.Sprintf("0/%d * * * * ?", int64(j.period/1000))
			if w.dice.IntN(2) == 0 {
				c.Zone = "Asia/Shanghai"
			}
		}
		if j.shape == retryDated || j.shape == retryUndated {
			c.Retries = 2
		}
		if j.child > 0 {
			c.Children = []int64{w.jobs[j.child-1].id}
		}
	}
	if def != nil {
		def(&c)
	}
	j.changes = append(j.changes, c)
	return &j.changes[len(j.changes)-1]
}

// live simulates one job from its creation to the end.
func (w *world) live(j *simJob) {
	w.change(j, OpCreate, base+500, nil)
	if j.shape == manualOnly {
		for t := base + 2000; t < w.end-3000; t += 1000 + w.upTo(5000) {
			w.manual(j, w.calm(t), 0)
		}
		return
	}
	type stretch struct {
		from   Instant // when a change took effect
		period Instant
	}
	e := w.calm(base + 1500 + w.upTo(2000))
	w.change(j, OpStart, e, nil)
	cur := stretch{from: e, period: j.period}
	first := j.period
	for {
		t := w.calm(cur.from + 20000 + w.upTo(30000))
		if t > w.end-8000 || j.shape == onceDated {
			w.follow(j, cur.from, w.end+1, w.end+1, cur.period)
			return
		}
		switch {
		case j.period2 != 0 && cur.period == first:
			j.period = j.period2
			c := *w.change(j, OpEdit, t, nil)
			w.follow(j, cur.from, t, t, cur.period)
			cur = stretch{from: t, period: j.period}
			j.edited = append(j.edited, span{c.Acked + 1, t + 18000})
		case w.dice.IntN(5) == 0 && j.shape != rateDated && j.shape != delayUndated:
			// An operator never gets an answer to a stop. It may have worked.
			c := w.change(j, OpStop, t, nil)
			c.Acked = 0
			asked := c.Asked
			again := w.calm(t + 6000 + w.upTo(8000))
			if w.dice.IntN(2) == 0 {
				t = again // the stop had no effect
			}
			w.follow(j, cur.from, t, asked, cur.period)
			w.change(j, OpStop, again, nil)
			e = w.calm(again + 2000)
			w.change(j, OpStart, e, nil)
			cur = stretch{from: e, period: cur.period}
		default:
			c := *w.change(j, OpStop, t, nil)
			w.follow(j, cur.from, t, t, cur.period)
			e = w.calm(t + 9000 + w.upTo(4000))
			s := *w.change(j, OpStart, e, nil)
			j.stopped = append(j.stopped, span{c.Acked, s.Asked})
			cur = stretch{from: e, period: cur.period}
		}
	}
}

// next returns the first due time of j after t.
func (j *simJob) next(t, period Instant) Instant {
	switch j.shape {
	case rateDated:
		return (t + period + 999) / 1000 * 1000
	case onceDated:
		if t < base+17000 {
			return base + 17000
		}
		return never
	case delayUndated:
		return t + period
	}
	// Seconds of the minute that are multiples of the period.
	minute := t / 60000 * 60000
	for s := Instant(0); s < 60000; s += period {
		if minute+s > t {
			return minute + s
		}
	}
	return minute + 60000
}

// follow fires what is due while a schedule is on. After certain it is unknown whether the schedule
// is on.
func (w *world) follow(j *simJob, from, to, certain, period Instant) {
	due := j.next(from, period)
	for due <= to && due <= w.end {
		at := w.after(due)
		if j.shape == delayUndated {
			at = due // outages do not delay it, since what follows from a late one is not defined
		}
		if at >= to {
			return // the end of the schedule cancels what was promised
		}
		normal := w.quiet(due) && due > from+4000 && due < certain-4000
		if at-due > misfires {
			last := due
			for n := j.next(due, period); n <= at; n = j.next(n, period) {
				last = n
			}
			m := Misfire{Job: j.id, Due: due, Until: last, Strategy: j.strategy, At: at}
			w.misfires = append(w.misfires, m)
			if j.strategy == xxladapter.MisfireFireOnceNow {
				w.fire(j, due, at+w.upTo(200), false)
			} else if at < w.end-4000 {
				j.consumed = append(j.consumed, m)
			}
			due = j.next(last, period) // a rate keeps its phase
			continue
		}
		end := w.fire(j, due, at+w.upTo(200), normal)
		if j.shape == delayUndated {
			due = end + period
			continue
		}
		due = j.next(due, period)
	}
}

// fire runs a due time on all shards, and returns when the scheduler learned of its end.
func (w *world) fire(j *simJob, due, at Instant, normal bool) Instant {
	shards := int32(1)
	if j.shape == broadcastDated || j.shape == broadcastUndated {
		shards = 3
	}
	if w.rows && !undatedShape(j.shape) && j.child == 0 && w.dice.IntN(40) == 0 {
		w.log++
		w.refused = append(w.refused, Log{Log: w.log, Job: j.id, Due: due, TriggerCode: 500})
		return at
	}
	known := Instant(0)
	for s := range shards {
		r := Run{Job: j.id, Due: due, At: at + w.upTo(20), Shard: s, Shards: shards}
		if undatedShape(j.shape) {
			r.Due = 0
		}
		if shards == 1 && w.dice.IntN(2) == 0 {
			r.Shards = 0
		}
		known = w.play(j, r, nil, normal, 2, 0)
	}
	return known
}

func undatedShape(s shape) bool {
	return s == cronUndated || s == broadcastUndated || s == delayUndated || s == retryUndated
}

// play adds a run with all that follows from it.
func (w *world) play(j *simJob, r Run, trigger *Trigger, normal bool, retries, of int) (known Instant) {
	w.log++
	r.Log = w.log
	r.Start, r.Code = r.At+w.upTo(5), 200
	if (j.shape == retryDated || j.shape == retryUndated || j.shape == parentDated) && w.dice.IntN(4) == 0 {
		r.Code = 500
	}
	r.End = r.Start + 10 + w.upTo(100)
	known = r.End + w.upTo(100)
	if j.shape == delayUndated && !w.results {
		known = r.End
	}
	if r.At > w.end {
		return known
	}
	s := simRun{run: r, trigger: trigger, of: of, normal: normal && r.Code == 200}
	if trigger != nil {
		trigger.Log = r.Log
	}
	w.complete(&s, known)
	at := len(w.runs)
	w.runs = append(w.runs, s)
	j.runs = append(j.runs, at)
	if w.dice.IntN(50) == 0 {
		w.arriveAgain(at)
	}
	switch {
	case r.Code != 200 && retries > 0 && j.shape != parentDated:
		next := Run{Job: j.id, At: known + 50 + w.upTo(300), Shard: r.Shard, Shards: r.Shards}
		if r.Due != 0 {
			next.Due = next.At/1000*1000 + 1 + (next.At-1)%998
			next.Due = min(next.Due, next.At)
			if next.Due%1000 == 0 {
				next.Due--
			}
		}
		var t *Trigger
		if j.named {
			t = &Trigger{Job: j.id, Type: xxladapter.TriggerRetry, Of: r.Log}
		}
		w.play(j, next, t, false, retries-1, 0)
	case r.Code == 200 && j.child > 0:
		child := w.jobs[j.child-1]
		var t *Trigger
		if j.named {
			t = &Trigger{Job: child.id, Type: xxladapter.TriggerParent, Of: r.Log}
		}
		w.play(child, Run{Job: child.id, At: known + w.upTo(300)}, t, false, 0, at+1)
	}
	return known
}

// complete gives a run its result and its row, as far as they came before the end.
func (w *world) complete(s *simRun, known Instant) {
	if s.run.End > w.end {
		s.run.End, s.run.Code = 0, 0
	}
	if w.results && known <= w.end && s.run.End != 0 {
		s.results = []Result{{Log: s.run.Log, Code: s.run.Code, At: known}}
	}
	if w.rows {
		s.row = &Log{Log: s.run.Log, Job: s.run.Job, TriggerCode: 200}
		if s.run.End != 0 && known <= w.end {
			s.row.HandleCode, s.row.Handled = s.run.Code, known/1000*1000
		}
	}
}

// arriveAgain lets the log id of a run arrive again: the executor knows it and does not run it, or
// the scheduler was allowed to try it again.
func (w *world) arriveAgain(i int) {
	s := &w.runs[i]
	a := s.run
	a.At += 500
	if a.At > w.end {
		return
	}
	a.Start, a.End, a.Code = 0, 0, 0
	if w.dice.IntN(2) == 0 {
		s.resends = append(s.resends, Resend{Log: a.Log, At: a.At - 5})
		a.Start = a.At
		s.normal = false
	}
	w.runs = append(w.runs, simRun{run: a, second: true})
}

// manual lets an operator trigger a job.
func (w *world) manual(j *simJob, t Instant, due Instant) {
	trigger := &Trigger{Job: j.id, Type: xxladapter.TriggerManual, Asked: t - w.upTo(100), Acked: t + w.upTo(100)}
	if !j.named {
		w.triggers = append(w.triggers, *trigger)
		trigger = nil
	}
	w.play(j, Run{Job: j.id, Due: due, At: t + w.upTo(200)}, trigger, false, 0, 0)
}

// history returns what was recorded of the world.
func (w *world) history() *History {
	h := &History{End: w.end, Misfires: slices.Clone(w.misfires), Triggers: slices.Clone(w.triggers)}
	for _, j := range w.jobs {
		for _, c := range j.changes {
			if c.Asked <= w.end {
				h.Changes = append(h.Changes, c)
			}
		}
	}
	for i := range w.runs {
		s := &w.runs[i]
		if s.gone {
			continue
		}
		h.Runs = append(h.Runs, s.run)
		h.Results = append(h.Results, s.results...)
		h.Resends = append(h.Resends, s.resends...)
		if s.trigger != nil {
			h.Triggers = append(h.Triggers, *s.trigger)
		}
		if s.row != nil {
			h.Logs = append(h.Logs, *s.row)
		}
	}
	if w.rows {
		h.Logs = append(h.Logs, w.refused...)
	}
	w.dice.Shuffle(len(h.Runs), func(i, k int) { h.Runs[i], h.Runs[k] = h.Runs[k], h.Runs[i] })
	w.dice.Shuffle(len(h.Logs), func(i, k int) { h.Logs[i], h.Logs[k] = h.Logs[k], h.Logs[i] })
	return h
}
