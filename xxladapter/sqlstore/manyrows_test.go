//go:build unix

package sqlstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// TestMoreRowsThanAStatementTakes moves jobs and removes fires, as a journal that was far ahead
// does. The rows that exist come last.
func TestMoreRowsThanAStatementTakes(t *testing.T) {
	t.Parallel()
	for _, kind := range targetKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			opened, err := Open(t.Context(), emptyTarget(t, kind), Options{Logger: fixture.Quiet})
			require.NoError(t, err)
			s := opened.(*records.Store)
			defer func() { require.NoError(t, s.Close()) }()
			group, err := s.SaveGroup(t.Context(), &xxladapter.Group{AppName: "many-rows", Title: "many rows"})
			require.NoError(t, err)
			job, err := xxladapter.CreateJob(t.Context(), s, &xxladapter.Job{
				GroupID: group, Name: "last", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "30",
			})
			require.NoError(t, err)
			const rows = 12_000
			fires, moved, ids := make([]xxladapter.Fire, rows), make([]database.MovedJob, rows), make([]int64, rows)
			for i := range fires {
				ids[i] = int64(i + 1)
				fires[i] = xxladapter.Fire{
					ID: ids[i], JobID: ids[i], GroupID: 1, Due: time.Unix(1_800_000_000, 0), ShardTotal: 1,
					Type: xxladapter.TriggerCron, State: xxladapter.FirePlanned, Attempt: 1,
				}
				moved[i] = database.MovedJob{ID: job + int64(rows-1-i), Next: 1_800_000_000_000, Status: 1}
			}
			write := func(apply func(context.Context, *database.Tx) error) {
				t.Helper()
				require.NoError(t, s.Write(t.Context(), apply))
			}
			write(func(ctx context.Context, tx *database.Tx) error { return records.WriteFires(ctx, tx, fires[rows-10:]) })
			write(func(ctx context.Context, tx *database.Tx) error { return records.MoveJobs(ctx, tx, moved) })
			write(func(ctx context.Context, tx *database.Tx) error { return records.RemoveFires(ctx, tx, ids) })
			left, err := s.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			require.Empty(t, left)
			last, err := s.Job(t.Context(), job)
			require.NoError(t, err)
			require.True(t, last.Running)
		})
	}
}
