package checker

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Check judges a history. It may reorder the slices of h, and fills in the due times of runs from
// their log rows. If an option is negative, or a change cannot be followed, it judges nothing and
// the report has the error in Err.
func Check(h *History, opts Options) *Report {
	opts, err := opts.withDefaults()
	if err != nil {
		return &Report{Err: err}
	}
	c := &check{
		history: h, opts: opts, end: opts.End,
		report: &Report{Options: opts, Cut: h.Cut, Misfires: len(h.Misfires)},
	}
	if c.end == 0 {
		c.end = h.lastInstant()
	}
	c.report.Options.End = c.end
	c.order()
	if err := c.readJobs(); err != nil {
		c.report.Err = err
		return c.report
	}
	c.startDelays()
	c.judgeLogs()
	c.judgeJobs()
	return c.report
}

// A check is the state of one call of Check.
type check struct {
	history *History
	opts    Options
	end     Instant
	report  *Report

	jobs     []*job  // ascending by id
	flags    []flag  // one for each of h.Runs
	byLog    []named // the runs that have a log id
	demands  []demand
	parental []parental
	refused  []Log // rows of failed hand-overs without a run; ascending by job and due time
}

// A flag is what the records about a run's log id say about the run.
type flag uint8

const (
	again     flag = 1 << iota // a later arrival of a log id
	explained                  // a record names a reason other than the schedule
)

// lastInstant returns the end of a history: the one that it names, or else the latest instant of
// its runs, changes, misfires, losses and results.
func (h *History) lastInstant() Instant {
	end := h.End
	if end != 0 {
		return end
	}
	for i := range h.Runs {
		r := &h.Runs[i]
		end = max(end, r.At, r.Start, r.End)
	}
	for i := range h.Changes {
		end = max(end, h.Changes[i].Asked, h.Changes[i].Acked)
	}
	for i := range h.Misfires {
		end = max(end, h.Misfires[i].At)
	}
	for i := range h.Losses {
		end = max(end, h.Losses[i].Until)
	}
	for i := range h.Results {
		end = max(end, h.Results[i].At)
	}
	return end
}

// order sorts the history so that the check needs no maps.
func (c *check) order() {
	h := c.history
	slices.SortStableFunc(h.Changes, func(a, b Change) int { return cmp.Compare(a.Job, b.Job) })
	slices.SortFunc(h.Misfires, func(a, b Misfire) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Due, b.Due), cmp.Compare(a.At, b.At))
	})
	slices.SortFunc(h.Triggers, func(a, b Trigger) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Asked, b.Asked))
	})
	slices.SortFunc(
		h.Resends, func(a, b Resend) int { return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.At, b.At)) },
	)
	sortUnlessSorted(
		h.Results, func(a, b Result) int { return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.At, b.At)) },
	)
	sortUnlessSorted(h.Acks, func(a, b Ack) int { return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.At, b.At)) })
	sortUnlessSorted(h.Logs, func(a, b Log) int { return cmp.Compare(a.Log, b.Log) })
	c.fillDues()
	sortUnlessSorted(h.Runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Due, b.Due), cmp.Compare(a.Shard, b.Shard),
			cmp.Compare(a.At, b.At), cmp.Compare(a.Log, b.Log))
	})
	c.flags = make([]flag, len(h.Runs))
}

func sortUnlessSorted[T any](s []T, order func(a, b T) int) {
	if !slices.IsSortedFunc(s, order) {
		slices.SortFunc(s, order)
	}
}

// fillDues copies the due time from a run's log row if the run has none.
func (c *check) fillDues() {
	runs := c.history.Runs
	if !slices.ContainsFunc(c.history.Logs, func(l Log) bool { return l.Due != 0 }) ||
		!slices.ContainsFunc(runs, func(r Run) bool { return r.Due == 0 && r.Log != 0 }) {
		return
	}
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Compare(a.Log, b.Log) })
	row := 0
	for i := range runs {
		for row < len(c.history.Logs) && c.history.Logs[row].Log < runs[i].Log {
			row++
		}
		if row == len(c.history.Logs) {
			return
		}
		if l := &c.history.Logs[row]; runs[i].Due == 0 && l.Log == runs[i].Log {
			runs[i].Due = l.Due
		}
	}
}

// readJobs follows the changes of each job.
func (c *check) readJobs() error {
	for rest := c.history.Changes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Job == rest[0].Job {
			n++
		}
		j, err := newJob(rest[:n:n])
		if err != nil {
			return err
		}
		c.jobs = append(c.jobs, j)
		rest = rest[n:]
	}
	return nil
}

// job returns the job with the id, or nil.
func (c *check) job(id int64) *job {
	i, found := slices.BinarySearchFunc(c.jobs, id, func(j *job, id int64) int { return cmp.Compare(j.id, id) })
	if !found {
		return nil
	}
	return c.jobs[i]
}

// judgeJobs goes through jobs, runs and everything else that is sorted by job.
func (c *check) judgeJobs() {
	var (
		jc       jobCheck
		runs     = c.history.Runs
		misfires = c.history.Misfires
		demands  = c.demands
		refused  = c.refused
		manual   = slices.Clone(c.history.Triggers[:lenUnnamed(c.history.Triggers)])
	)
	slices.SortStableFunc(manual, func(a, b Trigger) int { return cmp.Compare(a.Job, b.Job) })
	first := 0
	for jobs := c.jobs; len(jobs) > 0 || len(runs) > 0; {
		var j *job
		if len(jobs) > 0 && (len(runs) == 0 || jobs[0].id <= runs[0].Job) {
			j, jobs = jobs[0], jobs[1:]
		} else {
			j = &job{id: runs[0].Job} // no change created it
		}
		jc = jobCheck{
			check: c, job: j, first: first, longest: -1, targets: jc.targets[:0], loose: jc.loose[:0],
			undated: jc.undated[:0],
		}
		jc.runs, runs = cutJob(runs, j.id, func(r *Run) int64 { return r.Job })
		jc.flags = c.flags[first : first+len(jc.runs)]
		jc.misfires, misfires = cutJob(misfires, j.id, func(m *Misfire) int64 { return m.Job })
		jc.demands, demands = cutJob(demands, j.id, func(d *demand) int64 { return d.job })
		jc.refused, refused = cutJob(refused, j.id, func(l *Log) int64 { return l.Job })
		jc.manual, manual = cutJob(manual, j.id, func(t *Trigger) int64 { return t.Job })
		first += len(jc.runs)
		jc.judge()
	}
	c.report.Jobs = len(c.jobs)
	c.report.Runs = len(c.history.Runs)
}

// lenUnnamed returns how many triggers have no log id.
//
// REQUIRES: triggers is sorted by Log.
func lenUnnamed(triggers []Trigger) int {
	n := 0
	for n < len(triggers) && triggers[n].Log == 0 {
		n++
	}
	return n
}

// cutJob splits off the elements of a job. It drops those of jobs before it.
func cutJob[T any](s []T, id int64, of func(*T) int64) (own, rest []T) {
	for len(s) > 0 && of(&s[0]) < id {
		s = s[1:]
	}
	n := 0
	for n < len(s) && of(&s[n]) == id {
		n++
	}
	return s[:n:n], s[n:]
}

// scheduled reports whether runs of this type are for due times.
func scheduled(t xxladapter.TriggerType) bool { return t.Scheduled() }
