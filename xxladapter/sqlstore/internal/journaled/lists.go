package journaled

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The calls below serve the management API and its events. None of them reads planned fires.

// Marks implements [xxladapter.Store].
func (s *Store) Marks(ctx context.Context) (xxladapter.Marks, error) {
	return s.Store.Marks(with(ctx, reads))
}

// ChangedJobs implements [xxladapter.Store].
func (s *Store) ChangedJobs(ctx context.Context, since time.Time, limit int) ([]xxladapter.JobMark, error) {
	return s.Store.ChangedJobs(with(ctx, reads), since, limit)
}

// NewRuns implements [xxladapter.Store].
func (s *Store) NewRuns(ctx context.Context, after int64, limit int) ([]xxladapter.RunMark, error) {
	return s.Store.NewRuns(with(ctx, reads), after, limit)
}

// RunMarks implements [xxladapter.Store].
func (s *Store) RunMarks(ctx context.Context, ids []int64) ([]xxladapter.RunMark, error) {
	return s.Store.RunMarks(with(ctx, reads), ids)
}

// Runs implements [xxladapter.Store].
func (s *Store) Runs(ctx context.Context, f xxladapter.RunFilter) ([]*xxladapter.Log, int64, error) {
	return s.Store.Runs(with(ctx, reads), f)
}

// CountRuns implements [xxladapter.Store].
func (s *Store) CountRuns(ctx context.Context, f xxladapter.RunFilter, limit int) (int, bool, error) {
	return s.Store.CountRuns(with(ctx, reads), f, limit)
}

// LastRuns implements [xxladapter.Store].
func (s *Store) LastRuns(ctx context.Context, jobIDs []int64) (map[int64]xxladapter.LastRun, error) {
	return s.Store.LastRuns(with(ctx, reads), jobIDs)
}

// RecentRuns implements [xxladapter.Store].
func (s *Store) RecentRuns(ctx context.Context, jobIDs []int64, limit int) (map[int64][]xxladapter.LastRun, error) {
	return s.Store.RecentRuns(with(ctx, reads), jobIDs, limit)
}

// MeanDurations implements [xxladapter.Store].
func (s *Store) MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error) {
	return s.Store.MeanDurations(with(ctx, reads), rows)
}

// JobNames implements [xxladapter.Store].
func (s *Store) JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error) {
	return s.Store.JobNames(with(ctx, apart), ids, groups)
}

// JobVersions implements [xxladapter.Store].
func (s *Store) JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error) {
	return s.Store.JobVersions(with(ctx, apart), f)
}

// Users implements [xxladapter.Store].
func (s *Store) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	return s.Store.Users(with(ctx, apart), f)
}

// Credential implements [xxladapter.Store].
func (s *Store) Credential(ctx context.Context, digest string) (*xxladapter.Credential, *xxladapter.User, error) {
	return s.Store.Credential(with(ctx, apart), digest)
}

// Credentials implements [xxladapter.Store].
func (s *Store) Credentials(
	ctx context.Context, userID int64, kind xxladapter.CredentialKind,
) ([]*xxladapter.Credential, error) {
	return s.Store.Credentials(with(ctx, apart), userID, kind)
}

// UseCredential implements [xxladapter.Store].
func (s *Store) UseCredential(ctx context.Context, id int64, used, expires time.Time) error {
	return s.Store.UseCredential(with(ctx, apart), id, used, expires)
}

// Describe implements [xxladapter.Store].
func (s *Store) Describe(ctx context.Context) (xxladapter.StoreDescription, error) {
	d, err := s.Store.Describe(with(ctx, apart))
	d.Journal = true
	return d, err
}

// CountTags implements [xxladapter.Store].
func (s *Store) CountTags(ctx context.Context, groups []int64) ([]xxladapter.TagCount, error) {
	return s.Store.CountTags(with(ctx, apart), groups)
}
