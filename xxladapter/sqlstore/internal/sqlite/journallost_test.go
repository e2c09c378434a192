//go:build unix

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

func TestALostJournalIsNoticed(t *testing.T) {
	t.Parallel()
	ctx, opts := t.Context(), database.Options{Logger: fixture.Quiet}
	file := filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	copied := abandonOpen(t, file)
	require.NoError(t, s.Close())
	require.NoError(t, os.Remove(copied+journalSuffix+"1"))

	_, err = OpenJournaled(ctx, copied, opts, JournalOptions{})
	require.ErrorContains(t, err, "its journal is incomplete: there is no "+copied+journalSuffix)
	_, err = Open(ctx, copied, opts)
	require.ErrorContains(t, err, "its journal is incomplete")
	to := filepath.Join(t.TempDir(), "to.db")
	require.ErrorContains(t, Backup(ctx, copied, to, false), "back up "+copied+": its journal is incomplete: there is none")
	require.NoFileExists(t, to)
	require.NoError(t, Backup(ctx, copied, to, true))
	require.NoError(t, openFile(t, to, time.Now).Close())
	lossy := openJournaled(t, copied, time.Now, JournalOptions{AcceptLoss: true})
	fires, err := lossy.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Empty(t, fires)
	require.NoError(t, lossy.Close())
	require.NoError(t, openFile(t, copied, time.Now).Close())
}

// An executor remembers the log ids of its runs, so a run under an id that a lost journal gave
// would be refused as a repeat, or get the result of the earlier one.
func TestALostJournalGivesNoIDAgain(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	claim := func(s xxladapter.Store) xxladapter.Fire {
		lease, err := s.Lease(ctx, "node", time.Hour)
		require.NoError(t, err)
		f, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerCron}})
		require.NoError(t, err)
		claimed, err := s.ClaimFire(ctx, lease.Term, f[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: time.Now()}})
		require.NoError(t, err)
		return claimed[0]
	}
	copied := abandonOpen(t, file)
	lost := claim(s)
	require.NoError(t, s.Close())
	require.NoError(t, os.Remove(copied+journalSuffix+"1"))

	lossy := openJournaled(t, copied, time.Now, JournalOptions{AcceptLoss: true})
	again := claim(lossy)
	require.Greater(t, again.ID, lost.ID)
	require.Greater(t, again.LogID, lost.LogID)
	require.NoError(t, lossy.Close())
}

// A journal that cannot be brought in is an error, also of an open without a journal.
func TestAJournalThatCannotBeBroughtIn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // ends an open that retries forever
	defer cancel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	copied := abandonOpen(t, file)
	require.NoError(t, s.Close())
	exec := func(statement string) {
		db, err := sql.Open(driverName, nameOf(copied, time.Second, ""))
		require.NoError(t, err)
		_, err = db.ExecContext(ctx, statement)
		require.NoError(t, errors.Join(err, db.Close()))
	}
	exec(`CREATE TRIGGER full BEFORE INSERT ON xxlwheel_journal WHEN NEW.state = 'closed' BEGIN SELECT RAISE(ABORT, 'disk is full'); END`)
	_, err := Open(ctx, copied, database.Options{Logger: fixture.Quiet})
	require.ErrorContains(t, err, "write the tables")
	require.ErrorContains(t, err, "disk is full")
	require.True(t, hasJournal(copied))
	exec(`DROP TRIGGER full`)
	require.NoError(t, openFile(t, copied, time.Now).Close())
	require.False(t, hasJournal(copied))
}

// Without its journal a store loses what it acknowledges, and without its lock another process may
// open it.
func TestAMissingJournalIsNoticed(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{journalSuffix + "1", lockSuffix} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "xxl.db")
			s := openJournaled(t, file, time.Now, JournalOptions{})
			plan := func() error {
				_, err := s.PlanFires(context.Background(), []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
				return err
			}
			require.NoError(t, plan())
			require.NoError(t, os.Rename(file+suffix, file+".away"))
			require.Eventually(t, func() bool { return errors.Is(plan(), errFileGone) }, 10*time.Second, 20*time.Millisecond)
			require.NoError(t, os.Rename(file+".away", file+suffix))
			require.Eventually(t, func() bool { return plan() == nil }, 10*time.Second, 20*time.Millisecond)
			require.NoError(t, s.Close())
		})
	}
}

func TestTheJournalOfAnotherStoreIsRefused(t *testing.T) {
	t.Parallel()
	ctx, opts := t.Context(), database.Options{Logger: fixture.Quiet}
	file, other := filepath.Join(t.TempDir(), "xxl.db"), filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	left := abandonOpen(t, file)
	require.NoError(t, s.Close())
	require.NoError(t, openFile(t, other, time.Now).Close())
	data, err := os.ReadFile(left + journalSuffix + "1")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(other+journalSuffix+"1", data, 0o600))
	for _, open := range []func() error{
		func() error { _, err := OpenJournaled(ctx, other, opts, JournalOptions{}); return err },
		func() error { _, err := Open(ctx, other, opts); return err },
	} {
		require.ErrorContains(t, open(), "belongs to another store, or to an older copy of this one")
	}
	kept, err := os.ReadFile(other + journalSuffix + "1")
	require.NoError(t, err)
	require.Equal(t, data, kept, "it may be somebody's only copy")
}
