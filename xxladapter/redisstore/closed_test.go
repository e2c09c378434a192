//go:build unix

package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestALeaseAfterTheStoreWasClosed closes a store while another process that uses it has no lease:
// that process has just started, or it was frozen. The tables need no Redis from then on, until the
// process gets a lease.
func TestALeaseAfterTheStoreWasClosed(t *testing.T) {
	t.Parallel()
	redis, behind := testserver.Redis(t), "sqlite:"+emptySQLite(t)
	a := open(t, redis, behind, nil)
	require.NoError(t, open(t, redis, behind, nil).Close())

	plain, err := sqlstore.Open(t.Context(), behind+"?journal=off", sqlstore.Options{Logger: quiet})
	require.NoError(t, err)
	other, err := plain.Lease(t.Context(), "plain", time.Minute)
	require.NoError(t, err)
	_, err = a.Lease(t.Context(), "a", time.Minute)
	require.ErrorContains(t, err, "a scheduler uses the store without the shared log, must be stopped")
	found, err := plain.Leases(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1, "half of the jobs would belong to a process that cannot plan them")
	require.NoError(t, plain.Resign(t.Context(), other.Term))
	require.NoError(t, plain.Close())

	lease, err := a.Lease(t.Context(), "a", time.Minute)
	require.NoError(t, err)
	_, _, err = a.ClaimDue(t.Context(), lease.Term, 0, 1, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
	require.NoError(t, err)
	_, err = sqlstore.Open(t.Context(), behind, sqlstore.Options{Logger: quiet})
	require.ErrorIs(t, err, sqlstore.ErrShared)
	require.NoError(t, a.Close())
}

// onEachKindOfTables runs a test with empty tables on each kind of database.
func onEachKindOfTables(t *testing.T, test func(t *testing.T, behind string)) {
	for name, tables := range map[string]func(testing.TB) string{
		"sqlite":   func(t testing.TB) string { return "sqlite:" + emptySQLite(t) },
		"postgres": emptyPostgres, "mysql": emptyMySQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, tables(t))
		})
	}
}

// TestRedisIsGivenUp runs jobs with Redis, closes the store, and runs one without Redis. Its log
// row gets an id that none of the others has.
func TestRedisIsGivenUp(t *testing.T) {
	t.Parallel()
	onEachKindOfTables(t, func(t *testing.T, behind string) {
		s := newScene(t, testserver.Redis(t), behind)
		var last int64
		for range 3 {
			s.job(xxladapter.Settings{})
			last = s.send(s.claim()[0])
		}
		require.NoError(t, s.Resign(t.Context(), s.term))
		require.NoError(t, s.Close())

		plain, err := sqlstore.Open(t.Context(), behind, sqlstore.Options{Logger: quiet})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, plain.Close()) })
		lease, err := plain.Lease(t.Context(), "node", time.Minute)
		require.NoError(t, err)
		fires, err := plain.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 1, Due: time.Now().Add(-time.Second), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		sent, err := plain.ClaimFire(t.Context(), lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: time.Now()}})
		require.NoError(t, err)
		require.Greater(t, sent[0].LogID, last)
	})
}

// TestAClosedLogIsNoLoss closes a store and opens it with another Redis. The tables had everything,
// so a due time that has passed meanwhile is in no doubt, and fires.
func TestAClosedLogIsNoLoss(t *testing.T) {
	t.Parallel()
	behind := "sqlite:" + emptySQLite(t)
	first := newScene(t, testserver.StartRedis(t).URL("0"), behind)
	id := first.job(xxladapter.Settings{})
	require.NoError(t, first.Resign(t.Context(), first.term))
	require.NoError(t, first.Close())

	s := &scene{compared: open(t, testserver.StartRedis(t).URL("0"), behind, nil), t: t}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	lease, err := s.Lease(t.Context(), "node", time.Minute)
	require.NoError(t, err)
	s.term = lease.Term
	fires := s.claim()
	misfires, err := s.Misfires(t.Context(), xxladapter.MisfireFilter{})
	require.NoError(t, err)
	require.Empty(t, misfires)
	require.Len(t, fires, 1)
	require.Equal(t, id, fires[0].JobID)
}

// TestNoIDOfBeforeComesBack runs jobs without Redis, deletes their log rows, and opens the store
// with Redis, twice. A run that begins then has an id that no earlier one had.
func TestNoIDOfBeforeComesBack(t *testing.T) {
	t.Parallel()
	onEachKindOfTables(t, func(t *testing.T, behind string) {
		redis := testserver.Redis(t)
		var last, lastFire int64
		for range 2 {
			plain, err := sqlstore.Open(t.Context(), behind, sqlstore.Options{Logger: quiet})
			require.NoError(t, err)
			for range 3 {
				fire, log := runRemoved(t, plain)
				require.Greater(t, log, last)
				require.Greater(t, fire, lastFire)
				last, lastFire = log, fire
			}
			require.NoError(t, plain.Close())
			s := open(t, redis, behind, nil)
			fire, log := runRemoved(t, s)
			require.Greater(t, log, last)
			require.Greater(t, fire, lastFire)
			last, lastFire = log, fire
			require.NoError(t, s.Close())
		}
		require.Less(t, last, int64(3_000_000), "MySQL reserves two million once")
	})
}

// runRemoved runs a job once, and deletes the log row of the run. It returns the ids of the fire
// and of the row.
func runRemoved(t *testing.T, s xxladapter.Store) (fire, log int64) {
	t.Helper()
	lease, err := s.Lease(t.Context(), "node", time.Minute)
	require.NoError(t, err)
	fires, err := s.PlanFires(t.Context(), []xxladapter.Fire{
		{JobID: 1, Due: time.Now().Add(-time.Second), Type: xxladapter.TriggerManual, RetryCount: -1},
	})
	require.NoError(t, err)
	row := &xxladapter.Log{JobID: 1, GroupID: 1, TriggerTime: time.Now(), Address: "http://a:1"}
	claimed, err := s.ClaimFire(t.Context(), lease.Term, fires[0].ID, []*xxladapter.Log{row})
	require.NoError(t, err)
	log = claimed[0].LogID
	_, err = s.SettleFire(t.Context(), lease.Term, xxladapter.Settlement{
		FireID: fires[0].ID, LogID: log, Code: xxladapter.ResultOK, Msg: "sent", Sent: time.Now(), Acknowledged: time.Now(),
	})
	require.NoError(t, err)
	applied, _, err := s.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
	require.NoError(t, err)
	require.True(t, applied)
	purged, err := s.PurgeLogs(t.Context(), xxladapter.LogPurge{Unalarmed: true}, 100)
	require.NoError(t, err)
	require.Equal(t, 1, purged.Rows)
	require.NoError(t, s.Resign(t.Context(), lease.Term))
	return fires[0].ID, log
}
