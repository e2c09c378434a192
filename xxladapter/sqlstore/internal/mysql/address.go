package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// A server is the server and the database that an address names.
type server struct {
	cfg  *mysql.Config
	zone *time.Location // of datetime columns; nil if the address has none
}

// String returns the address without its password.
func (s *server) String() string {
	return fmt.Sprintf("mysql://%s@%s/%s", s.cfg.User, s.cfg.Addr, s.cfg.DBName)
}

// CheckAddress returns the error with which [Open] refuses an address that it cannot read, or nil.
func CheckAddress(address string) error {
	_, err := parse(address)
	return err
}

// parse reads mysql://user:password@host:port/database?zone=...
func parse(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mysql" || database.StrayAt(u) {
		// The parser's message contains the address, and so the password.
		return nil, xxladapter.Invalidf(errorrule.StorePlace,
			"%s is %q, must be mysql://USER:PASSWORD@HOST:PORT/DATABASE with special characters of the password "+
				"written as %%XX",
			"store", database.Redacted(address))
	}
	query := u.Query()
	zone, socket := query.Get("zone"), query.Get("socket")
	query.Del("zone")
	query.Del("socket")
	cfg, err := mysql.ParseDSN("/?" + query.Encode())
	if err != nil {
		return nil, xxladapter.Invalidf(errorrule.StorePlace, "%s is %q, its parameters cannot be read: %v",
			"store", database.Redacted(address), err)
	}
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.DBName = strings.TrimPrefix(u.Path, "/")
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(u.Hostname(), orElse(u.Port(), "3306"))
	if socket != "" {
		cfg.Net, cfg.Addr = "unix", socket
	}
	if cfg.DBName == "" {
		return nil, xxladapter.Invalidf(errorrule.StorePlace,
			"%s is %q, must name a database: mysql://USER:PASSWORD@HOST:PORT/DATABASE",
			"store", database.Redacted(address))
	}
	s := &server{cfg: cfg}
	if zone != "" {
		if s.zone, err = time.LoadLocation(zone); err != nil {
			return nil, xxladapter.Invalidf(errorrule.Zone, "%s's zone is %q, must be a time zone such as Asia/Shanghai",
				"store", zone)
		}
	}
	return s, nil
}

func orElse(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// batching returns the server for connections that take a [packet].
func (s *server) batching() *server {
	cfg := s.cfg.Clone()
	cfg.MultiStatements = true
	return &server{cfg: cfg, zone: s.zone}
}

// patiently opens a pool for work before the store is opened. Only connecting has a time limit.
func (s *server) patiently(logger *slog.Logger) (*sql.DB, error) {
	patient := &server{cfg: s.cfg.Clone(), zone: s.zone}
	if patient.cfg.Timeout == 0 {
		patient.cfg.Timeout = network.OpenDialLimit
	}
	return patient.open(nil, logger, network.New().Dialer(network.Fixed(network.AnySilence)))
}

// open returns a pool that sets vars on each of its connections. It does not connect yet.
func (s *server) open(
	vars settings, logger *slog.Logger, dial func(ctx context.Context, network, address string) (net.Conn, error),
) (*sql.DB, error) {
	cfg := s.cfg.Clone()
	cfg.ParseTime = true
	cfg.ClientFoundRows = true // a statement that finds its row and changes nothing has succeeded
	cfg.InterpolateParams = true
	cfg.Logger = driverLog{logger}
	if s.zone != nil {
		cfg.Loc = s.zone
	}
	cfg.DialFunc = dial
	if cfg.Timeout == 0 {
		cfg.Timeout = network.DialLimit
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(sessionConnector{connector, vars.statements()})
	db.SetConnMaxLifetime(5 * time.Minute) // so that a changed DNS entry takes effect
	return db, nil
}

// settings are variables to set on each connection, by name, with values as in SQL.
type settings map[string]string

func (s settings) statements() []string {
	// Each statement sees what was committed before it, so that a decision after a wait for a lock
	// is not based on old rows, and nobody waits for gap locks.
	statements := []string{`SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED`}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		pairs = append(pairs, name+" = "+s[name])
	}
	if len(pairs) > 0 {
		statements = append(statements, `SET SESSION `+strings.Join(pairs, ", SESSION "))
	}
	return statements
}

// A sessionConnector runs statements on each new connection.
type sessionConnector struct {
	driver.Connector
	statements []string
}

// Connect opens a connection and runs the statements on it.
func (c sessionConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, statement := range c.statements {
		if _, err := conn.(driver.ExecerContext).ExecContext(ctx, statement, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", statement, err), conn.Close())
		}
	}
	return conn, nil
}

// driverLog receives the driver's messages, such as that a server has closed a connection.
type driverLog struct{ logger *slog.Logger }

// Print logs a message of the driver.
func (l driverLog) Print(v ...any) { l.logger.Debug("mysql driver", "said", fmt.Sprint(v...)) }
