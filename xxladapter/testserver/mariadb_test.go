//go:build unix

package testserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMySQLDatabaseBelongsToItsTest(t *testing.T) {
	one, two := MySQL(t), MySQL(t)
	require.NoError(t, OrderMySQL(one, `CREATE TABLE t AS SELECT 7 AS n; INSERT INTO t VALUES (8)`))
	require.ErrorContains(t, OrderMySQL(two, `SELECT n FROM t`), "doesn't exist")
}

func TestAMariaDBServerMayBeTreatedBadly(t *testing.T) {
	t.Parallel()
	Long(t) // servers take their time
	s := StartMariaDB(t)
	db := s.Database(t)
	require.NoError(t, OrderMySQL(db, `CREATE TABLE t AS SELECT 7 AS n`))

	s.Freeze(t)
	answered := make(chan error, 1)
	go func() { answered <- OrderMySQL(db, `SELECT n FROM t`) }()
	select {
	case err := <-answered:
		t.Fatal("a frozen server answered: ", err)
	default:
	}
	s.Thaw(t)
	require.NoError(t, <-answered)

	for _, end := range []func(testing.TB){s.Kill, s.Stop} {
		end(t)
		require.Error(t, OrderMySQL(db, `SELECT n FROM t`))
		s.Start(t)
		require.NoError(t, OrderMySQL(db, `SELECT n FROM t`))
	}
	dir := s.dir
	require.NoError(t, s.close())
	require.NoDirExists(t, dir)
}
