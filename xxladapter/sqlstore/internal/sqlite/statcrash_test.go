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
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// foldAndTell counts runs a few at a time, and prints each turn.
func foldAndTell(s *records.Store) error {
	for {
		left, err := s.FoldStats(context.Background(), 5)
		if err != nil {
			return err
		}
		fmt.Println("left", left)
	}
}

// TestACountThatIsKilledCountsEachRunOnce kills children with SIGKILL while they count, and
// compares the figures with the rows.
func TestACountThatIsKilledCountsEachRunOnce(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	const rows = 1000
	s := openFile(t, file, time.Now)
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for id := 1; id <= rows; id++ {
			if _, err := tx.Exec(ctx, `INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code)
				VALUES (?, 1, ?, '2026-03-01 12:00:00', 200, ?)`, id, 1+id%7, []int{200, 502, 0}[id%3]); err != nil {
				return err
			}
		}
		// The mark may pass all rows: the last id is noted as old.
		_, err := tx.Exec(ctx, `UPDATE xxlwheel_stat_mark SET next_id = ?, next_ms = 1`, rows)
		return err
	}))
	require.NoError(t, s.Close())
	for round := range 3 {
		child := command(t, "fold", file)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		turns := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if turns++; turns == 5+10*round {
				_ = child.Process.Kill()
			}
		}
		require.Error(t, child.Wait(), "it was killed")
		require.GreaterOrEqual(t, turns, 5+10*round)
	}

	s = openFile(t, file, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	sum := func() xxladapter.Stat {
		for left := xxladapter.MoreStatWork; left == xxladapter.MoreStatWork; {
			var err error
			left, err = s.FoldStats(ctx, 400)
			require.NoError(t, err)
		}
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		stats, err := s.Stats(ctx, xxladapter.StatFilter{From: at, To: at.Add(time.Hour)})
		require.NoError(t, err)
		return stats[0]
	}
	got := sum()
	require.Equal(t, []int64{333, 334}, []int64{got.Success, got.Timeout})
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE xxl_job_log SET handle_code = 200 WHERE handle_code = 0`)
		return err
	}), "as a Java admin stores results")
	sum() // each turn looks at 400 of the open rows
	got = sum()
	require.Equal(t, []int64{666, 334}, []int64{got.Success, got.Timeout})
}
