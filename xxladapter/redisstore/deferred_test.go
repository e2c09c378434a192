//go:build unix

package redisstore

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// newDeferring returns a store whose process has had the pen alone for so long that the tables
// leave planned fires out. Its clock stands still, so that no fire waits too long on a slow
// machine.
func newDeferring(t testing.TB, redis, behind string) *scene {
	t.Helper()
	begun := time.Now()
	s := newSceneWith(t, redis, behind, Options{SQL: sqlstore.Options{Clock: func() time.Time { return begun }}})
	time.Sleep(1200 * time.Millisecond) // that process must have had it for a second
	return s
}

// defers makes the tables follow the log, and checks that they lack all planned fires, and that
// some jobs in them still have the due times of these fires.
func (s *scene) defers(file string, jobs int) {
	s.t.Helper()
	_, err := s.FoldStats(s.t.Context(), 1) // reads ended runs, so deferred fires stay out
	require.NoError(s.t, err)
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(60000)")
	require.NoError(s.t, err)
	defer db.Close()
	var planned, due int
	err = db.QueryRowContext(
		s.t.Context(), `SELECT (SELECT COUNT(*) FROM xxlwheel_fire WHERE state = 'planned'),
			(SELECT COUNT(*) FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= ?)`, time.Now().UnixMilli(),
	).Scan(&planned, &due)
	require.NoError(s.t, err)
	require.Zero(s.t, planned)
	require.Equal(s.t, jobs, due)
}

// TestAnotherProcessHasTheDeferredFires gives another process the pen while the tables lack planned
// fires. That process has them, plans no due time again, and the tables have everything when it is
// closed.
func TestAnotherProcessHasTheDeferredFires(t *testing.T) {
	t.Parallel()
	url, file := testserver.Redis(t), emptySQLite(t)
	a := newDeferring(t, url, "sqlite:"+file)
	id, other := a.job(xxladapter.Settings{}), a.job(xxladapter.Settings{})
	require.Len(t, a.claim(), 2)
	a.defers(file, 2)
	b := &scene{compared: open(t, url, "sqlite:"+file, nil), t: t, term: a.term, group: a.group}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	fires, err := b.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Len(t, fires, 2)
	require.ElementsMatch(t, []int64{id, other}, []int64{fires[0].JobID, fires[1].JobID})
	require.Empty(t, b.claim())
	require.NotZero(t, b.send(fires[0]))
	require.Empty(t, a.claim())
}

// TestJobsAreListedWithTheirTimes checks that a call that reads jobs finds the times that they
// have, and not those before a deferred fire.
func TestJobsAreListedWithTheirTimes(t *testing.T) {
	t.Parallel()
	file := emptySQLite(t)
	s := newDeferring(t, testserver.Redis(t), "sqlite:"+file)
	id := s.job(xxladapter.Settings{})
	fires := s.claim()
	require.Len(t, fires, 1)
	s.defers(file, 1)
	jobs, err := s.Jobs(t.Context(), xxladapter.JobFilter{GroupID: s.group})
	require.NoError(t, err)
	require.Len(t, jobs, 1)
	require.Equal(t, id, jobs[0].ID)
	require.Equal(t, fires[0].Due.Add(time.Hour), jobs[0].TriggerNext.UTC())
}
