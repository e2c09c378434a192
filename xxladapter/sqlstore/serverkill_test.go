//go:build unix

package sqlstore

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestAKilledPostgresKeepsWhatItAcknowledged(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	server := testserver.StartPostgres(t)
	s := openURL(t, server.Database(t), Options{})
	defer func() { require.NoError(t, s.Close()) }()
	testKilledServer(t, server, s)
}

func TestAKilledMariaDBKeepsWhatItAcknowledged(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	server := testserver.StartMariaDB(t)
	address := server.Database(t)
	require.NoError(t, MigrateMySQL(t.Context(), address, true, Options{Logger: fixture.Quiet}))
	s := openMySQLAt(t, address, Options{})
	defer func() { require.NoError(t, s.Close()) }()
	testKilledServer(t, server, s)
}

// testKilledServer kills the server in the middle of writes. The store continues with the restarted
// server.
func testKilledServer(t *testing.T, server *testserver.Server, s *records.Store) {
	t.Helper()
	ctx := t.Context()
	lease, err := s.Lease(ctx, "n1", time.Hour)
	require.NoError(t, err)
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "crash-app", Title: "crash"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "crash"})
	require.NoError(t, err)

	const callers, enough = 8, 300
	var (
		mu                         sync.Mutex
		planned, claimed, finished = map[int64]bool{}, map[int64]int64{}, map[int64]bool{} // by fire, log row by fire, by log row
		reached                    = make(chan struct{})
		wg                         sync.WaitGroup
	)
	note := func(what func()) {
		mu.Lock()
		defer mu.Unlock()
		if what(); len(finished) == enough {
			close(reached)
			finished[-1] = true // not twice
		}
	}
	for range callers {
		wg.Go(func() {
			for {
				fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
				if err != nil {
					return
				}
				id := fires[0].ID
				note(func() { planned[id] = true })
				if id%4 == 0 {
					continue // stays planned
				}
				taken, err := s.ClaimFire(ctx, lease.Term, id, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
				if err != nil {
					return
				}
				note(func() { claimed[id] = taken[0].LogID })
				if id%4 == 1 {
					continue // stays claimed
				}
				if id%4 == 2 {
					_, err := s.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: id, LogID: taken[0].LogID, Code: 200, Msg: "sent"})
					if err != nil {
						return
					}
				}
				if _, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: taken[0].LogID, Code: 200}); err != nil {
					return
				}
				note(func() { finished[taken[0].LogID] = true })
			}
		})
	}
	<-reached
	server.Kill(t)
	wg.Wait()
	delete(finished, -1)
	server.Start(t)

	fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err, "the first call after the restart")
	open := map[int64]xxladapter.Fire{}
	for _, f := range fires {
		open[f.ID] = f
	}
	logs, err := s.Logs(ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	rows := map[int64]*xxladapter.Log{}
	for _, l := range logs {
		rows[l.ID] = l
	}
	for id := range planned {
		_, wasClaimed := claimed[id]
		if !wasClaimed && id%4 == 0 {
			require.Contains(t, open, id, "a planned fire is lost")
		}
	}
	for id, log := range claimed {
		require.Contains(t, rows, log, "a log row is lost")
		if id%4 == 1 {
			require.Equal(t, log, open[id].LogID, "a claim is lost")
		}
	}
	for log := range finished {
		require.Equal(t, 200, rows[log].HandleCode, "a result is lost")
	}
	fire, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = s.ClaimFire(ctx, lease.Term, fire[0].ID, []*xxladapter.Log{{JobID: job}})
	require.NoError(t, err)
}
