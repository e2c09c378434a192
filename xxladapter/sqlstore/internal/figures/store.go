// Package figures counts runs in a SQL store: by day, as the reports of XXL-JOB do, and by hour for
// the statistics, which also know the result of each job's newest run. Transactions that change an
// outcome add it to the reports; the statistics follow the log rows at a distance.
package figures

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is the [xxladapter.DailyReportStore] and [xxladapter.StatStore] of a database.
type Store struct{ db *database.DB }

// New returns the figures of a database.
func New(db *database.DB) *Store { return &Store{db} }

var (
	_ xxladapter.DailyReportStore = (*Store)(nil)
	_ xxladapter.StatStore        = (*Store)(nil)
)
