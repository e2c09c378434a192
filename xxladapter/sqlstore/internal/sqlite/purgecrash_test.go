//go:build unix

package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// requireRecount compares the figures of all days with the rows.
func requireRecount(t *testing.T, s xxladapter.Store, rows []*xxladapter.Log) {
	t.Helper()
	var want, got xxladapter.DailyReport
	for _, l := range rows {
		want.Add(l.Status(), 1)
	}
	reports, err := s.Reports(t.Context(), time.Time{}, time.Time{})
	require.NoError(t, err)
	for _, r := range reports {
		got.Running, got.Success, got.Failed = got.Running+r.Running, got.Success+r.Success, got.Failed+r.Failed
	}
	require.Equal(t, want, got)
}

// purgeAndTell deletes rows a few at a time, and prints each chunk.
func purgeAndTell(s *records.Store) error {
	for p := (xxladapter.LogPurge{}); ; {
		purged, err := s.PurgeLogs(context.Background(), p, 10)
		if err != nil {
			return err
		}
		fmt.Println("purged", purged.Rows)
		p = purged.Next
	}
}

// TestAPurgeThatIsKilledLeavesWholeChunks kills a child with SIGKILL while it deletes rows with
// their texts.
func TestAPurgeThatIsKilledLeavesWholeChunks(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	const rows = 2000
	s := openFile(t, file, time.Now)
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for id := 1; id <= rows; id++ {
			if _, err := tx.Exec(ctx, `INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code)
				VALUES (?, 1, 1, '2026-03-01 12:00:00', 200, 200)`, id); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, runs.InsertText, id, []byte("x"), 1, 1, ""); err != nil {
				return err
			}
		}
		c := figures.Changes{}
		s.AddStatus(c, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), xxladapter.LogSuccess, rows)
		return s.Count(ctx, tx, c)
	}))
	require.NoError(t, s.Close())

	child := command(t, "purge", file)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	told := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var n int
		_, err := fmt.Sscanf(lines.Text(), "purged %d", &n)
		require.NoError(t, err)
		if told += n; told >= 300 {
			_ = child.Process.Kill()
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	require.GreaterOrEqual(t, told, 300)

	s = openFile(t, file, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	left := func(query string) (n int) {
		require.NoError(t, s.Query(ctx, query, nil, func(r database.Row) error { return r.Scan(&n) }))
		return n
	}
	logs := left(`SELECT count(*) FROM xxl_job_log`)
	require.LessOrEqual(t, logs, rows-told, "what it reported is gone")
	require.Zero(t, logs%10, "a chunk goes whole")
	require.Equal(t, logs, left(`SELECT count(*) FROM xxlwheel_log_text JOIN xxl_job_log ON id = log_id`))
	require.Equal(t, logs, left(`SELECT count(*) FROM xxlwheel_log_text`))
	purged, err := s.PurgeLogs(ctx, xxladapter.LogPurge{}, rows)
	require.NoError(t, err)
	require.True(t, purged.Done)
	require.Equal(t, logs, purged.Rows, "the next purge continues")
	reports, err := s.Reports(ctx, time.Time{}, time.Time{})
	require.NoError(t, err)
	require.Equal(t, []xxladapter.DailyReport{{Day: "2026-03-01", Success: rows}}, reports)
}
