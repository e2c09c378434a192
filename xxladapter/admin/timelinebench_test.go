package admin

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// BenchmarkTimeline asks for the timeline of a job that ran 10,000 times, by hand within an hour or
// by its schedule every second, on SQLite. The answer crosses HTTP.
func BenchmarkTimeline(b *testing.B) {
	for _, c := range []struct {
		name     string
		schedule xxladapter.ScheduleType
		conf     string
		trigger  xxladapter.TriggerType
		span     time.Duration
	}{
		{"manual", xxladapter.ScheduleNone, "", xxladapter.TriggerManual, time.Hour},
		{"cron", xxladapter.ScheduleCron, "* * * * * ?", xxladapter.TriggerCron, maxTimeline * time.Second},
	} {
		b.Run(c.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "site.db")
			logger := slog.New(slog.DiscardHandler)
			store, err := sqlstore.OpenSQLite(b.Context(), file, sqlstore.Options{Logger: logger})
			require.NoError(b, err)
			defer store.Close()
			to := time.Now().Truncate(time.Second)
			from := to.Add(-c.span)
			group, err := store.SaveGroup(b.Context(), &xxladapter.Group{AppName: "orders", Title: "Orders"})
			require.NoError(b, err)
			job := &xxladapter.Job{GroupID: group, Name: "often", Author: "a", Handler: "greet", ScheduleType: c.schedule, ScheduleConf: c.conf}
			job.SetDefaults()
			id, err := xxladapter.CreateJob(b.Context(), store, job)
			require.NoError(b, err)
			db, err := sql.Open("sqlite", file)
			require.NoError(b, err)
			defer db.Close()
			execute := func(query string, args ...any) {
				b.Helper()
				_, err := db.ExecContext(b.Context(), query, args...)
				require.NoError(b, err)
			}
			if c.schedule == xxladapter.ScheduleCron {
				_, err = xxladapter.StartJob(b.Context(), store, id, time.Time{}, func(time.Time) time.Time { return to })
				require.NoError(b, err)
				execute(`UPDATE xxl_job_info SET add_time = ?1, update_time = ?1`, from.UTC().Format(time.DateTime))
			}
			execute(`WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
				INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, executor_param,
					trigger_time, trigger_code, trigger_msg, handle_time, handle_code, handle_msg, alarm_status)
				SELECT 1, ?2, 'http://10.0.0.7:9999/', 'greet', '', datetime(?3 + n * ?4 / ?1, 'unixepoch'), 200,
					'route strategy: FIRST, block strategy: SERIAL_EXECUTION, the executor accepted the run',
					datetime(?3 + n * ?4 / ?1, 'unixepoch'), 200, '', 0 FROM numbers`, maxTimeline-1, id, from.Unix(), int64(c.span.Seconds())-1)
			execute(`INSERT INTO xxlwheel_run (log_id, due_ms, trigger_type, attempt, shard_index, shard_total, node, term,
					claimed_ms, sent_ms, acked_ms, finished_ms)
				SELECT id, at, ?, 1, 0, 1, 'scheduler-1', 1, at + 3, at + 5, at + 7, at + 40
				FROM (SELECT id, CAST(strftime('%s', trigger_time) AS INTEGER) * 1000 AS at FROM xxl_job_log)`, string(c.trigger))
			s, err := New(Options{
				Store: store, Completer: new(fakeCompleter), Executors: new(fakeExecutors), Purger: new(purgeNote), AccessToken: testToken,
				Zone: time.FixedZone("", 8*3600), Logger: logger, Planned: func(xxladapter.Fire) {}, JobChanged: func() {}, JobRemoved: func() {},
			})
			require.NoError(b, err)
			server := httptest.NewServer(s)
			defer server.Close()
			query := url.Values{"from": {from.UTC().Format(time.RFC3339)}, "to": {to.UTC().Format(time.RFC3339)}}
			r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, fmt.Sprintf("%s/api/v1/jobs/%d/timeline?%s", server.URL, id, query.Encode()), nil)
			require.NoError(b, err)
			r.Header.Set("Authorization", "Bearer "+testToken)
			var size int64
			for b.Loop() {
				answer, err := server.Client().Do(r)
				require.NoError(b, err)
				require.Equal(b, http.StatusOK, answer.StatusCode)
				size, err = io.Copy(io.Discard, answer.Body)
				require.NoError(b, err)
				require.NoError(b, answer.Body.Close())
			}
			require.Greater(b, size, int64(100*maxTimeline)) // all runs are there
			b.ReportMetric(float64(size), "B/answer")
		})
	}
}
