// Package runs keeps what a SQL store knows of runs: their log rows, histories and texts, and the
// alarms about those that failed. It lists them, and deletes them when they are old. Fires are not
// its subject: a claim or a result is carried out elsewhere, with the statements of this package.
package runs

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
)

// A Store is the part of [xxladapter.Store] about runs, in a database.
type Store struct {
	db      *database.DB
	audit   *audit.Store
	figures *figures.Store
}

// New returns the runs of a database. A purge is recorded in the audit, unless it purges removed
// jobs. Rows that it deletes are counted in the figures if they were not counted before.
func New(db *database.DB, audit *audit.Store, figures *figures.Store) *Store {
	return &Store{db: db, audit: audit, figures: figures}
}

var (
	_ xxladapter.LogStore       = (*Store)(nil)
	_ xxladapter.RunListStore   = (*Store)(nil)
	_ xxladapter.RecentRunStore = (*Store)(nil)
	_ xxladapter.RunTextStore   = (*Store)(nil)
	_ xxladapter.AlarmStore     = (*Store)(nil)
)
