package journaled

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// An act changes the memory and writes down each change, for one record of the journal.
type act struct {
	m   *memory
	now time.Time
	// shared says that the journal is shared, so that planned fires may be deferred.
	shared bool
	buf    buffer
	jobs   []*job // that were changed
	runs   []*run
	added  []*fire
}

// plan plans a fire at the first free millisecond from its due time on.
//
// Invariant: the open fires of a job with the same due time are the shards of one claimed fire, so
// any of them occupies the due time.
func (a *act) plan(f xxladapter.Fire) xxladapter.Fire {
	f = copyFire(f)
	a.m.lastFire++
	f.ID, f.State = a.m.lastFire, xxladapter.FirePlanned
	f.Owner, f.LogID, f.Claimed = xxladapter.Term{}, 0, time.Time{}
	if len(f.Addresses) == 0 {
		f.Addresses = nil
	}
	f.GroupID = 0
	if j := a.m.jobs[f.JobID]; j != nil {
		f.GroupID = j.GroupID
	}
	for f.Due = milli(f.Due); len(a.m.at(f.JobID, f.Due)) > 0; {
		f.Due = f.Due.Add(time.Millisecond)
	}
	a.add(&fire{Fire: f})
	a.buf.kind(planned)
	a.buf.fire(&f)
	return copyFire(f)
}

// planDue plans a fire that a scan decided on. It plans nothing and returns false if both the fire
// and an open one of its job with the same due time have the type TriggerCron.
func (a *act) planDue(f xxladapter.Fire) (xxladapter.Fire, bool) {
	if f.Type == xxladapter.TriggerCron {
		for _, other := range a.m.at(f.JobID, milli(f.Due)) {
			if other.Type == xxladapter.TriggerCron {
				return xxladapter.Fire{}, false
			}
		}
	}
	return a.plan(f), true
}

func (a *act) add(f *fire) {
	a.m.fires.add(f)
	a.added = append(a.added, f)
}

// claim turns the planned fire into the first of shards, adds the other shards, and gives each its
// log row.
func (a *act) claim(f *fire, shards []xxladapter.Fire, logs []*xxladapter.Log) {
	for i := range shards {
		shard := &shards[i]
		a.m.lastLog++
		l := *logs[i].Fitted()
		l.ID, l.TriggerTime, l.HandleTime = a.m.lastLog, second(l.TriggerTime), second(l.HandleTime)
		shard.LogID = l.ID
		if i == 0 {
			f.Fire = copyFire(*shard)
			a.m.changed(f)
		} else {
			a.m.lastFire++
			shard.ID = a.m.lastFire
			a.add(&fire{Fire: copyFire(*shard)})
		}
		a.buf.kind(claimed)
		a.buf.fire(shard)
		a.buf.owner(shard)
		a.runs = append(a.runs, a.m.addRun(l, false, a.now))
		a.buf.kind(logged)
		a.buf.log(&l)
	}
	if shards[0].Type.Ordered() {
		a.order(shards)
	}
}

// order records the log rows of an ordered fire.
func (a *act) order(shards []xxladapter.Fire) {
	kept := make([]xxladapter.Fire, len(shards))
	a.buf.kind(ordered)
	a.buf.number(int64(len(shards)))
	for i, f := range shards {
		kept[i] = xxladapter.Fire{ID: f.ID, JobID: f.JobID, LogID: f.LogID}
		a.buf.number(f.ID)
		a.buf.number(f.JobID)
		a.buf.number(f.LogID)
	}
	a.m.orders = append(a.m.orders, kept)
}

// take gives a fire to another term.
func (a *act) take(f *fire, by xxladapter.Term) {
	f.Owner = by
	a.m.changed(f)
	a.buf.kind(taken)
	a.buf.number(f.ID)
	a.buf.text(by.Node)
	a.buf.number(by.Number)
}

// move sets the times of a job.
func (a *act) move(j *job, last, next time.Time, running bool) {
	a.m.moveJob(j, last, next, running)
	a.jobs = append(a.jobs, j)
	a.buf.kind(moved)
	a.buf.number(j.ID)
	a.buf.time(j.TriggerLast)
	a.buf.time(j.TriggerNext)
	a.buf.flag(j.Running)
}

// miss records a misfire.
func (a *act) miss(m xxladapter.Misfire) {
	a.m.misfires = append(a.m.misfires, m)
	k := missed
	if m.PauseID != 0 || m.Calendar != "" {
		k = kept
	}
	a.buf.kind(k)
	a.buf.number(m.JobID)
	a.buf.time(m.Due)
	a.buf.time(m.Until)
	a.buf.text(string(m.Strategy))
	a.buf.time(m.At)
	if k == kept {
		a.buf.number(m.PauseID)
		a.buf.text(m.Calendar)
	}
}

// carryOut does what package transition has decided about a fire and a log row, and returns the
// fires that it planned.
func (a *act) carryOut(c transition.Change, f *fire, r *run, openRuns []int64) (planned []xxladapter.Fire) {
	switch c.Fire {
	case transition.DoubtFire:
		f.State = xxladapter.FireAmbiguous
		a.m.changed(f)
		a.buf.kind(doubted)
		a.buf.number(f.ID)
	case transition.RemoveFire:
		a.m.remove(f)
		a.buf.kind(removed)
		a.buf.number(f.ID)
	}
	switch l := c.Log; l.Columns {
	case transition.TriggerColumns:
		a.trigger(r, l)
	case transition.AcceptColumns:
		a.accept(r, l)
	case transition.HandleColumns:
		a.handle(r, l, c.WantText)
	}
	a.record(r, c.Run)
	for _, next := range c.Next {
		planned = append(planned, a.plan(next))
	}
	a.resume(c.Resume, openRuns)
	return planned
}

func (a *act) trigger(r *run, l transition.LogChange) {
	r.TriggerCode, r.TriggerMsg = l.After.TriggerCode, l.Msg
	a.m.runChanged(r)
	a.runs = append(a.runs, r)
	a.buf.kind(triggered)
	a.buf.number(r.ID)
	a.buf.number(int64(r.TriggerCode))
	a.buf.text(r.TriggerMsg)
}

func (a *act) accept(r *run, l transition.LogChange) {
	r.TriggerCode, r.TriggerMsg, r.Address = l.After.TriggerCode, l.Msg, l.Address
	a.m.runChanged(r)
	a.runs = append(a.runs, r)
	a.buf.kind(accepted)
	a.buf.number(r.ID)
	a.buf.number(int64(r.TriggerCode))
	a.buf.text(r.TriggerMsg)
	a.buf.text(r.Address)
}

func (a *act) handle(r *run, l transition.LogChange, wantText bool) {
	r.TriggerCode = l.After.TriggerCode
	r.HandleTime, r.HandleCode, r.HandleMsg = second(l.At), l.After.HandleCode, l.Msg
	if wantText {
		r.wantText = a.now.Add(xxladapter.TextDelay).UnixMilli()
	}
	a.m.runChanged(r)
	a.runs = append(a.runs, r)
	a.buf.kind(handled)
	a.buf.number(r.ID)
	a.buf.number(int64(r.TriggerCode))
	a.buf.time(r.HandleTime)
	a.buf.number(int64(r.HandleCode))
	a.buf.text(r.HandleMsg)
	a.buf.number(r.wantText)
}

// record adds to the history of a run.
func (a *act) record(r *run, c transition.RunChange) {
	if c.Kind == transition.KeepRun {
		return
	}
	r.addHistory(c)
	a.m.runChanged(r)
	a.runs = append(a.runs, r)
	if c.Kind == transition.RecordRun {
		a.buf.kind(recorded)
	} else {
		a.buf.kind(extended)
	}
	a.buf.history(&c.History)
}

// end records that the schedule of a job has ended.
func (a *act) end(s stop) {
	a.m.stops = append(a.m.stops, s)
	a.buf.kind(stopped)
	a.buf.text(s.node)
	a.buf.time(s.at)
	a.buf.number(s.jobID)
	a.buf.number(s.group)
	a.buf.text(s.name)
	a.buf.text(s.reason)
}

// resume continues the schedule of a job that waits for the end of its runs, if all have ended.
// openRuns are the job's runs that are open in the tables; for a run that is in memory, the memory
// decides.
func (a *act) resume(r xxladapter.Resume, openRuns []int64) bool {
	j := a.m.jobs[r.JobID]
	if j == nil || !j.Waits() || len(a.m.byJob[r.JobID]) > 0 {
		return false
	}
	since := j.TriggerLast.Truncate(time.Second)
	for _, id := range openRuns {
		if a.m.runs[id] == nil {
			return false
		}
	}
	for _, run := range a.m.runsOf[r.JobID] {
		if run.TriggerCode == xxladapter.ResultOK && run.HandleCode == xxladapter.ResultNone &&
			!run.TriggerTime.Before(since) {
			return false
		}
	}
	a.move(j, j.TriggerLast, r.Next, true)
	return true
}
