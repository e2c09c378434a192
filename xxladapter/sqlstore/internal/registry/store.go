// Package registry keeps the groups of executors in a SQL store: their addresses, which follow the
// registrations in automatic groups, their access tokens, and which executors are drained. It knows
// nothing of jobs but that a group with jobs is not removed.
package registry

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is the [xxladapter.GroupStore], [xxladapter.RegistryStore] and [xxladapter.DrainStore] of
// a database.
type Store struct {
	db    *database.DB
	audit *audit.Store
}

// New returns the groups of a database.
func New(db *database.DB, audit *audit.Store) *Store { return &Store{db: db, audit: audit} }

var (
	_ xxladapter.GroupStore    = (*Store)(nil)
	_ xxladapter.RegistryStore = (*Store)(nil)
	_ xxladapter.DrainStore    = (*Store)(nil)
)
