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
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

const (
	// deadlockDetected is what the server answers one of those that wait in a circle.
	deadlockDetected = "40P01"
	// lockNotAvailable is its answer to a statement that has waited for lock_timeout.
	lockNotAvailable = "55P03"
)

// clock goes on during a transaction.
const clock = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

var dialect = records.Dialect{
	Clock:        clock,
	PreciseClock: `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
	Rewrite:      numbered,
	Returning:    true,
	Cached:       true,
	Lock:         ` FOR UPDATE`,
	Share:        ` FOR SHARE`,
	Lazily:       `SET LOCAL synchronous_commit = off`,
	LockApp:      `SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`,
	PlanFire: `INSERT INTO xxlwheel_fire (` + records.FireValues + `)
		SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)
		ON CONFLICT DO NOTHING`,
	Among: func(column string, ids []int64) (string, []any) { return column + ` = ANY(?)`, []any{ids} },
	Beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (registry_group, registry_key, registry_value) DO UPDATE SET update_time = excluded.update_time`,
	KnowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON CONFLICT (job_id) DO NOTHING`,
	InsertTexts: func(texts []records.TextRow) (string, []any) {
		var (
			ids, sizes []int64
			bodies     [][]byte
			complete   []int16
			notes      []string
		)
		for _, t := range texts {
			ids, bodies, sizes = append(ids, t.LogID), append(bodies, t.Body), append(sizes, t.Size)
			complete, notes = append(complete, int16(t.Complete)), append(notes, validText(t.Note))
		}
		return `INSERT INTO xxlwheel_log_text (log_id, body, size, complete, note)
			SELECT * FROM unnest(?::bigint[], ?::bytea[], ?::bigint[], ?::smallint[], ?::text[])`, []any{ids, bodies, sizes, complete, notes}
	},
	NameHas:   `strpos(job_desc, ?) > 0`,
	AddToSlot: records.AddToSlot,
	Datetime: func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Truncate(time.Second) // the column itself would round
	},
	Argument: acceptable,
}

// acceptable makes text of any bytes acceptable: PostgreSQL has no text with
// a NUL in it, and none that is not valid UTF-8.
func acceptable(arg any) any {
	switch arg := arg.(type) {
	case string:
		return validText(arg)
	case *string:
		if arg == nil {
			return nil
		}
		return validText(*arg)
	}
	return arg
}

func validText(s string) string { return xxladapter.ValidText(s) }

// Open is sqlstore.OpenPostgres.
func Open(ctx context.Context, address string, opts records.Options) (*records.Store, error) {
	opts = opts.WithDefaults()
	if opts.Connections <= 0 {
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

// configOf reads the address. What the parser says about a wrong one may
// quote any part of it, so nothing of that is told.
func configOf(address string, opts records.Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if u, urlErr := url.Parse(address); err != nil || urlErr == nil && records.StrayAt(u) { // hosts in a list are no URL
		return nil, xxladapter.Invalidf("store is %q, cannot be read, must be postgres://USER:PASSWORD@HOST:PORT/DATABASE "+
			"with special characters of the password written as %%XX", records.Redacted(address))
	}
	config.MaxConns = int32(max(4, opts.Connections-ownConnections))
	// A second, the default, is the pace of a node that has nothing to do, and
	// would double its statements. A call that finds its connection lost is
	// repeated anyway.
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > network.PingAfter }
	config.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return network.Sound(conn.PgConn().Conn()), nil }
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = network.DialLimit
	}
	ms := func(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
	for name, value := range map[string]string{
		"application_name":  "xxlwheel",
		"timezone":          "UTC",
		"statement_timeout": ms(network.StatementLife),
		"lock_timeout":      ms(network.LockWait),
		// A node that was frozen in the middle of a transaction: before its next
		// statement, and while it does not read an answer.
		"idle_in_transaction_session_timeout": ms(opts.LockLife),
		"tcp_user_timeout":                    ms(opts.LockLife),
		// A plan for few rows, once cached, would be used for many as well.
		"plan_cache_mode": "force_custom_plan",
		// Compiling takes longer than any statement of ours, and what they are
		// thought to cost says little where some ways are forbidden.
		"jit": "off",
	} {
		if _, given := config.ConnConfig.RuntimeParams[name]; !given {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// placeOf names the database for people, without the password.
func placeOf(c *pgx.ConnConfig) string {
	return "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
}

// reason is the cause without the connection string.
func reason(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return fmt.Errorf("%s (SQLSTATE %s)", server.Message, server.Code)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		// One line for each address that was tried.
		lines := strings.Split(connect.Unwrap().Error(), "\n")
		return errors.New(strings.TrimSpace(lines[len(lines)-1]))
	}
	return err
}

func openPools(ctx context.Context, config *pgxpool.Config, opts records.Options) (*records.Store, error) {
	if err := migrate(ctx, config.ConnConfig, opts.Logger); err != nil {
		return nil, err
	}
	sockets := network.New()
	pools, err := newPools(ctx, config, sockets)
	if err != nil {
		return nil, err
	}
	reading := func(db *sql.DB) *records.Readers { return &records.Readers{DB: db, Dialect: &dialect, Repeat: repeats} }
	writing := func(db *sql.DB) *records.PooledWriter {
		return &records.PooledWriter{
			DB: db, Dialect: &dialect, Repeat: repeats, Waited: waited, Answered: answered,
			// pgx takes a COMMIT whose answer was lost for unsent.
			Unsent: func(error) bool { return false },
		}
	}
	reads, leases := stdlib.OpenDBFromPool(pools.reads), stdlib.OpenDBFromPool(pools.leases)
	looks := reading(stdlib.OpenDBFromPool(pools.looks))
	writes := writing(stdlib.OpenDBFromPool(pools.writes))
	writes.End = pools.close
	s := records.New(records.Parts{
		Dialect: &dialect, Clock: opts.Clock, Zone: opts.ReportZone(), Network: sockets,
		Reads: reading(reads), ScanReads: looks, LeaseReads: reading(leases), SweepReads: looks, IDReads: looks,
		Writes: writes, ScanWrites: writing(stdlib.OpenDBFromPool(pools.scans)), LeaseWrites: writing(leases), BulkWrites: writing(reads),
		ReadGuests: records.NewGuests(int(pools.reads.Config().MaxConns)), WriteGuests: records.NewGuests(int(pools.writes.Config().MaxConns)),
		Lookup: (&lookup{pools.lookups}).read,
	})
	s.Acts = &acts{records.Standard{Store: s}}
	if s.Clock == nil {
		clock, err := records.NewServerClock(ctx, opts.Logger, func(ctx context.Context) (now time.Time, err error) {
			err = pools.leases.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
			return now, err
		})
		if err != nil {
			pools.close()
			return nil, err
		}
		s.Clock, s.Server, s.Ends = clock.Now, clock, append(s.Ends, clock.Close)
	}
	s.Fires = records.NewFireQueue(records.Repeated((&fireGroups{s, pools.groups}).once, groupRepeats))
	s.Ends = append(s.Ends, s.Fires.Close)
	return s, nil
}

// answered reports whether an error is the server's own.
func answered(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server)
}

// waited reports whether a transaction has waited for a row for too long.
func waited(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == lockNotAvailable
}

// groupRepeats is [repeats] for groups, which do not wait for rows.
func groupRepeats(err error) bool { return repeats(err) && !waited(err) }

// repeats reports whether a transaction that failed like this has left
// nothing behind and may succeed when it is repeated.
func repeats(err error) bool {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		switch server.Code {
		case "40001", deadlockDetected, // the former: serialization
			lockNotAvailable,
			"25P03", "57P01", "57P02", "57P05": // the session was ended, by its idle limit or with the server
			return true
		}
		return false
	}
	return pgconn.SafeToRetry(err) || network.IsConnectionLoss(err)
}
