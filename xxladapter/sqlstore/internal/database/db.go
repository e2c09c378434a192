package database

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// ErrClosed is the error of every call after Close.
var ErrClosed = errors.New("sqlstore: closed")

// ErrLogClosed refuses a term to a process with a log while the tables do not need the log: its
// last process has closed it, and a process without a log may use the tables. The caller takes the
// log up again and repeats the call.
var ErrLogClosed = errors.New("sqlstore: the log in front of the tables is closed")

// A DB is a database: its dialect, its pools of connections, and its clock. It admits calls until
// Close.
type DB struct {
	Dialect *Dialect
	// Reads and Writes serve every call that has no pool of its own.
	Reads  *Readers
	Writes Writer
	// ScanWrites is for scans and LeaseWrites for terms. Nil means Writes.
	ScanWrites, LeaseWrites Writer
	// BulkWrites is for purges and texts, which may take longer than other writes. Nil means
	// Writes.
	BulkWrites Writer
	// ScanReads and LeaseReads serve the reads before a scan and a lease, and SweepReads those of
	// open fires, so that these wait for no other reader. Nil means Reads.
	ScanReads, LeaseReads, SweepReads *Readers
	// IDReads reads single rows by their ids. It is never nil.
	IDReads *Readers
	// ReadGuests and WriteGuests limit users' calls among Reads and Writes.
	ReadGuests, WriteGuests guests
	// Front holds what was acknowledged and is not in the tables yet. Nil means that the tables
	// have everything. Reads ask it before they read the tables; Writes does so by itself.
	Front Front
	// BehindLog is set if several processes share a log in front of the tables.
	BehindLog bool
	// Lookup reads rows of several tables in one round trip. Nil reads each table by itself.
	Lookup func(ctx context.Context, batch []*Lookup) error
	Clock  func() time.Time
	// Server estimates the server's clock for Clock. Nil means that Clock is the store's clock
	// itself.
	Server *ServerClock
	// Refuse returns an error while no call may be made. Nil allows all calls.
	Refuse  func() error
	Ends    []func()             // called in Close before the pools are closed
	Network *network.Connections // nil for a database without a server
	Zone    *time.Location
	// Queues are set by [DB.Gather].
	Queues lookups

	mu      sync.RWMutex // guards closed; held while a call enters
	closed  bool
	running sync.WaitGroup // calls that have entered and not left
}

// A Writer runs writes. It decides how many run at once and in which transactions.
type Writer interface {
	// Write returns when apply's changes are durable, or were rolled back. apply may run again from
	// the start, and a panic in it reaches the caller.
	Write(ctx context.Context, apply func(context.Context, *Tx) error) error
	// WriteOne runs apply as Write does, for a single statement, which needs no transaction around
	// it. If the database's answer is lost, the statement may run twice.
	WriteOne(ctx context.Context, apply func(context.Context, *Tx) error) error
	// Close closes the connections.
	//
	// REQUIRES: no call of Write runs or will be made.
	Close() error
}

// Enter admits a call until Close; the caller must then call Leave.
func (db *DB) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.closed {
		return ErrClosed
	}
	if db.Refuse != nil {
		if err := db.Refuse(); err != nil {
			return err
		}
	}
	db.running.Add(1)
	return nil
}

// Leave ends a call that Enter has admitted.
func (db *DB) Leave() { db.running.Done() }

// Write runs apply in a transaction that is durable when Write returns nil. apply may run again
// from the start if the transaction has to be repeated.
func (db *DB) Write(ctx context.Context, apply func(ctx context.Context, tx *Tx) error) error {
	return db.WriteBy(ctx, db.Writes, apply)
}

// WriteBy runs apply as Write does, by a certain writer; nil means Writes.
func (db *DB) WriteBy(ctx context.Context, by Writer, apply func(ctx context.Context, tx *Tx) error) error {
	if err := db.Enter(ctx); err != nil {
		return err
	}
	defer db.Leave()
	guests := guests(nil)
	switch by {
	case nil:
		by, guests = db.Writes, db.WriteGuests
	case db.BulkWrites:
		guests = db.ReadGuests // it shares the connections of Reads
	}
	leave, err := guests.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return by.Write(ctx, apply)
}

// WriteOne works like WriteBy for a single statement that may run twice.
func (db *DB) WriteOne(ctx context.Context, by Writer, apply func(ctx context.Context, tx *Tx) error) error {
	if err := db.Enter(ctx); err != nil {
		return err
	}
	defer db.Leave()
	if by == nil {
		by = db.Writes
		leave, err := db.WriteGuests.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return by.WriteOne(ctx, apply)
}

// Query calls scan for each row that query selects.
func (db *DB) Query(ctx context.Context, query string, args []any, scan func(Row) error) error {
	return db.QueryBy(ctx, nil, query, args, scan)
}

// QueryBy calls scan as Query does, with certain readers; nil means Reads.
func (db *DB) QueryBy(ctx context.Context, by *Readers, query string, args []any, scan func(Row) error) error {
	if err := db.Enter(ctx); err != nil {
		return err
	}
	defer db.Leave()
	if db.Front != nil {
		if err := db.Front.Read(ctx); err != nil {
			return err
		}
	}
	if by == nil {
		by = db.Reads
		leave, err := db.ReadGuests.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return by.query(ctx, query, args, scan)
}

// Finds reports whether the query selects anything. Work that is repeated every few seconds and
// mostly finds nothing asks before it begins a transaction.
func (db *DB) Finds(ctx context.Context, query string, args ...any) (bool, error) {
	found := false
	err := db.Query(ctx, query, args, func(Row) error {
		found = true
		return nil
	})
	return found, err
}

// Ids returns the ids that the query selects.
func (db *DB) Ids(ctx context.Context, query string, args []any) (ids []int64, err error) {
	err = db.Query(ctx, query, args, func(r Row) error {
		var id int64
		err := r.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Now returns the time of the store's clock, see [Options].
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	if err := db.Enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer db.Leave()
	if db.Server != nil {
		if err := db.Server.catchUp(ctx); err != nil {
			return time.Time{}, err
		}
	}
	return db.Clock(), nil
}

// Close waits for the calls that have entered, and closes all connections. It may be called again.
func (db *DB) Close() error {
	db.mu.Lock()
	closed := db.closed
	db.closed = true
	db.mu.Unlock()
	db.running.Wait()
	if closed {
		return nil
	}
	db.Queues.wait()
	if db.Network != nil {
		// Closing silent connections may take long.
		limit := time.AfterFunc(network.CloseLimit, db.Network.Close)
		defer func() { limit.Stop(); db.Network.Close() }()
	}
	for _, end := range db.Ends {
		end()
	}
	// Readers close first: the last connection that closes cleans up.
	errs := []error{db.Reads.DB.Close()}
	for _, r := range []*Readers{db.ScanReads, db.LeaseReads, db.SweepReads, db.IDReads} {
		if r != nil {
			errs = append(errs, r.DB.Close()) // may be closed already
		}
	}
	for _, w := range []Writer{db.ScanWrites, db.LeaseWrites, db.BulkWrites, db.Writes} {
		if w != nil {
			errs = append(errs, w.Close())
		}
	}
	if db.Network != nil {
		return nil // an error while closing a lost connection does not matter
	}
	return errors.Join(errs...)
}

// WriteLazily runs apply as Write does, for changes that a crash of the database may take back,
// because they are then repeated.
func (db *DB) WriteLazily(ctx context.Context, apply func(context.Context, *Tx) error) error {
	return db.WriteBy(ctx, db.BulkWrites, func(ctx context.Context, tx *Tx) error {
		if lazily := tx.Dialect.Lazily; lazily != "" {
			if _, err := tx.Exec(ctx, lazily); err != nil {
				return err
			}
		}
		return apply(ctx, tx)
	})
}
