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
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// TestResultsOfRowsThatAreGoneAreLeftOut writes rows as a journal does, and then their results. A
// Java admin has cleared one of the rows meanwhile.
func TestResultsOfRowsThatAreGoneAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, kind := range targetKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			opened, err := Open(t.Context(), emptyTarget(t, kind), Options{Logger: fixture.Quiet})
			require.NoError(t, err)
			s := opened.(*records.Store)
			defer func() { require.NoError(t, s.Close()) }()
			at := time.Now().UTC().Truncate(time.Second)
			write := func(rows ...records.WrittenLog) {
				require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					return s.WriteLogs(ctx, tx, rows)
				}))
			}
			logOf := func(id int64, code int) *xxladapter.Log {
				return &xxladapter.Log{ID: id, GroupID: 1, JobID: 1, TriggerTime: at, TriggerCode: 200, Address: "http://a", TriggerMsg: "sent", HandleCode: code, HandleMsg: "done", HandleTime: at}
			}
			var open []records.WrittenLog
			for id := range int64(5) {
				l := logOf(id+1, 0)
				l.HandleMsg, l.HandleTime = "", time.Time{}
				open = append(open, records.WrittenLog{Log: l, Run: transition.RunChange{Kind: transition.RecordRun, History: xxladapter.RunHistory{LogID: l.ID, Due: at, Type: xxladapter.TriggerCron, Attempt: 1}}})
			}
			write(open...)
			require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM xxl_job_log WHERE id = ?`, 3)
				return err
			}))

			var ended []records.WrittenLog
			for id := range int64(4) { // the fifth stays open
				change := transition.RunChange{Kind: transition.ExtendRun, History: xxladapter.RunHistory{LogID: id + 1, Finished: at}}
				ended = append(ended, records.WrittenLog{Log: logOf(id+1, 200), Stored: true, Base: transition.StateOf(open[id].Log), WantText: 1, Run: change})
			}
			again := *open[4].Log
			again.TriggerMsg = "sent twice"
			write(append(ended, records.WrittenLog{Log: &again, Stored: true, Base: transition.StateOf(open[4].Log)})...)

			var wanted []int64
			require.NoError(t, s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				return tx.Query(ctx, `SELECT log_id FROM xxlwheel_log_fetch ORDER BY log_id`, nil, func(r database.Row) error {
					wanted = append(wanted, 0)
					return r.Scan(&wanted[len(wanted)-1])
				})
			}))
			require.Equal(t, []int64{1, 2, 4}, wanted, "a text goes with its row")
			logs, err := s.Logs(t.Context(), xxladapter.LogFilter{})
			require.NoError(t, err)
			require.Len(t, logs, 4)
			for i, id := range []int64{1, 2, 4, 5} {
				require.Equal(t, id, logs[i].ID)
			}
			for _, l := range logs[:3] {
				require.Equal(t, 200, l.HandleCode)
				require.Equal(t, "done", l.HandleMsg)
				require.True(t, l.HandleTime.Equal(at), "%v is not %v", l.HandleTime, at)
			}
			require.Zero(t, logs[3].HandleCode)
			require.Equal(t, "sent twice", logs[3].TriggerMsg)
		})
	}
}
