package checker

import (
	"cmp"
	"slices"
	"sort"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A target is a due time.
type target struct {
	due   Instant
	hi    Instant // the last instant at which a run is in time
	limit Instant // after it, the end of the epoch forbids the run
	ended *Change // what ended the epoch, if limit is set
	slack Instant // how much later than due the real due time may be
	must  bool    // it had to fire, and the time for that is over
	doubt bool    // the store has recorded that it no longer knows whether the due time has fired
	fate  fate
	run   int32 // an index into the job's runs
}

// A fate is what became of a target.
type fate uint8

const (
	pending  fate = iota
	matched       // a run came
	consumed      // a misfire record consumed it
)

// A dated holds the records of a job that name due times, each list in their order.
type dated struct {
	runs     []Run
	misfires []Misfire
	refused  []Log
}

// targets appends the due times of j up to end, in order.
func (j *job) targets(to []target, known dated, opts Options, end Instant) []target {
	for i := range j.epochs {
		to = j.epochs[i].targets(to, known, opts, end)
	}
	if len(j.epochs) < 2 {
		return to
	}
	slices.SortStableFunc(to, func(a, b target) int { return cmp.Compare(a.due, b.due) })
	// A due time of two schedules is one target.
	kept := to[:0]
	for _, t := range to {
		if n := len(kept); n > 0 && kept[n-1].due == t.due {
			k := &kept[n-1]
			k.hi, k.slack, k.must, k.doubt = max(k.hi, t.hi), max(k.slack, t.slack), k.must || t.must,
				k.doubt || t.doubt
			k.fate = max(k.fate, t.fate)
			if t.limit > k.limit {
				k.limit, k.ended = t.limit, t.ended
			}
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

func (e *epoch) targets(to []target, known dated, opts Options, end Instant) []target {
	if e.def.Type == xxladapter.ScheduleFixDelay {
		return to // its due times depend on its runs
	}
	epsilon := Instant(opts.Epsilon.Milliseconds())
	due, slack, least := e.start(known, end)
	for due <= end && due <= e.gone {
		t := target{due: due, slack: slack, hi: due + slack + epsilon, limit: never, run: -1}
		if e.ended != nil {
			t.limit, t.ended = e.gone.Add(opts.Grace), e.ended
		}
		if m := covering(known.misfires, due); m != nil && !opts.NoMisfires {
			t.fate = consumed
			switch m.Strategy {
			case xxladapter.MisfireDoNothing: // no run
			case xxladapter.MisfireStoreLost: // one run at most
				t.fate, t.doubt = pending, true
			case xxladapter.MisfireFireOnceNow: // one run, for the first due time
				if due == m.Due {
					t.fate, t.hi = pending, max(t.hi, m.At+epsilon)
				}
			case xxladapter.MisfireLatest: // one run, for the last
				if due == m.Until || e.next(due) > m.Until {
					t.fate, t.hi = pending, max(t.hi, m.At+epsilon)
				}
			case xxladapter.MisfireAll:
				t.fate, t.hi = pending, max(t.hi, m.At.Add(opts.CatchUp)+epsilon)
			}
		}
		t.must = e.sure && !t.doubt && due >= least && t.hi < e.until && t.hi < end
		if e.first == 0 {
			t.must = t.must && due > e.certain.Add(opts.StartSkip)
		}
		to = append(to, t)
		due = e.next(due)
	}
	return to
}

// start returns the first due time of the epoch, how much later it may have been, and the last
// instant that may have been the first due time. The phase of a fixed rate follows from the moment
// at which it started. If that is not known precisely enough, the first run, misfire record or
// failed hand-over that names its due time determines it.
func (e *epoch) start(known dated, end Instant) (due, slack, least Instant) {
	due = e.first
	if due == 0 {
		due = e.next(e.from)
	}
	if e.def.Type != xxladapter.ScheduleFixRate || due == never {
		return due, 0, due
	}
	e.anchor, e.period = due, e.next(due)-due
	if e.first != 0 {
		return due, 0, due
	}
	last := e.next(min(e.certain, e.gone, end))
	if last <= due {
		return due, 0, due
	}
	fits := func(d Instant) bool { return (d-due)%e.period <= last-due }
	witness := min(
		firstOf(known.runs, due, e.gone, func(r *Run) Instant { return r.Due }, fits),
		firstOf(known.misfires, due, e.gone, func(m *Misfire) Instant { return m.Due }, fits),
		firstOf(known.refused, due, e.gone, func(l *Log) Instant { return l.Due }, fits),
	)
	if witness != never {
		e.anchor = due + (witness-due)%e.period
		if last-due < e.period {
			last = e.anchor // there is no other instant in that phase
		}
		return e.anchor, 0, last
	}
	return due, min(last-due, e.period-1), last
}

// firstOf returns the first due time from lo to hi in s that fits, or never.
//
// REQUIRES: s ascends.
func firstOf[T any](s []T, lo, hi Instant, of func(*T) Instant, fits func(Instant) bool) Instant {
	s = between(s, lo, hi, of)
	for i := range s {
		if due := of(&s[i]); fits(due) {
			return due
		}
	}
	return never
}

// between returns the part of s from lo to hi.
//
// REQUIRES: s ascends.
func between[T any](s []T, lo, hi Instant, of func(*T) Instant) []T {
	from := sort.Search(len(s), func(i int) bool { return of(&s[i]) >= lo })
	to := sort.Search(len(s), func(i int) bool { return of(&s[i]) > hi })
	return s[from:to]
}

// covering returns the misfire record that concerns due, or nil.
//
// REQUIRES: misfires ascend by Due and do not overlap.
func covering(misfires []Misfire, due Instant) *Misfire {
	i, found := slices.BinarySearchFunc(misfires, due, func(m Misfire, d Instant) int { return cmp.Compare(m.Due, d) })
	if !found {
		i--
	}
	if i >= 0 && misfires[i].Due <= due && due <= misfires[i].Until {
		return &misfires[i]
	}
	return nil
}
