package journaled

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A transaction is the front's part in one transaction on the tables.
type transaction struct {
	f    *front
	what scope
	cut  cut
	held bool // the memory is locked until the end
	load bool // it is read first
	// doubtful is set if the memory must be read again unless the transaction was committed.
	doubtful bool
	next     *loaded
}

// A cut is a copy of what the tables lack, at one moment.
type cut struct {
	mark     journal.Mark // the last record at that moment
	marks    marks
	fires    []*fire
	fireRows []xxladapter.Fire
	replaced []int64 // fires of which the tables have an older version
	versions []int   // of fires, then runs, then jobs
	dropped  int
	runs     []*run
	runRows  []records.WrittenLog
	states   []transition.LogState // of runs
	wants    []bool                // that a text is fetched; of runs
	jobs     []*job
	jobRows  []xxladapter.Job
	misfires []xxladapter.Misfire
	orders   [][]xxladapter.Fire
	stops    []stop
	gone     []int64
	spill    int64 // planned fires that came up to this number are among fires; or noSpill
	lastFire int64
	lastLog  int64
}

// noSpill is the spill of a cut that does not have all old planned fires.
const noSpill = -1

// Begin implements [records.Front].
func (f *front) Begin(calls []context.Context) records.FrontTx { return f.begin(calls) }

func (f *front) begin(calls []context.Context) *transaction {
	t, alone := &transaction{f: f, what: scope{needs: unchanged}}, false
	for _, ctx := range calls {
		s := scopeOf(ctx)
		t.what.needs = max(t.what.needs, s.needs)
		t.what.changes = t.what.changes || s.changes
		alone = alone || s.changes && !s.beside
		t.what.load.add(s.load)
	}
	f.mu.Lock()
	if f.journal == nil || f.journal.Failed() != nil {
		f.loaded = false
	}
	t.load = !f.loaded
	t.held = alone || t.load
	if !t.load {
		f.rotate()
		t.cut = f.cutOff(t.what.needs)
	}
	if !t.held {
		f.mu.Unlock()
	}
	return t
}

// Before implements [records.FrontTx].
func (t *transaction) Before(ctx context.Context, tx *records.Tx) error {
	if t.load {
		if err := t.f.load(ctx, tx); err != nil {
			return err
		}
		t.cut = t.f.cutOff(t.what.needs)
	}
	if err := t.f.write(ctx, tx, &t.cut); err != nil || t.f.shared == nil || !t.what.changes {
		return err
	}
	// After the marks, whose row refuses a process that has lost the pen: a sequence is not rolled
	// back.
	return reserveFires(ctx, tx, t.cut.lastFire)
}

// After implements [records.FrontTx].
func (t *transaction) After(ctx context.Context, tx *records.Tx) (err error) {
	if !t.what.changes {
		return nil
	}
	if t.next, err = t.f.readTables(ctx, tx, t.what.load); err == nil && t.f.shared != nil {
		err = rememberFires(ctx, tx, t.next.lastFire)
	}
	return err
}

// End implements [records.FrontTx].
func (t *transaction) End(committed bool) {
	t.end(committed)
	if !committed {
		return
	}
	// Outside of the lock: a file system may take long to remove a large file.
	if err := t.f.journal.Trim(t.cut.marks.oldest()); err != nil {
		t.f.Logger.Warn("journal file cannot be removed", "err", err)
	}
}

// end brings into memory what the transaction has done.
func (t *transaction) end(committed bool) {
	f := t.f
	if !t.held {
		f.mu.Lock()
	}
	defer f.mu.Unlock()
	if committed {
		f.commits++
		f.written(&t.cut)
		f.know(t.cut.lastFire, t.cut.lastLog)
	} else if t.doubtful {
		f.loaded = false
	}
	if t.what.changes || t.what.load.groups {
		f.epoch++
		clear(f.groups)
	}
	if committed && t.next != nil {
		f.reload(t.what.load, t.next)
	}
	f.evictable = f.m.evict(f.evictable, f.forgettable())
}

// spillLimit limits the planned fires that one transaction takes along only because their records
// are old. Renewals of leases wait for a transaction that runs.
const spillLimit = 5000

// cutOff copies what the tables lack, up to a level. The memory is locked.
func (f *front) cutOff(l level) cut {
	if l == unchanged {
		return cut{marks: f.marks, spill: noSpill, lastFire: f.m.lastFire, lastLog: f.m.lastLog}
	}
	if f.shared != nil {
		// A shared log may be lost. The tables must not have the next time of a job without the
		// fires that were planned before it.
		l = all
	}
	m := &f.m
	c := cut{mark: f.journal.Last(), marks: f.marks, dropped: len(m.dropped), lastFire: m.lastFire, lastLog: m.lastLog}
	c.gone, c.spill = slices.Clone(m.dropped), f.spill
	c.misfires, c.orders, c.stops = m.misfires, m.orders, m.stops
	c.marks.settled = c.mark.Number
	whole := true
	old := f.Clock().Add(-youth)
	held := map[int64]bool{} // log ids that stay behind
	for _, r := range m.dirtyRun {
		if l < allRuns && !r.stored && r.HandleCode == xxladapter.ResultNone && m.byLog[r.ID] != nil && r.began.After(old) {
			held[r.ID], whole = true, false
			continue
		}
		row := r.Log
		c.runs = append(c.runs, r)
		c.runRows = append(c.runRows, records.WrittenLog{Log: &row, Stored: r.stored, Base: r.base, WantText: r.wantText, Run: r.history})
		c.versions = append(c.versions, r.version)
		c.states = append(c.states, transition.StateOf(&row))
		c.wants = append(c.wants, r.wantText != 0)
	}
	if l == all || f.spill > 0 {
		for _, fire := range m.plans {
			if l < all && len(c.fires) >= spillLimit {
				c.spill = noSpill // the next transaction continues
				break
			}
			if l == all || fire.born <= f.spill {
				c.fires = append(c.fires, fire)
			}
		}
	}
	for _, fire := range m.fires.dirty {
		if !held[fire.LogID] {
			c.fires = append(c.fires, fire)
		}
	}
	for _, fire := range c.fires {
		c.fireRows = append(c.fireRows, copyFire(fire.Fire))
		if fire.stored {
			c.replaced = append(c.replaced, fire.ID)
		}
	}
	for _, j := range m.dirtyJob {
		c.jobs = append(c.jobs, j)
		c.jobRows = append(c.jobRows, j.Job)
	}
	for _, fire := range c.fires {
		c.versions = append(c.versions, fire.version)
	}
	for _, j := range c.jobs {
		c.versions = append(c.versions, j.version)
	}
	c.marks.runs, c.marks.plans = max(c.marks.runs, f.snapshot), max(c.marks.plans, f.snapshot)
	if l >= allRuns || whole {
		c.marks.runs = c.mark.Number
	}
	if l == all {
		c.marks.plans = c.mark.Number
	}
	return c
}

func (c *cut) empty() bool {
	return len(c.fires)+len(c.runs)+len(c.jobs)+len(c.misfires)+len(c.orders)+len(c.stops)+c.dropped == 0
}

// write writes a cut to the tables, with the marks that become true by it.
func (f *front) write(ctx context.Context, tx *records.Tx, c *cut) error {
	// The tables must not have what a loss of power may take from the journal.
	if err := f.journal.Wait(c.mark); err != nil {
		return err
	}
	if f.shared == nil && c.empty() && c.marks == f.marks {
		return nil
	}
	if err := f.keep(ctx, tx, c); err != nil {
		return err
	}
	if err := tx.RemoveFires(ctx, append(c.replaced, c.gone...)); err != nil {
		return err
	}
	if err := tx.WriteFires(ctx, c.fireRows); err != nil {
		return err
	}
	slices.SortFunc(c.runRows, func(a, b records.WrittenLog) int { return int(a.Log.ID - b.Log.ID) })
	if err := f.store.WriteLogs(ctx, tx, c.runRows); err != nil {
		return err
	}
	for i := range c.jobRows {
		if err := tx.MoveJob(ctx, &c.jobRows[i]); err != nil {
			return err
		}
	}
	for _, m := range c.misfires {
		if err := tx.WriteMisfire(ctx, m); err != nil {
			return err
		}
	}
	for _, shards := range c.orders {
		if err := tx.ClaimOrder(ctx, shards); err != nil {
			return err
		}
	}
	for _, s := range c.stops {
		d := xxladapter.Decision{JobID: s.jobID, Stop: true, Reason: s.reason}
		if err := f.store.RecordStop(ctx, tx, s.node, s.at, d, s.group, s.name); err != nil {
			return err
		}
	}
	return nil
}

// keep stores the marks of a cut, and which ids were given. If several processes write cuts, the
// one that has the pen gets the row of the marks.
func (f *front) keep(ctx context.Context, tx *records.Tx, c *cut) error {
	if f.shared != nil {
		return f.storeShared(ctx, tx, c)
	}
	if err := keepIDs(ctx, tx, c.lastFire, c.lastLog); err != nil {
		return err
	}
	return storeMarks(ctx, tx, c.marks)
}

// written notes that the tables have a cut. The memory is locked.
func (f *front) written(c *cut) {
	m := &f.m
	versions := c.versions
	for i, r := range c.runs {
		r.stored, r.base = true, c.states[i]
		if c.wants[i] {
			r.wantText = 0
		}
		if versions[0] == r.version {
			delete(m.dirtyRun, r.ID)
			r.history, r.clean = transition.RunChange{}, f.commits
			if r.HandleCode != xxladapter.ResultNone {
				f.evictable = append(f.evictable, r)
			}
		}
		versions = versions[1:]
	}
	for _, fire := range c.fires {
		fire.stored = true
		switch {
		case fire.removed:
			m.dropped = append(m.dropped, fire.ID)
		case versions[0] == fire.version:
			delete(m.plans, fire.ID)
			delete(m.fires.dirty, fire.ID)
		}
		versions = versions[1:]
	}
	for _, j := range c.jobs {
		if versions[0] == j.version {
			delete(m.dirtyJob, j.ID)
			j.clean = f.commits
		}
		versions = versions[1:]
	}
	if f.spill == c.spill {
		f.spill = 0
	}
	m.dropped = m.dropped[c.dropped:]
	m.misfires, m.orders, m.stops = m.misfires[len(c.misfires):], m.orders[len(c.orders):], m.stops[len(c.stops):]
	if len(m.misfires) == 0 {
		m.misfires = nil
	}
	if len(m.orders) == 0 {
		m.orders = nil
	}
	f.marks = c.marks
}

// follow writes to the tables at an interval until stop is closed.
func (f *front) follow(stop <-chan struct{}) {
	ticker := time.NewTicker(flushPace)
	defer ticker.Stop()
	failing, complete, written := false, allRuns, settled
	if f.shared != nil {
		complete, written = all, all
	}
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		f.mu.Lock()
		idle := f.loaded && f.clean(complete)
		left := f.shared != nil && !f.loaded // to the process that has the pen
		f.mu.Unlock()
		if idle || left {
			continue
		}
		err := f.flush(context.Background(), written)
		if err != nil && !failing {
			f.Logger.Error("tables cannot follow the journal", "err", err)
		}
		failing = err != nil
	}
}
