//go:build unix

package mysql

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestOpenMySQLNames checks that an error is one line that names the database, and not its
// password.
func TestOpenMySQLNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		orders string // after the tables were made
		bare   bool   // there are none
		reason string
	}{
		"NoTables":         {bare: true, reason: "has none of XXL-JOB's tables"},
		"ATableMissing":    {orders: `DROP TABLE xxl_job_registry`, reason: "has no table xxl_job_registry"},
		"AnOldRelease":     {orders: `ALTER TABLE xxl_job_info DROP COLUMN schedule_type`, reason: "xxl_job_info has no column schedule_type"},
		"HalfUpgraded":     {orders: `ALTER TABLE xxl_job_info CHANGE job_desc name varchar(255) NOT NULL`, reason: "xxl_job_group has no column name"},
		"NoLockRow":        {orders: `DELETE FROM xxl_job_lock`, reason: "xxl_job_lock has no row schedule_lock"},
		"NoTransactions":   {orders: `ALTER TABLE xxl_job_log ENGINE = MyISAM`, reason: "xxl_job_log is MyISAM, must be InnoDB"},
		"ANewerSideSchema": {orders: `INSERT INTO xxlwheel_schema (version_id, is_applied) VALUES (999, true)`, reason: "was written by a newer release, its tables have version 999"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := testserver.MySQL(t)
			if !c.bare {
				plan, err := FullPlan()
				require.NoError(t, err)
				require.NoError(t, testserver.OrderMySQL(address, Upstream, plan, c.orders))
			}
			_, err := Open(t.Context(), address, database.Options{Logger: fixture.Quiet})
			require.ErrorContains(t, err, "open mysql://")
			require.ErrorContains(t, err, c.reason)
			require.NotContains(t, err.Error(), "\n")
			t.Log(err)
		})
	}
	t.Run("APasswordThatIsWrong", func(t *testing.T) {
		t.Parallel()
		u, err := url.Parse(testserver.MySQL(t))
		require.NoError(t, err)
		u.User = url.UserPassword("nobody", "s3cret")
		_, err = Open(t.Context(), u.String(), database.Options{Logger: fixture.Quiet})
		require.ErrorContains(t, err, "Access denied for user 'nobody'")
		require.NotContains(t, err.Error(), "s3cret")
	})
	for place, message := range map[string]string{
		"mysql://bob:s3c%ret@db/xxl":        "special characters of the password",
		"mysql://bob:s3cret@db":             "must name a database",
		"mysql://bob:s3cret@db/xxl?zone=X":  `zone is "X", must be a time zone`,
		"mysql://bob:s3cret@db/xxl?tls=odd": "its parameters cannot be read",
	} {
		_, err := Open(t.Context(), place, database.Options{})
		var refused *xxladapter.Error
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, message)
		require.NotContains(t, err.Error(), "s3c")
	}
}

// TestAReadOnlyMySQLIsRefused opens a server with read_only set, as replicas have it.
func TestAReadOnlyMySQLIsRefused(t *testing.T) {
	t.Parallel()
	s := testserver.StartMariaDB(t, "--innodb-flush-log-at-trx-commit=0")
	address := s.Database(t)
	require.NoError(t, testserver.OrderMySQL(address, Upstream, `SET GLOBAL read_only = 1`))
	_, err := Open(t.Context(), address, database.Options{Logger: fixture.Quiet})
	require.ErrorContains(t, err, "the server is read-only")
}

// TestMySQLWithoutTheRightToCreate lets an administrator run the plan; afterwards the store's user
// touches only rows.
func TestMySQLWithoutTheRightToCreate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := testserver.StartMariaDB(t, "--innodb-flush-log-at-trx-commit=0")
	admin := server.Database(t)
	require.NoError(t, testserver.OrderMySQL(admin, `CREATE USER rows_only@'%' IDENTIFIED BY 's3cret'`,
		`GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO rows_only@'%'`))
	u, err := url.Parse(admin)
	require.NoError(t, err)
	u.User = url.UserPassword("rows_only", "s3cret")
	address := u.String()

	require.ErrorContains(t, Migrate(ctx, address, true, database.Options{Logger: fixture.Quiet}), "denied")
	require.NoError(t, testserver.OrderMySQL(admin, Upstream))
	_, err = Open(ctx, address, database.Options{Logger: fixture.Quiet})
	require.ErrorContains(t, err, "xxlwheel migrate --plan")
	require.NotContains(t, err.Error(), "s3cret")

	plan, err := Plan(ctx, address, database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	require.NoError(t, testserver.OrderMySQL(admin, plan))
	plan, err = Plan(ctx, address, database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	require.Empty(t, plan)
	s := openMySQLAt(t, address, database.Options{})
	_, err = s.SaveGroup(ctx, &xxladapter.Group{AppName: "rows-app", Title: "rows"})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, Migrate(ctx, address, false, database.Options{Logger: fixture.Quiet}), "nothing to do")
}

// TestSeveralNodesMayMigrateAtOnce opens a database without side tables several times at once.
func TestSeveralNodesMayMigrateAtOnce(t *testing.T) {
	t.Parallel()
	address := testserver.MySQL(t)
	require.NoError(t, testserver.OrderMySQL(address, Upstream))
	errs := make(chan error)
	for range 4 {
		go func() {
			s, err := Open(context.Background(), address, database.Options{Logger: fixture.Quiet, Clock: time.Now})
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		require.NoError(t, <-errs)
	}
}
