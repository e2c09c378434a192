package sqlstore

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
)

// A heldStore notes how long the chunks of a purge held the store.
type heldStore struct {
	*Store
	held []time.Duration
}

func (s *heldStore) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	purged, err := s.Store.PurgeLogs(ctx, p, limit)
	s.held = append(s.held, purged.Held)
	return purged, err
}

// report gives the 99th percentile and the maximum of what chunks held, and how
// many were above the limit of 50 ms.
func (s *heldStore) report(b *testing.B) {
	slices.Sort(s.held)
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	over, _ := slices.BinarySearch(s.held, 50*time.Millisecond+1)
	b.ReportMetric(milliseconds(s.held[(len(s.held)-1)*99/100]), "p99-ms")
	b.ReportMetric(milliseconds(s.held[len(s.held)-1]), "max-ms")
	b.ReportMetric(float64(len(s.held)-over), "over-50ms")
	b.ReportMetric(float64(len(s.held)), "chunks")
}

// BenchmarkPurge deletes 200,000 rows, a fifth of them with a text, in chunks as
// a node does. No chunk should hold the writer for more than 50 ms.
func BenchmarkPurge(b *testing.B) {
	const rows = 200_000
	for range b.N {
		b.StopTimer()
		s, err := OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "x.db"), Options{Logger: quiet})
		require.NoError(b, err)
		for _, fill := range []string{
			`INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, executor_fail_retry_count,
				trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 1, i % 500, 'http://10.0.0.7:9999/', 'handler', 'param', 0,
				datetime('2026-01-01', '+' || i || ' seconds'), 200, hex(zeroblob(200)), '2026-01-03 00:00:00', 200, 'done', 0 FROM n`,
			`INSERT INTO xxlwheel_log_text (log_id, body, size, complete) SELECT id, randomblob(1000), 4000, 1 FROM xxl_job_log WHERE id % 5 = 0 AND id <= ? + 1`,
		} {
			require.NoError(b, s.write(b.Context(), func(ctx context.Context, tx *tx) error {
				_, err := tx.exec(ctx, fill, rows-1)
				return err
			}))
		}
		held := &heldStore{Store: s}
		b.StartTimer()
		p := maintenance.Purger{Store: held, Logger: quiet}
		deleted, done, err := p.Purge(b.Context(), xxladapter.LogPurge{Before: time.Now().AddDate(1, 0, 0)}, 0)
		b.StopTimer()
		require.NoError(b, err)
		require.True(b, done)
		require.EqualValues(b, rows, deleted)
		held.report(b)
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}
