package journaled

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// A transaction is the front's part in one transaction on the tables.
type transaction struct {
	f    *front
	what scope
	cut  cut
	held bool // the memory is locked until the end
	load bool // the memory is loaded first
	// doubtful means that the memory must be loaded again if the transaction fails.
	doubtful bool
	next     *loaded
	again    load // the parts of the memory that next replaces
}

// Begin implements [database.Front].
func (f *front) Begin(calls []context.Context) database.FrontTx { return f.begin(calls) }

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

// Before implements [database.FrontTx].
func (t *transaction) Before(ctx context.Context, tx *database.Tx) error {
	if len(t.what.load.claims) > 0 {
		// Before any row of a job: a Java scheduler locks in this order.
		if err := records.LockSchedule(ctx, tx); err != nil {
			return err
		}
	}
	if t.load {
		if err := t.f.load(ctx, tx); err != nil {
			return err
		}
		t.cut = t.f.cutOff(t.what.needs)
	}
	if err := t.f.write(ctx, tx, &t.cut); err != nil || t.f.shared == nil || !t.what.changes {
		return err
	}
	// Only after write, which fails if this process has lost the pen: a sequence is not rolled
	// back.
	return reserve(ctx, tx, "xxlwheel_fire", t.cut.lastFire)
}

// After implements [database.FrontTx].
func (t *transaction) After(ctx context.Context, tx *database.Tx) (err error) {
	if !t.what.changes {
		return nil
	}
	t.again = t.what.load.known()
	if t.next, err = t.f.readTables(ctx, tx, t.again); err == nil && t.f.shared != nil {
		err = rememberFires(ctx, tx, t.next.lastFire)
	}
	return err
}

// End implements [database.FrontTx].
func (t *transaction) End(committed bool) {
	t.end(committed)
	if !committed {
		return
	}
	// Outside of the lock: a file system may take long to remove a large file.
	if err := t.f.journal.Trim(t.cut.applied.oldest()); err != nil {
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
		f.meet(t.next.lastLog)
		f.reload(t.again, t.next)
	}
	f.evictable = f.m.evict(f.evictable, f.forgettable(), f.Clock())
}

// write writes a cut to the tables, together with the positions that it applies.
//
// REQUIRES: no other transaction on the tables runs, because the end of one changes f.applied.
func (f *front) write(ctx context.Context, tx *database.Tx, c *cut) error {
	// The tables must not have what a loss of power may take from the journal.
	if err := f.journal.Wait(c.position); err != nil {
		if f.shared != nil && !errors.Is(err, journal.ErrClosed) {
			err = fmt.Errorf("%w: %w", errPen, err) // nothing of the transaction has happened
		}
		return err
	}
	if f.shared == nil && c.rows() == 0 && c.applied == f.applied {
		return nil
	}
	if err := f.keep(ctx, tx, c); err != nil {
		return err
	}
	if err := records.RemoveFires(ctx, tx, append(c.replaced(), c.gone...)); err != nil {
		return err
	}
	if err := records.WriteFires(ctx, tx, c.fireRows()); err != nil {
		return err
	}
	if err := f.store.WriteLogs(ctx, tx, c.runRows()); err != nil {
		return err
	}
	moved := make([]database.MovedJob, len(c.jobs))
	for i := range c.jobs {
		moved[i] = c.jobs[i].row
	}
	if err := records.MoveJobs(ctx, tx, moved); err != nil {
		return err
	}
	if err := records.WriteMisfires(ctx, tx, c.misfires); err != nil {
		return err
	}
	for _, shards := range c.orders {
		if err := records.ClaimOrder(ctx, tx, shards); err != nil {
			return err
		}
	}
	for _, s := range c.stops {
		stop := audit.Stop{JobID: s.jobID, GroupID: s.group, Name: s.name, Reason: s.reason}
		if err := f.store.RecordStops(ctx, tx, s.node, s.at, []audit.Stop{stop}); err != nil {
			return err
		}
	}
	return nil
}

// keep stores the positions that a cut applies and the last ids that were given. With a shared
// journal, it fails if another process has taken the pen.
func (f *front) keep(ctx context.Context, tx *database.Tx, c *cut) error {
	if f.shared != nil {
		return f.storeShared(ctx, tx, c)
	}
	if err := keepIDs(ctx, tx, c.lastFire, c.lastLog); err != nil {
		return err
	}
	return storeApplied(ctx, tx, c.applied)
}

// follow writes to the tables at an interval until ctx ends. With a shared journal, the end of ctx
// also ends a write that has begun: servers may not answer, and Close waits for follow and then
// writes everything.
func (f *front) follow(ctx context.Context) {
	writing := ctx
	if f.shared == nil {
		writing = context.WithoutCancel(ctx)
	}
	ticker := time.NewTicker(flushPace)
	defer ticker.Stop()
	failing := false
	followed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		f.mu.Lock()
		complete := allRuns
		if f.shared != nil && !f.defers(settled) {
			complete = all
		}
		left := f.shared != nil && !f.loaded // to the process that has the pen
		later := f.inBurst(followed, time.Now())
		idle := !later && f.loaded && f.clean(complete) // clean looks at each job of a burst
		f.mu.Unlock()
		if idle {
			followed = time.Now()
		}
		if idle || left || later {
			continue
		}
		err := f.flush(writing, settled)
		if ctx.Err() != nil {
			return
		}
		followed = time.Now()
		if err != nil && !failing {
			f.Logger.Error("tables cannot follow the journal", "err", err)
		}
		failing = err != nil
	}
}
