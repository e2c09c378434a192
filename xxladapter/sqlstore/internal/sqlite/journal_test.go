//go:build unix

package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// openJournaled opens the store in file with a journal. The test closes it.
func openJournaled(t testing.TB, file string, clock func() time.Time, more JournalOptions) *journaled.Store {
	t.Helper()
	s, err := OpenJournaled(t.Context(), file, database.Options{Clock: clock, Logger: fixture.Quiet}, more)
	require.NoError(t, err)
	return s
}

func TestJournaledConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock func() time.Time) xxladapter.Store {
		return openJournaled(t, emptyFile.Copy(t), clock, JournalOptions{})
	})
}

func TestJournaledModel(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t,
		func(t *testing.T, clock func() time.Time) xxladapter.Store {
			return openJournaled(t, emptyFile.Copy(t), clock, JournalOptions{SegmentSize: 4096})
		},
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// TestListsLeavePlannedFiresInTheJournal checks that calls that need no fires, such as the
// console's polls, do not make the tables take planned ones.
func TestListsLeavePlannedFiresInTheJournal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	for name, call := range map[string]func(ctx context.Context) error{
		"Marks":       func(ctx context.Context) error { _, err := s.Marks(ctx); return err },
		"ChangedJobs": func(ctx context.Context) error { _, err := s.ChangedJobs(ctx, time.Time{}, 1); return err },
		"NewRuns":     func(ctx context.Context) error { _, err := s.NewRuns(ctx, 0, 1); return err },
		"RunMarks":    func(ctx context.Context) error { _, err := s.RunMarks(ctx, []int64{1}); return err },
		"Runs": func(ctx context.Context) error {
			_, _, err := s.Runs(ctx, xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{Limit: 1}})
			return err
		},
		"CountRuns":     func(ctx context.Context) error { _, _, err := s.CountRuns(ctx, xxladapter.RunFilter{}, 1); return err },
		"LastRuns":      func(ctx context.Context) error { _, err := s.LastRuns(ctx, []int64{1}); return err },
		"MeanDurations": func(ctx context.Context) error { _, err := s.MeanDurations(ctx, 1); return err },
		"JobNames":      func(ctx context.Context) error { _, err := s.JobNames(ctx, []int64{1}, nil); return err },
		"JobVersions": func(ctx context.Context) error {
			_, err := s.JobVersions(ctx, xxladapter.JobVersionFilter{JobID: 1})
			return err
		},
		"Users":         func(ctx context.Context) error { _, err := s.Users(ctx, xxladapter.UserFilter{}); return err },
		"Credentials":   func(ctx context.Context) error { _, err := s.Credentials(ctx, 1, "session"); return err },
		"UseCredential": func(ctx context.Context) error { return s.UseCredential(ctx, 1, time.Now(), time.Now()) },
		"CreateUser": func(ctx context.Context) error {
			_, err := s.CreateUser(ctx, &xxladapter.User{Name: "anna", Password: "hash"}, false)
			return err
		},
		"PurgeJobVersions": func(ctx context.Context) error { _, err := s.PurgeJobVersions(ctx, time.Now(), 1); return err },
		"UpstreamUsers":    func(ctx context.Context) error { _, err := s.UpstreamUsers(ctx, "anna"); return err },
	} {
		_, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		require.NoError(t, call(t.Context()), name)
		stored := 0
		db, err := sql.Open(driverName, nameOf(file, time.Second, ""))
		require.NoError(t, err)
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM xxlwheel_fire`).Scan(&stored))
		require.NoError(t, db.Close())
		require.Zero(t, stored, name)
	}
	require.NoError(t, s.Close())
}
