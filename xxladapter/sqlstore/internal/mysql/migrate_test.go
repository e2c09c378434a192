//go:build unix

package mysql

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

//go:embed testdata/version13.sql
var version13 string

// TestOlderTablesBecomeTheSame migrates databases of an older version, once by opening the store
// and once by the plan for an administrator, and compares them with a new one.
func TestOlderTablesBecomeTheSame(t *testing.T) {
	t.Parallel()
	options := database.Options{Clock: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }, Zone: time.UTC}
	fresh := tablesOf(t, mysqlDatabase(t, "3.4"))
	for _, planned := range []bool{false, true} {
		older := testserver.MySQL(t)
		require.NoError(t, testserver.OrderMySQL(older, version13))
		if planned {
			plan, err := Plan(t.Context(), older, database.Options{Logger: fixture.Quiet})
			require.NoError(t, err)
			require.NoError(t, testserver.OrderMySQL(older, plan))
		}
		s := openMySQLAt(t, older, options)
		fixture.Older(t, s)
		require.NoError(t, s.Close())
		require.Equal(t, fresh, tablesOf(t, older))
	}
}

// TestPlanIsWhatMigrationDoes compares the tables that both create, and checks that upstream's are
// left as they were.
func TestPlanIsWhatMigrationDoes(t *testing.T) {
	t.Parallel()
	planned, migrated := mysqlDatabase(t, "3.4"), testserver.MySQL(t)
	require.NoError(t, Migrate(t.Context(), migrated, true, database.Options{Logger: fixture.Quiet}))
	require.Equal(t, tablesOf(t, planned), tablesOf(t, migrated))
	require.NoError(t, openMySQLAt(t, planned, database.Options{}).Close())
	require.ErrorContains(t, Migrate(t.Context(), migrated, true, database.Options{Logger: fixture.Quiet}), "has tables of XXL-JOB already")

	untouched := testserver.MySQL(t)
	require.NoError(t, testserver.OrderMySQL(untouched, Upstream))
	require.Contains(t, tablesOf(t, migrated), strings.SplitAfter(tablesOf(t, untouched), "CREATE")[1])
	for _, table := range strings.SplitAfter(tablesOf(t, untouched), "COLLATE=utf8mb4_unicode_ci\n") {
		require.Contains(t, tablesOf(t, migrated), table)
	}
}

// tablesOf returns the statements that would create the tables of a database, without their next
// ids.
func tablesOf(t *testing.T, address string) string {
	t.Helper()
	server, err := parse(address)
	require.NoError(t, err)
	db, err := server.patiently(fixture.Quiet)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var names []string
	require.NoError(t, database.Select(t.Context(), db, `SHOW TABLES`, nil, func(r database.Row) error {
		var name string
		err := r.Scan(&name)
		names = append(names, name)
		return err
	}))
	var all strings.Builder
	for _, name := range names {
		var text string
		require.NoError(t, db.QueryRowContext(t.Context(), "SHOW CREATE TABLE "+name).Scan(&name, &text))
		if name != migration.Table { // the last id in it may differ
			all.WriteString(text + "\n")
		}
	}
	return nextID.ReplaceAllString(all.String(), "")
}

var nextID = regexp.MustCompile(` AUTO_INCREMENT=[0-9]+`)
