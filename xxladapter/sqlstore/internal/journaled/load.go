package journaled

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// loaded is what a memory has read from the tables.
type loaded struct {
	fires             []xxladapter.Fire
	leases            map[string]lease
	owners            [xxladapter.Partitions]string
	lastFire, lastLog int64
	restricted        bool // restrictions were read
	restrictions      *xxladapter.Restrictions
}

// readTables reads what l names, within a transaction.
func (f *front) readTables(ctx context.Context, tx *database.Tx, l load) (*loaded, error) {
	n := &loaded{}
	if l.everything || l.restrictions {
		var err error
		n.restricted = true
		if n.restrictions, err = f.store.ReadRestrictions(ctx, tx); err != nil {
			return nil, err
		}
	}
	if l.everything || l.leases {
		err := n.readLeases(
			func(query string, scan func(database.Row) error) error { return tx.Query(ctx, query, nil, scan) },
		)
		if err != nil {
			return nil, err
		}
	}
	scan := func(r database.Row) error {
		f, err := records.ScanFire(r)
		n.fires = append(n.fires, f)
		return err
	}
	query, args := `SELECT `+records.FireColumns+` FROM xxlwheel_fire`, []any(nil)
	if !l.everything {
		var condition string
		condition, args = tx.Dialect.Among("job_id", l.jobs)
		query += ` WHERE ` + condition
	}
	if l.everything || len(l.jobs) > 0 {
		if err := tx.Query(ctx, query, args, scan); err != nil {
			return nil, err
		}
	}
	var err error
	if f.shared != nil {
		n.lastFire, n.lastLog, err = sharedIDs(ctx, tx)
	} else {
		n.lastFire, n.lastLog, err = lastIDs(ctx, tx)
	}
	return n, err
}

// readLeases reads leases and the owners of partitions.
func (n *loaded) readLeases(query func(query string, scan func(database.Row) error) error) error {
	n.leases = map[string]lease{}
	err := query(`SELECT node, term, until_ms FROM xxlwheel_lease`, func(r database.Row) error {
		var node string
		var held lease
		err := r.Scan(&node, &held.number, &held.until)
		n.leases[node] = held
		return err
	})
	if err != nil {
		return err
	}
	return query(`SELECT partition_id, node FROM xxlwheel_partition`, func(r database.Row) error {
		var partition int
		var node string
		err := r.Scan(&partition, database.Text(&node))
		if err != nil || partition < 0 || partition >= xxladapter.Partitions {
			return err
		}
		n.owners[partition] = node
		return nil
	})
}

// lastIDs returns the highest ids that the tables have given.
func lastIDs(ctx context.Context, tx *database.Tx) (fire, log int64, err error) {
	err = tx.Query(ctx, `SELECT name, seq FROM sqlite_sequence WHERE name IN ('xxlwheel_fire', 'xxl_job_log')`, nil, func(r database.Row) error {
		var name string
		var seq int64
		err := r.Scan(&name, &seq)
		if name == "xxlwheel_fire" {
			fire = seq
		} else {
			log = seq
		}
		return err
	})
	return fire, log, err
}

// keepIDs ensures that the tables do not give an id that the memory has given.
func keepIDs(ctx context.Context, tx *database.Tx, fire, log int64) error {
	for _, last := range []struct {
		table string
		id    int64
	}{{"xxlwheel_fire", fire}, {"xxl_job_log", log}} {
		changed, err := tx.Exec(ctx, `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?`, last.id, last.table)
		if err == nil && changed == 0 && last.id > 0 {
			_, err = tx.Exec(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)`, last.table, last.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// jumpIDs leaves out ids that a lost journal may have given: executors remember the log ids of
// their runs, so a run under such an id would be refused as a repeat.
func jumpIDs(ctx context.Context, tx *database.Tx) error {
	fire, log, err := lastIDs(ctx, tx)
	if err != nil {
		return err
	}
	return keepIDs(ctx, tx, fire+idJump, log+idJump)
}

// reload replaces the parts of the memory that l names by n, which was read from the tables.
//
// REQUIRES: the memory is locked.
func (f *front) reload(l load, n *loaded) {
	m := &f.m
	if l.everything {
		m.fires = newFires()
		m.forgetClean()
		m.forgetJobs()
	}
	for _, id := range l.jobs {
		for _, old := range append([]*fire(nil), m.byJob[id]...) {
			m.fires.forget(old)
		}
		delete(m.jobs, id)
		delete(m.dirtyJob, id)
	}
	for _, f := range n.fires {
		m.fires.add(&fire{Fire: f, stored: true})
	}
	if n.leases != nil {
		m.leases, m.owners = n.leases, n.owners
	}
	if n.restricted {
		m.restrictions = n.restrictions
	}
	if l.runs {
		m.forgetClean()
	}
	m.lastFire, m.lastLog = max(m.lastFire, n.lastFire), max(m.lastLog, n.lastLog)
}

// load reads the tables and the journal into a new memory. It writes to the tables only if the
// journal is shared, see loadShared.
//
// REQUIRES: f.mu is held.
func (f *front) load(ctx context.Context, tx *database.Tx) error {
	if f.shared != nil {
		return f.loadShared(ctx, tx)
	}
	n, err := f.readTables(ctx, tx, load{everything: true})
	if err != nil {
		return err
	}
	m, err := readApplied(ctx, tx)
	if err != nil {
		return err
	}
	if m.generation != f.applied.generation {
		return errors.New("the journal was given up by another process")
	}
	f.applied, f.m, f.evictable = m, newMemory(), nil
	f.rotated, f.spill, f.snapshot = 0, 0, 0
	f.reload(load{}, n)
	r := replay{ctx: ctx, tx: tx, m: &f.m, applied: m, now: f.Clock()}
	if f.journal == nil {
		err = f.openFile(max(m.settled, m.runs, m.plans)+1, r.record)
	} else {
		err = f.file.Repair(r.record)
	}
	return f.finishLoad(&r, err)
}

// finishLoad ends a load whose records were replayed, with err if they could not be.
//
// REQUIRES: f.mu is held.
func (f *front) finishLoad(r *replay, err error) error {
	if err == nil {
		err = errors.Join(r.moveJobs(), r.findStored())
	}
	if err != nil {
		return err
	}
	f.epoch++
	clear(f.groups)
	f.loaded = true
	if f.shared != nil {
		f.shared.loaded = time.Now()
	}
	return nil
}

// A replay brings the records of the journal into a memory that has read the tables.
type replay struct {
	ctx     context.Context
	tx      *database.Tx
	m       *memory
	applied applied
	now     time.Time
	moves   map[int64]move // by job; the last ones
}

// A move is what a record says about the times of a job.
type move struct {
	last, next time.Time
	running    bool
}

var errRecord = errors.New("is damaged")

// record applies one record.
//
// A record sets fires and rows to its values, whatever they were before, so a later version in the
// tables does no harm. Changes that were applied are skipped where they would bring something back
// or count it twice.
func (r *replay) record(number int64, data []byte) error {
	f := fields{data: data}
	for len(f.data) > 0 && !f.bad {
		if err := r.change(number, f.kind(), &f); err != nil {
			return err
		}
	}
	if f.bad {
		return errRecord
	}
	return nil
}

// change applies one change of a record to the memory. It reads the fields in the order in which
// they were written, even if the tables have the change already and nothing is left to do.
func (r *replay) change(number int64, k kind, f *fields) error {
	switch k {
	case planned, opened, claimed, doubted, taken, removed:
		r.fire(number, k, f)
		return nil
	case logged, triggered, handled, accepted, recorded, extended:
		return r.run(number, k, f)
	case moved:
		r.move(number, f)
		return nil
	case stopped, missed, kept, ordered:
		r.note(number, k, f)
		return nil
	}
	return errRecord
}

// fire applies a record's change of a fire.
func (r *replay) fire(number int64, k kind, f *fields) {
	m := r.m
	switch k {
	case planned:
		plan := f.fire()
		m.lastFire = max(m.lastFire, plan.ID)
		if !f.bad && number > r.applied.plans && m.byID[plan.ID] == nil {
			m.add(&fire{Fire: plan, born: number})
		}
	case opened, claimed:
		fire := f.fire()
		fire.State = xxladapter.FireClaimed
		if k == opened {
			fire.State = xxladapter.FireState(f.text())
		}
		f.owner(&fire)
		m.lastFire = max(m.lastFire, fire.ID)
		behind := number <= r.applied.runs
		if fire.State == xxladapter.FirePlanned {
			behind = number <= r.applied.plans || m.byID[fire.ID] != nil
		}
		if !f.bad && !behind {
			r.putFire(fire, number)
		}
	case doubted:
		if fire := m.byID[f.number()]; fire != nil && number > r.applied.runs {
			fire.State = xxladapter.FireAmbiguous
			m.changed(fire)
		}
	case taken:
		fire, by := m.byID[f.number()], xxladapter.Term{Node: f.text(), Number: f.number()}
		if fire != nil && number > r.applied.runs {
			fire.Owner = by
			m.changed(fire)
		}
	case removed:
		if fire := m.byID[f.number()]; fire != nil {
			m.remove(fire)
		}
	}
}

// putFire replaces a fire by that of the record.
func (r *replay) putFire(f xxladapter.Fire, number int64) {
	old := r.m.byID[f.ID]
	if old == nil {
		r.m.add(&fire{Fire: f, born: number})
		return
	}
	old.Fire = f
	r.m.changed(old)
}

// run applies a record's change of a log row.
func (r *replay) run(number int64, k kind, f *fields) error {
	switch k {
	case logged:
		l := f.log()
		r.m.lastLog = max(r.m.lastLog, l.ID)
		if !f.bad && number > r.applied.runs {
			row := r.m.addRun(*l, false, r.now)
			row.Log = *l
			r.m.runChanged(row)
		}
	case triggered, handled, accepted:
		return r.result(number, k, f)
	case recorded, extended:
		c := transition.RunChange{Kind: transition.RecordRun, History: f.history()}
		if k == extended {
			c.Kind = transition.ExtendRun
		}
		row, err := r.row(number, c.History.LogID)
		if row != nil && !f.bad {
			row.addHistory(c)
			r.m.runChanged(row)
		}
		return err
	}
	return nil
}

// result applies the result of a trigger or of a run.
func (r *replay) result(number int64, k kind, f *fields) error {
	var l xxladapter.Log
	var wantText int64
	l.ID, l.TriggerCode = f.number(), int(f.number())
	switch k {
	case triggered:
		l.TriggerMsg = f.text()
	case accepted:
		l.TriggerMsg, l.Address = f.text(), f.text()
	default:
		l.HandleTime, l.HandleCode, l.HandleMsg, wantText = f.time(), int(f.number()), f.text(), f.number()
	}
	if f.bad {
		return errRecord
	}
	row, err := r.row(number, l.ID)
	if row == nil || err != nil {
		return err
	}
	if number <= r.applied.settled && k == handled {
		r.m.forgetRun(row) // the tables have the row with its result
		return nil
	}
	row.TriggerCode = l.TriggerCode
	switch k {
	case triggered:
		row.TriggerMsg = l.TriggerMsg
	case accepted:
		row.TriggerMsg, row.Address = l.TriggerMsg, l.Address
	default:
		row.HandleTime, row.HandleCode, row.HandleMsg, row.wantText = l.HandleTime, l.HandleCode, l.HandleMsg, wantText
	}
	r.m.runChanged(row)
	return nil
}

// move notes a job's last and next due times until all records are read.
func (r *replay) move(number int64, f *fields) {
	id, to := f.number(), move{f.time(), f.time(), f.flag()}
	if f.bad || number <= r.applied.plans {
		return
	}
	if r.moves == nil {
		r.moves = map[int64]move{}
	}
	r.moves[id] = to
}

// moveJobs applies the moves.
func (r *replay) moveJobs() error {
	var unread []int64
	for id := range r.moves {
		if r.m.jobs[id] == nil {
			unread = append(unread, id)
		}
	}
	found, err := database.Within(r.ctx, r.tx, &records.JobEntity, unread)
	if err != nil {
		return err
	}
	for _, j := range found {
		r.m.addJob(j)
	}
	for id, to := range r.moves {
		j := r.m.jobs[id]
		if j == nil {
			continue // it was deleted
		}
		r.m.moveJob(j, to.last, to.next, to.running)
		if records.MovedJobOf(j.Job) == j.tables {
			delete(r.m.dirtyJob, id)
		}
	}
	return nil
}

// note queues a change that concerns neither a fire nor a log row, until it is written to the
// tables.
func (r *replay) note(number int64, k kind, f *fields) {
	m, wanted := r.m, number > r.applied.settled
	switch k {
	case stopped:
		end := stop{node: f.text(), at: f.time(), jobID: f.number(), group: f.number(), name: f.text(), reason: f.text()}
		if wanted {
			m.stops = append(m.stops, end)
		}
	case missed, kept:
		miss := xxladapter.Misfire{
			JobID: f.number(), Due: f.time(), Until: f.time(), Strategy: xxladapter.MisfireStrategy(f.text()),
			At: f.time(),
		}
		if k == kept {
			miss.PauseID, miss.Calendar = f.number(), f.text()
		}
		if wanted {
			m.misfires = append(m.misfires, miss)
		}
	case ordered:
		var shards []xxladapter.Fire
		for range f.number() {
			if f.bad {
				break
			}
			shards = append(shards, xxladapter.Fire{ID: f.number(), JobID: f.number(), LogID: f.number()})
		}
		if wanted {
			m.orders = append(m.orders, shards)
		}
	}
}

// row returns the log row that a record has changed. It returns nil if the memory lacks the row,
// and the tables have the change or no longer have the row.
func (r *replay) row(number, id int64) (*run, error) {
	if row := r.m.runs[id]; row != nil || number <= r.applied.settled {
		return row, nil
	}
	found, err := database.Within(r.ctx, r.tx, &runs.LogEntity, []int64{id})
	if err != nil || found[id] == nil {
		return nil, err
	}
	return r.m.addRun(*found[id], true, r.now), nil
}

// findStored marks the rows that the tables have. Some rows were written before the position of
// applied runs covered them.
func (r *replay) findStored() error {
	var ids []int64
	for id, row := range r.m.runs {
		if !row.stored {
			ids = append(ids, id)
		}
	}
	found, err := database.Within(r.ctx, r.tx, &runs.LogEntity, ids)
	for id, l := range found {
		row := r.m.runs[id]
		row.stored, row.base = true, transition.StateOf(l)
	}
	return err
}
