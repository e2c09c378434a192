//go:build unix

package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
)

// createJob creates a job and reads it, so that it is in memory.
func createJob(t *testing.T, s *journaled.Store) int64 {
	t.Helper()
	group, err := s.SaveGroup(t.Context(), &xxladapter.Group{AppName: "app", Title: "app"})
	require.NoError(t, err)
	id, err := xxladapter.CreateJob(t.Context(), s, &xxladapter.Job{GroupID: group, Name: "job", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "1"})
	require.NoError(t, err)
	_, err = s.Job(t.Context(), id)
	require.NoError(t, err)
	return id
}

// within reports whether call returns soon. It then calls free, and waits until call has returned.
func within(call, free func()) bool {
	done, soon := make(chan struct{}), true
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		soon = false
	}
	free()
	<-done
	return soon
}

// TestTheMemoryDoesNotWaitForANewFile checks that the memory can be read while a new file of the
// journal is created.
func TestTheMemoryDoesNotWaitForANewFile(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	var hold atomic.Bool
	held, result := make(chan struct{}, 1), make(chan error)
	s := openJournaled(t, file, time.Now, JournalOptions{SegmentSize: 2 << 10, Create: func(name string, flag int) (journal.File, error) {
		f, err := journal.Create(name, flag)
		if strings.HasSuffix(name, journalSuffix+"2") {
			hold.Store(true)
			return heldFile{f, &hold, held, result}, err
		}
		return f, err
	}})
	id := createJob(t, s)
	var planning sync.WaitGroup
	stop := make(chan struct{})
	planning.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := s.PlanFires(context.Background(), []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual}})
			if err == nil {
				_, err = s.OpenFires(context.Background(), xxladapter.FireFilter{Groups: []int64{1}}) // makes the tables follow
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	<-held
	soon := within(func() {
		_, err := s.Job(ctx, id)
		if err != nil {
			t.Error(err)
		}
	}, func() {
		hold.Store(false)
		result <- nil
	})
	close(stop)
	planning.Wait()
	require.True(t, soon, "a read of the memory waited for a sync of a new file")
	require.NoError(t, s.Close())
}

// counting counts the lines of a log that contain a text.
type counting struct {
	slog.Handler
	text string
	n    *atomic.Int64
}

func (c counting) Enabled(context.Context, slog.Level) bool { return true }

func (c counting) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, c.text) {
		c.n.Add(1)
	}
	return nil
}

// TestAFileThatCannotBeCreatedIsSaidOnce checks that a journal that cannot begin a new segment says
// so once, and repeats nothing for each attempt.
func TestAFileThatCannotBeCreatedIsSaidOnce(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	var said atomic.Int64
	var refuse atomic.Bool
	refuse.Store(true)
	s, err := OpenJournaled(ctx, file, database.Options{Logger: slog.New(counting{slog.DiscardHandler, "journal could not begin a new segment", &said})},
		JournalOptions{SegmentSize: 2 << 10, Create: func(name string, flag int) (journal.File, error) {
			if refuse.Load() && !strings.HasSuffix(name, journalSuffix+"1") {
				return nil, errFull
			}
			return journal.Create(name, flag)
		}})
	require.NoError(t, err)
	plan := func() {
		_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		_, err = s.Lease(ctx, "node", time.Hour)
		require.NoError(t, err)
	}
	for range 200 {
		plan()
	}
	require.EqualValues(t, 1, said.Load())
	refuse.Store(false)
	require.Eventually(t, func() bool {
		plan()
		found, err := filepath.Glob(file + journalSuffix + "*")
		require.NoError(t, err)
		return len(found) > 1 || found[0] != file+journalSuffix+"1"
	}, 20*time.Second, 100*time.Millisecond)
	want := stillOf(t, s)
	copied := abandonOpen(t, file)
	require.NoError(t, s.Close())
	again := openJournaled(t, copied, time.Now, JournalOptions{})
	require.Equal(t, want.fires, stillOf(t, again).fires)
	require.NoError(t, again.Close())
}

// A renewal writes nothing but the lease, however much the tables lack, and knows from the memory
// which dead terms own fires.
func TestARenewalLeavesTheTablesBehind(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	now := time.Now() // stands still, so that the run stays young
	var late atomic.Int64
	s := openJournaled(t, file, func() time.Time { return now.Add(time.Duration(late.Load())) }, JournalOptions{})
	db, err := sql.Open(driverName, nameOf(file, time.Second, ""))
	require.NoError(t, err)
	count := func() (n int) {
		require.NoError(t, db.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM xxl_job_log) + (SELECT COUNT(*) FROM xxlwheel_fire)`).Scan(&n))
		return n
	}
	id := createJob(t, s)
	lease, err := s.Lease(ctx, "n1", time.Second)
	require.NoError(t, err)
	planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: now, Type: xxladapter.TriggerManual}, {JobID: id, Due: now, Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = s.ClaimFire(ctx, lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: id, TriggerTime: now}})
	require.NoError(t, err)
	for range 3 {
		lease, err = s.Lease(ctx, "n1", time.Second)
		require.NoError(t, err)
		require.False(t, lease.Quiet)
		require.Empty(t, lease.Dead)
	}
	require.Zero(t, count())
	late.Store(int64(900 * time.Millisecond))
	other, err := s.Lease(ctx, "n2", time.Hour)
	require.NoError(t, err)
	require.Empty(t, other.Dead)
	require.Zero(t, count())
	late.Store(int64(1001 * time.Millisecond))
	other, err = s.Lease(ctx, "n2", time.Hour)
	require.NoError(t, err)
	require.Equal(t, []xxladapter.Term{lease.Term}, other.Dead)
	require.NoError(t, db.Close())
	require.NoError(t, s.Close())
}

// TestALeaseAndAPurgeHoldNobodyUp checks that a run is claimed while a renewal of a lease, or a
// deletion of log rows, waits for the lock on the tables.
func TestALeaseAndAPurgeHoldNobodyUp(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, call := range map[string]func(s *journaled.Store, job int64) error{
		"Lease": func(s *journaled.Store, _ int64) error {
			_, err := s.Lease(ctx, "node", time.Hour)
			return err
		},
		"PurgeLogs": func(s *journaled.Store, job int64) error {
			_, err := s.PurgeLogs(ctx, xxladapter.LogPurge{JobID: job, Before: time.Now().Add(time.Hour), Unalarmed: true}, 10)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "xxl.db")
			s := openJournaled(t, file, time.Now, JournalOptions{})
			id := createJob(t, s)
			lease, err := s.Lease(ctx, "node", time.Hour)
			require.NoError(t, err)
			plan := func() xxladapter.Fire {
				f, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: time.Now().Add(-time.Second), Type: xxladapter.TriggerManual}})
				require.NoError(t, err)
				return f[0]
			}
			claim := func(f xxladapter.Fire) ([]xxladapter.Fire, error) {
				return s.ClaimFire(ctx, lease.Term, f.ID, []*xxladapter.Log{{JobID: id, TriggerTime: time.Now()}})
			}
			ended, err := claim(plan())
			require.NoError(t, err)
			_, _, err = s.FinishRun(ctx, xxladapter.RunResult{LogID: ended[0].LogID, Code: 200})
			require.NoError(t, err)
			_, err = s.Logs(ctx, xxladapter.LogFilter{})
			require.NoError(t, err, "the tables have the run")
			next := plan()

			db, err := sql.Open(driverName, nameOf(file, time.Second, ""))
			require.NoError(t, err)
			db.SetMaxOpenConns(1)
			_, err = db.ExecContext(ctx, "BEGIN IMMEDIATE") // so the next transaction waits
			require.NoError(t, err)
			load := func() int {
				waiting, running := s.Writes.(*batchWriter).queue.Load()
				if running {
					waiting++
				}
				return waiting
			}
			before := load()
			called := make(chan error, 1)
			go func() { called <- call(s, id) }()
			until(t, func() bool { return load() > before })
			soon := within(func() {
				if _, err := claim(next); err != nil {
					t.Error(err)
				}
			}, func() {
				if len(called) > 0 {
					t.Error("the call did not wait for the lock, so nothing was tested")
				}
				if _, err := db.ExecContext(ctx, "ROLLBACK"); err != nil {
					t.Error(err)
				}
			})
			require.NoError(t, <-called)
			require.NoError(t, db.Close())
			require.True(t, soon, "a claim waited for a transaction on the tables")
			require.NoError(t, s.Close())
		})
	}
}

// A planned fire that the tables never had leaves them nothing to write when it is removed. A list
// omits the fire only once the removal is on disk, because a failed sync may take the removal back.
func TestAListWaitsForARemovalThatTheTablesDoNotNeed(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"stored": nil, "taken back": errFull} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
			s, hold, held, result := openHeld(t, file)
			id := createJob(t, s)
			lease, err := s.Lease(ctx, "node", time.Hour)
			require.NoError(t, err)
			list := func() ([]xxladapter.Fire, error) { return s.OpenFires(ctx, xxladapter.FireFilter{Groups: []int64{1}}) }
			none, err := list()
			require.NoError(t, err)
			require.Empty(t, none)
			planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)

			hold.Store(true)
			removed := make(chan error, 1)
			go func() {
				_, err := s.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: planned[0].ID})
				removed <- err
			}()
			<-held
			type answer struct {
				fires []xxladapter.Fire
				err   error
			}
			listed := make(chan answer, 1)
			go func() {
				fires, err := list()
				listed <- answer{fires, err}
			}()
			early := false
			select {
			case got := <-listed:
				early = true
				listed <- got
			case <-time.After(200 * time.Millisecond): // time for a wrong answer; a late call does no harm
			}
			hold.Store(false)
			result <- failure
			require.ErrorIs(t, <-removed, failure)
			require.False(t, early, "the list was answered")
			got := <-listed
			require.NoError(t, got.err)
			if failure == nil {
				require.Empty(t, got.fires)
			} else {
				require.Equal(t, planned, got.fires)
			}
			require.NoError(t, s.Close())
		})
	}
}
