package checker

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A finding is a violation before the relevant part of the history is added.
type finding struct {
	kind  Kind
	run   int // index of the run at fault in the history's runs; -1 means none
	other int // index of a run that conflicts with it, or is beside it; -1 means none

	target *target
	shard  int32   // the missing shard, or -1
	ended  *Change // what should have prevented it

	job, log, of int64   // job and log if run is -1; of is the run before, 0 means none
	since        Instant // since when something was awaited
}

// add counts a finding. Up to the limit of violations it also keeps the relevant part of the
// history.
func (r *Report) add(c *check, f finding) {
	r.Counts[f.kind]++
	if len(r.Violations) < c.opts.MaxViolations {
		r.Violations = append(r.Violations, c.explain(f))
	}
}

// explain collects the smallest part of the history that shows the fault.
func (c *check) explain(f finding) Violation {
	v := Violation{Kind: f.kind, Job: f.job, Log: f.log, Shard: -1, writers: c.history.Writers}
	var logs []int64
	moment := f.since
	if f.run >= 0 {
		r := &c.history.Runs[f.run]
		v.Job, v.Log, v.Due, moment = r.Job, r.Log, r.Due, r.At
		v.Runs = append(v.Runs, *r)
		logs = append(logs, r.Log)
	}
	if f.target != nil {
		v.Due, moment = f.target.due, f.target.due
		if f.kind == Missed {
			v.Shard = f.shard
		}
		if f.ended == nil && (f.kind == AfterStop || f.kind == OldSchedule) {
			f.ended = f.target.ended
		}
	}
	if f.other >= 0 {
		r := c.history.Runs[f.other]
		v.Runs = append(v.Runs, r)
		logs = append(logs, r.Log)
	}
	if f.log != 0 {
		for _, i := range c.runsOf(f.log) {
			v.Runs, moment = append(v.Runs, c.history.Runs[i]), c.history.Runs[i].At
		}
		logs = append(logs, f.log)
	}
	if f.of != 0 {
		for _, i := range c.runsOf(f.of) {
			v.Runs = append(v.Runs, c.history.Runs[i])
			if moment == 0 {
				moment = c.history.Runs[i].End
			}
		}
		logs = append(logs, f.of)
	}
	if f.kind <= Misfired {
		for _, r := range c.neighbours(&v, f, moment) {
			if !slices.Contains(v.Runs, r) {
				v.Runs = append(v.Runs, r)
			}
		}
	}
	v.Text = c.sentence(&v, f)
	c.records(&v, f, moment, logs)
	return v
}

// runsOf returns the runs with a log id.
func (c *check) runsOf(log int64) (runs []int32) {
	i, _ := slices.BinarySearchFunc(c.byLog, log, func(n named, log int64) int { return cmp.Compare(n.log, log) })
	for ; i < len(c.byLog) && c.byLog[i].log == log; i++ {
		runs = append(runs, c.byLog[i].run)
	}
	return runs
}

// neighbours returns the job's last run before and first run after the moment, or before and after
// the due time among runs that have one.
func (c *check) neighbours(v *Violation, f finding, moment Instant) (runs []Run) {
	all := c.history.Runs
	lo := sort.Search(len(all), func(i int) bool { return all[i].Job >= v.Job })
	hi := sort.Search(len(all), func(i int) bool { return all[i].Job > v.Job })
	own := all[lo:hi]
	dated := sort.Search(len(own), func(i int) bool { return own[i].Due != 0 })
	before, after := -1, -1
	if v.Due != 0 && dated < len(own) {
		before = dated + sort.Search(len(own)-dated, func(i int) bool { return own[dated+i].Due >= v.Due }) - 1
		after = dated + sort.Search(len(own)-dated, func(i int) bool { return own[dated+i].Due > v.Due })
		if before < dated {
			before = -1
		}
	} else {
		for i := range own[:dated] {
			switch r := &own[i]; {
			case lo+i == f.run || lo+i == f.other:
			case r.At < moment && (before < 0 || own[before].At < r.At):
				before = i
			case r.At >= moment && (after < 0 || own[after].At > r.At):
				after = i
			}
		}
	}
	for _, i := range [2]int{before, after} {
		if i >= 0 && i < len(own) && lo+i != f.run && lo+i != f.other {
			runs = append(runs, own[i])
		}
	}
	return runs
}

// sentence describes what is wrong.
func (c *check) sentence(v *Violation, f finding) string {
	var r Run
	if len(v.Runs) > 0 {
		r = v.Runs[0]
	}
	switch f.kind {
	case Missed:
		switch {
		case f.target == nil:
			return fmt.Sprintf("no run came after %v in the time that the delay allows", f.since)
		case f.shard >= 0 && f.other >= 0:
			return fmt.Sprintf("due %v, shard %d never came", v.Due, f.shard)
		}
		return fmt.Sprintf("due %v, no run came until %v", v.Due, f.target.hi)
	case Duplicate:
		return fmt.Sprintf("due %v, log %d and log %d ran for it", v.Due, v.Runs[1].Log, r.Log)
	case Early:
		return fmt.Sprintf("due %v, log %d came %v before", v.Due, r.Log, v.Due.Sub(r.At))
	case Late:
		return fmt.Sprintf(
			"due %v, log %d came %v after, at most %v is allowed", v.Due, r.Log, r.At.Sub(v.Due),
			f.target.hi.Sub(v.Due),
		)
	case Extra:
		return fmt.Sprintf("log %d came at %v, and nothing explains it", r.Log, r.At)
	case AfterStop, OldSchedule:
		op := OpStop
		acked := Instant(0)
		if f.ended != nil {
			op, acked = f.ended.Op, f.ended.Acked
		}
		return fmt.Sprintf("log %d came at %v, after the %s that was acknowledged at %v", r.Log, r.At, op, acked)
	case Misfired:
		return fmt.Sprintf("due %v, a misfire record consumed it, and log %d ran for it", v.Due, r.Log)
	case LogTwice:
		return fmt.Sprintf("log %d ran more than once, last at %v", r.Log, r.At)
	case ResultLost:
		return fmt.Sprintf("log %d ended at %v with %d, which was not applied", r.Log, r.End, r.Code)
	case ResultTwice:
		return fmt.Sprintf("the result of log %d was applied more than once", r.Log)
	case ResultWrong:
		return fmt.Sprintf("log %d ended with %d, another result was applied", r.Log, r.Code)
	case ChildMissed:
		return fmt.Sprintf("it never ran for log %d of its parent", f.of)
	case ChildExtra:
		return fmt.Sprintf(
			"log %d ran for log %d of its parent, which already has a child or must not have one", v.Log, f.of,
		)
	case Unlogged:
		return fmt.Sprintf("log %d came at %v, and the scheduler has no row of it", r.Log, r.At)
	}
	return ""
}

// records collects the relevant lines of a violation: the changes around it, the misfire records
// that cover it, and all lines that name the log ids in question.
func (c *check) records(v *Violation, f finding, moment Instant, logs []int64) {
	line := func(l []byte) { v.Records = append(v.Records, string(l)) }
	if j := c.job(v.Job); j != nil {
		last, def := -1, -1
		for i := range j.changes {
			if ch := &j.changes[i]; ch.Asked <= moment {
				last = i
				if ch.Op == OpCreate || ch.Op == OpEdit {
					def = i
				}
			}
		}
		if def >= 0 {
			d := &j.changes[def]
			v.job = string(d.Type)
			if d.Conf != "" {
				v.job += " " + d.Conf
			}
			if d.Zone != "" {
				v.job += " " + d.Zone
			}
		}
		for i := range j.changes {
			ch := &j.changes[i]
			if f.kind <= Misfired && (i == last || i == last+1 && ch.Asked <= moment.Add(c.opts.Epsilon)) ||
				ch == f.ended {
				line(appendChange(nil, ch))
			}
		}
	}
	if v.Due != 0 {
		for i := range c.history.Misfires {
			if m := &c.history.Misfires[i]; m.Job == v.Job && m.Due <= v.Due && v.Due <= m.Until {
				line(appendMisfire(nil, m))
			}
		}
	}
	slices.Sort(logs)
	for _, log := range slices.Compact(logs) {
		if log == 0 {
			continue
		}
		for _, t := range within(c.history.Triggers, log, func(t *Trigger) int64 { return t.Log }) {
			line(appendTrigger(nil, &t))
		}
		for _, r := range within(c.history.Resends, log, func(r *Resend) int64 { return r.Log }) {
			line(appendResend(nil, &r))
		}
		for _, r := range within(c.history.Results, log, func(r *Result) int64 { return r.Log }) {
			line(appendResult(nil, &r))
		}
		for _, a := range within(c.history.Acks, log, func(a *Ack) int64 { return a.Log }) {
			line(appendAck(nil, &a))
		}
		for _, l := range within(c.history.Logs, log, func(l *Log) int64 { return l.Log }) {
			line(appendLog(nil, &l))
		}
	}
	if f.kind == Missed && f.target != nil {
		for i := range c.history.Logs {
			if l := &c.history.Logs[i]; l.Job == v.Job && l.Due == v.Due {
				line(appendLog(nil, l))
			}
		}
	}
	if f.kind == ChildMissed || f.kind == ChildExtra {
		for i := range c.history.Triggers {
			if t := &c.history.Triggers[i]; t.Type == xxladapter.TriggerParent && t.Of == f.of && t.Job == v.Job &&
				t.Log != v.Log {
				line(appendTrigger(nil, t))
			}
		}
	}
}

// within returns the elements with a log id.
//
// REQUIRES: s is sorted by log id.
func within[T any](s []T, log int64, of func(*T) int64) []T {
	lo := sort.Search(len(s), func(i int) bool { return of(&s[i]) >= log })
	hi := lo
	for hi < len(s) && of(&s[hi]) == log {
		hi++
	}
	return s[lo:hi]
}
