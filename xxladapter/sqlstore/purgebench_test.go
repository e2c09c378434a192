//go:build unix

package sqlstore

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A heldStore records how long the chunks of a purge held the store.
type heldStore struct {
	*records.Store
	held []time.Duration
}

func (s *heldStore) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	purged, err := s.Store.PurgeLogs(ctx, p, limit)
	s.held = append(s.held, purged.Held)
	return purged, err
}

// report prints the median, the 99th percentile and the maximum of the chunks, and how many
// exceeded the limit of 50 ms.
func (s *heldStore) report(b *testing.B) {
	slices.Sort(s.held)
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	over, _ := slices.BinarySearch(s.held, 50*time.Millisecond+1)
	b.ReportMetric(milliseconds(s.held[len(s.held)/2]), "p50-ms")
	b.ReportMetric(milliseconds(s.held[(len(s.held)-1)*99/100]), "p99-ms")
	b.ReportMetric(milliseconds(s.held[len(s.held)-1]), "max-ms")
	b.ReportMetric(float64(len(s.held)-over), "over-50ms")
	b.ReportMetric(float64(len(s.held)), "chunks")
}

// purgeRows returns how many rows a purge finds. With -short they are few: the benchmark only shows
// that it works, and filling a database takes longer than emptying it.
func purgeRows() int {
	if testing.Short() {
		return 10_000
	}
	return 200_000
}

// BenchmarkPurge purges a log of purgeRows rows, a fifth of them with a text and some kept by an
// open fire, in chunks as a node does. No chunk should block others for more than 50 ms.
func BenchmarkPurge(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) {
		benchmarkPurge(b, func() (xxladapter.Store, error) {
			return OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "x.db"), Options{Logger: fixture.Quiet})
		})
	})
	b.Run("Postgres", func(b *testing.B) {
		server := testserver.StartPostgres(b)
		benchmarkPurge(b, func() (xxladapter.Store, error) {
			return OpenPostgres(b.Context(), server.Database(b), Options{Logger: fixture.Quiet})
		})
	})
	b.Run("MariaDB", func(b *testing.B) {
		server := testserver.StartMariaDB(b)
		benchmarkPurge(b, func() (xxladapter.Store, error) {
			url := server.Database(b)
			if err := MigrateMySQL(b.Context(), url, true, Options{Logger: fixture.Quiet}); err != nil {
				return nil, err
			}
			return OpenMySQL(b.Context(), url, Options{Logger: fixture.Quiet})
		})
	})
}

func benchmarkPurge(b *testing.B, open func() (xxladapter.Store, error)) {
	for range b.N {
		b.StopTimer()
		opened, err := open()
		require.NoError(b, err)
		s := opened.(*records.Store)
		fillLog(b, s)
		held := &heldStore{Store: s}
		p := maintenance.Purger{Store: held, Logger: fixture.Quiet}
		b.StartTimer()
		deleted, done, err := p.Purge(b.Context(), xxladapter.LogPurge{Before: time.Now().AddDate(1, 0, 0)}, 0)
		b.StopTimer()
		require.NoError(b, err)
		require.True(b, done)
		require.EqualValues(b, purgeRows()-purgeRows()/100, deleted)
		held.report(b)
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}

// fillLog gives s purgeRows rows in statements that all databases understand.
func fillLog(b *testing.B, s *records.Store) {
	const digits = `(SELECT 0 AS i UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
		UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)`
	const thousand = `(SELECT a.i + 10 * b.i + 100 * c.i AS i FROM ` + digits + ` a CROSS JOIN ` + digits + ` b CROSS JOIN ` + digits + ` c) n`
	msg := strings.Repeat("m", 400)
	body := make([]byte, 1000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	write := func(query string, args ...any) {
		require.NoError(b, s.Write(b.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		}))
	}
	for begin := 0; begin < purgeRows(); begin += 1000 {
		write(`INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param, executor_fail_retry_count,
				trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
			SELECT 1, i % 500, 'http://10.0.0.7:9999/', 'handler', 'param', 0, ` +
			`CAST('2026-01-01 00:00:00' AS ` + datetimeType(s) + `), 200, '` + msg + `', CAST('2026-01-03 00:00:00' AS ` + datetimeType(s) + `), 200, 'done', 0 FROM ` + thousand)
	}
	write(`INSERT INTO xxlwheel_log_text (log_id, body, size, complete) SELECT id, ?, 4000, 1 FROM xxl_job_log WHERE id % 5 = 0`, body)
	write(`INSERT INTO xxlwheel_run (log_id, due_ms, trigger_type, attempt, shard_index, shard_total, node, term, claimed_ms, sent_ms, acked_ms, finished_ms)
		SELECT id, 1, 'CRON', 1, 0, 1, 'scheduler-1', 7, 1, 1, 1, 1 FROM xxl_job_log WHERE id % 100 <> 1`)
	write(`INSERT INTO xxlwheel_fire (` + records.FireValues + `, log_id)
		SELECT job_id, job_group, id, 0, 1, 'CRON', 'claimed', -1, '', '', 0, 0, id FROM xxl_job_log WHERE id % 100 = 1`)
}

// datetimeType returns the type to which a text is cast for a datetime column.
func datetimeType(s *records.Store) string {
	switch {
	case s.Dialect.Returning:
		return "timestamp"
	case s.Dialect.LockSchedule != "":
		return "datetime"
	}
	return "text"
}
