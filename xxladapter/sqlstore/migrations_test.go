package sqlstore

import (
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/migration"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/postgres"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sqlite"
)

// TestEveryDatabaseHasTheSameTables checks that no database lacks a table that the others have.
// MySQL has one more, whose rows serve as locks, and SQLite has one for its journal.
func TestEveryDatabaseHasTheSameTables(t *testing.T) {
	t.Parallel()
	created := regexp.MustCompile(`CREATE TABLE (xxl\w+)`)
	tables := func(s migration.Schema, more ...string) (names []string) {
		steps, err := s.StepsFrom(0)
		require.NoError(t, err)
		texts := more
		for _, step := range steps {
			texts = append(texts, step.Text)
		}
		for _, text := range texts {
			for _, match := range created.FindAllStringSubmatch(text, -1) {
				names = append(names, match[1])
			}
		}
		slices.Sort(names)
		return names
	}
	want := slices.DeleteFunc(tables(sqlite.Schema), func(name string) bool { return name == "xxlwheel_journal" })
	require.Equal(t, want, tables(postgres.Schema))
	mine := tables(mysql.Schema, mysql.Upstream)
	require.Equal(t, want, slices.DeleteFunc(mine, func(name string) bool { return name == "xxlwheel_app" }))
	require.NotEmpty(t, want)
}
