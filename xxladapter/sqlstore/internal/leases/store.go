// Package leases keeps the schedulers of a SQL store: their terms and leases, the partitions that
// are dealt to them, the presence by which a dead process is noticed at once, and the time zone on
// which all of them agree. It knows no jobs; about fires it reads only who owns them and when the
// first one is due.
package leases

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is the part of [xxladapter.Store] about schedulers, in a database.
type Store struct {
	db    *database.DB
	audit *audit.Store
	// Sessions hold locks by name. Nil means that the database has none.
	Sessions sessions
	// shared is called after each renewal with whether other nodes hold leases.
	shared    func(bool)
	snapshots leaseSnapshots
}

// New returns the schedulers of a database. It calls shared after each renewal with whether other
// nodes hold leases.
func New(db *database.DB, audit *audit.Store, shared func(bool)) *Store {
	return &Store{db: db, audit: audit, shared: shared}
}

var (
	_ xxladapter.LeaseStore         = (*Store)(nil)
	_ xxladapter.PresenceStore      = (*Store)(nil)
	_ xxladapter.PartitionMoveStore = (*Store)(nil)
)
