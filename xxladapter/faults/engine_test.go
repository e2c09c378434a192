//go:build linux

package faults

import (
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An engine is a kind of store that schedulers are run on.
type engine struct {
	name  string
	nodes int // schedulers at once
	open  func(t *testing.T) database
}

// A database is one store, empty at first.
type database struct {
	url    string // for --store
	server server // nil: the database is a file
}

// A server is a database server that belongs to the test.
type server interface {
	Kill(t testing.TB)  // as a power cut
	Stop(t testing.TB)  // in its own orderly way
	Start(t testing.TB) // on the same data; returns when it accepts connections
}

var engines = []engine{
	{"sqlite", 1, func(t *testing.T) database {
		return database{url: "sqlite:" + filepath.Join(t.TempDir(), "faults.db")}
	}},
	{"mariadb", 3, func(t *testing.T) database {
		s := testserver.StartMariaDB(t)
		url := s.Database(t)
		require.NoError(t, sqlstore.MigrateMySQL(t.Context(), url, true, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)}))
		return database{url, s}
	}},
	{"postgres", 3, func(t *testing.T) database {
		s := testserver.StartPostgres(t)
		return database{s.Database(t), s}
	}},
}

// onEachEngine runs a fault test as one subtest for each engine, all at once:
// most of their time is waiting.
func onEachEngine(t *testing.T, test func(t *testing.T, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// onEngineAfterEngine is for tests that need the machine for themselves.
func onEngineAfterEngine(t *testing.T, test func(t *testing.T, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

// workDir holds what all tests share.
var workDir string

func TestMain(m *testing.M) {
	var err error
	if workDir, err = os.MkdirTemp("", "xxlwheel-faults-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(workDir); err != nil && code == 0 {
		panic(err)
	}
	os.Exit(code)
}

// openStore opens the store that schedulers have left.
func openStore(t *testing.T, url string) xxladapter.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), url, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

// order runs a statement in the database of a store.
func order(t *testing.T, place, statement string) {
	t.Helper()
	if strings.HasPrefix(place, "mysql:") {
		require.NoError(t, testserver.OrderMySQL(place, statement))
		return
	}
	driver := "pgx"
	if file, ok := strings.CutPrefix(place, "sqlite:"); ok {
		driver, place = "sqlite", file
	}
	db, err := sql.Open(driver, place)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, errors.Join(err, db.Close()))
}
