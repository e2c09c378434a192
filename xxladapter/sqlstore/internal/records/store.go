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

// ErrClosed is the error of every call after Close.
var ErrClosed = errors.New("sqlstore: closed")

// Options are the options of package sqlstore, which documents the fields.
type Options struct {
	Logger      *slog.Logger
	Clock       func() time.Time
	Connections int
	LockLife    time.Duration
	Zone        *time.Location
}

// WithDefaults sets the defaults that all databases share.
func (o Options) WithDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LockLife == 0 {
		o.LockLife = network.LockLife
	}
	return o
}

// ReportZone returns the zone in which the days of reports begin.
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
	// Resting is set if the last scan claimed nothing and found nothing in the hands of others.
	Resting      atomic.Bool
	snapshots    leaseSnapshots
	restrictions restrictions
	others       others

	mu      sync.RWMutex // guards closed; held while a call enters
	closed  bool
	running sync.WaitGroup // calls that have entered and not left
}

// Parts are what a database creates a [Store] from.
type Parts struct {
	Dialect *Dialect
	// Reads and Writes serve every call that has no pool of its own.
	Reads  *Readers
	Writes Writer
	// ScanWrites is for scans and LeaseWrites for terms. Nil means Writes.
	ScanWrites, LeaseWrites Writer
	// BulkWrites is for purges and texts, which may take longer than other writes. Nil means
	// Writes.
	BulkWrites Writer
	// ScanReads and LeaseReads serve the reads before a scan and a lease, and SweepReads those
	// of open fires, so that these wait for no other reader. Nil means Reads.
	ScanReads, LeaseReads, SweepReads *Readers
	// IDReads reads single rows by their ids. It is never nil.
	IDReads *Readers
	// ReadGuests and WriteGuests limit users' calls among Reads and Writes.
	ReadGuests, WriteGuests guests
	// Front holds what was acknowledged and is not in the tables yet. Nil means that the tables
	// have everything. Reads ask it before they read the tables; Writes does so by itself.
	Front Front
	// Fires runs the calls that every fire makes in batches. Nil sends each to Writes.
	Fires *fireQueue
	// Lookup reads rows of several tables in one round trip. Nil reads each table by itself.
	Lookup func(ctx context.Context, batch []*Lookup) error
	Clock  func() time.Time
	// Server estimates the server's clock for Clock. Nil means that Clock is the store's clock
	// itself.
	Server *serverClock
	// Refuse returns an error while no call may be made. Nil allows all calls.
	Refuse  func() error
	Ends    []func()             // called first in Close
	Network *network.Connections // nil for a database without a server
	// Sessions hold locks by name. Nil means that the database has none.
	Sessions sessions
	Zone     *time.Location
}

// New creates a store from its parts, with [Standard] acts.
func New(p Parts) *Store {
	s := &Store{Parts: p}
	s.Acts = Standard{s}
	s.Lookups = newLookups(s, p.Lookup)
	return s
}

var _ xxladapter.Store = (*Store)(nil)

// A Writer runs writes. It decides how many run at once and in which transactions.
type Writer interface {
	// Write returns when apply's changes are durable, or were rolled back. apply may run again
	// from the start, and a panic in it reaches the caller.
	Write(ctx context.Context, apply func(context.Context, *Tx) error) error
	// WriteOne runs apply as Write does, for a single statement, which needs no transaction around
	// it. If the database's answer is lost, the statement may run twice.
	WriteOne(ctx context.Context, apply func(context.Context, *Tx) error) error
	// Close closes the connections. REQUIRES: no call of Write runs or will be made.
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

// Write runs apply in a transaction that is durable when Write returns nil. apply may run again
// from the start if the transaction has to be repeated.
func (s *Store) Write(ctx context.Context, apply func(ctx context.Context, tx *Tx) error) error {
	return s.WriteBy(ctx, s.Writes, apply)
}

// WriteBy runs apply as Write does, by a certain writer; nil means Writes.
func (s *Store) WriteBy(ctx context.Context, by Writer, apply func(ctx context.Context, tx *Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	guests := guests(nil)
	switch by {
	case nil:
		by, guests = s.Writes, s.WriteGuests
	case s.BulkWrites:
		guests = s.ReadGuests // it shares the connections of Reads
	}
	leave, err := guests.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return by.Write(ctx, apply)
}

// writeOne works like WriteBy for a single statement that may run twice.
func (s *Store) writeOne(ctx context.Context, by Writer, apply func(ctx context.Context, tx *Tx) error) error {
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

// Query calls scan for each row that query selects.
func (s *Store) Query(ctx context.Context, query string, args []any, scan func(Row) error) error {
	return s.QueryBy(ctx, nil, query, args, scan)
}

// QueryBy calls scan as Query does, with certain readers; nil means Reads.
func (s *Store) QueryBy(ctx context.Context, by *Readers, query string, args []any, scan func(Row) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	if s.Front != nil {
		if err := s.Front.Read(ctx); err != nil {
			return err
		}
	}
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

// finds reports whether the query selects anything. Work that is repeated every few seconds and
// mostly finds nothing asks before it begins a transaction.
func (s *Store) finds(ctx context.Context, query string, args ...any) (bool, error) {
	found := false
	err := s.Query(ctx, query, args, func(Row) error {
		found = true
		return nil
	})
	return found, err
}

// ids returns the ids that the query selects.
func (s *Store) ids(ctx context.Context, query string, args []any) (ids []int64, err error) {
	err = s.Query(ctx, query, args, func(r Row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Now returns the time of the store's clock, see [Options].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.running.Done()
	return s.Clock(), nil
}

// Close implements [xxladapter.Store]. It may be called again.
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
		// On silent connections the goodbyes would not end.
		limit := time.AfterFunc(network.CloseLimit, s.Network.Close)
		defer func() { limit.Stop(); s.Network.Close() }()
	}
	for _, end := range s.Ends {
		end()
	}
	// Readers close first: the last connection that closes cleans up.
	errs := []error{s.Reads.DB.Close()}
	for _, r := range []*Readers{s.ScanReads, s.LeaseReads, s.SweepReads, s.IDReads} {
		if r != nil {
			errs = append(errs, r.DB.Close()) // may be closed already
		}
	}
	for _, w := range []Writer{s.ScanWrites, s.LeaseWrites, s.BulkWrites, s.Writes} {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	if s.Network != nil {
		return nil // a goodbye that a lost connection did not carry is no loss
	}
	return errors.Join(errs...)
}
