//go:build unix

package testserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// mysqlEnv names the environment variable with the URL of a MySQL or MariaDB
// server that may be used instead of one of our own, such as
// mysql://root:secret@127.0.0.1:3306/. Its user must be allowed to create
// databases.
const mysqlEnv = "XXLWHEEL_TEST_MYSQL_DSN"

// MySQL returns the URL of an empty database of the test's own, on a server
// that all tests of the binary share.
func MySQL(t testing.TB) string {
	t.Helper()
	admin, err := mysqlAdmin()
	mariaDBOrMissing(t, err)
	name, err := createMySQL(admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := OrderMySQL(admin, "DROP DATABASE IF EXISTS "+name); err != nil {
			t.Error(err)
		}
	})
	return mysqlURL(admin, name)
}

// KeptMySQL is [MySQL], but the database stays until the test binary ends, for
// those who use it again and again.
func KeptMySQL(t testing.TB) string {
	t.Helper()
	admin, err := mysqlAdmin()
	mariaDBOrMissing(t, err)
	name, err := createMySQL(admin)
	if err != nil {
		t.Fatal(err)
	}
	atEnd(func() { _ = OrderMySQL(admin, "DROP DATABASE IF EXISTS "+name) })
	return mysqlURL(admin, name)
}

// mysqlAdmin is the URL of the shared server, without a database.
var mysqlAdmin = sync.OnceValues(func() (string, error) {
	if dsn := os.Getenv(mysqlEnv); dsn != "" {
		return mysqlURL(dsn, ""), nil
	}
	// The machine does not lose its power in a test, so nothing needs a sync
	// or a disk.
	s, err := startMariaDB(inMemory(), "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync")
	if err != nil {
		return "", err
	}
	atEnd(func() { _ = s.close() })
	return s.URL(""), nil
})

func mariaDBOrMissing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errNoMariaDB) {
		missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func mysqlURL(admin, database string) string {
	u, err := url.Parse(admin)
	if err != nil {
		panic(mysqlEnv + " is not a URL")
	}
	u.Path = "/" + database
	return u.String()
}

func createMySQL(admin string) (name string, err error) {
	name = newName()
	return name, OrderMySQL(admin, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
}

// OrderMySQL runs statements, each of which may have several separated by
// semicolons, in the database that the URL names.
func OrderMySQL(address string, statements ...string) error {
	cfg, err := mysqlConfig(address)
	if err != nil {
		return err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	for _, statement := range statements {
		if _, err = db.ExecContext(ctx, statement); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}

func mysqlConfig(address string) (*mysql.Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New(mysqlEnv + " is not a URL")
	}
	cfg := mysql.NewConfig()
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	cfg.Net, cfg.Addr, cfg.DBName = "tcp", u.Host, u.Path[min(1, len(u.Path)):]
	if u.Port() == "" {
		cfg.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	cfg.MultiStatements = true
	cfg.Logger = &mysql.NopLogger{}
	return cfg, nil
}

// A MariaDBServer is a server of a test's own, which it may treat badly. What
// it has committed is on the disk, unless its settings say otherwise.
type MariaDBServer struct {
	program  string
	account  *account
	dir      string
	port     int
	settings []string
	process  *process // nil while it is stopped
}

// StartMariaDB starts a server that ends with the test. settings are further
// options of mariadbd.
func StartMariaDB(t testing.TB, settings ...string) *MariaDBServer {
	t.Helper()
	s, err := startMariaDB("", settings...)
	mariaDBOrMissing(t, err)
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var errNoMariaDB = errors.New("MariaDB is missing: neither is " + mysqlEnv + " set, nor are the programs mariadbd and mariadb-install-db on PATH or in /usr/sbin")

// mariaDBProgram finds a program also where only root has its folder on PATH.
func mariaDBProgram(name string) (string, error) {
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	if found, err := exec.LookPath(filepath.Join("/usr/sbin", name)); err == nil {
		return found, nil
	}
	return "", errNoMariaDB
}

// startMariaDB starts a server with its data below parent.
func startMariaDB(parent string, settings ...string) (*MariaDBServer, error) {
	program, err := mariaDBProgram("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := mariaDBProgram("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	s := &MariaDBServer{program: program, settings: settings}
	if s.account, err = serverAccount("mysql"); err != nil {
		return nil, err
	}
	if s.dir, err = s.account.folder(parent); err != nil {
		return nil, err
	}
	err = s.account.run(install, "--no-defaults", "--datadir="+s.data(), s.temporary(), "--skip-test-db", "--auth-root-authentication-method=normal",
		"--innodb-log-file-size=16M")
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

func (s *MariaDBServer) data() string { return filepath.Join(s.dir, "data") }

// temporary keeps servers apart: one that starts removes what others have in a
// folder that they share.
func (s *MariaDBServer) temporary() string { return "--tmpdir=" + s.dir }

// URL names one of the server's databases, or none. The user has all rights.
func (s *MariaDBServer) URL(database string) string {
	return "mysql://root@127.0.0.1:" + strconv.Itoa(s.port) + "/" + database
}

// Database creates an empty database and returns its URL.
func (s *MariaDBServer) Database(t testing.TB) string {
	t.Helper()
	name, err := createMySQL(s.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}

func (s *MariaDBServer) start() error {
	args := append([]string{
		"--no-defaults", "--datadir=" + s.data(), "--port=" + strconv.Itoa(s.port), "--bind-address=127.0.0.1", s.temporary(),
		"--socket=" + filepath.Join(s.dir, "socket"), "--pid-file=" + filepath.Join(s.dir, "pid"),
		"--skip-name-resolve", "--default-time-zone=+00:00", "--skip-log-bin", "--performance-schema=off", "--max-connections=400",
		"--innodb-buffer-pool-size=128M", "--innodb-log-file-size=16M",
	}, s.settings...)
	var err error
	if s.process, err = s.account.launch(filepath.Join(s.dir, "log"), s.program, args...); err != nil {
		return err
	}
	for deadline := time.Now().Add(startWithin); ; {
		if err = OrderMySQL(s.URL(""), "DO 1"); err == nil {
			return nil
		}
		select {
		case <-s.process.ended:
			return fmt.Errorf("mariadbd ended: %s", s.process.lastWords())
		case <-time.After(20 * time.Millisecond): // nothing tells us when it listens
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("mariadbd does not answer: %w: %s", err, s.process.lastWords())
		}
	}
}

// Start starts a server that was stopped or killed, with the same data and
// under the same URL, and returns when it answers.
func (s *MariaDBServer) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// Stop shuts the server down in an orderly way, without waiting for clients.
func (s *MariaDBServer) Stop(t testing.TB) { t.Helper(); s.end(t, syscall.SIGTERM) }

// Kill ends the server with SIGKILL.
func (s *MariaDBServer) Kill(t testing.TB) { t.Helper(); s.end(t, syscall.SIGKILL) }

func (s *MariaDBServer) end(t testing.TB, how syscall.Signal) {
	t.Helper()
	if err := s.process.signal(how); err != nil {
		t.Fatal(err)
	}
	err := s.process.wait()
	s.process = nil
	if err != nil {
		t.Fatal(err)
	}
}

// Freeze stops the server where it is: connections stay open and nothing
// answers, until Thaw.
func (s *MariaDBServer) Freeze(t testing.TB) {
	t.Helper()
	if err := s.process.signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// Thaw lets a frozen server go on.
func (s *MariaDBServer) Thaw(t testing.TB) {
	t.Helper()
	if err := s.process.signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// close ends the server, whatever its state, and removes its data.
func (s *MariaDBServer) close() error {
	var err error
	if s.process != nil {
		err = errors.Join(s.process.signal(syscall.SIGKILL), s.process.wait())
		s.process = nil
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
