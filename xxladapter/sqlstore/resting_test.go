//go:build unix

package sqlstore

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// resting holds empty databases whose stores were closed, because emptying a database is much
// quicker than creating one: on PostgreSQL that is some 300 files.
type resting chan restingDatabase

// A restingDatabase is a database that tests use one after another.
type restingDatabase struct {
	url string
	// empty deletes what a test has left.
	empty func() error
}

// take returns a database that rests, or a new one.
func (r resting) take(create func() restingDatabase) restingDatabase {
	select {
	case d := <-r:
		return d
	default:
		return create()
	}
}

// returning gives its database back when it is closed.
type returning struct {
	*records.Store
	to   resting
	from restingDatabase
	once sync.Once
}

func (s *returning) Close() error {
	err := s.Store.Close()
	s.once.Do(func() {
		if err = errors.Join(err, s.from.empty()); err == nil {
			s.to <- s.from
		}
	})
	return err
}

// emptyTables brings both kinds of database back to their beginning, but for the next ids.
const emptyTables = `DELETE FROM xxl_job_info; DELETE FROM xxl_job_log; DELETE FROM xxl_job_registry; DELETE FROM xxl_job_group;
	DELETE FROM xxl_job_log_report; DELETE FROM xxl_job_logglue; DELETE FROM xxl_job_user;
	DELETE FROM xxlwheel_backfill; DELETE FROM xxlwheel_drain; DELETE FROM xxlwheel_job_key; DELETE FROM xxlwheel_job_tag;
	DELETE FROM xxlwheel_run; DELETE FROM xxlwheel_taken;
	DELETE FROM xxlwheel_fire; DELETE FROM xxlwheel_misfire; DELETE FROM xxlwheel_job; DELETE FROM xxlwheel_group;
	DELETE FROM xxlwheel_lease; DELETE FROM xxlwheel_partition_move; DELETE FROM xxlwheel_alarm; DELETE FROM xxlwheel_alarm_claim; DELETE FROM xxlwheel_report;
	DELETE FROM xxlwheel_log_text; DELETE FROM xxlwheel_log_fetch; DELETE FROM xxlwheel_removed_job; DELETE FROM xxlwheel_order; DELETE FROM xxlwheel_setting;
	DELETE FROM xxlwheel_audit; DELETE FROM xxlwheel_job_version; UPDATE xxlwheel_audit_end SET anchor_id = 0, anchor_hash = '', last_id = 0, last_hash = '';
	DELETE FROM xxlwheel_stat; DELETE FROM xxlwheel_stat_open; DELETE FROM xxlwheel_last_result;
	UPDATE xxlwheel_stat_mark SET turn = 0, folded_id = 0, next_id = 0, next_ms = 0, open_id = 0;
	DELETE FROM xxlwheel_pause; DELETE FROM xxlwheel_calendar;
	DELETE FROM xxlwheel_user; DELETE FROM xxlwheel_grant; DELETE FROM xxlwheel_credential;
	DELETE FROM xxlwheel_redis;
	UPDATE xxlwheel_term SET last = 0; UPDATE xxlwheel_partition SET node = NULL`

// TestEveryTableIsEmptied checks that no rule finds rows that another rule has left.
func TestEveryTableIsEmptied(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*records.Store{
		"MySQL":    openMySQLAt(t, mysqlDatabase(t, "3.4"), Options{}),
		"Postgres": openURL(t, testserver.PostgresCopy(t, migrateURL), Options{}),
	} {
		schema := map[string]string{"MySQL": "DATABASE()", "Postgres": "'public'"}[name]
		rows, err := s.Reads.DB.QueryContext(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = `+schema)
		require.NoError(t, err)
		found := 0
		for rows.Next() {
			var table string
			require.NoError(t, rows.Scan(&table))
			switch found++; table {
			case "xxl_job_lock", "xxlwheel_schema", "xxlwheel_restriction": // nothing of a rule is in these
			case "xxlwheel_app": // MySQL alone has it
			default:
				require.Regexp(t, `\b(FROM|UPDATE) `+table+`\b`, emptyTables, name)
			}
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		require.Greater(t, found, 30, name)
		require.NoError(t, s.Close())
	}
}
