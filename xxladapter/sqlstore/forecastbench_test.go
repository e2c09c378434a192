//go:build unix

package sqlstore

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
)

// BenchmarkForecastOfAllJobs asks the API for seven days of 100,000 running jobs, with up to 14,400
// different cron expressions and as many histories as jobs. At full size on an idle machine, a call
// should take at most 2 s.
func BenchmarkForecastOfAllJobs(b *testing.B) {
	s, clock, _ := benchStore(b, benchEngines[0].open)
	jobs, _ := listSize(b)
	fillJobs(b, "sqlite", s, jobs)
	fillLogs(b, "sqlite", s, jobs, jobs)
	execute(b, s, `UPDATE xxl_job_info SET trigger_status = 1, trigger_next_time = `+fmt.Sprint(clock.Now().Add(time.Hour).UnixMilli())+`,
		schedule_conf = (id % 60) || ' ' || (id / 60 % 60) || ' ' ||
			CASE id / 3600 % 4 WHEN 0 THEN '*' WHEN 1 THEN '2' WHEN 2 THEN '*/6' ELSE '8-18' END || ' * * ?'`)
	api, err := admin.New(admin.Options{
		Store: s, Completer: struct{ admin.Completer }{}, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	server := httptest.NewServer(api)
	b.Cleanup(server.Close)
	ask := func(b *testing.B) {
		resp, err := http.Get(server.URL + "/api/v1/forecast?hours=168")
		require.NoError(b, err)
		defer resp.Body.Close()
		var f struct {
			Jobs, Unreadable, UnknownDurations int
			Cells                              []struct{ Fires int64 }
		}
		require.NoError(b, json.NewDecoder(resp.Body).Decode(&f))
		require.Equal(b, jobs, f.Jobs)
		require.Zero(b, f.Unreadable)
		require.Less(b, f.UnknownDurations, jobs)
		fires := int64(0)
		for _, c := range f.Cells {
			fires += c.Fires
		}
		require.Greater(b, fires, int64(7*jobs), "each job is due at least once a day")
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			ask(b)
		}
	})
	_, err = s.CreatePause(b.Context(), xxladapter.Pause{GroupID: 1, Until: clock.Now().Add(24 * time.Hour)})
	require.NoError(b, err)
	b.Run("with a pause", func(b *testing.B) {
		for b.Loop() {
			ask(b)
		}
	})
}
