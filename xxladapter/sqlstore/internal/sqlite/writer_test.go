//go:build unix

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// A held store has a writer that is busy until release, so that a test decides which writes wait
// and share the next commit.
type held struct {
	*records.Store
	t       *testing.T
	release func()
}

func holdWriter(t *testing.T, s *records.Store) *held {
	t.Helper()
	var (
		entered = make(chan struct{})
		release = make(chan struct{})
		done    = make(chan error, 1)
	)
	go func() {
		done <- s.Write(context.Background(), func(context.Context, *database.Tx) error {
			close(entered)
			<-release
			return nil
		})
	}()
	<-entered
	return &held{Store: s, t: t, release: func() {
		close(release)
		require.NoError(t, <-done)
	}}
}

// waiting returns the number of waiting writes.
func (h *held) waiting() int {
	waiting, _ := h.Writes.(*batchWriter).queue.Load()
	return waiting
}

// until polls for what sends no notice: a call has reached a writer, or tables have followed.
func until(t *testing.T, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 10*time.Second, time.Millisecond)
}

// waitForTables waits until the tables of a store have followed its journal so far that query
// counts want. It reads them as another process does, and so does not make them follow.
func waitForTables(t *testing.T, file, query string, want int) {
	t.Helper()
	db, err := sql.Open(driverName, "file:"+pathOf(file)+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	until(t, func() bool {
		n := -1
		return db.QueryRowContext(t.Context(), query).Scan(&n) == nil && n == want
	})
}

// enqueue starts a write and returns when the write is in the queue. The returned function waits
// for its result.
func (h *held) enqueue(ctx context.Context, apply func(context.Context, *database.Tx) error) (answer func() error) {
	h.t.Helper()
	before := h.waiting()
	done := make(chan error, 1)
	go func() { done <- h.Write(ctx, apply) }()
	until(h.t, func() bool { return h.waiting() > before })
	return func() error { return <-done }
}

func insertNode(name string) func(context.Context, *database.Tx) error {
	return func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO xxlwheel_lease (node, term, until_ms, life_ms, retired) VALUES (?, 1, 0, 0, 0)`, name)
		return err
	}
}

func nodes(t *testing.T, s *records.Store) (names []string) {
	t.Helper()
	err := s.Query(t.Context(), `SELECT node FROM xxlwheel_lease ORDER BY node`, nil, func(r database.Row) error {
		var name string
		err := r.Scan(&name)
		names = append(names, name)
		return err
	})
	require.NoError(t, err)
	return names
}

func TestABatchSharesACommit(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *records.Store {
		s := openCopy(t, time.Now)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	failing := errors.New("after a change")
	changeAndFail := func(ctx context.Context, tx *database.Tx) error {
		if err := insertNode("half")(ctx, tx); err != nil {
			return err
		}
		return failing
	}

	t.Run("AFailingWriteTakesBackItsOwnChangesOnly", func(t *testing.T) {
		t.Parallel()
		h := holdWriter(t, open(t))
		first := h.enqueue(t.Context(), insertNode("first"))
		half := h.enqueue(t.Context(), changeAndFail)
		duplicate := h.enqueue(t.Context(), insertNode("first"))
		last := h.enqueue(t.Context(), insertNode("last"))
		h.release()
		require.NoError(t, first())
		require.ErrorIs(t, half(), failing)
		require.Error(t, duplicate())
		require.NoError(t, last())
		require.Equal(t, []string{"first", "last"}, nodes(t, h.Store))
	})
	t.Run("WaitingWritesShareOneCommit", func(t *testing.T) {
		t.Parallel()
		h := holdWriter(t, open(t))
		seen := make(chan int, 1)
		first := h.enqueue(t.Context(), insertNode("first"))
		second := h.enqueue(t.Context(), func(ctx context.Context, _ *database.Tx) error {
			// Not committed yet, so no reader sees the first.
			err := h.Query(ctx, `SELECT count(*) FROM xxlwheel_lease`, nil, func(r database.Row) error {
				var n int
				err := r.Scan(&n)
				seen <- n
				return err
			})
			return err
		})
		h.release()
		require.NoError(t, first())
		require.NoError(t, second())
		require.Equal(t, 0, <-seen)
		require.Equal(t, []string{"first"}, nodes(t, h.Store))
	})
	t.Run("AWriteWhoseCallerLeftTheQueueIsNotExecuted", func(t *testing.T) {
		t.Parallel()
		h := holdWriter(t, open(t))
		ctx, cancel := context.WithCancel(t.Context())
		gone := h.enqueue(ctx, insertNode("gone"))
		cancel()
		require.ErrorIs(t, gone(), context.Canceled)
		stays := h.enqueue(t.Context(), insertNode("stays"))
		h.release()
		require.NoError(t, stays())
		require.Equal(t, []string{"stays"}, nodes(t, h.Store))
	})
	t.Run("AWriteThatRunsWhenItsContextEndsIsExecutedFully", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			cancel()
			return insertNode("whole")(ctx, tx)
		})
		require.NoError(t, err)
		require.Equal(t, []string{"whole"}, nodes(t, s))
	})
	t.Run("ALongQueueLetsTheCallerLeave", func(t *testing.T) {
		t.Parallel()
		h := holdWriter(t, open(t))
		var answers []func() error
		for i := range records.MaxBatch + 1 {
			answers = append(answers, h.enqueue(t.Context(), insertNode(fmt.Sprintf("n%03d", i))))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		require.ErrorIs(t, h.Write(ctx, insertNode("late")), context.DeadlineExceeded)
		h.release()
		for _, answer := range answers {
			require.NoError(t, answer())
		}
		require.Len(t, nodes(t, h.Store), len(answers))
	})
	t.Run("ALostTransactionIsEveryonesError", func(t *testing.T) {
		t.Parallel()
		h := holdWriter(t, open(t))
		first := h.enqueue(t.Context(), insertNode("first"))
		lost := h.enqueue(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			// SQLite rolls back by itself on some errors.
			if _, err := tx.Exec(ctx, "ROLLBACK"); err != nil {
				return err
			}
			return failing
		})
		last := h.enqueue(t.Context(), insertNode("last"))
		h.release()
		require.ErrorIs(t, first(), failing)
		require.ErrorIs(t, lost(), failing)
		require.ErrorIs(t, last(), failing)
		require.Empty(t, nodes(t, h.Store))
		require.NoError(t, h.Write(t.Context(), insertNode("after")))
		require.Equal(t, []string{"after"}, nodes(t, h.Store))
	})
	t.Run("AFullDiskIsAnErrorAndNothingHasHappened", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		pages := func(n string) error {
			return s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				return tx.Query(ctx, `PRAGMA max_page_count = `+n, nil, func(database.Row) error { return nil })
			})
		}
		require.NoError(t, pages("1")) // the present size of the file
		big := make([]byte, 1<<20)
		h := holdWriter(t, s)
		small := h.enqueue(t.Context(), insertNode("small"))
		full := h.enqueue(t.Context(), insertNode(string(big)))
		h.release()
		smallErr, fullErr := small(), full()
		require.Error(t, fullErr)
		require.NoError(t, pages("1000000"))
		if smallErr == nil {
			require.Equal(t, []string{"small"}, nodes(t, s))
		} else {
			require.Empty(t, nodes(t, s))
		}
		require.NoError(t, s.Write(t.Context(), insertNode("after")))
	})
	t.Run("CloseRunsWhatWaits", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "xxl.db")
		h := holdWriter(t, openFile(t, file, time.Now))
		// More than fit in one batch.
		answers := make(chan error)
		const callers = 2 * records.MaxBatch
		for i := range callers {
			go func() { answers <- h.Write(context.Background(), insertNode(fmt.Sprint("n", i))) }()
		}
		until(t, func() bool { return h.waiting() >= records.MaxBatch })
		closed := make(chan error, 1)
		go func() { closed <- h.Close() }()
		until(t, func() bool {
			_, err := h.Now(t.Context())
			return errors.Is(err, database.ErrClosed)
		})
		h.release()
		written := 0
		for range callers {
			if err := <-answers; err == nil {
				written++
			} else {
				require.ErrorIs(t, err, database.ErrClosed)
			}
		}
		require.NoError(t, <-closed)
		require.GreaterOrEqual(t, written, records.MaxBatch)

		s := openFile(t, file, time.Now)
		defer func() { require.NoError(t, s.Close()) }()
		require.Len(t, nodes(t, s), written)
	})
}

// TestTwoStoresOnOneFile opens one file several times, as several processes may; their writers meet
// at SQLite's lock.
func TestTwoStoresOnOneFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	const stores, rounds = 4, 10
	var (
		opened [stores]*records.Store
		errs   [stores]error
		wg     sync.WaitGroup
	)
	for i := range stores { // the file is new, and all of them migrate it
		wg.Go(func() { opened[i], errs[i] = Open(t.Context(), file, database.Options{Logger: fixture.Quiet}) })
	}
	wg.Wait()
	for i := range stores {
		require.NoError(t, errs[i])
		defer func() { require.NoError(t, opened[i].Close()) }()
	}
	group, err := opened[0].SaveGroup(t.Context(), &xxladapter.Group{AppName: "shared-app", Title: "t"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(t.Context(), opened[1], &xxladapter.Job{GroupID: group, Name: "shared"})
	require.NoError(t, err)
	first := time.Now().Add(time.Minute) // a job with a fire that has been due for a second is not claimed
	require.NoError(t, storetest.StartAt(t.Context(), opened[2], job, first))

	term := fixture.TermOf(t, opened[0], "n1")
	var planned [stores][]xxladapter.Fire
	for i := range stores {
		wg.Go(func() {
			for range rounds {
				fires, _, err := opened[i].ClaimDue(t.Context(), term, time.Hour, 1, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
					j := due[0]
					return []xxladapter.Decision{{
						JobID: j.ID, Last: j.TriggerNext, Next: j.TriggerNext.Add(time.Second),
						Fires: []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerCron}},
					}}
				})
				planned[i] = append(planned[i], fires...)
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	wg.Wait()
	dues := map[int64]bool{}
	for i := range stores {
		require.NoError(t, errs[i])
		for _, f := range planned[i] {
			dues[f.Due.UnixMilli()] = true
		}
	}
	require.Len(t, dues, stores*rounds)
}

// TestAScanForgetsAPauseThatWasNotStored lets a scan read a pause in a transaction that is lost
// afterwards, as on a full disk. The next change of pauses or calendars gets the number of the lost
// one.
func TestAScanForgetsAPauseThatWasNotStored(t *testing.T) {
	s := openCopy(t, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	ctx := t.Context()
	fixture.AddDue(t, s, "due", time.Now().Add(-time.Second))
	term := fixture.TermOf(t, s, "n1")
	scan := func() (seen *xxladapter.Restrictions, err error) {
		_, _, err = s.ClaimDue(ctx, term, time.Second, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			seen = due[0].Restrictions
			return nil
		})
		return seen, err
	}

	h := holdWriter(t, s)
	results := make(chan error, 2)
	go func() {
		_, err := s.CreatePause(ctx, xxladapter.Pause{})
		results <- err
	}()
	until(t, func() bool { return h.waiting() == 1 })
	go func() {
		_, err := scan()
		results <- err
	}()
	until(t, func() bool { return h.waiting() == 2 })
	lost := h.enqueue(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `ROLLBACK`)
		return err
	})
	h.release()
	require.Error(t, lost())
	for range cap(results) {
		require.Error(t, <-results)
	}

	_, err := s.SaveCalendar(ctx, &xxladapter.Calendar{Name: "office"}, time.Time{})
	require.NoError(t, err)
	seen, err := scan()
	require.NoError(t, err)
	require.Empty(t, seen.Pauses)
	require.Len(t, seen.Calendars, 1)
}

// TestACommitThatTheDiskFailsIsInDoubt puts a pipe in place of SQLite's own log. It stands for a
// disk that fails, because a pipe has no position to write at.
func TestACommitThatTheDiskFailsIsInDoubt(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open(driverName, nameOf(file, time.Second, ""))
	require.NoError(t, err)
	_, err = db.ExecContext(ctx, `CREATE TABLE x (n INTEGER)`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.NoError(t, unix.Mkfifo(file+"-wal", 0o600))
	db, err = sql.Open(driverName, nameOf(file, time.Second, ""))
	require.NoError(t, err)
	b, err := newBatchWriter(ctx, db, &dialect, defaultLockWait)
	require.NoError(t, err)
	insert := func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO x VALUES (1)`)
		return err
	}
	require.ErrorIs(t, b.Write(ctx, insert), xxladapter.ErrInDoubt)
	require.ErrorIs(t, b.WriteOne(ctx, insert), xxladapter.ErrInDoubt)
	refused := b.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO y VALUES (1)`)
		return err
	})
	require.Error(t, refused)
	require.NotErrorIs(t, refused, xxladapter.ErrInDoubt)
	_ = b.Close() // fails for the same reason
}
