package sqlstore

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryDatabaseHasTheSameMigrations keeps a table from being forgotten in
// one of them.
func TestEveryDatabaseHasTheSameMigrations(t *testing.T) {
	t.Parallel()
	names := func(database string) (names []string) {
		files, err := filepath.Glob(filepath.Join("internal", database, "migrations", "*.sql"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			names = append(names, filepath.Base(file))
		}
		return names
	}
	require.Equal(t, names("sqlite"), names("postgres"))
}
