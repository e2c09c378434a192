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
// otherwise by windows. It matches the other demands with the remaining runs, and reports what is
// left over.
func (u *jobCheck) judge() {
	undated := sort.Search(len(u.runs), func(i int) bool { return u.runs[i].Due != 0 })
	u.targets = u.job.targets(u.targets, u.runs[undated:], u.misfires, u.o, u.end)
	for i := range undated {
		if u.flags[i] == 0 {
			u.undated = append(u.undated, int32(i))
		}
	}
	for i := range u.manual {
		t := &u.manual[i]
		hi := u.end
		if t.Acked != 0 {
			hi = t.Acked.Add(u.o.Epsilon + u.o.Grace)
		}
		u.demands = append(u.demands, demand{job: u.job.id, kind: byHand, lo: t.Asked, hi: hi, of: t.Of, shard: -1})
	}
	slices.SortStableFunc(u.demands, func(a, b demand) int { return cmp.Compare(a.lo, b.lo) })
	u.judgeDated(undated)
	u.lanes(u.loose, false)
	u.lanes(u.undated, true)
	u.settle()
}

// judgeDated goes through the runs that name their due time beside the targets.
func (u *jobCheck) judgeDated(from int) {
	t := 0
	for i := from; i < len(u.runs); {
		due, n := u.runs[i].Due, i
		for n < len(u.runs) && u.runs[n].Due == due {
			n++
		}
		for t < len(u.targets) && u.targets[t].due < due {
			t++
		}
		if t < len(u.targets) && u.targets[t].due == due {
			u.judgeTarget(t, i, n)
		} else {
			for k := i; k < n; k++ {
				if u.flags[k] == 0 {
					u.loose = append(u.loose, int32(k))
				}
			}
		}
		i = n
	}
}

// judgeTarget judges the runs from i to below n, all of which name target t. They ascend by shard,
// then by arrival.
func (u *jobCheck) judgeTarget(t, i, n int) {
	tg := &u.targets[t]
	total := int32(0)
	for k := i; k < n; k++ {
		if u.flags[k] == 0 {
			total = max(total, u.runs[k].Shards, 1)
		}
	}
	if total == 0 {
		return // each of them has another reason
	}
	if tg.fate == consumed {
		u.at(Misfired, i, -1, tg)
		return
	}
	tg.fate, tg.run = matched, int32(i)
	if tg.must {
		u.report.Matched++
	} else {
		u.report.Optional++
	}
	shard, before := int32(0), -1
	for k := i; k < n; k++ {
		if u.flags[k] != 0 {
			continue
		}
		r := &u.runs[k]
		if before >= 0 && u.runs[before].Shard == r.Shard {
			u.at(Duplicate, k, before, tg)
			continue
		}
		u.missShards(tg, shard, r.Shard, k)
		shard, before = r.Shard+1, k
		u.judgeArrival(tg, k)
	}
	u.missShards(tg, shard, total, before)
}

// missShards reports the shards of a target from lo to below hi as missed.
func (u *jobCheck) missShards(tg *target, lo, hi int32, beside int) {
	for s := lo; s < hi && tg.must; s++ {
		u.report.add(u.check, finding{kind: Missed, job: u.job.id, run: -1, other: u.first + beside, target: tg, shard: s})
	}
}

// judgeArrival judges when a run for a target came.
func (u *jobCheck) judgeArrival(tg *target, k int) {
	r := &u.runs[k]
	switch {
	case r.At < tg.due.Add(-u.o.Skew):
		u.at(Early, k, -1, tg)
	case r.At > tg.limit && !u.resent(r.Log):
		u.at(afterEnd(tg.ended), k, -1, tg)
	case r.At > tg.hi:
		u.at(Late, k, -1, tg)
	}
	if late := r.At.Sub(tg.due); late > u.report.Latest {
		u.report.Latest = late
	}
}

// afterEnd returns the kind of a run that a stop or an edit forbids.
func afterEnd(c *Change) Kind {
	if c != nil && c.Op != OpStop && c.Op != OpRemove {
		return OldSchedule
	}
	return AfterStop
}

func (u *jobCheck) resent(log int64) bool {
	_, found := slices.BinarySearchFunc(u.h.Resends, log, func(r Resend, log int64) int { return cmp.Compare(r.Log, log) })
	return log != 0 && found
}

// settle reports what should have come and did not.
func (u *jobCheck) settle() {
	refused := u.refused
	for t := range u.targets {
		tg := &u.targets[t]
		u.report.Targets++
		if tg.doubt {
			u.report.InDoubt++
		}
		switch tg.fate {
		case consumed:
			u.report.Consumed++
			continue
		case matched:
			continue
		}
		for len(refused) > 0 && refused[0].Due < tg.due {
			refused = refused[1:]
		}
		if len(refused) > 0 && refused[0].Due == tg.due {
			u.report.Refused++
			continue
		}
		if tg.must {
			u.report.add(u.check, finding{kind: Missed, job: u.job.id, run: -1, other: -1, target: tg, shard: -1})
		} else {
			u.report.Open++
		}
	}
	for i := range u.demands {
		if d := &u.demands[i]; d.must && !d.done {
			f := finding{kind: ChildMissed, job: d.job, run: -1, other: -1, of: d.of, since: d.lo}
			if d.kind == byDelay {
				f.kind = Missed
			}
			u.report.add(u.check, f)
		}
	}
}

// at reports a fault of run k of the job, and the run that it conflicts with, if any.
func (u *jobCheck) at(kind Kind, k, other int, tg *target) {
	if other >= 0 {
		other += u.first
	}
	u.report.add(u.check, finding{kind: kind, run: u.first + k, other: other, target: tg})
}
