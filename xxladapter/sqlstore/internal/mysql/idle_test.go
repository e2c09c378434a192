//go:build unix

package mysql

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestIdleCostsOfMySQL(t *testing.T) {
	t.Parallel()
	server := testserver.StartMariaDB(t) // its own, without other tests' statements
	url := server.URL("idle")
	require.NoError(t, testserver.OrderMySQL(server.URL(""), "CREATE DATABASE idle"))
	require.NoError(t, Migrate(t.Context(), url, true, database.Options{Logger: fixture.Quiet}))
	s := openMySQLAt(t, url, database.Options{Clock: time.Now})
	defer func() { require.NoError(t, s.Close()) }()
	asked := int64(0)
	fixture.IdleCosts(t, s, func() (n int64) {
		err := s.Query(t.Context(), `SHOW GLOBAL STATUS LIKE 'Questions'`, nil, func(r database.Row) error {
			var name string
			return r.Scan(&name, &n)
		})
		require.NoError(t, err)
		asked++
		return n - asked
	})
}
