// Package journaled is a store that handles the calls for each fire in memory and in a journal, and
// writes the tables of a [records.Store] in bulk later. See DESIGN.md of package sqlstore.
//
// What a call changes passes through four states:
//
//	acknowledged  the memory has it, and the journal has synced its record
//	cut           a copy of it is part of a transaction on the tables, with the number of the last
//	              record that the tables have then
//	written       that transaction is committed; the journal may drop the record
//	clean         every reader that began before the commit is done; the memory may drop the row
//
// A row that is not in memory is up to date in the tables. After a start the records after that
// number are replayed.
//
// Where to look:
//
//	calls in memory         store.go
//	calls of the tables     scope.go, tables.go, lists.go, restrictions.go, stats.go, users.go
//	deciding                act.go, due.go, duesecond.go, fires.go, memory.go
//	before the tables       front.go, flush.go, burst.go, deferred.go, cut.go, applied.go, rotate.go
//	the journal             log.go, codec.go, load.go, open.go, compare.go
//	one that is shared      shared*.go, besidejava.go
package journaled

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A Store is an [xxladapter.Store]. The methods in this file and ClaimDue use memory. All others
// use the tables, and declare with a scope which rows must be written first; a method without a
// scope waits for everything.
type Store struct {
	*records.Store
	front     *front
	stop      func() // ends the goroutine that following counts
	following sync.WaitGroup
	closing   sync.Once
	closeErr  error
}

var _ xxladapter.Store = (*Store)(nil)

// Close implements [xxladapter.Store]. What cannot be written to the tables stays in the journal;
// the error says why. With a shared journal, a log and tables that do not answer are waited for up
// to a limit, see closeShared.
func (s *Store) Close() error {
	s.closing.Do(func() {
		f := s.front
		f.mu.Lock()
		f.closed = true
		f.mu.Unlock()
		f.running.Wait()
		s.stop()
		s.following.Wait()
		if err := f.close(context.Background()); err != nil {
			s.closeErr = fmt.Errorf("write the tables: %w; nothing is lost, the next start writes them", err)
		}
		s.closeErr = errors.Join(s.closeErr, s.Store.Close())
	})
	return s.closeErr
}

// Job implements [xxladapter.Store].
func (s *Store) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	var found *xxladapter.Job
	err := s.front.lookStored(ctx, need{jobs: []int64{id}}, func(a *act) journal.Position {
		j := a.m.jobs[id]
		if found = nil; j == nil {
			return journal.Position{}
		}
		copied := copyJob(j.Job)
		found = &copied
		return j.position
	})
	if err == nil && found == nil {
		err = xxladapter.Absent("job", id)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

func copyJob(j *xxladapter.Job) xxladapter.Job {
	c := *j
	c.ChildIDs, c.Tags = slices.Clone(j.ChildIDs), slices.Clone(j.Tags)
	return c
}

// A group is a group as the tables have it.
type group struct{ xxladapter.Group }

// Group implements [xxladapter.Store].
func (s *Store) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	f := s.front
	if err := f.enter(ctx); err != nil {
		return nil, err
	}
	defer f.running.Done()
	f.mu.Lock()
	g, epoch := f.groups[id], f.epoch
	f.mu.Unlock()
	if g == nil {
		found, err := s.Store.Group(with(ctx, own), id)
		if err != nil {
			return nil, err
		}
		g = &group{*found}
		f.mu.Lock()
		if epoch == f.epoch && f.shared == nil { // otherwise another process may change it
			f.groups[id] = g
		}
		f.mu.Unlock()
	}
	c := g.Group
	c.Addresses, c.Drains = slices.Clone(c.Addresses), slices.Clone(c.Drains)
	return &c, nil
}

// Log implements [xxladapter.Store].
func (s *Store) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	for range penTries {
		found, last, err := s.lookForLog(ctx, id)
		if !errors.Is(err, xxladapter.ErrNotFound) {
			return found, err
		}
		if sure, failed := s.front.confirm(ctx, last); failed != nil || sure {
			return nil, cmp.Or(failed, err)
		}
	}
	return nil, errPen
}

// lookForLog returns the log row and the last record when the memory was read. Alarms change rows
// in the tables alone, so a stored row that has ended gets its alarm status from there.
func (s *Store) lookForLog(ctx context.Context, id int64) (found *xxladapter.Log, last journal.Position, err error) {
	var row xxladapter.Log
	known, whole := false, false
	err = s.front.lookStored(ctx, need{}, func(a *act) journal.Position {
		last = s.front.journal.Last()
		r := a.m.runs[id]
		if known = r != nil; !known {
			return journal.Position{}
		}
		row, whole = r.Log, !r.stored || r.Status() == xxladapter.LogRunning
		return r.position
	})
	if err != nil {
		return nil, last, err
	}
	if whole {
		return &row, last, nil
	}
	found, err = s.Store.Log(with(ctx, own), id)
	if known && err == nil {
		row.AlarmStatus = found.AlarmStatus
		found = &row
	}
	return found, last, err
}

// PlanFires implements [xxladapter.Store].
func (s *Store) PlanFires(ctx context.Context, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	var planned []xxladapter.Fire
	err := s.front.act(ctx, need{jobs: jobsOf(fires), ids: len(fires)}, func(a *act, _ answer) error {
		planned = nil
		for _, f := range fires {
			planned = append(planned, a.plan(f))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return planned, nil
}

func jobsOf(fires []xxladapter.Fire) (ids []int64) {
	for _, f := range fires {
		ids = append(ids, f.JobID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// OpenFires implements [xxladapter.Store].
func (s *Store) OpenFires(ctx context.Context, filter xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	if filter.Groups != nil { // the tables know which jobs these have
		return s.Store.OpenFires(with(ctx, scope{needs: all}), filter)
	}
	var found []xxladapter.Fire
	err := s.front.lookStored(ctx, need{}, func(a *act) journal.Position {
		found = a.m.list(filter)
		return s.front.journal.Last()
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ClaimFire implements [xxladapter.Store].
func (s *Store) ClaimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	var shards []xxladapter.Fire
	err := s.front.act(ctx, need{ids: len(logs)}, func(a *act, _ answer) (err error) {
		f := a.m.byID[id]
		shards, err = transition.Claim(rowsOf(a, by, f, nil), by, id, len(logs), a.now)
		if err == nil {
			a.claim(f, shards, logs)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return shards, nil
}

// rowsOf returns what package transition decides by.
func rowsOf(a *act, by xxladapter.Term, f *fire, r *run) (rows transition.Rows) {
	rows.Holds = a.m.holds(by, a.now)
	if f != nil {
		rows.Fire = &f.Fire
	}
	if r != nil {
		state := transition.StateOf(&r.Log)
		rows.Log, rows.Attempt, rows.Address = &state, max(r.attempt, 0), r.Address
	}
	return rows
}

// TakeFire implements [xxladapter.Store].
func (s *Store) TakeFire(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error {
	var ask need
	if err := s.front.learnLeases(ctx); err != nil {
		return err
	}
	err := s.front.look(ctx, need{}, func(a *act) error {
		if f := a.m.byID[id]; f != nil {
			ask.logID = f.LogID
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.front.act(ctx, ask, func(a *act, _ answer) error {
		f := a.m.byID[id]
		if err := transition.TakeFire(rowsOf(a, by, f, nil), by, id, from, a.m.holds(from, a.now)); err != nil {
			return err
		}
		if r := a.m.runs[f.LogID]; r != nil {
			a.record(r, transition.TakenOver(f.Fire, by, a.now))
		}
		a.take(f, by)
		return nil
	})
}

// SettleFire implements [xxladapter.Store].
func (s *Store) SettleFire(
	ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement,
) (planned []xxladapter.Fire, err error) {
	ask := need{logID: settled.LogID, jobs: jobsOf(settled.Next), resume: settled.Resume, ids: len(settled.Next)}
	err = s.front.act(ctx, ask, func(a *act, got answer) error {
		f, r := a.m.byID[settled.FireID], a.m.runs[settled.LogID]
		change, err := transition.Settle(rowsOf(a, by, f, r), by, settled)
		if err != nil {
			return err
		}
		planned = a.carryOut(change, f, r, got.openRuns)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return planned, nil
}

// FinishRun implements [xxladapter.Store].
func (s *Store) FinishRun(
	ctx context.Context, res xxladapter.RunResult,
) (applied bool, planned []xxladapter.Fire, err error) {
	ask := need{logID: res.LogID, jobs: jobsOf(res.Next), resume: res.Resume, ids: len(res.Next)}
	if len(res.Next) > 0 {
		ask.tries = res.LogID
	}
	err = s.front.act(ctx, ask, func(a *act, got answer) error {
		f, r := a.m.byLog[res.LogID], a.m.runs[res.LogID]
		change, err := transition.Finish(rowsOf(a, xxladapter.Term{}, f, r), res, a.now)
		if err != nil {
			return err
		}
		applied = change.Log.Columns == transition.HandleColumns
		planned = a.carryOut(change, f, r, got.openRuns)
		return nil
	})
	if err != nil {
		return false, nil, err
	}
	return applied, planned, nil
}

// AcceptRuns implements [xxladapter.Store]. The runs that are in memory share a record; each of the
// others, which only the tables have, is a call of its own.
func (s *Store) AcceptRuns(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	may := make([]bool, len(list))
	if len(list) == 0 {
		return may, nil
	}
	accept := func(a *act, i int) {
		f, r := a.m.byLog[list[i].LogID], a.m.runs[list[i].LogID]
		var change transition.Change
		if change, may[i] = transition.Accept(rowsOf(a, xxladapter.Term{}, f, r), list[i], a.now); may[i] {
			a.carryOut(change, f, r, nil)
		}
	}
	var absent []int // in list
	err := s.front.act(ctx, need{}, func(a *act, _ answer) error {
		absent = absent[:0]
		for i, asked := range list {
			if a.m.runs[asked.LogID] == nil {
				absent = append(absent, i)
			} else {
				accept(a, i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all errgroup.Group
	all.SetLimit(acceptAtOnce)
	for _, i := range absent {
		all.Go(func() error {
			return s.front.act(ctx, need{logID: list[i].LogID}, func(a *act, _ answer) error {
				accept(a, i)
				return nil
			})
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return may, nil
}

// acceptAtOnce limits how many runs of one list that are not in memory are accepted in parallel.
const acceptAtOnce = 64

// ResumeJob implements [xxladapter.Store].
func (s *Store) ResumeJob(ctx context.Context, r xxladapter.Resume) (resumed bool, err error) {
	err = s.front.act(ctx, need{resume: r}, func(a *act, got answer) error {
		resumed = a.resume(r, got.openRuns)
		return nil
	})
	return resumed && err == nil, err
}

// Lease implements [xxladapter.Store]. The tables have the leases. The memory has the fires, which
// tell which dead terms own some and whether the node may rest.
func (s *Store) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	return s.lease(ctx, func(ctx context.Context) (xxladapter.Lease, error) { return s.Store.Lease(ctx, node, life) })
}

// Lead implements [xxladapter.Store], as Lease does.
func (s *Store) Lead(
	ctx context.Context, node string, life time.Duration, e xxladapter.Election,
) (xxladapter.Lease, error) {
	return s.lease(ctx, func(ctx context.Context) (xxladapter.Lease, error) { return s.Store.Lead(ctx, node, life, e) })
}

// lease renews a lease and completes it with what the memory knows. If the last process with a
// lease has closed the shared log, a new term waits until this process has taken the log up again:
// with a lease in the tables it could not, since that may be the lease of a process without the
// log.
func (s *Store) lease(
	ctx context.Context, renew func(ctx context.Context) (xxladapter.Lease, error),
) (l xxladapter.Lease, err error) {
	for range penTries {
		if l, err = renew(with(ctx, leasing)); !errors.Is(err, database.ErrLogClosed) {
			break
		}
		if err := s.front.flush(ctx, nothing); err != nil {
			return xxladapter.Lease{}, err
		}
	}
	return s.look(ctx, l, err)
}

// look completes a lease with what the memory knows. If err is not nil, look returns l and err as
// they are.
func (s *Store) look(ctx context.Context, l xxladapter.Lease, err error) (xxladapter.Lease, error) {
	f := s.front
	if err == nil {
		err = f.learnLeases(ctx)
	}
	if err != nil {
		return l, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.Quiet = false
	if f.loaded {
		now := f.Clock()
		// Without the pen, other processes may have planned fires that the memory does not have.
		l.Dead, l.Quiet = f.m.dead(now), f.ready() && !f.m.anyDue(now)
	}
	return l, nil
}
