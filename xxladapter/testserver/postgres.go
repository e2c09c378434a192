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
)

// postgresEnv names the environment variable with the URL of a server that may
// be used instead of one of our own. Its user must be allowed to create
// databases.
const postgresEnv = "XXLWHEEL_TEST_POSTGRES_DSN"

// Postgres returns the URL of an empty database of the test's own, on a server
// that all tests of the binary share.
func Postgres(t testing.TB) string {
	t.Helper()
	return sharedPostgres(t).database(t, "template0")
}

// PostgresCopy is [Postgres], but the database is a copy of one that prepare
// was called with, once in the test binary.
func PostgresCopy(t testing.TB, prepare func(url string) error) string {
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
	return place.database(t, place.template)
}

// A postgresPlace is a server to create databases on.
type postgresPlace struct {
	admin string // URL of a database to give orders from

	once       sync.Once
	template   string
	prepareErr error
}

var postgres = sync.OnceValues(func() (*postgresPlace, error) {
	if dsn := os.Getenv(postgresEnv); dsn != "" {
		return &postgresPlace{admin: dsn}, nil
	}
	// The machine does not lose its power in a test, so nothing needs a sync or
	// a disk. A database is some 300 files, and each test has one.
	s, err := startPostgres(inMemory(), "fsync=off", "full_page_writes=off")
	if err != nil {
		return nil, err
	}
	atEnd(func() { _ = s.close() })
	return &postgresPlace{admin: s.URL("postgres")}, nil
})

func sharedPostgres(t testing.TB) *postgresPlace {
	t.Helper()
	place, err := postgres()
	orMissing(t, err)
	return place
}

// orMissing ends the test unless err is nil.
func orMissing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errNoPostgres) {
		missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

var databases atomic.Int64

// newName is a database name that no other test binary uses.
func newName() string {
	return fmt.Sprintf("xxlwheel_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
}

func (p *postgresPlace) url(database string) string {
	u, err := url.Parse(p.admin)
	if err != nil {
		panic(err) // it was connected to before
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

func (p *postgresPlace) drop(name string) error {
	return p.order("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
}

func (p *postgresPlace) order(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.admin)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// A PostgresServer is a server of a test's own, which it may treat badly. Its
// settings are PostgreSQL's defaults: what it has committed is on the disk.
type PostgresServer struct {
	programs string // folder with initdb and postgres
	account  *account
	dir      string
	port     int
	settings []string
	process  *process // nil while it is stopped
}

// StartPostgres starts a server that ends with the test. settings are further
// ones, as name=value.
func StartPostgres(t testing.TB, settings ...string) *PostgresServer {
	t.Helper()
	s, err := startPostgres("", settings...)
	orMissing(t, err)
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var errNoPostgres = errors.New("PostgreSQL is missing: neither is " + postgresEnv + " set, nor the program postgres on PATH or in /usr/lib/postgresql/*/bin")

// postgresPrograms is the folder with initdb and postgres, which Debian does
// not put on PATH.
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

// inMemory is a folder that is no disk, if the system has one that is large
// enough, and else "", for where temporary files are.
func inMemory() string {
	const dir, enough = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < enough {
		return ""
	}
	return dir
}

// startPostgres starts a server with its data below parent.
func startPostgres(parent string, settings ...string) (*PostgresServer, error) {
	programs, err := postgresPrograms()
	if err != nil {
		return nil, err
	}
	s := &PostgresServer{programs: programs, settings: settings}
	if s.account, err = serverAccount("postgres"); err != nil {
		return nil, err
	}
	if s.dir, err = s.account.folder(parent); err != nil {
		return nil, err
	}
	err = s.account.run(filepath.Join(programs, "initdb"),
		"--pgdata="+s.data(), "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
	if err == nil {
		s.port, err = freePort()
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *PostgresServer) data() string { return filepath.Join(s.dir, "data") }

// URL names one of the server's databases; "postgres" is always there.
func (s *PostgresServer) URL(database string) string {
	return "postgres://postgres@127.0.0.1:" + strconv.Itoa(s.port) + "/" + database + "?sslmode=disable"
}

// Database creates an empty database and returns its URL.
func (s *PostgresServer) Database(t testing.TB) string {
	t.Helper()
	place := postgresPlace{admin: s.URL("postgres")}
	name := newName()
	if err := place.create(name, "template0"); err != nil {
		t.Fatal(err)
	}
	return place.url(name)
}

func (s *PostgresServer) start() error {
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=" + s.dir, "-c", "max_connections=300", "-c", "shared_buffers=64MB"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	var err error
	s.process, err = s.account.launch(filepath.Join(s.dir, "log"), filepath.Join(s.programs, "postgres"), args...)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(startWithin); ; {
		if err = s.ping(); err == nil {
			return nil
		}
		select {
		case <-s.process.ended:
			return fmt.Errorf("postgres ended: %s", s.process.lastWords())
		case <-time.After(20 * time.Millisecond): // nothing tells us when it listens
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("postgres does not answer: %w: %s", err, s.process.lastWords())
		}
	}
}

func (s *PostgresServer) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// Start starts a server that was stopped or killed, with the same data and
// under the same URL, and returns when it answers.
func (s *PostgresServer) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// Stop shuts the server down in an orderly way, without waiting for clients.
func (s *PostgresServer) Stop(t testing.TB) {
	t.Helper()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
}

func (s *PostgresServer) stop() error {
	// PostgreSQL's fast shutdown; the parent tells its children itself.
	err := syscall.Kill(s.process.cmd.Process.Pid, syscall.SIGINT)
	err = errors.Join(err, s.process.wait())
	s.process = nil
	return err
}

// Kill ends all of the server's processes with SIGKILL.
func (s *PostgresServer) Kill(t testing.TB) {
	t.Helper()
	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
}

func (s *PostgresServer) kill() error {
	family := s.process.family()
	err := s.process.signal(syscall.SIGKILL)
	err = errors.Join(err, s.process.wait())
	s.process = nil
	for _, pid := range family { // the orphans hold the data until they are gone
		for deadline := time.Now().Add(startWithin); syscall.Kill(pid, 0) == nil && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // nobody tells us of a process that is not our child
		}
	}
	return err
}

// Freeze stops all of the server's processes where they are: connections stay
// open and nothing answers, until Thaw.
func (s *PostgresServer) Freeze(t testing.TB) {
	t.Helper()
	if err := s.process.signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// Thaw lets a frozen server go on.
func (s *PostgresServer) Thaw(t testing.TB) {
	t.Helper()
	if err := s.process.signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// close ends the server, whatever its state, and removes its data.
func (s *PostgresServer) close() error {
	var err error
	if s.process != nil {
		err = s.kill()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
