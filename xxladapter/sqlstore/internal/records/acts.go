package records

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// Acts are what each database does in its own way. [Standard] implements them for a database with a
// single writer.
type Acts interface {
	// Claimable prepares a scan before its transaction begins, where that helps the database, and
	// returns the function that reads and locks due jobs within the transaction.
	Claimable(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int) (DueReader, error)
	// StoreDecisions stores what a scan decided and returns the fires that it planned.
	//
	// REQUIRES: the transaction holds the locks of the due jobs.
	StoreDecisions(ctx context.Context, tx *database.Tx, decisions []Decided) ([]xxladapter.Fire, error)
	// Taken reports whether a fire was not planned because another session was planning for the
	// same due time.
	Taken(err error) bool
}

// A DueReader reads and locks due jobs at the time now, in the order of their due times. locked
// counts the due jobs that it skipped because another session holds them.
type DueReader func(ctx context.Context, tx *database.Tx, now time.Time) (due []*xxladapter.Job, locked int, err error)

// Standard implements [Acts] with one statement for each row.
type Standard struct{ Store *Store }

// Claimable reads due jobs without a lock, since nobody else writes.
func (a Standard) Claimable(_ context.Context, by xxladapter.Term, ahead time.Duration, limit int) (DueReader, error) {
	return func(ctx context.Context, tx *database.Tx, now time.Time) (due []*xxladapter.Job, locked int, err error) {
		due, err = Due(ctx, tx, SelectDue, append(AllDueArgs(by.Node, now, ahead), max(limit, 0)))
		return due, 0, err
	}, nil
}

// StoreDecisions stores one decision after the other.
func (a Standard) StoreDecisions(ctx context.Context, tx *database.Tx, decisions []Decided) ([]xxladapter.Fire, error) {
	planned := make([]xxladapter.Fire, 0, len(decisions))
	for _, d := range decisions {
		fires, err := a.Store.storeDecision(ctx, tx, d)
		if err != nil {
			return nil, err
		}
		planned = append(planned, fires...)
	}
	return planned, nil
}

// Taken reports false, since nobody else plans.
func (Standard) Taken(error) bool { return false }

// Due reads the due jobs of the node's partitions with query; args are those of SelectDue.
func Due(ctx context.Context, t *database.Tx, query string, args []any) ([]*xxladapter.Job, error) {
	var due []*xxladapter.Job
	err := t.Query(ctx, query, args, func(r database.Row) error {
		j, err := ScanJob(r)
		due = append(due, j)
		return err
	})
	return due, err
}
