package checker

import "github.com/xxlwheel/xxlwheel/xxladapter"

// expectDelay adds a demand for the run of j that follows r in epochs with a fixed delay. The delay
// counts from the end of r, of which the scheduler learned at known.
func (c *check) expectDelay(j *job, r *Run, known Instant) {
	if r.End == 0 {
		return
	}
	for i := range j.epochs {
		e := &j.epochs[i]
		if e.def.Type != xxladapter.ScheduleFixDelay || r.End < e.from || r.End > e.gone {
			continue
		}
		c.demandDelay(j, e, e.next(r.End), e.next(known), r.End > e.certain, r.Log)
	}
}

// startDelays adds a demand for the first run of every epoch with a fixed delay.
func (c *check) startDelays() {
	for _, j := range c.jobs {
		for i := range j.epochs {
			e := &j.epochs[i]
			if e.def.Type != xxladapter.ScheduleFixDelay {
				continue
			}
			lo, hi := e.first, e.first
			if lo == 0 {
				lo, hi = e.next(e.from), e.next(min(e.certain, e.gone, c.end))
			}
			c.demandDelay(j, e, lo, hi, true, 0)
		}
	}
}

func (c *check) demandDelay(j *job, e *epoch, lo, hi Instant, must bool, of int64) {
	d := demand{job: j.id, kind: byDelay, lo: lo, hi: hi.Add(c.opts.Epsilon), of: of, shard: -1}
	if lo > e.gone {
		return
	}
	d.hi = min(d.hi, e.gone.Add(c.opts.Grace))
	d.must = must && e.sure && d.hi < e.until && d.hi < c.end
	c.demands = append(c.demands, d)
}
