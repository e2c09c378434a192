package checker

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// lanes matches runs by windows. Each shard of a broadcast is matched separately, the first one
// first: its run says how many shards a target has.
func (jc *jobCheck) lanes(runs []int32, withTargets bool) {
	if len(runs) == 0 && !withTargets {
		return
	}
	// By shard, then by arrival.
	slices.SortFunc(runs, func(a, b int32) int {
		x, y := &jc.runs[a], &jc.runs[b]
		return cmp.Or(cmp.Compare(x.Shard, y.Shard), cmp.Compare(x.At, y.At), cmp.Compare(a, b))
	})
	total := int32(1)
	for _, k := range runs {
		total = max(total, jc.runs[k].Shards)
	}
	var shards []int32 // of each target
	if total > 1 && withTargets {
		shards = make([]int32, len(jc.targets))
	}
	for shard := int32(0); shard < total; shard++ {
		n := 0
		for n < len(runs) && jc.runs[runs[n]].Shard <= shard {
			n++
		}
		jc.lane(runs[:n], shard, total, withTargets, shards)
		runs = runs[n:]
	}
}

// demandRef returns the ref of demand i. Targets count from 0 up, demands from -1 down.
func demandRef(i int) int32 { return int32(-1 - i) }

// demandOf returns the demand with a ref of demandRef.
func (jc *jobCheck) demandOf(ref int32) *demand { return &jc.demands[-1-ref] }

func (jc *jobCheck) lane(runs []int32, shard, total int32, withTargets bool, shards []int32) {
	if len(runs) == 0 && shard == 0 {
		return // nothing to match; what is missing is reported later
	}
	windows := make([]window, 0, len(jc.demands)+len(jc.targets)) // an upper bound
	if withTargets {
		for t := range jc.targets {
			tg := &jc.targets[t]
			w := window{lo: tg.due.Add(-jc.opts.Skew), hi: min(tg.hi, tg.limit), must: tg.must, ref: int32(t), run: -1}
			switch {
			case shard == 0 && tg.fate != pending:
				continue
			case shard > 0 && (tg.fate == consumed || shards[t] != 0 && shards[t] <= shard):
				continue
			case shard > 0 && shards[t] == 0:
				w.must = false // one report is enough if the first shard is missing
			}
			windows = append(windows, w)
		}
	}
	for i := range jc.demands {
		d := &jc.demands[i]
		if shard == 0 && d.done || d.shard >= 0 && d.shard != shard {
			continue
		}
		windows = append(windows, window{lo: d.lo, hi: d.hi, must: d.must && shard == 0, ref: demandRef(i), run: -1})
	}
	slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(a.lo, b.lo) })
	at := make([]Instant, len(runs))
	for i, k := range runs {
		at[i] = jc.runs[k].At
	}
	match(windows, at)
	placed := make([]bool, len(runs))
	for i := range windows {
		w := &windows[i]
		if w.run < 0 {
			continue
		}
		placed[w.run] = true
		jc.fill(w, runs[w.run], shard, shards)
	}
	left := runs[:0:0]
	for i, k := range runs {
		if !placed[i] {
			left = append(left, k)
		}
	}
	if withTargets {
		left = jc.astray(windows, left, shard, shards)
		if shard > 0 {
			for i := range windows {
				if w := &windows[i]; w.ref >= 0 && w.run < 0 && w.must {
					tg := &jc.targets[w.ref]
					jc.report.add(jc.check, finding{
						kind: Missed, job: jc.job.id, run: -1, other: jc.first + int(tg.run), target: tg, shard: shard,
					})
				}
			}
		}
	}
	for _, k := range left {
		jc.extra(int(k))
	}
}

// fill records that run k came for a window.
func (jc *jobCheck) fill(w *window, k, shard int32, shards []int32) {
	if w.ref < 0 {
		if d := jc.demandOf(w.ref); shard == 0 || d.shard >= 0 {
			d.done = true
		}
		return
	}
	if shard > 0 {
		return
	}
	tg := &jc.targets[w.ref]
	tg.fate, tg.run = matched, k
	if shards != nil {
		shards[w.ref] = jc.runs[k].Shards
	}
	if tg.must {
		jc.report.Matched++
	} else {
		jc.report.Optional++
	}
	if late := jc.runs[k].At.Sub(tg.due); late > jc.report.Latest {
		jc.report.Latest = late
	}
}

// astray looks, among runs that fit no window, for those that came shortly before or after a window
// that stayed empty, and reports them as early or late. It returns the others.
func (jc *jobCheck) astray(windows []window, left []int32, shard int32, shards []int32) []int32 {
	if len(left) == 0 {
		return left
	}
	early, late := Instant(jc.opts.Epsilon.Milliseconds()), Instant(strayFactor*jc.opts.Epsilon.Milliseconds())
	var empty []*window
	for i := range windows {
		if w := &windows[i]; w.run < 0 && w.must && w.ref >= 0 {
			empty = append(empty, w)
		}
	}
	kept := left[:0]
next:
	for _, k := range left {
		at := jc.runs[k].At
		for len(empty) > 0 && (empty[0].run >= 0 || empty[0].hi+late < at) {
			empty = empty[1:]
		}
		for _, w := range empty {
			if w.lo > at+early {
				break
			}
			if w.run >= 0 || at > w.hi+late {
				continue
			}
			kind := Late
			if at < w.lo {
				kind = Early
			}
			w.run = k
			tg := &jc.targets[w.ref]
			jc.at(kind, int(k), -1, tg)
			if shard == 0 {
				tg.fate, tg.run = matched, k
				if shards != nil {
					shards[w.ref] = jc.runs[k].Shards
				}
			}
			continue next
		}
		kept = append(kept, k)
	}
	return kept
}

// strayFactor is how many epsilons after the end of a window a run without a due time still counts
// as late. After that the run is extra, and the due time missed.
const strayFactor = 5

// extra reports a run that nothing explains.
func (jc *jobCheck) extra(k int) {
	r := &jc.runs[k]
	if d := jc.parentOf(r); d != nil {
		jc.report.add(jc.check, finding{kind: ChildExtra, run: jc.first + k, other: -1, of: d.of})
		return
	}
	kind, ended := jc.forbidden(r)
	jc.report.add(jc.check, finding{kind: kind, run: jc.first + k, other: -1, ended: ended})
}

// parentOf returns the demand of a parent that already had its child when r came, or nil.
func (jc *jobCheck) parentOf(r *Run) *demand {
	if jc.longest < 0 {
		for i := range jc.demands {
			if d := &jc.demands[i]; d.kind == byParent {
				jc.longest = max(jc.longest, d.hi-d.lo)
			}
		}
		jc.longest = max(jc.longest, 0)
	}
	near := between(jc.demands, r.At-jc.longest, r.At, func(d *demand) Instant { return d.lo })
	for i := range near {
		if d := &near[i]; d.kind == byParent && d.done && r.At <= d.hi {
			return d
		}
	}
	return nil
}

// forbidden distinguishes a run that a stop or an edit should have prevented from one that should
// never have been.
func (jc *jobCheck) forbidden(r *Run) (Kind, *Change) {
	for i := len(jc.job.epochs) - 1; i >= 0; i-- {
		e := &jc.job.epochs[i]
		if e.ended == nil || r.At <= e.gone {
			continue
		}
		kind := afterEnd(e.ended)
		if kind == AfterStop && !jc.stopped(r.At) {
			continue
		}
		switch due := r.Due; {
		case e.def.Type == xxladapter.ScheduleFixDelay, due == 0 && kind == AfterStop:
			return kind, e.ended
		case due == 0:
			if due = e.next(r.At.Add(-jc.opts.Epsilon) - 1); due <= r.At {
				return kind, e.ended
			}
		case due > e.gone && e.on(due):
			return kind, e.ended
		}
	}
	return Extra, nil
}

// stopped reports whether no schedule of the job can have been on at t.
func (jc *jobCheck) stopped(t Instant) bool {
	for i := range jc.job.epochs {
		if e := &jc.job.epochs[i]; e.from <= t && t <= e.gone {
			return false
		}
	}
	return true
}
