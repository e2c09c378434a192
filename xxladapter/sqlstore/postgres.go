package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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
	"github.com/pressly/goose/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

//go:embed migrations/postgres/*.sql
var postgresMigrations embed.FS

const (
	// defaultLockLife is the default of [Options.LockLife].
	defaultLockLife = 3 * time.Second
	// deadlockDetected is what the server answers one of those that wait in a circle.
	deadlockDetected = "40P01"
	// lockNotAvailable is its answer to a statement that has waited for lock_timeout.
	lockNotAvailable = "55P03"
)

// postgresClock goes on during a transaction.
const postgresClock = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

var postgresDialect = dialect{
	clock:        postgresClock,
	preciseClock: `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
	begin:        "BEGIN",
	numbered:     true,
	returning:    true,
	cached:       true,
	lock:         ` FOR UPDATE`,
	share:        ` FOR SHARE`,
	lockDue:      ` FOR UPDATE SKIP LOCKED`,
	lazily:       `SET LOCAL synchronous_commit = off`,
	lockApp:      `SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`,
	planFire: `INSERT INTO xxlwheel_fire (` + fireValues + `)
		SELECT ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ?)
		ON CONFLICT DO NOTHING`,
	among: func(column string, ids []int64) (string, []any) { return column + ` = ANY(?)`, []any{ids} },
	beat: `INSERT INTO xxl_job_registry (registry_group, registry_key, registry_value, update_time)
		VALUES (?, ?, ?, ?)
		ON CONFLICT (registry_group, registry_key, registry_value) DO UPDATE SET update_time = excluded.update_time`,
	knowAlarm: `INSERT INTO xxlwheel_alarm (job_id) VALUES (?) ON CONFLICT (job_id) DO NOTHING`,
	insertTexts: func(texts []textRow) (string, []any) {
		var (
			ids, sizes []int64
			bodies     [][]byte
			complete   []int16
			notes      []string
		)
		for _, t := range texts {
			ids, bodies, sizes = append(ids, t.logID), append(bodies, t.body), append(sizes, t.size)
			complete, notes = append(complete, int16(t.complete)), append(notes, validText(t.note))
		}
		return `INSERT INTO xxlwheel_log_text (log_id, body, size, complete, note)
			SELECT * FROM unnest(?::bigint[], ?::bytea[], ?::bigint[], ?::smallint[], ?::text[])`, []any{ids, bodies, sizes, complete, notes}
	},
	nameHas:   `strpos(job_desc, ?) > 0`,
	addToSlot: addToSlot,
	datetime: func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Truncate(time.Second) // the column itself would round
	},
	argument:      postgresText,
	storeTogether: storeTogether,
	answered:      postgresAnswered,
	// pgx takes a COMMIT whose answer was lost for unsent.
	unsent: func(error) bool { return false },
}

// postgresText makes text of any bytes acceptable: PostgreSQL has no text with
// a NUL in it, and none that is not valid UTF-8.
func postgresText(arg any) any {
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

// OpenPostgres opens the store in the database that address names, as
// postgres://user:password@host:port/database, and brings its tables up to
// date. Several processes may open the same database, and do so at once. The
// error names host, database and the reason, and never the password.
//
// A server that is away makes calls fail, and the first call after its return
// succeeds again.
func OpenPostgres(ctx context.Context, address string, opts Options) (*Store, error) {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Connections <= 0 {
		opts.Connections = max(16, 4*runtime.GOMAXPROCS(0))
	}
	if opts.LockLife <= 0 {
		opts.LockLife = defaultLockLife
	}
	config, err := postgresConfig(address, opts)
	if err != nil {
		return nil, err
	}
	s, err := openPostgres(ctx, config, opts)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", postgresPlace(config.ConnConfig), postgresReason(err))
	}
	return s, nil
}

// postgresConfig reads the address. What the parser says about a wrong one may
// quote any part of it, so nothing of that is told.
func postgresConfig(address string, opts Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if u, urlErr := url.Parse(address); err != nil || urlErr == nil && strayAt(u) { // hosts in a list are no URL
		return nil, xxladapter.Invalidf("store is %q, cannot be read, must be postgres://USER:PASSWORD@HOST:PORT/DATABASE "+
			"with special characters of the password written as %%XX", Redacted(address))
	}
	config.MaxConns = int32(max(4, opts.Connections-ownConnections))
	// A second, the default, is the pace of a node that has nothing to do, and
	// would double its statements. A call that finds its connection lost is
	// repeated anyway.
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfter }
	config.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return sound(conn.PgConn().Conn()), nil }
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = dialLimit
	}
	ms := func(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }
	for name, value := range map[string]string{
		"application_name":  "xxlwheel",
		"timezone":          "UTC",
		"statement_timeout": ms(statementLife),
		"lock_timeout":      ms(lockWait),
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

// postgresPlace names the database for people, without the password.
func postgresPlace(c *pgx.ConnConfig) string {
	return "postgres://" + net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + c.Database
}

// postgresReason is the cause without the connection string.
func postgresReason(err error) error {
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

func openPostgres(ctx context.Context, config *pgxpool.Config, opts Options) (*Store, error) {
	if err := migratePostgres(ctx, config.ConnConfig, opts.Logger); err != nil {
		return nil, err
	}
	network := newNetwork()
	pools, err := newPostgresPools(ctx, config, network)
	if err != nil {
		return nil, err
	}
	s := &Store{dialect: &postgresDialect, clock: opts.Clock, zone: zoneOf(opts), network: network}
	if s.clock == nil {
		clock, err := newServerClock(ctx, opts.Logger, func(ctx context.Context) (now time.Time, err error) {
			err = pools.leases.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now)
			return now, err
		})
		if err != nil {
			pools.close()
			return nil, err
		}
		s.clock, s.server, s.ends = clock.now, clock, append(s.ends, clock.close)
	}
	reads, looks := stdlib.OpenDBFromPool(pools.reads), stdlib.OpenDBFromPool(pools.looks)
	writing := func(db *sql.DB) *pooledWriter {
		return &pooledWriter{db: db, dialect: &postgresDialect, repeat: postgresRepeats, waited: postgresWaited}
	}
	s.reads.db, s.reads.dialect, s.reads.repeat = reads, &postgresDialect, postgresRepeats
	s.scanReads = &readers{db: looks, dialect: &postgresDialect, repeat: postgresRepeats}
	s.sweepReads, s.byID = s.scanReads, s.scanReads
	leases := stdlib.OpenDBFromPool(pools.leases)
	s.leaseReads = &readers{db: leases, dialect: &postgresDialect, repeat: postgresRepeats}
	s.leases = writing(leases)
	s.readGuests, s.writeGuests = newGuests(int(pools.reads.Config().MaxConns)), newGuests(int(pools.writes.Config().MaxConns))
	s.fires = newFireQueue(repeated((&postgresFires{s, pools.groups}).once, postgresGroupRepeats))
	s.lookups = &lookupQueue{read: (&postgresLookup{pools.lookups}).read}
	s.ends = append(s.ends, s.fires.close)
	s.scans = writing(stdlib.OpenDBFromPool(pools.scans))
	s.bulk = writing(reads)
	s.writer = writing(stdlib.OpenDBFromPool(pools.writes))
	s.writer.(*pooledWriter).end = pools.close
	return s, nil
}

// migrationLock is the advisory lock under which tables are made, so that of
// several processes one does it.
const migrationLock = 0x78786c776865656c // "xxlwheel"

func migratePostgres(ctx context.Context, config *pgx.ConnConfig, logger *slog.Logger) (err error) {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0" // a new index may take its time
	config.RuntimeParams["lock_timeout"] = "0"
	config.ConnectTimeout = max(config.ConnectTimeout, openDialLimit)
	config.DialFunc = newNetwork().dialer(fixed(anySilence))
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	lock, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // and the lock with it, if it is still held
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	defer func() {
		_, unlockErr := lock.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrationLock))
		err = errors.Join(err, unlockErr)
	}()
	if err := checkPostgres(ctx, lock); err != nil {
		return err
	}
	dir, err := fs.Sub(postgresMigrations, "migrations/postgres")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, dir,
		goose.WithTableName(versionTable), goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has > knows {
		return fmt.Errorf("was written by a newer release, its tables have version %d and this one knows %d", has, knows)
	}
	applied, err := provider.Up(ctx)
	for _, m := range applied {
		logger.Info("migrated", "database", postgresPlace(config), "to", m.Source.Version, "took", m.Duration)
	}
	return err
}

// checkPostgres refuses databases that the tables cannot be kept in.
func checkPostgres(ctx context.Context, conn *sql.Conn) error {
	var (
		encoding string
		version  int
		foreign  bool
	)
	err := conn.QueryRowContext(ctx, `SELECT current_setting('server_encoding'), current_setting('server_version_num')::int,
		to_regclass('xxl_job_info') IS NOT NULL AND to_regclass($1) IS NULL`, versionTable).Scan(&encoding, &version, &foreign)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return fmt.Errorf("its encoding is %s, must be UTF8", encoding)
	case version < 120000:
		return fmt.Errorf("the server has version %d, must be 12 or later", version/10000)
	case foreign:
		return errors.New("has a table xxl_job_info of another program, but no " + versionTable)
	}
	return nil
}

// postgresAnswered reports whether an error is the server's own.
func postgresAnswered(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server)
}

// postgresWaited reports whether a transaction has waited for a row for too long.
func postgresWaited(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == lockNotAvailable
}

// postgresGroupRepeats is [postgresRepeats] for groups, which do not wait for rows.
func postgresGroupRepeats(err error) bool { return postgresRepeats(err) && !postgresWaited(err) }

// postgresRepeats reports whether a transaction that failed like this has left
// nothing behind and may succeed when it is repeated.
func postgresRepeats(err error) bool {
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
	return pgconn.SafeToRetry(err) || isConnectionLoss(err)
}
