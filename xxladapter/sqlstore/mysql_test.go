//go:build unix

package sqlstore

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMySQL(t *testing.T) {
	t.Parallel()
	testserver.MySQL(t) // or skip all of it
	storetest.Run(t, openMySQLEmpty)
}

func TestMySQLModel(t *testing.T) {
	t.Parallel()
	testserver.MySQL(t)
	storetest.RunModel(t, openMySQLEmpty,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// mysqlDatabase returns an empty database of a release with our side tables.
func mysqlDatabase(t testing.TB, release string) (url string) {
	t.Helper()
	url = testserver.MySQL(t)
	plan, err := mysql.FullPlan()
	require.NoError(t, err)
	ddl := mysql.Upstream
	if release != "3.4" {
		ddl = fixture.Release(t, release)
	}
	require.NoError(t, testserver.OrderMySQL(url, ddl, plan))
	return url
}

// openMySQLAt opens the store. The test closes it.
func openMySQLAt(t testing.TB, url string, opts Options) *records.Store {
	t.Helper()
	opts.Logger = fixture.Quiet
	s, err := OpenMySQL(t.Context(), url, opts)
	require.NoError(t, err)
	return s.(*records.Store)
}

// restingMySQL holds the URLs of empty databases whose stores were closed, because emptying a
// database is much quicker than creating one.
var restingMySQL = make(chan string, 100)

func openMySQLEmpty(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	var url string
	select {
	case url = <-restingMySQL:
	default:
		url = testserver.KeptMySQL(t)
		plan, err := mysql.FullPlan()
		require.NoError(t, err)
		require.NoError(t, testserver.OrderMySQL(url, mysql.Upstream, plan))
	}
	return &returning{Store: openMySQLAt(t, url, Options{Clock: clock}), url: url}
}

// returning gives its database back when it is closed.
type returning struct {
	*records.Store
	url  string
	once sync.Once
}

func (s *returning) Close() error {
	err := s.Store.Close()
	s.once.Do(func() {
		if err = errors.Join(err, testserver.OrderMySQL(s.url, emptyMySQL)); err == nil {
			restingMySQL <- s.url
		}
	})
	return err
}

// TestEveryTableIsEmptied checks that no rule finds rows that another rule has left.
func TestEveryTableIsEmptied(t *testing.T) {
	t.Parallel()
	db, err := testserver.OpenMySQL(mysqlDatabase(t, "3.4"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()`)
	require.NoError(t, err)
	found := 0
	for rows.Next() {
		var table string
		require.NoError(t, rows.Scan(&table))
		switch found++; table {
		case "xxl_job_lock", "xxlwheel_schema", "xxlwheel_restriction": // nothing of a rule is in these
		default:
			require.Regexp(t, `\b(FROM|UPDATE) `+table+`\b`, emptyMySQL)
		}
	}
	require.NoError(t, rows.Err())
	require.Greater(t, found, 30)
}

const emptyMySQL = `DELETE FROM xxl_job_info; DELETE FROM xxl_job_log; DELETE FROM xxl_job_registry; DELETE FROM xxl_job_group;
	DELETE FROM xxl_job_log_report; DELETE FROM xxl_job_logglue; DELETE FROM xxl_job_user;
	DELETE FROM xxlwheel_backfill; DELETE FROM xxlwheel_drain; DELETE FROM xxlwheel_job_key; DELETE FROM xxlwheel_job_tag;
	DELETE FROM xxlwheel_run; DELETE FROM xxlwheel_taken;
	DELETE FROM xxlwheel_fire; DELETE FROM xxlwheel_misfire; DELETE FROM xxlwheel_job; DELETE FROM xxlwheel_app; DELETE FROM xxlwheel_group;
	DELETE FROM xxlwheel_lease; DELETE FROM xxlwheel_shard_move; DELETE FROM xxlwheel_alarm; DELETE FROM xxlwheel_alarm_claim; DELETE FROM xxlwheel_report;
	DELETE FROM xxlwheel_log_text; DELETE FROM xxlwheel_log_fetch; DELETE FROM xxlwheel_removed_job; DELETE FROM xxlwheel_order; DELETE FROM xxlwheel_setting;
	DELETE FROM xxlwheel_audit; DELETE FROM xxlwheel_job_version; UPDATE xxlwheel_audit_end SET anchor_id = 0, anchor_hash = '', last_id = 0, last_hash = '';
	DELETE FROM xxlwheel_stat; DELETE FROM xxlwheel_stat_open; DELETE FROM xxlwheel_last_result;
	UPDATE xxlwheel_stat_mark SET turn = 0, folded_id = 0, next_id = 0, next_ms = 0, open_id = 0;
	DELETE FROM xxlwheel_pause; DELETE FROM xxlwheel_calendar;
	DELETE FROM xxlwheel_user; DELETE FROM xxlwheel_grant; DELETE FROM xxlwheel_credential;
	UPDATE xxlwheel_term SET last = 0; UPDATE xxlwheel_shard SET node = NULL`
