//go:build unix

package sqlite

import (
	"database/sql"
	_ "embed"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

//go:embed testdata/version13.sql
var version13 string

// TestOlderTablesBecomeTheSame migrates a file of an older version and compares it with a new one.
func TestOlderTablesBecomeTheSame(t *testing.T) {
	t.Parallel()
	older := filepath.Join(t.TempDir(), "older.db")
	db, err := sql.Open(driverName, older)
	require.NoError(t, err)
	_, err = db.Exec(version13)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	s := openFile(t, older, func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) })
	fixture.Older(t, s)
	require.NoError(t, s.Close())
	require.Equal(t, schemaOf(t, emptyFile.Copy(t)), schemaOf(t, older))
}

// schemaOf returns a line for each column, table and index, without comments.
func schemaOf(t *testing.T, file string) (lines []string) {
	t.Helper()
	db, err := sql.Open(driverName, "file:"+pathOf(file))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for _, query := range []string{
		`SELECT 'column', m.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden, instr(m.sql, 'AUTOINCREMENT') > 0
			FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`,
		`SELECT 'table', name, type, ncol, wr, strict, '', '', '', '' FROM pragma_table_list WHERE schema = 'main' ORDER BY name`,
		`SELECT 'index', name, tbl_name, sql, '', '', '', '', '', '' FROM sqlite_schema WHERE type = 'index' ORDER BY name`,
	} {
		rows, err := db.Query(query)
		require.NoError(t, err)
		for rows.Next() {
			var columns [10]sql.NullString
			var into [10]any
			for i := range columns {
				into[i] = &columns[i]
			}
			require.NoError(t, rows.Scan(into[:]...))
			var line strings.Builder
			for _, c := range columns {
				line.WriteString(" " + strings.Join(strings.Fields(c.String), " "))
			}
			lines = append(lines, line.String())
		}
		require.NoError(t, rows.Err())
	}
	require.NotEmpty(t, lines)
	return lines
}
