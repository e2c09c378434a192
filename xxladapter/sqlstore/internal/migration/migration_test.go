package migration

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"
)

func TestStepsFromAVersion(t *testing.T) {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"migrations/00014_tables.sql":       "all tables",
		"migrations/00015_next.sql":         "one more",
		"migrations/before/00014_group.sql": "a column",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s := Schema{Files: files}
	for has, want := range map[int64][]Step{
		0:  {{14, "all tables"}, {15, "one more"}},
		13: {{14, "a column"}, {15, "one more"}},
		14: {{15, "one more"}},
		15: {},
	} {
		steps, err := s.StepsFrom(has)
		require.NoError(t, err)
		require.Equal(t, want, steps, "from %d", has)
	}
	_, err := s.StepsFrom(12)
	require.EqualError(t, err, "its tables have version 12, the oldest that can be upgraded is 13")
	_, err = s.StepsFrom(16)
	require.EqualError(t, err, "was written by a newer release, its tables have version 16 and this one knows 15")
}

// TestUpLocksOnlyWhereSomethingIsMissing migrates a new database, and takes no lock when nothing is
// missing. An error of the unlock is an error of the migration.
func TestUpLocksOnlyWhereSomethingIsMissing(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	locks, broken := 0, errors.New("the lock is gone")
	s := Schema{
		Dialect:  SQLite,
		HasTable: `SELECT COUNT(*) FROM sqlite_schema WHERE name = '` + Table + `'`,
		Files: fstest.MapFS{
			"migrations/00014_tables.sql":       {Data: []byte("-- +goose Up\nCREATE TABLE jobs (id INTEGER);")},
			"migrations/before/00014_group.sql": {Data: []byte("-- +goose Up\nALTER TABLE jobs ADD COLUMN x INTEGER;")},
		},
		Lock: func(context.Context, *sql.DB) (func() error, error) {
			locks++
			return func() error { return broken }, nil
		},
	}
	require.ErrorIs(t, s.Up(t.Context(), db, slog.New(slog.DiscardHandler)), broken)
	require.NoError(t, s.Up(t.Context(), db, slog.New(slog.DiscardHandler)), "nothing is missing")
	require.Equal(t, 1, locks)
	_, err = db.ExecContext(t.Context(), `INSERT INTO jobs (id) VALUES (1)`)
	require.NoError(t, err)
}

// TestTheLogTellsOfStepsAsTheyEnd migrates tables of an older release, in which the second step
// fails: the first one has been logged by then. The creation of a new database is one line.
func TestTheLogTellsOfStepsAsTheyEnd(t *testing.T) {
	files := fstest.MapFS{
		"migrations/00014_tables.sql":       {Data: []byte("-- +goose Up\nCREATE TABLE jobs (id INTEGER);")},
		"migrations/before/00014_group.sql": {Data: []byte("-- +goose Up\nALTER TABLE jobs ADD COLUMN x INTEGER;")},
	}
	s := Schema{Dialect: SQLite, HasTable: `SELECT COUNT(*) FROM sqlite_schema WHERE name = '` + Table + `'`, Files: files}
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var log bytes.Buffer
	up := func() ([]string, error) {
		log.Reset()
		err := s.Up(t.Context(), db, slog.New(slog.NewTextHandler(&log, nil)))
		var lines []string
		for line := range strings.Lines(log.String()) {
			_, rest, _ := strings.Cut(line, "msg=")
			said, _, _ := strings.Cut(rest, " took=")
			lines = append(lines, said)
		}
		return lines, err
	}
	lines, err := up()
	require.NoError(t, err)
	require.Equal(t, []string{`"created tables" version=14`}, lines)

	files["migrations/00015_index.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE INDEX jobs_id ON jobs (id);")}
	files["migrations/00016_wrong.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE missing ADD COLUMN x INTEGER;")}
	lines, err = up()
	require.ErrorContains(t, err, "no such table: missing")
	require.Equal(t, []string{"migrated to=15"}, lines)

	files["migrations/00016_wrong.sql"].Data = []byte("-- +goose Up\nALTER TABLE jobs ADD COLUMN x INTEGER;")
	files["migrations/00017_last.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE jobs ADD COLUMN y INTEGER;")}
	lines, err = up()
	require.NoError(t, err)
	require.Equal(t, []string{"migrated to=16", "migrated to=17"}, lines)
}
