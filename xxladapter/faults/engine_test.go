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
	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An engine is a kind of store that schedulers run on.
type engine struct {
	name  string
	nodes int // how many schedulers run at once

	// exclusive is set if one process has the store for itself while it is open.
	exclusive bool

	// open creates an empty store, on a server that all tests share. It is in memory: no test cuts
	// the power, and a busy disk would delay runs.
	open func(t *testing.T) database

	// alone creates one on disk, on a server that only this test uses, for tests that kill, freeze
	// or measure the server.
	alone func(t *testing.T) database

	// hold locks, in a transaction, what every scheduler waits for while it holds locks of its own.
	// stuck counts the sessions with an open transaction that have sent nothing for half a second.
	hold, stuck string

	// lockMisfires keeps others from reading the misfires until unlock; empty means that the store
	// has no such lock.
	lockMisfires, unlock string
}

// A database is one store, empty at first.
type database struct {
	url    string             // for --store
	server *testserver.Server // the one that only this test uses; nil means none
}

func inMemory(t *testing.T) database { return file(testserver.TempDir(t)) }
func onDisk(t *testing.T) database   { return file(t.TempDir()) }

func file(dir string) database { return database{url: "sqlite:" + filepath.Join(dir, "faults.db")} }

// journaled is a store with a journal in front of a file.
func journaled(dir string) database {
	return database{url: "sqlite:" + filepath.Join(dir, "faults.db") + "?journal=on"}
}

func migrated(t *testing.T, url string) string {
	t.Helper()
	require.NoError(t, sqlstore.MigrateMySQL(t.Context(), url, true, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)}))
	return url
}

var (
	engines = []engine{
		{name: "sqlite", nodes: 1, open: inMemory, alone: onDisk},
		{
			name: "sqlite journal", nodes: 1, exclusive: true,
			open:  func(t *testing.T) database { return journaled(testserver.TempDir(t)) },
			alone: func(t *testing.T) database { return journaled(t.TempDir()) },
		},
		{
			name: "mariadb", nodes: 3,
			open: func(t *testing.T) database { return database{url: migrated(t, testserver.MySQL(t))} },
			alone: func(t *testing.T) database {
				s := testserver.StartMariaDB(t)
				return database{migrated(t, s.Database(t)), s}
			},
			hold: `SELECT lock_name FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE`,
			stuck: `SELECT count(*) FROM information_schema.processlist p
				JOIN information_schema.innodb_trx t ON t.trx_mysql_thread_id = p.id
				WHERE p.db = database() AND p.command = 'Sleep' AND p.time_ms > 500`,
			lockMisfires: `LOCK TABLES xxlwheel_misfire WRITE`, unlock: `UNLOCK TABLES`,
		},
		postgres,
	}

	postgres = engine{
		name: "postgres", nodes: 3,
		open: func(t *testing.T) database { return database{url: testserver.Postgres(t)} },
		alone: func(t *testing.T) database {
			s := testserver.StartPostgres(t)
			return database{s.Database(t), s}
		},
		hold: `LOCK TABLE xxlwheel_fire IN SHARE MODE`,
		stuck: `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND state = 'idle in transaction' AND state_change < clock_timestamp() - interval '500 ms'`,
		lockMisfires: `BEGIN; LOCK TABLE xxlwheel_misfire`, unlock: `ROLLBACK`,
	}

	// oneFile is SQLite with two scheduler processes, which lock each other out of the file and
	// share nothing else.
	oneFile = engine{name: "sqlite shared", nodes: 2, open: inMemory, alone: onDisk}
)

// onEach runs a fault test as one subtest for each engine, in parallel with other tests: most of
// their time is waiting.
func onEach(t *testing.T, engines []engine, test func(t *testing.T, e engine)) {
	t.Parallel()
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// oneAfterAnother runs a test for each engine in turn, without other tests beside it. Subtests that
// call t.Parallel run in parallel only with each other.
func oneAfterAnother(t *testing.T, engines []engine, test func(t *testing.T, e engine)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

// workDir is the folder with what all tests share.
var workDir string

func TestMain(m *testing.M) {
	var err error
	if workDir, err = os.MkdirTemp("", "xxlwheel-faults-"); err != nil {
		panic(err)
	}
	testserver.Main(m,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), // of clients that keep their connections
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		goleak.Cleanup(func(code int) {
			if err := os.RemoveAll(workDir); err != nil && code == 0 {
				panic(err)
			}
			os.Exit(code)
		}))
}

// openStore opens a store. If its engine is exclusive, its scheduler must have ended.
func openStore(t *testing.T, url string) xxladapter.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), url, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return s
}

// order runs a statement in the database of a store.
func order(t *testing.T, place, statement string) {
	t.Helper()
	db := openDatabase(t, place)
	_, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, errors.Join(err, db.Close()))
}

// openDatabase opens the database of a store.
func openDatabase(t *testing.T, place string) *sql.DB {
	t.Helper()
	var (
		db  *sql.DB
		err error
	)
	if file, ok := sqlstore.FileOf(place); ok {
		db, err = sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)") // ms; schedulers have it open
	} else if strings.HasPrefix(place, "mysql:") {
		db, err = testserver.OpenMySQL(place)
	} else {
		db, err = sql.Open("pgx", place)
	}
	require.NoError(t, err)
	return db
}
