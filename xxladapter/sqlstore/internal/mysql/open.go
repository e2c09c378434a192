// Package mysql keeps the records of package sqlstore in a MySQL or MariaDB database, beside Java
// admins.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// Open implements sqlstore.OpenMySQL.
func Open(ctx context.Context, address string, opts database.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Connections == 0 {
		opts.Connections = max(20, 4*runtime.GOMAXPROCS(0))
	}
	server, err := parse(address)
	if err != nil {
		return nil, err
	}
	s, err := openServer(ctx, server, opts)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", server, reason(err))
	}
	return s, nil
}

// openServer prepares the database and opens the store.
func openServer(ctx context.Context, at *server, opts database.Options) (*records.Store, error) {
	found, err := prepare(ctx, at, opts)
	if err != nil {
		return nil, err
	}
	if at.zone == nil {
		at.zone = found.zone
	}
	p, err := newPools(at, found.facts, opts)
	if err != nil {
		return nil, err
	}
	s, err := newStore(ctx, p, dialectOf(found.schema, found.facts, at.zone), opts)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	idStep := found.facts.idStep
	s.Acts = &acts{store: s, dueIndex: found.schema.dueIndex, idStep: idStep}
	s.Fires = records.NewFireQueue(
		records.Repeated((&fireBatches{store: s, db: p.fires, idStep: idStep}).once, repeats),
	)
	s.Sessions = sessions{p.sessions}
	s.Ends = append(s.Ends, s.Fires.Close, func() { _ = p.fires.Close() }, func() { _ = p.sessions.Close() })
	return s, nil
}

// A prepared is what prepare has found out.
type prepared struct {
	facts  *serverFacts
	schema schema
	zone   *time.Location // of datetime columns, if the address names none
}

// prepare checks the database and brings our side tables up to date, on connections of its own.
func prepare(ctx context.Context, at *server, opts database.Options) (_ prepared, err error) {
	db, err := at.patiently(opts.Logger)
	if err != nil {
		return prepared{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	found := prepared{zone: opts.Zone}
	if found.facts, err = readServer(ctx, db); err != nil {
		return prepared{}, err
	}
	if at.zone == nil && found.zone == nil {
		if found.zone, err = found.facts.location(opts.Logger); err != nil {
			return prepared{}, err
		}
	}
	if found.schema, err = check(ctx, db, found.facts, opts.Logger); err != nil {
		return prepared{}, err
	}
	if err = migrate(ctx, db, opts.Logger); err == nil && !found.schema.dueIndex {
		err = adviseDueIndex(ctx, db, opts.Logger)
	}
	return found, err
}

// newStore creates the store from its connections.
func newStore(ctx context.Context, p *pools, d *database.Dialect, opts database.Options) (*records.Store, error) {
	reading := func(db *sql.DB) *database.Readers { return &database.Readers{DB: db, Dialect: d, Repeat: repeats} }
	writing := func(db *sql.DB) *database.PooledWriter {
		return &database.PooledWriter{
			DB: db, Dialect: d, Repeat: repeats, Waited: waited, Answered: answered, Unsent: unsent,
		}
	}
	s := records.New(&database.DB{
		Dialect: d, Clock: opts.Clock, Zone: p.zone, Network: p.network,
		Reads: reading(p.reads), ScanReads: reading(p.polls), LeaseReads: reading(p.leases),
		SweepReads: reading(p.polls), IDReads: reading(p.byID),
		Writes: writing(p.writes), ScanWrites: writing(p.scans), LeaseWrites: writing(p.leases),
		BulkWrites: writing(p.reads),
		ReadGuests: database.NewGuests(p.shared - p.shared/2), WriteGuests: database.NewGuests(p.shared / 2),
	})
	return s, s.FollowServer(
		ctx, opts.Logger, func(ctx context.Context) (time.Time, error) { return timeOf(ctx, p.leases) },
	)
}

// timeOf reads the server's clock.
func timeOf(ctx context.Context, db *sql.DB) (time.Time, error) {
	var micros int64
	err := db.QueryRowContext(ctx, `SELECT `+preciseClock).Scan(&micros)
	return time.UnixMicro(micros).UTC(), err
}

// reason turns the error into one line.
func reason(err error) error {
	if strings.Contains(err.Error(), "\n") {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}
