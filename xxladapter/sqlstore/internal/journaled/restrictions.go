package journaled

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// restricting is the scope of a call that changes pauses or calendars and no fires.
var restricting = scope{needs: allRuns, changes: true, load: load{restrictions: true}}

// CreatePause implements [xxladapter.Store]. Its scope is unknown, because a pause may delete fires
// of any job.
func (s *Store) CreatePause(ctx context.Context, p xxladapter.Pause) (xxladapter.Pause, error) {
	return s.Store.CreatePause(with(ctx, unknown), p)
}

// EndPause implements [xxladapter.Store].
func (s *Store) EndPause(ctx context.Context, id int64) (xxladapter.Pause, error) {
	return s.Store.EndPause(with(ctx, restricting), id)
}

// Pauses implements [xxladapter.Store].
func (s *Store) Pauses(ctx context.Context, f xxladapter.PauseFilter) ([]xxladapter.Pause, error) {
	return s.Store.Pauses(with(ctx, apart), f)
}

// SaveCalendar implements [xxladapter.Store].
func (s *Store) SaveCalendar(ctx context.Context, c *xxladapter.Calendar, seen time.Time) (time.Time, error) {
	return s.Store.SaveCalendar(with(ctx, restricting), c, seen)
}

// RemoveCalendar implements [xxladapter.Store].
func (s *Store) RemoveCalendar(ctx context.Context, name string) error {
	return s.Store.RemoveCalendar(with(ctx, restricting), name)
}

// Calendars implements [xxladapter.Store].
func (s *Store) Calendars(ctx context.Context) ([]*xxladapter.Calendar, error) {
	return s.Store.Calendars(with(ctx, apart))
}
