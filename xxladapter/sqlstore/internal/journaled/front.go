package journaled

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// A front is the memory with its lock, its journal and its way to the tables. It implements
// [database.Front].
type front struct {
	Options
	journal recordLog        // nil until it is opened
	file    *journal.Journal // journal, if it is a file; otherwise nil
	shared  *shared          // what a journal of several processes needs; nil if it is a file
	store   *records.Store   // on the tables
	running sync.WaitGroup   // calls that have entered and not returned

	// Lock order: mu before the locks of the journal. The journal calls back only to replay
	// records, and then mu is held already.

	mu     sync.Mutex // guards the fields below; see scope for the calls on the tables that hold it
	m      memory
	groups map[int64]*group
	// loaded is false until the memory is as the tables and the journal say. A journal that
	// failed makes it false again.
	loaded  bool
	closed  bool
	applied applied
	// epoch counts the calls that may have changed rows in the tables and not in the memory.
	epoch int64
	// commits counts the transactions on the tables. pins counts the calls that read the tables and
	// have not yet compared what they read with the memory, by the value of commits when they
	// began. A row that was written after that stays in the memory, because such a call may have
	// read its former version.
	commits   int64
	pins      map[int64]int
	evictable []*run // ended runs that the tables have, in the order in which they got them
	rotated   int64  // the journal's last number at its last rotation
	spill     int64  // planned fires of records up to this number go to the tables
	snapshot  int64  // the number before the last record that repeats all that the tables lack
	behind    int    // jobs that the last scan found due and behind
	due       dueList
}

// applied are the positions in the journal up to which the tables have its records. They are stored
// in the transaction that makes them true.
type applied struct {
	generation uint64
	state      state
	// settled is the last record whose ended runs, misfires and orders the tables have. runs is the
	// last one whose claimed fires and open runs they have, and plans is the last one whose planned
	// fires and times of jobs they have.
	settled, runs, plans int64
	// pen is the number under which the process writes to the tables, if the journal is shared.
	pen int64
}

// oldest returns the last record that is no longer needed.
func (a applied) oldest() int64 { return min(a.settled, a.runs, a.plans) }

// flushPace is the interval at which changes are written to the tables. youth is the age below
// which a run without a result is left out, because most runs end before they reach it.
const (
	flushPace = 250 * time.Millisecond
	youth     = time.Second
)

// Read implements [database.Front].
func (f *front) Read(ctx context.Context) error {
	s := scopeOf(ctx)
	if s.needs == nothing || s.needs == unchanged {
		return nil
	}
	f.mu.Lock()
	clean := f.ready() && f.clean(s.needs)
	position := journal.Position{}
	if f.loaded {
		position = f.journal.Last()
	}
	f.mu.Unlock()
	// A removed fire that the tables never had leaves them nothing to write, so clean does not say
	// that its record is stored. If a record is taken back or refused, the memory is loaded again.
	if clean && f.journal.Wait(position) == nil {
		// A process that has lost the pen unnoticed does not know what the tables lack.
		if sure, err := f.confirm(ctx, position); sure || err != nil {
			return err
		}
	}
	return f.flush(ctx, s.needs)
}

// clean reports whether the tables have what a level asks for.
//
// REQUIRES: f.mu is held.
func (f *front) clean(l level) bool {
	if l == nothing {
		return true
	}
	m := &f.m
	if len(m.dropped)+len(m.dirtyRun)+len(m.misfires)+len(m.orders)+len(m.stops)+len(m.fires.dirty) > 0 {
		return false
	}
	if f.defers(l) {
		m.releaseOld(f.Clock())
		return len(m.plans) == 0 && !m.lacksTimes()
	}
	return len(m.dirtyJob) == 0 && (l < all || len(m.plans) == 0 && m.firstDeferral() == nil)
}

// flush brings the tables up to date.
func (f *front) flush(ctx context.Context, l level) error {
	if f.shared != nil {
		return f.shared.flush.join(with(ctx, scope{needs: l}), nil)
	}
	return f.store.Write(with(ctx, scope{needs: l}), func(context.Context, *database.Tx) error { return nil })
}

// act runs one call in memory. It returns when the call's changes are durable, and also the changes
// of earlier calls on which its outcome depends: a repeated call must not be answered before the
// first one is durable. do sees the memory locked; if it returns an error, it has changed nothing.
// do may run again, on a memory without what it has changed. ask names what the memory must have.
func (f *front) act(ctx context.Context, ask need, do func(a *act, got answer) error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.running.Done()
	for range penTries {
		position, recorded, err := f.decide(ctx, ask, do)
		waitErr := f.wait(position)
		switch {
		case f.isRefused(waitErr):
			continue
		case waitErr != nil:
			return waitErr
		case recorded:
			return err
		}
		if sure, failed := f.confirm(ctx, position); failed != nil || sure {
			return cmp.Or(failed, err)
		}
	}
	return errPen
}

// isRefused reports whether an error of wait says that the record was not stored because another
// process has had the pen. The memory is loaded before the next call sees it.
func (f *front) isRefused(err error) bool { return f.shared != nil && sharedlog.IsRefused(err) }

// confirm reports whether the memory lacked nothing when it was read, and returns once that is
// known. position was the last record then; the zero position means that nothing was read. A
// decision with a record needs no confirmation, since the log refuses the record of a process that
// has lost the pen. A decision without a record, such as that a run is unknown, would be wrong
// unnoticed.
func (f *front) confirm(ctx context.Context, position journal.Position) (sure bool, err error) {
	if f.shared == nil || position == (journal.Position{}) {
		return true, nil
	}
	return f.shared.log.Confirm(ctx, position)
}

// look runs a call that changes nothing, and does not wait for the journal. Before its outcome is
// returned to the caller of the store, the records of the rows in it must be waited for. That a row
// is not there must be confirmed.
func (f *front) look(ctx context.Context, ask need, do func(a *act) error) error {
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.running.Done()
	_, _, err := f.decide(ctx, ask, func(a *act, _ answer) error { return do(a) })
	return err
}

// lookStored runs a call as look does, and returns once the record that find returns is stored.
// find may run again: if the log refuses that record, the memory is loaded without it.
func (f *front) lookStored(ctx context.Context, ask need, find func(a *act) journal.Position) error {
	for range penTries {
		var position journal.Position
		err := f.look(ctx, ask, func(a *act) error {
			position = find(a)
			return nil
		})
		if err == nil {
			err = f.wait(position)
		}
		if !f.isRefused(err) {
			return err
		}
	}
	return errPen
}

// decide runs a call in memory. It returns the last record that the outcome depends on, and whether
// that is the call's own.
func (f *front) decide(
	ctx context.Context, ask need, do func(a *act, got answer) error,
) (position journal.Position, recorded bool, err error) {
	got, err := f.lockWith(ctx, ask)
	if err != nil {
		return journal.Position{}, false, err
	}
	defer f.mu.Unlock()
	if err := f.roomFor(ask.ids); err != nil {
		return journal.Position{}, false, err
	}
	a := &act{m: &f.m, now: f.Clock(), shared: f.shared != nil}
	if err := do(a, got); err != nil || len(a.buf) == 0 {
		return f.journal.Last(), false, err
	}
	position = f.journal.Append(a.buf)
	for _, j := range a.jobs {
		j.position = position
	}
	for _, r := range a.runs {
		r.position = position
	}
	for _, fire := range a.added {
		fire.born = position.Number
	}
	return position, true, nil
}

// enter admits a call until the store closes; the caller must then call f.running.Done.
func (f *front) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.store.Refuse != nil {
		if err := f.store.Refuse(); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return database.ErrClosed
	}
	f.running.Add(1)
	return nil
}

// wait returns when a record is durable.
func (f *front) wait(at journal.Position) error {
	if at == (journal.Position{}) {
		return nil
	}
	err := f.journal.Wait(at)
	if errors.Is(err, journal.ErrInDoubt) {
		err = fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, err)
	}
	return err
}

// A need names the rows without which a call cannot be decided.
type need struct {
	logID  int64
	tries  int64 // a log row whose attempt number is needed, once its fire is gone
	jobs   []int64
	resume xxladapter.Resume
	since  time.Time // the last due time of the job that may resume
	ids    int       // how many ids of fires or log rows the call may give
}

// An answer has what only the tables have.
type answer struct {
	openRuns []int64 // of the job that may resume
}

// lockWith reads what a call needs into the memory, as far as it exists, and returns with the
// memory locked. If it fails, the memory is not locked.
func (f *front) lockWith(ctx context.Context, ask need) (got answer, err error) {
	if ask.resume.JobID != 0 {
		ask.jobs = append(ask.jobs, ask.resume.JobID)
	}
	if err := f.lock(ctx); err != nil {
		return answer{}, err
	}
	epoch, pinned, since := f.epoch, false, int64(0)
	var known need // what was read; such a row is in the memory or does not exist
	for {
		missing := f.missing(ask, known)
		if missing.empty() {
			break
		}
		if !pinned {
			pinned, since = true, f.pin()
		}
		f.mu.Unlock()
		rows, err := f.read(ctx, missing)
		if err == nil {
			err = f.lock(ctx)
		}
		if err != nil {
			f.mu.Lock()
			f.unpin(since)
			f.mu.Unlock()
			return answer{}, err
		}
		if epoch != f.epoch {
			epoch, known = f.epoch, need{}
			continue
		}
		f.remember(rows)
		known.jobs = append(known.jobs, missing.jobs...)
		if missing.logID != 0 {
			known.logID = missing.logID
		}
		if r := f.m.runs[missing.tries]; r != nil {
			known.tries, r.attempt = missing.tries, rows.try
		}
		if missing.resume.JobID != 0 {
			known.resume, got.openRuns = missing.resume, rows.open
		}
	}
	if pinned {
		f.unpin(since)
	}
	return got, nil
}

// pin notes a call that will read the tables; the caller must pass the result to unpin.
//
// REQUIRES: f.mu is held.
func (f *front) pin() int64 {
	if f.pins == nil {
		f.pins = map[int64]int{}
	}
	f.pins[f.commits]++
	return f.commits
}

// unpin ends what pin began.
//
// REQUIRES: f.mu is held.
func (f *front) unpin(since int64) {
	if f.pins[since]--; f.pins[since] == 0 {
		delete(f.pins, since)
	}
}

// remember brings rows that a call has read into the memory. They stay there at least until the
// call unpins, because it takes a row that is missing then for one that does not exist.
//
// REQUIRES: f.mu is held, and the call has pinned what it read.
func (f *front) remember(rows tableRows) {
	for _, row := range rows.jobs {
		j := f.m.addJob(row)
		j.clean = max(j.clean, f.commits+1)
	}
	for _, row := range rows.logs {
		r := f.m.addRun(*row, true, f.Clock())
		r.clean = max(r.clean, f.commits+1)
	}
}

// forgettable returns the last transaction whose rows every reader of the tables has seen.
//
// REQUIRES: f.mu is held.
func (f *front) forgettable() int64 {
	last := f.commits
	for since := range f.pins {
		last = min(last, since)
	}
	return last
}

// ready reports whether the memory may be relied on.
//
// REQUIRES: f.mu is held.
func (f *front) ready() bool {
	return f.loaded && f.journal.Failed() == nil && (f.shared == nil || f.shared.log.Held())
}

// lock locks the memory once it is loaded.
func (f *front) lock(ctx context.Context) error {
	for {
		f.mu.Lock()
		if f.ready() {
			return nil
		}
		f.mu.Unlock()
		if err := f.regain(ctx); err != nil {
			return err
		}
		f.mu.Lock()
		if f.ready() {
			return nil
		}
		f.mu.Unlock()
		if err := f.flush(ctx, nothing); err != nil { // which loads it first
			return err
		}
	}
}

// missing returns the part of ask that is neither in the memory nor in known. The runs of a job
// that may resume come last, because the job says which of them count.
//
// REQUIRES: f.mu is held.
func (f *front) missing(ask, known need) (m need) {
	if ask.logID != 0 && f.m.runs[ask.logID] == nil && known.logID == 0 {
		m.logID = ask.logID
	}
	for _, id := range ask.jobs {
		if f.m.jobs[id] == nil && !slices.Contains(known.jobs, id) {
			m.jobs = append(m.jobs, id)
		}
	}
	if r := f.m.runs[ask.tries]; m.logID == 0 && r != nil && r.attempt < 0 && f.m.byLog[ask.tries] == nil &&
		known.tries == 0 {
		m.tries = ask.tries
	}
	id := ask.resume.JobID
	if m.empty() && id != 0 && known.resume.JobID == 0 {
		if j := f.m.jobs[id]; j != nil && j.Waits() && len(f.m.byJob[id]) <= 1 {
			m.resume, m.since = ask.resume, j.TriggerLast
		}
	}
	return m
}

func (n need) empty() bool {
	return n.logID == 0 && n.tries == 0 && len(n.jobs) == 0 && n.resume.JobID == 0
}

// tableRows are rows as the tables have them.
type tableRows struct {
	jobs map[int64]*xxladapter.Job
	logs map[int64]*xxladapter.Log
	open []int64
	try  int
}

// read reads from the tables the rows that m names.
func (f *front) read(ctx context.Context, m need) (rows tableRows, err error) {
	ctx = with(ctx, own)
	if len(m.jobs) > 0 {
		if rows.jobs, err = f.store.ReadJobs(ctx, m.jobs); err != nil {
			return tableRows{}, err
		}
	}
	if m.logID != 0 {
		if rows.logs, err = f.store.ReadLogs(ctx, []int64{m.logID}); err != nil {
			return tableRows{}, err
		}
	}
	if m.tries != 0 {
		if rows.try, err = f.store.AttemptOf(ctx, m.tries); err != nil {
			return tableRows{}, err
		}
	}
	if m.resume.JobID != 0 {
		rows.open, err = f.store.FindOpenRuns(ctx, m.resume.JobID, m.since)
	}
	return rows, err
}
