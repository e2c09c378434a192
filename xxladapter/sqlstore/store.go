// Package sqlstore is an [xxladapter.Store] on database/sql. Jobs, groups,
// registrations and logs live in XXL-JOB's own tables, under their own names
// and with the columns of release 3.4.2, so that whoever knows those finds
// what he expects; fires, misfires and nodes live in side tables whose names
// begin with xxlwheel_.
//
// Datetime columns have whole seconds, as upstream's do; due times have whole
// milliseconds. Every time that is returned is in UTC.
package sqlstore

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var errClosed = errors.New("sqlstore: closed")

// Options are the settings that all databases share. The zero value is good.
type Options struct {
	// Logger hears of what no caller is told, such as a migration. The default
	// is [slog.Default].
	Logger *slog.Logger
	// Clock replaces the store's clock in tests. The default is the database
	// server's clock, and for SQLite [time.Now].
	Clock func() time.Time
	// Connections is how many connections to a database server are open at most.
	// The default is 4 for each processor and at least 16, on MySQL 20. PostgreSQL
	// uses ten at least, MySQL twelve. Calls for users, see [xxladapter.ForUser], get
	// half of those that are shared. It has no meaning for SQLite.
	Connections int
	// LockLife is how long a node that does not answer any more, but whose
	// connections are open, can hold rows in the database server before it loses
	// them with its transaction. The default is 3s. It must be well below the
	// scheduler's pre-read window: nothing is planned while a frozen node holds
	// the due jobs or the schedule lock. MySQL counts whole seconds, at least one,
	// and cuts the rest. It has no meaning for SQLite.
	LockLife time.Duration
	// Zone is where the days of reports begin. The default is UTC: it is the same
	// on every machine that opens the store. With another zone, runs that are
	// open while the zone is changed are counted on two days. On MySQL it is the
	// zone of datetime columns as well, that of the address comes first, and the
	// default is the server's.
	Zone *time.Location
}

// A Store is an [xxladapter.Store] in a SQL database; see [OpenSQLite] and
// [OpenPostgres].
type Store struct {
	dialect *dialect
	reads   readers
	writer  writer
	scans   writer // for due jobs, and
	leases  writer // for terms; nil: writer
	// bulk is for purges and texts, which may take longer than other writes; nil: writer.
	bulk writer
	// scanReads and leaseReads look before scans and leases write, and sweepReads
	// for open fires. They wait for no other reader; nil: reads.
	scanReads, leaseReads, sweepReads *readers
	// The places for users' calls among reads and writer.
	readGuests, writeGuests guests
	// byID reads single rows by their ids. Never nil.
	byID *readers
	// fires runs the calls that every fire makes in groups; nil: each goes to
	// the writer.
	fires *fireQueue
	// lookups reads by id for many calls at once; nil: each table by itself.
	lookups *lookupQueue
	// What is asked for by id.
	jobs   sharedReads[xxladapter.Job]
	groups sharedReads[xxladapter.Group]
	logs   sharedReads[xxladapter.Log]
	clock  func() time.Time
	// server is what clock goes by; nil: clock is the store's clock itself.
	server *serverClock
	// resting says that the last scan claimed nothing.
	resting atomic.Bool
	looks   leaseLooks
	others  others
	walk    walk        // by that scan, where no index leads to due jobs
	ends    []func()    // called first in Close
	lost    atomic.Bool // the file of the database is not where it was
	network *network    // nil: there is none
	zone    *time.Location

	mu      sync.RWMutex // guards closed; held for the moment a call enters
	closed  bool
	running sync.WaitGroup // calls that have entered and not left
}

var _ xxladapter.Store = (*Store)(nil)

// A writer runs writes; how many of them at once and in which transactions is
// its own affair.
type writer interface {
	// write returns when apply's changes are durable, or were taken back. apply
	// may be run again from the start, and a panic in it reaches the caller.
	write(ctx context.Context, apply func(context.Context, *tx) error) error
	// writeOne is write for a single statement, which needs no transaction around
	// it. Where the answer of the database is lost it may happen twice.
	writeOne(ctx context.Context, apply func(context.Context, *tx) error) error
	// close REQUIRES: no call of write runs or will be made.
	close() error
}

// enter admits a call until Close; the caller must then call s.running.Done.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	if s.lost.Load() {
		return errFileGone
	}
	s.running.Add(1)
	return nil
}

// write runs apply in a transaction that is durable when write returns nil.
// apply may be run again from the start if the transaction has to be repeated.
func (s *Store) write(ctx context.Context, apply func(ctx context.Context, tx *tx) error) error {
	return s.writeBy(ctx, s.writer, apply)
}

// writeBy is write by a certain writer; nil: by the one for all.
func (s *Store) writeBy(ctx context.Context, by writer, apply func(ctx context.Context, tx *tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	guests := guests(nil)
	switch by {
	case nil:
		by, guests = s.writer, s.writeGuests
	case s.bulk:
		guests = s.readGuests // it shares the connections of reads
	}
	leave, err := guests.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return by.write(ctx, apply)
}

// writeOne is writeBy for a single statement that may happen twice.
func (s *Store) writeOne(ctx context.Context, by writer, apply func(ctx context.Context, tx *tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if by == nil {
		by = s.writer
		leave, err := s.writeGuests.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return by.writeOne(ctx, apply)
}

// query hands each row that query selects to scan.
func (s *Store) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	return s.queryBy(ctx, nil, query, args, scan)
}

// queryBy is query by certain readers; nil: by those for all.
func (s *Store) queryBy(ctx context.Context, by *readers, query string, args []any, scan func(row) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if by == nil {
		by = &s.reads
		leave, err := s.readGuests.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return by.query(ctx, query, args, scan)
}

// finds reports whether the query selects anything. Work that comes back every
// few seconds and mostly finds nothing asks before it begins a transaction.
func (s *Store) finds(ctx context.Context, query string, args ...any) (bool, error) {
	found := false
	err := s.query(ctx, query, args, func(row) error {
		found = true
		return nil
	})
	return found, err
}

// Now is the store's clock, see [Options].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.running.Done()
	return s.clock(), nil
}

// Close implements [xxladapter.Store]. Closing again is fine.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	if closed {
		return nil
	}
	if s.lookups != nil {
		s.lookups.wait()
	}
	s.jobs.wait()
	s.groups.wait()
	s.logs.wait()
	if s.network != nil {
		// Goodbyes on connections that are silent would not end.
		limit := time.AfterFunc(closeLimit, s.network.close)
		defer func() { limit.Stop(); s.network.close() }()
	}
	for _, end := range s.ends {
		end()
	}
	// The readers go first: the last connection to leave cleans up after all.
	errs := []error{s.reads.db.Close()}
	for _, r := range []*readers{s.scanReads, s.leaseReads, s.sweepReads, s.byID} {
		if r != nil {
			errs = append(errs, r.db.Close()) // again is fine
		}
	}
	for _, w := range []writer{s.scans, s.leases, s.bulk, s.writer} {
		if w != nil {
			errs = append(errs, w.close())
		}
	}
	if s.network != nil {
		return nil // a goodbye that could not be said over a lost connection is no loss
	}
	return errors.Join(errs...)
}
