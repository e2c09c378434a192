package checker

import (
	"cmp"
	"slices"
	"sort"
)

// A jobCheck judges one job. Its slices belong to that job.
type jobCheck struct {
	*check
	job      *job
	first    int // the index of runs[0] in the history
	runs     []Run
	flags    []flag
	misfires []Misfire
	demands  []demand
	refused  []Log
	manual   []Trigger // without a log id

	targets []target
	loose   []int32 // runs whose due time is not one of the schedule's
	undated []int32
	longest Instant // longest window of a parent; -1 means not computed yet
}

// judge matches the job's targets with its runs: directly if a run names its due time, and
// otherwise by windows. It matches the demands with the remaining runs, and reports what is left
// over.
func (jc *jobCheck) judge() {
	undated := sort.Search(len(jc.runs), func(i int) bool { return jc.runs[i].Due != 0 })
	jc.targets = jc.job.targets(jc.targets, dated{jc.runs[undated:], jc.misfires, jc.refused}, jc.opts, jc.end)
	for i := range undated {
		if jc.flags[i] == 0 {
			jc.undated = append(jc.undated, int32(i))
		}
	}
	for i := range jc.manual {
		t := &jc.manual[i]
		hi := jc.end
		if t.Acked != 0 {
			hi = t.Acked.Add(jc.opts.Epsilon + jc.opts.Grace)
		}
		jc.demands = append(jc.demands, demand{job: jc.job.id, kind: byHand, lo: t.Asked, hi: hi, of: t.Of, shard: -1})
	}
	slices.SortStableFunc(jc.demands, func(a, b demand) int { return cmp.Compare(a.lo, b.lo) })
	jc.judgeDated(undated)
	jc.lanes(jc.loose, false)
	jc.lanes(jc.undated, true)
	jc.settle()
}

// judgeDated goes through the runs that name their due time, in step with the targets.
func (jc *jobCheck) judgeDated(from int) {
	t := 0
	for i := from; i < len(jc.runs); {
		due, n := jc.runs[i].Due, i
		for n < len(jc.runs) && jc.runs[n].Due == due {
			n++
		}
		for t < len(jc.targets) && jc.targets[t].due < due {
			t++
		}
		if t < len(jc.targets) && jc.targets[t].due == due {
			jc.judgeTarget(t, i, n)
		} else {
			for k := i; k < n; k++ {
				if jc.flags[k] == 0 {
					jc.loose = append(jc.loose, int32(k))
				}
			}
		}
		i = n
	}
}

// judgeTarget judges runs[from:to], all of which name target t. They ascend by shard, then by
// arrival.
func (jc *jobCheck) judgeTarget(t, from, to int) {
	tg := &jc.targets[t]
	first, total := -1, int32(0) // first is the first run without another reason
	for k := from; k < to; k++ {
		if jc.flags[k] != 0 {
			continue
		}
		if first < 0 {
			first = k
		}
		total = max(total, jc.runs[k].Shards, 1)
	}
	if first < 0 {
		return
	}
	if tg.fate == consumed {
		jc.at(Misfired, first, -1, tg)
		return
	}
	tg.fate, tg.run = matched, int32(first)
	if tg.must {
		jc.report.Matched++
	} else {
		jc.report.Optional++
	}
	shard, before := int32(0), -1
	for k := from; k < to; k++ {
		if jc.flags[k] != 0 {
			continue
		}
		r := &jc.runs[k]
		if before >= 0 && jc.runs[before].Shard == r.Shard {
			jc.at(Duplicate, k, before, tg)
			continue
		}
		jc.missShards(tg, shard, r.Shard, k)
		shard, before = r.Shard+1, k
		jc.judgeArrival(tg, k)
	}
	jc.missShards(tg, shard, total, before)
}

// missShards reports the shards of a target from lo to below hi as missed.
func (jc *jobCheck) missShards(tg *target, lo, hi int32, beside int) {
	for s := lo; s < hi && tg.must; s++ {
		jc.report.add(
			jc.check, finding{kind: Missed, job: jc.job.id, run: -1, other: jc.first + beside, target: tg, shard: s},
		)
	}
}

// judgeArrival judges when a run for a target came.
func (jc *jobCheck) judgeArrival(tg *target, k int) {
	r := &jc.runs[k]
	switch {
	case r.At < tg.due.Add(-jc.opts.Skew):
		jc.at(Early, k, -1, tg)
	case r.At > tg.limit && !jc.resent(r.Log):
		jc.at(afterEnd(tg.ended), k, -1, tg)
	case r.At > tg.hi:
		jc.at(Late, k, -1, tg)
	}
	if late := r.At.Sub(tg.due); late > jc.report.Latest {
		jc.report.Latest = late
	}
}

// afterEnd returns the kind of a run that a stop or an edit forbids.
func afterEnd(c *Change) Kind {
	if c != nil && c.Op != OpStop && c.Op != OpRemove {
		return OldSchedule
	}
	return AfterStop
}

func (jc *jobCheck) resent(log int64) bool {
	_, found := slices.BinarySearchFunc(
		jc.history.Resends, log, func(r Resend, log int64) int { return cmp.Compare(r.Log, log) },
	)
	return log != 0 && found
}

// settle reports what should have come and did not.
func (jc *jobCheck) settle() {
	refused := jc.refused
	for t := range jc.targets {
		tg := &jc.targets[t]
		jc.report.Targets++
		if tg.doubt {
			jc.report.InDoubt++
		}
		switch tg.fate {
		case consumed:
			jc.report.Consumed++
			continue
		case matched:
			continue
		}
		for len(refused) > 0 && refused[0].Due < tg.due {
			refused = refused[1:]
		}
		if len(refused) > 0 && refused[0].Due == tg.due {
			jc.report.Refused++
			continue
		}
		if tg.must {
			jc.report.add(jc.check, finding{kind: Missed, job: jc.job.id, run: -1, other: -1, target: tg, shard: -1})
		} else {
			jc.report.Open++
		}
	}
	for i := range jc.demands {
		if d := &jc.demands[i]; d.must && !d.done {
			f := finding{kind: ChildMissed, job: d.job, run: -1, other: -1, of: d.of, since: d.lo}
			if d.kind == byDelay {
				f.kind = Missed
			}
			jc.report.add(jc.check, f)
		}
	}
}

// at reports a fault of run k of the job, and the run that it conflicts with, if any.
func (jc *jobCheck) at(kind Kind, k, other int, tg *target) {
	if other >= 0 {
		other += jc.first
	}
	jc.report.add(jc.check, finding{kind: kind, run: jc.first + k, other: other, target: tg})
}
