// Package postgres keeps the records of package sqlstore in a PostgreSQL database.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// Open implements sqlstore.OpenPostgres.
func Open(ctx context.Context, address string, opts database.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Connections == 0 {
		opts.Connections = max(16, 4*runtime.GOMAXPROCS(0))
	}
	config, err := configOf(address, opts)
	if err != nil {
		return nil, err
	}
	s, err := openPools(ctx, config, opts)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", placeOf(config.ConnConfig), reason(err))
	}
	return s, nil
}

// CheckAddress returns the error with which [Open] refuses an address that it cannot read, or nil.
func CheckAddress(address string) error {
	_, err := configOf(address, database.Options{}.WithDefaults())
	return err
}

// configOf parses the address. The parser's message about a wrong address may quote any part of it,
// so the error leaves that message out.
func configOf(address string, opts database.Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if u, urlErr := url.Parse(address); err != nil || urlErr == nil && database.StrayAt(u) { // a list of hosts is no URL
		return nil, xxladapter.Invalidf(errorrule.StorePlace,
			"%s is %q, cannot be read, must be postgres://USER:PASSWORD@HOST:PORT/DATABASE with special characters "+
				"of the password written as %%XX",
			"store", database.Redacted(address))
	}
	config.MaxConns = int32(max(4, opts.Connections-ownConnections))
	// By default a connection is tested after an idle second. That is the pace of an idle node, so
	// its statements would double. A call that finds its connection lost is retried anyway.
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool {
		return p.IdleDuration > network.PingAfter
	}
	config.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) {
		return network.Sound(conn.PgConn().Conn()), nil
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = network.DialLimit
	}
	ms := func(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
	for name, value := range map[string]string{
		"application_name":  "xxlwheel",
		"timezone":          "UTC",
		"statement_timeout": ms(network.StatementLife),
		"lock_timeout":      ms(network.LockWait),
		// These two end the transaction of a frozen node: one if its next statement does not come,
		// the other if it does not read an answer.
		"idle_in_transaction_session_timeout": ms(opts.LockLife),
		"tcp_user_timeout":                    ms(opts.LockLife),
		// A cached plan for few rows would be used for many as well.
		"plan_cache_mode": "force_custom_plan",
		// Compiling takes longer than any of our statements, and cost estimates mean little where
		// some plans are forbidden.
		"jit": "off",
	} {
		if _, given := config.ConnConfig.RuntimeParams[name]; !given {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// placeOf returns the database's address for messages, without user and password.
func placeOf(c *pgx.ConnConfig) string {
	return "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
}

// reason returns the cause without the connection string.
func reason(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return fmt.Errorf("%s (SQLSTATE %s)", server.Message, server.Code)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		// The text has a line for each address that was tried; the last one is enough.
		lines := strings.Split(connect.Unwrap().Error(), "\n")
		return errors.New(strings.TrimSpace(lines[len(lines)-1]))
	}
	return err
}

// openPools brings the tables up to date and opens the store.
func openPools(ctx context.Context, config *pgxpool.Config, opts database.Options) (*records.Store, error) {
	if err := migrate(ctx, config.ConnConfig, opts.Logger); err != nil {
		return nil, err
	}
	p, err := newPools(ctx, config)
	if err != nil {
		return nil, err
	}
	s := newStore(p, opts)
	err = s.FollowServer(ctx, opts.Logger, func(ctx context.Context) (now time.Time, err error) {
		err = p.leases.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
		return now, err
	})
	if err != nil {
		p.close()
		return nil, err
	}
	s.Acts = &acts{records.Standard{Store: s}}
	s.Fires = records.NewFireQueue(records.Repeated((&fireBatches{store: s, pool: p.batches}).once, batchRepeats))
	s.Sessions = newSessions(config.ConnConfig, p.network)
	s.Ends = append(s.Ends, s.Fires.Close)
	return s, nil
}

// newStore creates the store from its connections.
func newStore(p *pools, opts database.Options) *records.Store {
	reading := func(db *sql.DB) *database.Readers {
		return &database.Readers{DB: db, Dialect: &dialect, Repeat: repeats}
	}
	writing := func(db *sql.DB) *database.PooledWriter {
		return &database.PooledWriter{
			DB: db, Dialect: &dialect, Repeat: repeats, Waited: waited, Answered: answered,
			// pgx reports a COMMIT whose answer was lost as unsent.
			Unsent: func(error) bool { return false },
		}
	}
	reads, leases := stdlib.OpenDBFromPool(p.reads), stdlib.OpenDBFromPool(p.leases)
	polls := reading(stdlib.OpenDBFromPool(p.polls))
	writes := writing(stdlib.OpenDBFromPool(p.writes))
	writes.End = p.close
	return records.New(&database.DB{
		Dialect: &dialect, Clock: opts.Clock, Zone: opts.ReportZone(), Network: p.network,
		Reads: reading(reads), ScanReads: polls, LeaseReads: reading(leases), SweepReads: polls, IDReads: polls,
		Writes: writes, ScanWrites: writing(stdlib.OpenDBFromPool(p.scans)), LeaseWrites: writing(leases),
		BulkWrites:  writing(reads),
		ReadGuests:  database.NewGuests(int(p.reads.Config().MaxConns)),
		WriteGuests: database.NewGuests(int(p.writes.Config().MaxConns)),
		Lookup:      (&lookup{p.lookups}).read,
	})
}
