package journaled

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// Options are the settings of a front.
type Options struct {
	// Prefix begins the names of the journal's files.
	Prefix string
	Logger *slog.Logger
	Clock  func() time.Time // the store's clock
	// AcceptLoss begins a new journal if the old one is incomplete, which loses what only the old
	// one had.
	AcceptLoss bool
	// SegmentSize is the size in bytes from which the journal continues in a new file; 0 means
	// 32 MiB.
	SegmentSize int64
	// Create replaces [journal.Create] in tests; nil means journal.Create.
	Create func(name string, flag int) (journal.File, error)
}

// A Front is a journal with its memory that has no tables yet.
type Front struct{ *front }

// NewFront returns a front. Its order of calls is Prepare, then New.
func NewFront(opts Options) Front {
	if opts.SegmentSize == 0 {
		opts.SegmentSize = 32 << 20
	}
	return Front{&front{Options: opts, groups: map[int64]*group{}}}
}

// A writeFunc runs a transaction on the tables.
type writeFunc func(context.Context, func(context.Context, *database.Tx) error) error

// Prepare finds the journal that the tables name, or begins a new one. write must not ask the
// front.
//
// REQUIRES: no other process uses the journal or will write to the tables.
func (f Front) Prepare(ctx context.Context, write writeFunc) error {
	var m applied
	err := write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		m, err = readApplied(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	lost := m.state == stateOpen
	if lost {
		f.applied = m
		damage := journal.Verify(f.journalOptions(), m.oldest(), max(m.settled, m.runs, m.plans))
		if damage == nil {
			return nil
		}
		if !f.AcceptLoss {
			return fmt.Errorf("its journal is incomplete: %w. Put the file back, or accept with ?journal=lost that what was acknowledged last is lost", damage)
		}
		f.Logger.Error(
			"journal is incomplete: what was acknowledged last is lost, also planned fires; its files are set aside",
			"damage", damage,
		)
		if err := journal.SetAside(f.Prefix); err != nil {
			return err
		}
	}
	// What is left of an earlier journal is not needed: the tables have it.
	if err := journal.Remove(f.Prefix, m.generation); err != nil {
		return err
	}
	last := max(m.settled, m.runs, m.plans)
	f.applied = applied{state: stateNew, generation: rand.Uint64()>>1 + 1, settled: last, runs: last, plans: last}
	put := func(ctx context.Context, tx *database.Tx) error { return storeApplied(ctx, tx, f.applied) }
	begin := put
	if lost {
		begin = func(ctx context.Context, tx *database.Tx) error {
			if err := jumpIDs(ctx, tx); err != nil {
				return err
			}
			return put(ctx, tx)
		}
	}
	if err := write(ctx, begin); err != nil {
		return err
	}
	if err := f.openFile(last+1, func(int64, []byte) error { return nil }); err != nil {
		return err
	}
	f.applied.state = stateOpen
	return write(ctx, put)
}

// openFile opens the journal in files.
func (f *front) openFile(next int64, replay func(int64, []byte) error) error {
	j, err := journal.Open(f.journalOptions(), next, replay)
	if err == nil {
		f.journal, f.file = j, j
	}
	return err
}

// journalOptions returns how the journal is opened.
//
// REQUIRES: f.mu is held, or nobody else has f.
func (f *front) journalOptions() journal.Options {
	return journal.Options{Prefix: f.Prefix, Generation: f.applied.generation, Logger: f.Logger, Create: f.Create}
}

// New returns the store that f makes of s, and takes ownership of s, also in case of an error.
func (f Front) New(ctx context.Context, s *records.Store) (*Store, error) {
	f.store = s
	if err := f.flush(ctx, nothing); err != nil {
		_ = s.Close() // after an error that the caller gets
		if f.journal != nil {
			_ = f.journal.Close()
		}
		return nil, err
	}
	following, stop := context.WithCancel(context.Background())
	store := &Store{Store: s, front: f.front, stop: stop}
	store.following.Go(func() { f.follow(following) })
	return store, nil
}

// Lost returns the name of a file of the journal that was removed while the store is open, or an
// empty text.
func (f Front) Lost() string {
	f.mu.Lock()
	j := f.journal
	if f.closed {
		j = nil
	}
	f.mu.Unlock()
	if j == nil {
		return ""
	}
	name := j.Lost()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return "" // close removes the journal
	}
	return name
}

// close writes everything to the tables and removes the journal. If that fails, the journal stays
// for the next process that opens the store.
func (f *front) close(ctx context.Context) error {
	if f.shared != nil {
		return f.closeShared(ctx)
	}
	err := f.store.Write(with(ctx, scope{needs: all, changes: true}), func(ctx context.Context, tx *database.Tx) error {
		m, err := readApplied(ctx, tx)
		if err != nil {
			return err
		}
		m.state = stateClosed
		return storeApplied(ctx, tx, m)
	})
	f.mu.Lock() // writes that were in the queue may still end
	j, generation := f.journal, f.applied.generation
	f.mu.Unlock()
	if closeErr := j.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = journal.Remove(f.Prefix, generation)
	}
	return err
}
