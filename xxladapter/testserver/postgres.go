//go:build unix

package testserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postgresEnv is the environment variable with the URL of a server that tests use instead of
// starting one. Its user must be allowed to create databases.
const postgresEnv = "XXLWHEEL_TEST_POSTGRES_DSN"

// Postgres returns the URL of an empty database that only this test uses, on a server that all
// tests of the binary share.
func Postgres(t testing.TB) string {
	t.Helper()
	return sharedPostgres(t).database(t, "template0")
}

// PostgresCopy returns the URL of a database as [Postgres] does, but the database is a copy of one
// that prepare filled, once per test binary.
func PostgresCopy(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	place := preparedPostgres(t, prepare)
	return place.database(t, place.template)
}

// KeptPostgresCopy returns the URL of a database as [PostgresCopy] does, but the database stays
// until the test binary ends, so that it can be used repeatedly. So do the connections to it on the
// server, which later clients use again.
func KeptPostgresCopy(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	place := preparedPostgres(t, prepare)
	name := newName()
	if err := place.create(name, place.template); err != nil {
		t.Fatal(err)
	}
	atEnd(func() { _ = place.drop(name) })
	return place.pooledURL(name)
}

// preparedPostgres returns the shared server with a template that prepare filled.
func preparedPostgres(t testing.TB, prepare func(url string) error) *postgresPlace {
	t.Helper()
	place := sharedPostgres(t)
	place.once.Do(func() {
		name := newName()
		place.prepareErr = place.create(name, "template0")
		if place.prepareErr == nil {
			place.template = name
			atEnd(func() { _ = place.drop(name) })
			place.prepareErr = prepare(place.url(name))
		}
	})
	if place.prepareErr != nil {
		t.Fatal(place.prepareErr)
	}
	return place
}

// A postgresPlace is a server to create databases on.
type postgresPlace struct {
	admin  string  // URL of a database from which others are created
	pooler *pooler // nil for a server that tests did not start

	once       sync.Once
	template   string
	prepareErr error
}

var postgres = sync.OnceValues(func() (*postgresPlace, error) {
	if dsn := os.Getenv(postgresEnv); dsn != "" {
		return &postgresPlace{admin: dsn}, nil
	}
	// No test cuts the power, so nothing needs a sync or a disk. A database is some 300 files, and
	// each test has one.
	s, err := startPostgres(inMemory(), "fsync=off", "full_page_writes=off")
	if err != nil {
		return nil, err
	}
	atEnd(func() { _ = s.close() })
	p, err := startPooler(s.URL("postgres"))
	if err != nil {
		return nil, err
	}
	atEnd(p.close)
	return &postgresPlace{admin: s.URL("postgres"), pooler: p}, nil
})

func sharedPostgres(t testing.TB) *postgresPlace {
	t.Helper()
	Short(t)
	place, err := postgres()
	orMissing(t, err)
	return place
}

var databases atomic.Int64

// newName returns a database name that no other test binary uses.
func newName() string {
	return fmt.Sprintf("xxlwheel_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
}

func (p *postgresPlace) url(database string) string { return p.urlAt("", database) }

// pooledURL returns the URL of a database, through the pooler if there is one.
func (p *postgresPlace) pooledURL(database string) string {
	if p.pooler == nil {
		return p.url(database)
	}
	return p.urlAt(p.pooler.host(), database)
}

// urlAt returns the URL of a database; host replaces the server's own host and port unless it is
// empty.
func (p *postgresPlace) urlAt(host, database string) string {
	u, err := url.Parse(p.admin)
	if err != nil {
		panic(err) // it was connected to before
	}
	if host != "" {
		u.Host = host
	}
	u.Path = "/" + database
	return u.String()
}

func (p *postgresPlace) database(t testing.TB, template string) string {
	t.Helper()
	name := newName()
	if err := p.create(name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.drop(name); err != nil {
			t.Error(err)
		}
	})
	return p.url(name)
}

func (p *postgresPlace) create(name, template string) error {
	return p.order("CREATE DATABASE " + name + " TEMPLATE " + template + " ENCODING 'UTF8'")
}

// drop drops a database, and ends the connections to it.
func (p *postgresPlace) drop(name string) error {
	const drop = "DROP DATABASE IF EXISTS "
	err := p.order(drop + name + " WITH (FORCE)")
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "42601" { // PostgreSQL 12 does not know FORCE
		return err
	}
	if err := p.order("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'"); err != nil {
		return err
	}
	return p.order(drop + name)
}

func (p *postgresPlace) order(statement string) error { return OrderPostgres(p.admin, statement) }

// OrderPostgres runs statements, separated by semicolons, in the database that the URL names.
func OrderPostgres(address, statements string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// StartPostgres starts a server that ends with the test. settings are additional settings of the
// server, as name=value.
func StartPostgres(t testing.TB, settings ...string) *Server {
	t.Helper()
	Short(t)
	s, err := startPostgres("", settings...)
	orMissing(t, err)
	s.closeWith(t)
	return s
}

var errNoPostgres = missingError("PostgreSQL is missing: neither is " + postgresEnv +
	" set, nor the program postgres on PATH or in /usr/lib/postgresql/*/bin")

// postgresPrograms returns the folder with initdb and postgres, which Debian does not put on PATH.
func postgresPrograms() (string, error) {
	found, err := exec.LookPath("postgres")
	if err != nil {
		all, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
		if len(all) == 0 {
			return "", errNoPostgres
		}
		found = all[len(all)-1]
	}
	if found, err = filepath.EvalSymlinks(found); err != nil {
		return "", err
	}
	return filepath.Dir(found), nil
}

// TempDir returns a folder for this test alone, as [testing.T.TempDir] does, but in memory if the
// system has enough of it.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(inMemory(), "testserver")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// inMemory returns a folder in memory, if the system has one that is large enough, and otherwise
// "", which means the directory for temporary files.
func inMemory() string {
	const dir, enough = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < enough {
		return ""
	}
	return dir
}

// startPostgres starts a server with its data below parent.
func startPostgres(parent string, settings ...string) (*Server, error) {
	programs, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	account, err := serverAccount("postgres")
	if err != nil {
		return nil, err
	}
	return begin(postgreSQL(programs), account, parent, settings)
}

// postgreSQL returns the engine whose programs are in a folder.
func postgreSQL(programs string) engine {
	place := func(s *Server) *postgresPlace { return &postgresPlace{admin: s.URL("postgres")} }
	return engine{
		program: filepath.Join(programs, "postgres"),
		initialize: func(s *Server) error {
			return s.account.run(filepath.Join(programs, "initdb"),
				"--pgdata="+s.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale",
				"--no-sync")
		},
		arguments: func(s *Server) []string {
			return []string{"-D", s.data(), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1",
				"-c", "unix_socket_directories=" + s.dir, "-c", "max_connections=300", "-c", "shared_buffers=64MB"}
		},
		setting: func(assignment string) []string { return []string{"-c", assignment} },
		url: func(port, database string) string {
			return "postgres://postgres@127.0.0.1:" + port + "/" + database + "?sslmode=disable"
		},
		ping: func(s *Server) error { return place(s).ping() },
		create: func(s *Server) (string, error) {
			name := newName()
			return name, place(s).create(name, "template0")
		},
		quit: syscall.SIGINT, // a fast shutdown
	}
}

func (p *postgresPlace) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.admin)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}
