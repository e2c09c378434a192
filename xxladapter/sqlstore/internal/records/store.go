// Package records is the part of package sqlstore that all databases share: the statements and
// what follows from their rows. A database makes a [Store] of its connections and a [Dialect],
// and sets its [Acts].
package records

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

var ErrClosed = errors.New("sqlstore: closed")

// Options are those of package sqlstore, which explains the fields.
type Options struct {
	Logger      *slog.Logger
	Clock       func() time.Time
	Connections int
	LockLife    time.Duration
	Zone        *time.Location
}

// WithDefaults are the options with the defaults that all databases share.
func (o Options) WithDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LockLife <= 0 {
		o.LockLife = network.LockLife
	}
	return o
}

// ReportZone is the zone of the days of reports.
func (o Options) ReportZone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

// A Store is an [xxladapter.Store] in a SQL database.
type Store struct {
	Parts
	Acts    Acts
	Lookups lookups
	// Resting says that the last scan claimed nothing.
	Resting atomic.Bool
	looks   leaseLooks
	others  others

	mu      sync.RWMutex // guards closed; held for the moment a call enters
	closed  bool
	running sync.WaitGroup // calls that have entered and not left
}

// Parts are what a database makes a [Store] of.
type Parts struct {
	Dialect *Dialect
	// Reads is for all reads, and writes for all writes, that have nothing of their own.
	Reads  *Readers
	Writes writer
	// ScanWrites is for due jobs, and leaseWrites for terms; nil: writes.
	ScanWrites, LeaseWrites writer
	// BulkWrites is for purges and texts, which may take longer than other writes; nil: writes.
	BulkWrites writer
	// ScanReads and leaseReads look before scans and leases write, and sweepReads
	// for open fires. They wait for no other reader; nil: reads.
	ScanReads, LeaseReads, SweepReads *Readers
	// IDReads reads single rows by their ids. Never nil.
	IDReads *Readers
	// The places for users' calls among reads and writes.
	ReadGuests, WriteGuests guests
	// Fires runs the calls that every fire makes in groups; nil: each goes to writes.
	Fires *fireQueue
	// Lookup reads rows of several tables in one round trip; nil: each table is read by itself.
	Lookup func(ctx context.Context, group []*Lookup) error
	Clock  func() time.Time
	// Server is what clock goes by; nil: clock is the store's clock itself.
	Server *serverClock
	// Refuse returns an error while no call may be made; nil: there is no such time.
	Refuse  func() error
	Ends    []func()             // called first in Close
	Network *network.Connections // nil: there is none
	Zone    *time.Location
}

// New makes a store of its parts. The caller sets its acts.
func New(p Parts) *Store {
	s := &Store{Parts: p}
	s.Acts = Standard{s}
	s.Lookups = newLookups(s, p.Lookup)
	return s
}

var _ xxladapter.Store = (*Store)(nil)

// A writer runs writes; how many of them at once and in which transactions is
// its own affair.
type writer interface {
	// Write returns when apply's changes are durable, or were taken back. apply
	// may be run again from the start, and a panic in it reaches the caller.
	Write(ctx context.Context, apply func(context.Context, *Tx) error) error
	// WriteOne is write for a single statement, which needs no transaction around
	// it. Where the answer of the database is lost it may happen twice.
	WriteOne(ctx context.Context, apply func(context.Context, *Tx) error) error
	// Close REQUIRES: no call of write runs or will be made.
	Close() error
}

// enter admits a call until Close; the caller must then call s.running.Done.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	if s.Refuse != nil {
		if err := s.Refuse(); err != nil {
			return err
		}
	}
	s.running.Add(1)
	return nil
}

// Write runs apply in a transaction that is durable when write returns nil.
// apply may be run again from the start if the transaction has to be repeated.
func (s *Store) Write(ctx context.Context, apply func(ctx context.Context, tx *Tx) error) error {
	return s.WriteBy(ctx, s.Writes, apply)
}

// WriteBy is write by a certain writer; nil: by the one for all.
func (s *Store) WriteBy(ctx context.Context, by writer, apply func(ctx context.Context, tx *Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	guests := guests(nil)
	switch by {
	case nil:
		by, guests = s.Writes, s.WriteGuests
	case s.BulkWrites:
		guests = s.ReadGuests // it shares the connections of reads
	}
	leave, err := guests.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return by.Write(ctx, apply)
}

// WriteOne is writeBy for a single statement that may happen twice.
func (s *Store) writeOne(ctx context.Context, by writer, apply func(ctx context.Context, tx *Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if by == nil {
		by = s.Writes
		leave, err := s.WriteGuests.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return by.WriteOne(ctx, apply)
}

// Query hands each row that query selects to scan.
func (s *Store) Query(ctx context.Context, query string, args []any, scan func(Row) error) error {
	return s.QueryBy(ctx, nil, query, args, scan)
}

// QueryBy is query by certain readers; nil: by those for all.
func (s *Store) QueryBy(ctx context.Context, by *Readers, query string, args []any, scan func(Row) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if by == nil {
		by = s.Reads
		leave, err := s.ReadGuests.enter(ctx)
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
	err := s.Query(ctx, query, args, func(Row) error {
		found = true
		return nil
	})
	return found, err
}

// ids returns what a query for ids selects.
func (s *Store) ids(ctx context.Context, query string, args []any) (ids []int64, err error) {
	err = s.Query(ctx, query, args, func(r Row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Now is the store's clock, see [Options].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.running.Done()
	return s.Clock(), nil
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
	s.Lookups.wait()
	if s.Network != nil {
		// Goodbyes on connections that are silent would not end.
		limit := time.AfterFunc(network.CloseLimit, s.Network.Close)
		defer func() { limit.Stop(); s.Network.Close() }()
	}
	for _, end := range s.Ends {
		end()
	}
	// The readers go first: the last connection to leave cleans up after all.
	errs := []error{s.Reads.DB.Close()}
	for _, r := range []*Readers{s.ScanReads, s.LeaseReads, s.SweepReads, s.IDReads} {
		if r != nil {
			errs = append(errs, r.DB.Close()) // again is fine
		}
	}
	for _, w := range []writer{s.ScanWrites, s.LeaseWrites, s.BulkWrites, s.Writes} {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	if s.Network != nil {
		return nil // a goodbye that could not be said over a lost connection is no loss
	}
	return errors.Join(errs...)
}
