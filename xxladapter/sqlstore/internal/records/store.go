package records

import (
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is an [xxladapter.Store] in a SQL database.
type Store struct {
	*database.DB
	Acts Acts
	// Fires runs the calls that every fire makes in batches. Nil sends each to Writes.
	Fires *fireQueue
	// Sessions hold locks by name. Nil means that the database has none.
	Sessions sessions
	// Resting is set if the last scan claimed nothing and found nothing in the hands of others.
	Resting      atomic.Bool
	snapshots    leaseSnapshots
	shared       func(bool)
	restrictions restrictions
	others       others
}

// New creates a store in a database, with [Standard] acts.
func New(db *database.DB) *Store {
	s := &Store{DB: db}
	s.Acts = Standard{s}
	s.shared = s.others.share
	db.Gather(&JobEntity, &GroupEntity, &LogEntity)
	return s
}

var _ xxladapter.Store = (*Store)(nil)
