//go:build unix

package sqlstore

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// listSize returns how many jobs and log rows the benchmarks of lists work on. XXLWHEEL_BENCH_SCALE
// divides the full size, 100,000 jobs and ten million rows; it defaults to 100.
func listSize(b *testing.B) (jobs, rows int) {
	b.Helper()
	scale := 100
	if text := os.Getenv("XXLWHEEL_BENCH_SCALE"); text != "" {
		var err error
		scale, err = strconv.Atoi(text)
		require.NoError(b, err)
		require.Positive(b, scale)
	}
	return 100_000 / scale, 10_000_000 / scale
}

// engineOf returns the engine of a benchmark that [eachEngine] runs.
func engineOf(b *testing.B) string { return strings.Split(b.Name(), "/")[1] }

// numbers returns a table of the numbers from 1 to n, as a part of a FROM.
func numbers(engine string, n int) string {
	switch engine {
	case "postgres":
		return fmt.Sprintf(`generate_series(1::bigint, %d) AS numbers (n)`, n)
	case "mysql":
		return fmt.Sprintf(`(SELECT seq AS n FROM %s) AS numbers`, fixture.MySQLNumbers(n))
	}
	return fmt.Sprintf(`(WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %d) SELECT n FROM r) AS numbers`, n)
}

// execute runs a statement that fills tables.
func execute(b *testing.B, s *records.Store, statement string) {
	b.Helper()
	require.NoError(b, s.WriteBy(b.Context(), s.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, statement)
		return err
	}))
}

// text returns an SQL expression that concatenates parts.
func text(engine string, parts ...string) string {
	if engine == "mysql" {
		all := parts[0]
		for _, part := range parts[1:] {
			all += `, ` + part
		}
		return `CONCAT(` + all + `)`
	}
	all := parts[0]
	for _, part := range parts[1:] {
		all += ` || ` + part
	}
	return all
}

// fillJobs stores jobs of 50 groups with distinct names.
func fillJobs(b *testing.B, engine string, s *records.Store, jobs int) {
	b.Helper()
	execute(b, s, `INSERT INTO xxl_job_info (job_group, job_desc, author, executor_handler, executor_param, glue_type, glue_source,
			schedule_type, schedule_conf, trigger_status, trigger_next_time, add_time, update_time)
		SELECT 1 + n % 50, `+text(engine, `'job '`, `n * 7919 % 100003`)+`, `+text(engine, `'author '`, `n % 100`)+`, `+
		text(engine, `'handler'`, `n % 1000`)+`, 'some parameter', 'BEAN', '', 'CRON', '0 0 2 * * ?', n % 2, 1700000000000 + n * 1000,
			'2026-03-01 12:00:00', '2026-03-01 12:00:00' FROM `+numbers(engine, jobs))
	execute(b, s, `INSERT INTO xxlwheel_job_tag (job_id, tag) SELECT id, 'nightly' FROM xxl_job_info WHERE id % 200 = 0`)
}

// BenchmarkListJobs lists pages of 100 jobs. At full size on an idle machine, a page should take at
// most 50 ms, a sorted page or a search for a text 200 ms, and a page of 1,000 rows 150 ms.
func BenchmarkListJobs(b *testing.B) {
	eachEngine(b, func(b *testing.B, open func(b *testing.B) (*records.Store, *benchClock, int64)) {
		s, _, _ := open(b)
		engine := engineOf(b)
		jobs, _ := listSize(b)
		fillJobs(b, engine, s, jobs)
		on := true
		for _, c := range []struct {
			name   string
			filter xxladapter.JobFilter
		}{
			{"first", xxladapter.JobFilter{}},
			{"middle", xxladapter.JobFilter{AfterID: int64(jobs / 2)}},
			{"group", xxladapter.JobFilter{GroupID: 7}},
			{"running", xxladapter.JobFilter{Running: &on}},
			{"name", xxladapter.JobFilter{Name: "job 4711"}},
			{"handler", xxladapter.JobFilter{Handler: "handler77"}},
			{"author", xxladapter.JobFilter{Author: "author 77"}},
			{"author-none", xxladapter.JobFilter{Author: "nobody"}},
			{"tag", xxladapter.JobFilter{Tag: "nightly"}},
			{"type", xxladapter.JobFilter{Type: xxladapter.ScheduleCron}},
			{"type-none", xxladapter.JobFilter{Type: xxladapter.ScheduleOnce}},
			{"by-name", xxladapter.JobFilter{Sort: xxladapter.SortByName}},
			{"by-name-middle", xxladapter.JobFilter{Sort: xxladapter.SortByName, AfterKey: "job 5", AfterID: 1}},
			{"by-author", xxladapter.JobFilter{Sort: xxladapter.SortByAuthor}},
			{"by-handler", xxladapter.JobFilter{Sort: xxladapter.SortByHandler}},
			{"by-type", xxladapter.JobFilter{Sort: xxladapter.SortByType, Descending: true}},
			{"by-group", xxladapter.JobFilter{Sort: xxladapter.SortByGroup}},
			{"by-status", xxladapter.JobFilter{Sort: xxladapter.SortByStatus}},
			{"by-next", xxladapter.JobFilter{Sort: xxladapter.SortByNext, Descending: true}},
			{"by-updated", xxladapter.JobFilter{Sort: xxladapter.SortByUpdated}},
			{"name-by-name", xxladapter.JobFilter{Name: "11", Sort: xxladapter.SortByName}},
		} {
			b.Run(c.name, func(b *testing.B) {
				c.filter.Limit, c.filter.Light = 100, true
				for b.Loop() {
					_, err := s.Jobs(b.Context(), c.filter)
					require.NoError(b, err)
				}
			})
		}
		b.Run("1000-rows", func(b *testing.B) {
			for b.Loop() {
				_, err := s.Jobs(b.Context(), xxladapter.JobFilter{Limit: 1000})
				require.NoError(b, err)
			}
		})
		b.Run("tags", func(b *testing.B) {
			for b.Loop() {
				_, err := s.CountTags(b.Context(), nil)
				require.NoError(b, err)
			}
		})
		b.Run("count", func(b *testing.B) {
			for b.Loop() {
				_, err := s.CountJobs(b.Context(), xxladapter.JobFilter{Name: "11"}, 10_001)
				require.NoError(b, err)
			}
		})
	})
}

// fillLogs stores log rows in the order of their times, ten for each second, and takes the jobs in
// turn. One in 1,000 failed, and the last 50 are running.
func fillLogs(b *testing.B, engine string, s *records.Store, jobs, rows int) {
	b.Helper()
	at := map[string]string{
		"sqlite":   `strftime('%%Y-%%m-%%d %%H:%%M:%%S', 1767225600 + (n + %[1]d) / 10, 'unixepoch')`,
		"mysql":    `FROM_UNIXTIME(1767225600 + FLOOR((n + %[1]d) / 10))`,
		"postgres": `to_timestamp(1767225600 + (n + %[1]d) / 10) AT TIME ZONE 'UTC'`,
	}[engine]
	const chunk = 20_000 // stored well within the limit of an answer, also on a busy machine
	for before := 0; before < rows; before += chunk {
		n := min(chunk, rows-before)
		when := fmt.Sprintf(at, before)
		execute(b, s, fmt.Sprintf(`INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param,
				trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
			SELECT 1 + (n + %[1]d) %% 50, 1 + (n + %[1]d) * 7919 %% %[2]d, `, before, jobs)+
			text(engine, `'http://10.0.0.'`, `n % 200`, `':9999/'`)+`, 'handler', 'some parameter', `+
			when+`, 200, 'route strategy: ROUND, block strategy: SERIAL_EXECUTION, the executor accepted the run', `+
			fmt.Sprintf(`CASE WHEN n + %[1]d > %[2]d - 50 THEN NULL ELSE %[3]s END,
				CASE WHEN n + %[1]d > %[2]d - 50 THEN 0 WHEN (n + %[1]d) %% 1000 = 0 THEN 500 ELSE 200 END,
				CASE WHEN (n + %[1]d) %% 1000 = 0 THEN 'disk full' ELSE 'done' END, 1`, before, rows, when)+
			` FROM `+numbers(engine, n))
		execute(b, s, `INSERT INTO xxlwheel_run (log_id, due_ms, trigger_type, attempt, shard_index, shard_total, node, term,
				claimed_ms, sent_ms, acked_ms, finished_ms)
			SELECT id, 1767225600000, 'CRON', 1, 0, 1, 'n1', 1, 1767225600005, 1767225600006, 1767225600007, 1767225600007 + id % 10000
			FROM xxl_job_log WHERE id > (SELECT COALESCE(MAX(log_id), 0) FROM xxlwheel_run)`)
	}
	switch engine {
	case "sqlite":
		execute(b, s, `ANALYZE`)
	case "postgres": // with the default of 100, ten million rows would exceed the limit
		execute(b, s, `DO $$ BEGIN SET LOCAL default_statistics_target = 10; ANALYZE xxl_job_info, xxl_job_log, xxlwheel_run; END $$`)
	}
}

// BenchmarkListRuns lists pages of the newest 100 runs. At full size on an idle machine, a page
// should take at most 50 ms. A search that no index serves reads 50,000 rows if it does not fill
// its page.
func BenchmarkListRuns(b *testing.B) {
	eachEngine(b, func(b *testing.B, open func(b *testing.B) (*records.Store, *benchClock, int64)) {
		s, _, _ := open(b)
		engine := engineOf(b)
		jobs, rows := listSize(b)
		fillJobs(b, engine, s, jobs)
		fillLogs(b, engine, s, jobs, rows)
		middle := time.Unix(1767225600+int64(rows)/20, 0)
		of := func(f xxladapter.LogFilter) xxladapter.RunFilter { return xxladapter.RunFilter{LogFilter: f} }
		for _, c := range []struct {
			name   string
			filter xxladapter.RunFilter
		}{
			{"newest", xxladapter.RunFilter{}},
			{"page-1000", of(xxladapter.LogFilter{AfterID: int64(rows) - 100_000*int64(rows)/10_000_000})},
			{"job", of(xxladapter.LogFilter{JobID: 7})},
			{"group", of(xxladapter.LogFilter{GroupID: 7})},
			{"running", of(xxladapter.LogFilter{Status: xxladapter.LogRunning})},
			{"success", of(xxladapter.LogFilter{Status: xxladapter.LogSuccess})},
			{"failed", of(xxladapter.LogFilter{Status: xxladapter.LogFail})},
			{"failed-of-job", of(xxladapter.LogFilter{Status: xxladapter.LogFail, JobID: 7})},
			{"since", of(xxladapter.LogFilter{Since: middle})},
			{"before", of(xxladapter.LogFilter{Before: middle})},
			{"hour", of(xxladapter.LogFilter{Since: middle, Before: middle.Add(time.Hour)})},
			{"address", xxladapter.RunFilter{Address: "10.0.0.7:"}},
			{"longer", xxladapter.RunFilter{AtLeast: 9 * time.Second}},
			{"type", xxladapter.RunFilter{Type: xxladapter.TriggerCron}},
			{"type-none", xxladapter.RunFilter{Type: xxladapter.TriggerManual}},
			{"type-none-of-job", xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{JobID: 7}, Type: xxladapter.TriggerManual}},
			{"longer-none", xxladapter.RunFilter{AtLeast: time.Hour}},
			{"address-none", xxladapter.RunFilter{Address: "10.9.9.9:"}},
			{"lost", xxladapter.RunFilter{Lost: true}},
			{"text", xxladapter.RunFilter{Text: "disk"}},
			{"text-none", xxladapter.RunFilter{Text: "no such text"}},
		} {
			b.Run(c.name, func(b *testing.B) {
				c.filter.Limit, c.filter.Newest = 100, true
				for b.Loop() {
					_, _, err := s.Runs(b.Context(), c.filter)
					require.NoError(b, err)
				}
			})
		}
		b.Run("last-runs-2000", func(b *testing.B) {
			ids := make([]int64, min(2000, jobs))
			for i := range ids {
				ids[i] = int64(i + 1)
			}
			for b.Loop() {
				_, err := s.LastRuns(b.Context(), ids)
				require.NoError(b, err)
			}
		})
		b.Run("recent-20-of-100", func(b *testing.B) {
			ids := make([]int64, min(100, jobs))
			for i := range ids {
				ids[i] = int64(i + 1)
			}
			for b.Loop() {
				_, err := s.RecentRuns(b.Context(), ids, 20)
				require.NoError(b, err)
			}
		})
		b.Run("mean-durations", func(b *testing.B) {
			for b.Loop() {
				_, err := s.MeanDurations(b.Context(), 100_000)
				require.NoError(b, err)
			}
		})
		b.Run("all-jobs", func(b *testing.B) {
			for b.Loop() {
				_, err := s.Jobs(b.Context(), xxladapter.JobFilter{Light: true})
				require.NoError(b, err)
			}
		})
		// The statistics have counted all rows but those of the last eighty seconds: 800 at ten
		// rows a second, as in this log, and 60,000 at 750 a second.
		for _, uncounted := range []int{800, 60_000} {
			var counted int64 // found by counting rows, as MariaDB leaves gaps between ids
			require.NoError(b, s.Query(b.Context(), `SELECT id FROM xxl_job_log ORDER BY id DESC LIMIT 1 OFFSET ?`,
				[]any{min(uncounted, rows/2)}, func(r database.Row) error { return r.Scan(&counted) }))
			execute(b, s, fmt.Sprintf(`UPDATE xxlwheel_stat_mark SET folded_id = %[1]d, next_id = %[1]d`, counted))
			execute(b, s, `DELETE FROM xxlwheel_last_result`)
			execute(b, s, fmt.Sprintf(`INSERT INTO xxlwheel_last_result (job_id, log_id, result)
				SELECT job_id, MAX(id), CASE WHEN job_id %% 100 = 0 THEN 'FAILED' ELSE 'SUCCESS' END FROM xxl_job_log
				WHERE id > %d AND id <= %d GROUP BY job_id`, max(0, counted-5*int64(jobs)), counted))
			for _, result := range xxladapter.LastResult("").Values() {
				b.Run(fmt.Sprintf("jobs-%s-%d", strings.ToLower(string(result)), uncounted), func(b *testing.B) {
					for b.Loop() {
						_, err := s.Jobs(b.Context(), xxladapter.JobFilter{LastResult: result, Limit: 100, Light: true})
						require.NoError(b, err)
					}
				})
			}
		}
		b.Run("count", func(b *testing.B) {
			for b.Loop() {
				_, _, err := s.CountRuns(b.Context(), xxladapter.RunFilter{}, 10_000)
				require.NoError(b, err)
			}
		})
	})
}
