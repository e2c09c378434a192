package queuetest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestASlowAppDelaysNoOther fills the queue of one app, whose executor is frozen, while another app
// has 50 runs a second. It judges how much later the runs of the other app begin. Milliseconds mean
// something only on an otherwise idle machine, so the limit is wide except in a soak.
func TestASlowAppDelaysNoOther(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		require.NoError(t, os.MkdirAll(s.records(), 0o700))
		orders := s.group
		s.startExecutor("e1")
		s.executors(1)
		s.group = s.addGroup(otherApp)
		slow := s.startExecutorOf(otherApp, otherApp)
		s.executors(1)
		flood := []int64{}
		for i := range 20 {
			flood = append(flood, s.job(fmt.Sprint("slow ", i), map[string]any{"executorParam": "1s"}))
		}
		s.group = orders
		for i := range 50 {
			id := s.job(fmt.Sprint("quick ", i), map[string]any{"executorHandler": "note", "scheduleType": "CRON", "scheduleConf": "* * * * * ?"})
			require.NoError(t, s.call(http.MethodPost, fmt.Sprintf("/jobs/%d/start", id), map[string]any{}, nil))
		}
		phase := time.Duration(pick(0, 5, 60)) * time.Second
		time.Sleep(2*time.Second + phase) // the load runs alone
		flooded := time.Now()
		for range 50 {
			require.NoError(t, s.call(http.MethodPost, "/jobs/bulk", map[string]any{"action": "trigger", "ids": flood}, nil))
		}
		slow.freeze()
		time.Sleep(phase) // both run
		alone, beside := s.lateness(flooded.Add(-phase), flooded), s.lateness(flooded, flooded.Add(phase))
		t.Logf("p99 of the beginnings: %v alone, %v beside a slow app", alone, beside)
		limit := 2 * time.Second
		if testserver.Soak() {
			limit = 50 * time.Millisecond
		}
		require.Less(t, beside, alone+limit)
	})
}

// lateness returns the 99th percentile of the time from due time to beginning, for the runs that
// were due between from and to.
func (s *site) lateness(from, to time.Time) time.Duration {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.records(), "*"))
	require.NoError(s.t, err)
	h, err := checker.ReadFiles(s.t.Context(), files)
	require.NoError(s.t, err)
	var late []time.Duration
	for _, r := range h.Runs {
		if due := r.Due.Time(); !due.Before(from) && due.Before(to) {
			late = append(late, r.Start.Time().Sub(due))
		}
	}
	require.NotEmpty(s.t, late)
	slices.Sort(late)
	return late[len(late)*99/100]
}
