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

	"github.com/go-sql-driver/mysql"
)

// mysqlEnv is the environment variable with the URL of a MySQL or MariaDB server that tests use
// instead of starting one, such as mysql://root:secret@127.0.0.1:3306/. Its user must be allowed to
// create databases.
const mysqlEnv = "XXLWHEEL_TEST_MYSQL_DSN"

// MySQL returns the URL of an empty database that only this test uses, on a server that all tests
// of the binary share.
func MySQL(t testing.TB) string {
	t.Helper()
	Short(t)
	admin, err := mysqlAdmin()
	orMissing(t, err)
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

// KeptMySQL returns the URL of a database as [MySQL] does, but the database stays until the test
// binary ends, so that it can be used repeatedly.
func KeptMySQL(t testing.TB) string {
	t.Helper()
	Short(t)
	admin, err := mysqlAdmin()
	orMissing(t, err)
	name, err := createMySQL(admin)
	if err != nil {
		t.Fatal(err)
	}
	atEnd(func() { _ = OrderMySQL(admin, "DROP DATABASE IF EXISTS "+name) })
	return mysqlURL(admin, name)
}

// mysqlAdmin returns the URL of the shared server, without a database.
var mysqlAdmin = sync.OnceValues(func() (string, error) {
	if dsn := os.Getenv(mysqlEnv); dsn != "" {
		return givenMySQL(dsn)
	}
	// No test cuts the power, so nothing needs a sync or a disk.
	s, err := startMariaDB(
		inMemory(), "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-flush-method=nosync",
	)
	if err != nil {
		return "", err
	}
	atEnd(func() { _ = s.close() })
	return s.URL(""), nil
})

// givenMySQL returns the URL of a server that the environment names, without a database.
func givenMySQL(dsn string) (string, error) {
	if _, err := mysqlConfig(dsn); err != nil {
		return "", fmt.Errorf("%s: %w", mysqlEnv, err)
	}
	return mysqlURL(dsn, ""), nil
}

func mysqlURL(admin, database string) string {
	u, err := url.Parse(admin)
	if err != nil {
		panic("testserver: the URL of the MySQL server is malformed, and was parsed before")
	}
	u.Path = "/" + database
	return u.String()
}

func createMySQL(admin string) (name string, err error) {
	name = newName()
	return name, OrderMySQL(admin, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
}

// OrderMySQL runs statements in the database that the URL names. Each of them may consist of
// several, separated by semicolons.
func OrderMySQL(address string, statements ...string) error {
	db, err := OpenMySQL(address)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	for _, statement := range statements {
		if _, err = db.ExecContext(ctx, statement); err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}

// OpenMySQL opens the database that the URL names; the caller closes it. A statement may consist of
// several, separated by semicolons.
func OpenMySQL(address string) (*sql.DB, error) {
	cfg, err := mysqlConfig(address)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func mysqlConfig(address string) (*mysql.Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		// The error of url.Parse has the password.
		return nil, errors.New("the address of the MySQL server is not a URL")
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

// StartMariaDB starts a server that ends with the test. settings are additional options of
// mariadbd.
func StartMariaDB(t testing.TB, settings ...string) *Server {
	t.Helper()
	Short(t)
	s, err := startMariaDB("", settings...)
	orMissing(t, err)
	s.closeWith(t)
	return s
}

var errNoMariaDB = missingError("MariaDB is missing: neither is " + mysqlEnv +
	" set, nor are the programs mariadbd and mariadb-install-db on PATH or in /usr/sbin")

// mariaDBProgram finds a program, even if only root has its folder on PATH.
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
func startMariaDB(parent string, settings ...string) (*Server, error) {
	program, err := mariaDBProgram("mariadbd")
	if err != nil {
		return nil, err
	}
	install, err := mariaDBProgram("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	account, err := serverAccount("mysql")
	if err != nil {
		return nil, err
	}
	return begin(mariaDB(program, install), account, parent, settings)
}

func mariaDB(program, install string) engine {
	// Servers that share a folder for temporary files remove each other's.
	temporary := func(s *Server) string { return "--tmpdir=" + s.dir }
	return engine{
		program: program,
		initialize: func(s *Server) error {
			return s.account.run(install, "--no-defaults", "--datadir="+s.data(), temporary(s), "--skip-test-db",
				"--auth-root-authentication-method=normal")
		},
		arguments: func(s *Server) []string {
			return []string{
				"--no-defaults", "--datadir=" + s.data(), "--port=" + strconv.Itoa(s.port), "--bind-address=127.0.0.1",
				temporary(s),
				"--socket=" + filepath.Join(s.dir, "socket"), "--pid-file=" + filepath.Join(s.dir, "pid"),
				"--skip-name-resolve", "--default-time-zone=+00:00", "--skip-log-bin", "--performance-schema=off",
				"--max-connections=400",
				"--innodb-buffer-pool-size=128M",
			}
		},
		setting: func(option string) []string { return []string{option} },
		url:     func(port, database string) string { return "mysql://root@127.0.0.1:" + port + "/" + database },
		ping:    func(s *Server) error { return OrderMySQL(s.URL(""), "DO 1") },
		create:  func(s *Server) (string, error) { return createMySQL(s.URL("")) },
		quit:    syscall.SIGTERM,
	}
}
