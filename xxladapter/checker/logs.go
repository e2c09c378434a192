package checker

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A demand is a run that an event, such as a trigger or the end of another run, permits between lo
// and hi, and requires if must is set.
type demand struct {
	job    int64
	lo, hi Instant
	must   bool
	kind   demandKind
	of     int64 // the log id of the run before it; 0 means none
	shard  int32 // -1 means any
	done   bool
}

type demandKind uint8

const (
	byHand  demandKind = iota // an operator or a program
	byRetry                   // a failed run
	byParent
	byDelay // the end of the run before it, under FIX_DELAY
)

// A parental is a child trigger that a record names.
type parental struct {
	of, job, log int64
	came         bool
}

// A named is a run in the order of log ids.
type named struct {
	log int64
	at  Instant
	run int32
}

// judgeLogs goes through the runs by log id, together with all records that have one.
func (c *check) judgeLogs() {
	runs := c.history.Runs
	order := make([]named, 0, len(runs))
	for i := range runs {
		if runs[i].Log != 0 {
			order = append(order, named{runs[i].Log, runs[i].At, int32(i)})
		} else {
			c.expect(i, nil, nil)
		}
	}
	sortUnlessSorted(order, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.log, b.log), cmp.Compare(a.at, b.at), cmp.Compare(a.run, b.run))
	})
	c.byLog = order
	triggers, resends, results, logs := c.history.Triggers[lenUnnamed(c.history.Triggers):], c.history.Resends,
		c.history.Results, c.history.Logs
	for _, t := range triggers {
		if t.Type == xxladapter.TriggerParent && t.Of != 0 {
			c.parental = append(c.parental, parental{of: t.Of, job: t.Job, log: t.Log})
		}
	}
	slices.SortFunc(c.parental, func(a, b parental) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.job, b.job), cmp.Compare(a.log, b.log))
	})
	for len(order) > 0 {
		log := order[0].log
		n := 1
		for n < len(order) && order[n].log == log {
			n++
		}
		var facts logFacts
		facts.arrivals, order = order[:n], order[n:]
		facts.resends, resends = cutLog(resends, log, func(r *Resend) int64 { return r.Log })
		facts.results, results = cutLog(results, log, func(r *Result) int64 { return r.Log })
		facts.triggers, triggers = cutLog(triggers, log, func(t *Trigger) int64 { return t.Log })
		var before, rows []Log
		before, logs = cutBefore(logs, log, func(l *Log) int64 { return l.Log })
		c.refuse(before)
		rows, logs = cutLog(logs, log, func(l *Log) int64 { return l.Log })
		if len(rows) > 0 {
			facts.row = &rows[0]
		}
		c.judgeLog(&facts)
	}
	c.refuse(logs)
	sortUnlessSorted(
		c.refused, func(a, b Log) int { return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Due, b.Due)) },
	)
	c.settleParents()
	slices.SortStableFunc(c.demands, func(a, b demand) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.lo, b.lo))
	})
}

// logFacts is all that is known about one log id.
type logFacts struct {
	arrivals []named // by arrival
	resends  []Resend
	results  []Result
	triggers []Trigger
	row      *Log
}

// judgeLog checks that a log id ran once and that its result was applied once.
func (c *check) judgeLog(facts *logFacts) {
	runs := c.history.Runs
	ran, last := 0, -1 // last is the last run whose end is known
	for i, a := range facts.arrivals {
		r := &runs[a.run]
		if i > 0 {
			c.flags[a.run] |= again
			c.report.Repeated++
		}
		if r.Start != 0 {
			if ran++; ran > 1+len(facts.resends) {
				c.report.add(c, finding{kind: LogTwice, run: int(a.run), other: int(facts.arrivals[0].run)})
			}
		}
		if r.End != 0 {
			last = int(a.run)
		}
	}
	for _, t := range facts.triggers {
		if !scheduled(t.Type) {
			c.flags[facts.arrivals[0].run] |= explained
			if k := c.parentalOf(t); k != nil {
				k.came = true
			}
		}
	}
	if first := &runs[facts.arrivals[0].run]; len(c.history.Logs) > 0 && facts.row == nil && !c.removed(first.Job) {
		if c.rowInDoubt(first) {
			c.report.LostRows++
		} else {
			c.report.add(c, finding{kind: Unlogged, run: int(facts.arrivals[0].run), other: -1})
		}
	}
	if last < 0 {
		// The executor died, or its record is not part of the history.
		c.expect(int(facts.arrivals[0].run), facts.row, facts.results)
		return
	}
	if runs[last].End.Add(c.opts.Epsilon+c.opts.Grace) < c.end {
		c.judgeResult(facts, last)
	}
	c.expect(last, facts.row, facts.results)
}

// judgeResult checks what became of the result of a run that has ended.
func (c *check) judgeResult(facts *logFacts, run int) {
	f := finding{run: run, other: -1}
	if len(c.history.Results) > 0 {
		switch n := len(facts.results); {
		case n == 0:
			c.missResult(f)
			return
		case n > 1:
			f.kind = ResultTwice
			c.report.add(c, f)
			return
		}
	}
	var code int32
	switch {
	case facts.row != nil && facts.row.HandleCode == 0:
		c.missResult(f)
		return
	case facts.row != nil:
		code = facts.row.HandleCode
	case len(facts.results) > 0:
		code = facts.results[0].Code
	default:
		return
	}
	for _, a := range facts.arrivals {
		if r := &c.history.Runs[a.run]; r.End != 0 && r.Code == code {
			return
		}
	}
	f.kind = ResultWrong
	c.report.add(c, f)
}

// missResult reports that the result of a run was not applied, unless a loss explains it.
func (c *check) missResult(f finding) {
	if c.resultInDoubt(&c.history.Runs[f.run]) {
		c.report.LostResults++
		return
	}
	f.kind = ResultLost
	c.report.add(c, f)
}

// removed reports whether a job may have been removed, and its log rows with it.
func (c *check) removed(id int64) bool {
	j := c.job(id)
	return j != nil && slices.ContainsFunc(j.changes, func(ch Change) bool { return ch.Op == OpRemove })
}

// refuse keeps the rows of due times whose hand-over is known to have failed.
func (c *check) refuse(rows []Log) {
	for _, l := range rows {
		if l.Due != 0 && l.TriggerCode != xxladapter.ResultNone && l.TriggerCode != xxladapter.ResultOK {
			c.refused = append(c.refused, l)
		}
	}
}

// expect adds the demands that follow from the end of a run: children, a retry, the next run of a
// job with a fixed delay. They follow from the result that the scheduler has; judgeResult checks
// that it is the executor's.
func (c *check) expect(run int, row *Log, results []Result) {
	r := &c.history.Runs[run]
	j := c.job(r.Job)
	if j == nil || r.Log != 0 && len(c.history.Results) > 0 && len(results) == 0 {
		return
	}
	code, known := r.Code, r.End
	if row != nil && len(results) == 0 {
		code, known = row.HandleCode, max(known, row.Handled)
	}
	if len(results) > 0 {
		code, known = results[0].Code, max(known, results[0].At)
	}
	if code == xxladapter.ResultNone {
		return
	}
	if known == 0 {
		known = c.end
	}
	d := demand{lo: max(r.At, r.End), hi: known.Add(c.opts.Epsilon + c.opts.Grace), of: r.Log, shard: -1}
	if code != xxladapter.ResultOK {
		if j.retriesAt(r.At) > 0 {
			d.job, d.kind = r.Job, byRetry
			if r.Shards > 1 {
				d.shard = r.Shard
			}
			c.demands = append(c.demands, d)
		}
	} else {
		must, may := j.childrenAt(known)
		for _, child := range must {
			d.job, d.kind, d.must = child, byParent, d.hi < c.end
			c.demands = append(c.demands, d)
		}
		for _, child := range may {
			if !slices.Contains(must, child) {
				d.job, d.kind, d.must = child, byParent, false
				c.demands = append(c.demands, d)
			}
		}
	}
	c.expectDelay(j, r, known)
}

// parentalOf returns the entry of a trigger in the list of named child triggers, or nil.
func (c *check) parentalOf(t Trigger) *parental {
	i, found := slices.BinarySearchFunc(c.parental, t, func(p parental, t Trigger) int {
		return cmp.Or(cmp.Compare(p.of, t.Of), cmp.Compare(p.job, t.Job), cmp.Compare(p.log, t.Log))
	})
	if !found {
		return nil
	}
	return &c.parental[i]
}

// settleParents settles the demands of parents by the records that name their children, if there
// are any.
func (c *check) settleParents() {
	if len(c.parental) == 0 {
		return
	}
	used := make([]bool, len(c.parental))
	for i := range c.demands {
		d := &c.demands[i]
		if d.kind != byParent || d.of == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(c.parental, d, func(p parental, d *demand) int {
			return cmp.Or(cmp.Compare(p.of, d.of), cmp.Compare(p.job, d.job))
		})
		for k := at; k < len(c.parental) && c.parental[k].of == d.of && c.parental[k].job == d.job; k++ {
			used[k] = true
			switch p := &c.parental[k]; {
			case !d.done:
				d.done = p.came || c.refusedLog(p.log)
				if !d.done && k+1 < len(c.parental) && c.parental[k+1].of == d.of && c.parental[k+1].job == d.job {
					continue
				}
			case p.came:
				c.report.add(c, finding{kind: ChildExtra, run: -1, other: -1, job: d.job, log: p.log, of: d.of})
			}
		}
	}
	for k, p := range c.parental {
		if !used[k] && p.came && c.endKnown(p.of) {
			c.report.add(c, finding{kind: ChildExtra, run: -1, other: -1, job: p.job, log: p.log, of: p.of})
		}
	}
}

// refusedLog reports whether the hand-over of a log id is known to have failed.
func (c *check) refusedLog(log int64) bool {
	i, found := slices.BinarySearchFunc(
		c.history.Logs, log, func(l Log, log int64) int { return cmp.Compare(l.Log, log) },
	)
	return found && c.history.Logs[i].TriggerCode != xxladapter.ResultNone &&
		c.history.Logs[i].TriggerCode != xxladapter.ResultOK
}

// endKnown reports whether the history contains the end of a run, so that it is known that the run
// must not have children.
func (c *check) endKnown(log int64) bool {
	i, _ := slices.BinarySearchFunc(c.byLog, log, func(n named, log int64) int { return cmp.Compare(n.log, log) })
	for ; i < len(c.byLog) && c.byLog[i].log == log; i++ {
		if c.history.Runs[c.byLog[i].run].End != 0 {
			return true
		}
	}
	return false
}

func cutBefore[T any](s []T, log int64, of func(*T) int64) (before, rest []T) {
	n := 0
	for n < len(s) && of(&s[n]) < log {
		n++
	}
	return s[:n], s[n:]
}

func cutLog[T any](s []T, log int64, of func(*T) int64) (own, rest []T) {
	_, s = cutBefore(s, log, of)
	n := 0
	for n < len(s) && of(&s[n]) == log {
		n++
	}
	return s[:n], s[n:]
}
