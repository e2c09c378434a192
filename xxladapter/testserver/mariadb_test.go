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

// TestAMalformedAddressIsNotBlamedOnTheEnvironment checks that only an address from the environment
// is reported under the variable's name, and that no error has the password.
func TestAMalformedAddressIsNotBlamedOnTheEnvironment(t *testing.T) {
	const address = "mysql://root:s3cr%zzet@127.0.0.1:3306/db"
	_, given := givenMySQL(address)
	require.ErrorContains(t, given, mysqlEnv)
	err := OrderMySQL(address, "DO 1")
	require.ErrorContains(t, err, "is not a URL")
	require.NotContains(t, err.Error(), mysqlEnv)
	for _, err := range []error{given, err} {
		require.NotContains(t, err.Error(), "s3cr")
	}
	admin, err := givenMySQL("mysql://root@127.0.0.1:3306/db")
	require.NoError(t, err)
	require.Equal(t, "mysql://root@127.0.0.1:3306/", admin)
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
