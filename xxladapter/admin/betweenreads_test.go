package admin

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A changingStore changes once, before one of the reads that a timeline or an explanation makes.
type changingStore struct {
	*memstore.Store
	reads  int    // so far
	at     int    // the number of the read before which it changes, counted from 1
	change func() // changes the store
}

func (s *changingStore) read() {
	if s.reads++; s.reads == s.at {
		s.change()
	}
}

func (s *changingStore) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	s.read()
	return s.Store.Job(ctx, id)
}

func (s *changingStore) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	s.read()
	return s.Store.AuditRows(ctx, f)
}

func (s *changingStore) JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error) {
	s.read()
	return s.Store.JobVersions(ctx, f)
}

func (s *changingStore) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	s.read()
	return s.Store.OpenFires(ctx, f)
}

func (s *changingStore) RunsDue(ctx context.Context, f xxladapter.RunsDueFilter) ([]xxladapter.DueRun, error) {
	s.read()
	return s.Store.RunsDue(ctx, f)
}

func (s *changingStore) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	s.read()
	return s.Store.Misfires(ctx, f)
}

// TestATimelineLosesNothingBetweenItsReads settles a fire, begins a pause or edits the job before
// each read of a timeline and of an explanation. Each due time is shown once, as it was before the
// change or after it.
func TestATimelineLosesNothingBetweenItsReads(t *testing.T) {
	two := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	due := two.Add(10 * time.Second)
	settle := func(s *site, job int64, term xxladapter.Term, fire int64) {
		claimed, err := s.store.ClaimFire(t.Context(), term, fire, []*xxladapter.Log{{JobID: job, GroupID: 1, Address: "http://10.0.0.7:9999/", TriggerTime: due}})
		require.NoError(t, err)
		_, err = s.store.SettleFire(t.Context(), term, xxladapter.Settlement{FireID: fire, LogID: claimed[0].LogID, Code: xxladapter.ResultOK})
		require.NoError(t, err)
		_, _, err = s.store.FinishRun(t.Context(), xxladapter.RunResult{LogID: claimed[0].LogID, Code: xxladapter.ResultOK})
		require.NoError(t, err)
	}
	pause := func(s *site, _ int64, _ xxladapter.Term, _ int64) {
		_, err := s.store.CreatePause(t.Context(), xxladapter.Pause{Note: "release"})
		require.NoError(t, err)
	}
	edit := func(s *site, job int64, _ xxladapter.Term, _ int64) {
		status, answer := s.do("PUT", fmt.Sprintf("/api/v1/jobs/%d", job), testToken, `{"scheduleConf":"10 * * * * ?"}`)
		require.Equal(t, http.StatusOK, status, answer)
	}
	const before, after = "0/10 * * * * ?", "10 * * * * ?"
	for _, c := range []struct {
		name   string
		change func(s *site, job int64, term xxladapter.Term, fire int64)
		fates  []string // of the due time
		codes  []string
		confs  [][]string // of the schedule's spans: off, on, and on after an edit
	}{
		{"settle", settle, []string{"OPEN", "FIRED"}, []string{"being_sent", "ran"}, [][]string{{before, before}}},
		{"pause", pause, []string{"OPEN", "PAUSED"}, []string{"being_sent", "paused"}, [][]string{{before, before}}},
		{"edit", edit, []string{"OPEN", "NOTHING"}, []string{"being_sent", "no_record"}, [][]string{{before, before}, {before, before, after}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for read := 1; ; read++ {
				changed := true
				for _, call := range []string{"timeline", "why"} {
					elapsed := time.Duration(0)
					store := &changingStore{Store: memstore.New(func() time.Time { return two.Add(elapsed) })}
					s := siteWith(t, func(o *Options) { o.Store = store })
					s.store = store.Store
					job := s.createJob(`,"scheduleType":"CRON","scheduleConf":"` + before + `"`)
					elapsed = 6 * time.Second
					status, answer := s.do("POST", fmt.Sprintf("/api/v1/jobs/%d/start", job), testToken, "")
					require.Equal(t, http.StatusOK, status, answer)
					elapsed = 7 * time.Second
					lease, err := s.store.Lease(t.Context(), "n1", time.Hour)
					require.NoError(t, err)
					fires, _, err := s.store.ClaimDue(t.Context(), lease.Term, 5*time.Second, 10, func(_ time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
						return []xxladapter.Decision{{JobID: job, Last: due, Next: due.Add(10 * time.Second), Fires: []xxladapter.Fire{{Due: due, Type: xxladapter.TriggerCron, RetryCount: -1}}}}
					})
					require.NoError(t, err)
					require.Len(t, fires, 1)
					elapsed = 10500 * time.Millisecond
					done := false
					store.reads, store.at = 0, read
					store.change = func() { c.change(s, job, lease.Term, fires[0].ID); done = true }
					if call == "timeline" {
						line := s.timeline(job, two.Add(5*time.Second), two.Add(15*time.Second))
						require.Len(t, line.Planned, 1, "before read %d", read)
						require.Contains(t, c.fates, line.Planned[0].Fate, "before read %d", read)
						if line.Planned[0].Fate == "PAUSED" {
							require.Len(t, line.Misfires, 1)
						}
						var confs []string
						for _, span := range line.Schedules {
							confs = append(confs, span.ScheduleConf)
						}
						require.Contains(t, c.confs, confs, "before read %d", read)
					} else {
						_, codes := s.why(job, due)
						require.Len(t, codes, 1, "before read %d: %v", read, codes)
						require.Contains(t, c.codes, codes[0], "before read %d", read)
					}
					changed = changed && done
				}
				if !changed {
					require.Greater(t, read, 6)
					return
				}
			}
		})
	}
}
