package records

import (
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/leases"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/users"
)

// The subjects of which the store is composed. Each is called Store in its own package, and a
// struct cannot embed two types of one name.
type (
	auditStore    = audit.Store
	userStore     = users.Store
	registryStore = registry.Store
	leaseStore    = leases.Store
	figureStore   = figures.Store
	runStore      = runs.Store
)

// A Store is an [xxladapter.Store] in a SQL database. Its own methods are those of jobs, schedules,
// fires and runs.
type Store struct {
	*database.DB
	*auditStore
	*userStore
	*registryStore
	*leaseStore
	*figureStore
	*runStore
	Acts Acts
	// Fires gathers the calls that every fire makes into batches. Nil sends each to Writes.
	Fires *fireQueue
	// Resting is set if the last scan claimed nothing and found nothing in the hands of others.
	Resting      atomic.Bool
	restrictions restrictions
	others       others
}

// New creates a store in a database, with [Standard] acts.
func New(db *database.DB) *Store {
	trail, counts := audit.New(db), figures.New(db)
	s := &Store{
		DB: db, auditStore: trail, figureStore: counts,
		userStore: users.New(db, trail), registryStore: registry.New(db, trail), runStore: runs.New(db, trail, counts),
	}
	s.leaseStore = leases.New(db, trail, s.others.share)
	s.Acts = Standard{s}
	db.Gather(&JobEntity, &registry.GroupEntity, &runs.LogEntity)
	return s
}

var _ xxladapter.Store = (*Store)(nil)
