//go:build unix

package redisstore

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestCompareFindsRowsThatDiffer changes rows behind the back of the process that has written them.
func TestCompareFindsRowsThatDiffer(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`UPDATE xxlwheel_fire SET retry_count = 7 WHERE state = 'planned'`: "^fire 2 is .* in the tables, must be ",
		`DELETE FROM xxlwheel_fire WHERE state = 'planned'`:                "^fire 2 is missing in the tables$",
		`INSERT INTO xxlwheel_fire (id, job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count) VALUES (9, 1, 1, 0, 1, 'MANUAL', 'planned', -1)`: "^fire 9 is in the tables alone$",
		`UPDATE xxl_job_info SET trigger_next_time = trigger_next_time + 1 WHERE id = 1`:                                                                             "^job 1 is .* in the tables, must be ",
		`UPDATE xxl_job_log SET executor_handler = 'other'`:                                                                                                          "^run 1 is .* in the tables, must be ",
		`DELETE FROM xxl_job_log`: "^run 1 is missing in the tables$",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			file := emptySQLite(t)
			s := newScene(t, testserver.Redis(t), "sqlite:"+file)
			s.job(xxladapter.Settings{})
			s.job(xxladapter.Settings{})
			s.send(s.claim()[0])
			found, err := s.Compare(t.Context())
			require.NoError(t, err)
			require.Empty(t, found.Differences)
			db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(60000)")
			require.NoError(t, err)
			defer db.Close()
			_, err = db.ExecContext(t.Context(), change)
			require.NoError(t, err)
			found, err = s.Compare(t.Context())
			require.NoError(t, err)
			require.Len(t, found.Differences, 1)
			require.Regexp(t, want, found.Differences[0])
			require.NoError(t, s.Store.Close())
		})
	}
}
