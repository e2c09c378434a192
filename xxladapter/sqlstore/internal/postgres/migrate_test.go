//go:build unix

package postgres

import (
	_ "embed"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

//go:embed testdata/version13.sql
var version13 string

// TestOlderTablesBecomeTheSame migrates a database of an older version and compares it with a new
// one.
func TestOlderTablesBecomeTheSame(t *testing.T) {
	t.Parallel()
	older := testserver.Postgres(t)
	conn, err := pgx.Connect(t.Context(), older)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), version13)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	s := openURL(t, older, database.Options{Clock: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }})
	fixture.Older(t, s)
	require.NoError(t, s.Close())
	require.Equal(t, schemaOf(t, testserver.PostgresCopy(t, migrateURL)), schemaOf(t, older))
}

// schemaOf returns a line for each column, index and constraint.
func schemaOf(t *testing.T, url string) (lines []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	for _, query := range []string{
		`SELECT concat_ws(' ', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
				a.attstorage, co.collname, pg_get_expr(d.adbin, d.adrelid), c.reloptions)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
				LEFT JOIN pg_collation co ON co.oid = a.attcollation
			WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
			ORDER BY c.relname, a.attnum`,
		`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
		`SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
			WHERE connamespace = 'public'::regnamespace ORDER BY 1`,
	} {
		rows, err := conn.Query(t.Context(), query)
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.NotEmpty(t, found)
		lines = append(lines, found...)
	}
	return lines
}
