package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// The files beside a database have its name and one of these suffixes. In the names of its journal
// a number follows. SQLite itself uses the suffix -journal.
const (
	journalSuffix = "-ahead."
	lockSuffix    = "-lock"
)

// JournalOptions are the settings of a store with a journal.
type JournalOptions struct {
	// AcceptLoss opens the store even if its journal is incomplete.
	AcceptLoss bool
	// SegmentSize and Create are passed to package journaled, for tests.
	SegmentSize int64
	Create      func(name string, flag int) (journal.File, error)
}

// OpenJournaled opens the store in file for this process alone, with a journal beside the file.
func OpenJournaled(
	ctx context.Context, file string, opts database.Options, more JournalOptions,
) (*journaled.Store, error) {
	opts = opts.WithDefaults()
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if err := CheckName(file); err != nil {
		return nil, err
	}
	s, err := openAlone(ctx, file, opts, more)
	if errors.Is(err, journal.ErrLocked) {
		return nil, fmt.Errorf("open %s: another process has the file open, and a journal needs it alone: stop that process, or open the file in all with ?journal=off", file)
	}
	return s, err
}

// openAlone opens the store as OpenJournaled does. The error is [journal.ErrLocked] if another
// process has the file open.
func openAlone(
	ctx context.Context, file string, opts database.Options, more JournalOptions,
) (*journaled.Store, error) {
	lock, err := journal.Lock(realName(file)+lockSuffix, true)
	if errors.Is(err, journal.ErrLocked) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	s, err := openLocked(ctx, file, opts, more)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, reason(file, err)), lock.Close())
	}
	s.Ends = append(s.Ends, func() { _ = lock.Close() })
	return s, nil
}

func openLocked(
	ctx context.Context, file string, opts database.Options, more JournalOptions,
) (*journaled.Store, error) {
	front := journaled.NewFront(journaled.Options{
		Prefix: realName(file) + journalSuffix, Logger: opts.Logger, Clock: opts.Clock,
		AcceptLoss: more.AcceptLoss, SegmentSize: more.SegmentSize, Create: more.Create,
	})
	s, err := openDatabase(ctx, driverName, file, opts, defaultLockWait, &front)
	if err != nil {
		return nil, err
	}
	return front.New(ctx, s)
}

// openDirect takes the lock of a process that shares the file with others. If an earlier process
// has left a journal behind, it is first applied to the tables. The process that does so has the
// file for itself meanwhile, and the others wait for it for lockWait: nothing tells it from one
// that keeps a journal.
func openDirect(
	ctx context.Context, file string, opts database.Options, lockWait time.Duration,
) (*journal.FileLock, error) {
	for deadline := time.Now().Add(lockWait); ; {
		lock, err := lockDirect(ctx, file, opts)
		if !errors.Is(err, journal.ErrLocked) {
			return lock, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("open %s: another process has the file for itself, with a journal: stop that process, or start it with ?journal=off", file)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockWait / 100):
		}
	}
}

// lockDirect takes the lock as openDirect does, and does not wait. The error is
// [journal.ErrLocked] if another process is in the way.
func lockDirect(ctx context.Context, file string, opts database.Options) (*journal.FileLock, error) {
	for {
		lock, err := journal.Lock(realName(file)+lockSuffix, false)
		if errors.Is(err, journal.ErrLocked) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", file, err)
		}
		if !hasJournal(file) {
			return lock, nil
		}
		if err := lock.Close(); err != nil {
			return nil, err
		}
		s, err := openAlone(ctx, file, opts, JournalOptions{})
		if err != nil {
			return nil, err
		}
		if err := s.Close(); err != nil {
			return nil, fmt.Errorf("open %s: %w", file, err)
		}
	}
}

// hasJournal reports whether there is any file of a journal beside the database.
func hasJournal(file string) bool { return journal.Exists(realName(file) + journalSuffix) }

// errNoJournal means that a journal is missing whose changes the tables do not have.
var errNoJournal = errors.New("its journal is incomplete: there is none. Put its files back, or accept with ?journal=lost that what was acknowledged last is lost")

// openJournals counts the journals whose changes the tables do not have.
const openJournals = `SELECT COUNT(*) FROM xxlwheel_journal WHERE state = 'open'`

// checkWhole returns an error if the tables need a journal.
func checkWhole(ctx context.Context, s *records.Store) error {
	needed := 0
	err := s.Query(ctx, openJournals, nil, func(r database.Row) error {
		return r.Scan(&needed)
	})
	if err == nil && needed > 0 {
		err = errNoJournal
	}
	return err
}
