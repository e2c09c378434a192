//go:build unix

package mysql

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

// TestIDsAreReservedWithinATransaction reserves ids after a savepoint, which the reservation must
// not end. The next rows get higher ids, even after a rollback, and no row is left over or lost.
func TestIDsAreReservedWithinATransaction(t *testing.T) {
	t.Parallel()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	fixture.AddDue(t, s, "job", time.Now())
	fires, _, err := s.ClaimDue(t.Context(), fixture.TermOf(t, s, "n"), 5*time.Second, 10, fixture.EachSecond)
	require.NoError(t, err)
	own := fires[0].ID
	ids := func(ctx context.Context, tx *database.Tx, table string) []int64 {
		found := []int64{}
		require.NoError(t, tx.Query(ctx, `SELECT id FROM `+table+` ORDER BY id`, nil, func(r database.Row) error {
			var id int64
			err := r.Scan(&id)
			found = append(found, id)
			return err
		}))
		return found
	}
	for table, insert := range map[string]string{
		"xxlwheel_fire": `INSERT INTO xxlwheel_fire (job_id, due_ms, shard_index, shard_total, trigger_type, state, retry_count) VALUES (7, 1, 0, 1, '', 'planned', 0)`,
		"xxl_job_log":   `INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) VALUES (1, 7, 0, 0)`,
	} {
		require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			before := ids(ctx, tx, table)
			statements := append([]string{`SAVEPOINT here`}, reserveWithin(table, 1000)...)
			statements = append(statements, `ROLLBACK TO SAVEPOINT here`)
			statements = append(statements, reserveWithin(table, own)...) // a row that is there stays
			for _, statement := range append(statements, insert) {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			after := ids(ctx, tx, table)
			require.Len(t, after, len(before)+1, table)
			require.Equal(t, before, after[:len(before)], table)
			require.Greater(t, after[len(before)], int64(1000), table)
			return nil
		}))
	}
}
