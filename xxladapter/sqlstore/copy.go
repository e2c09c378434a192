package sqlstore

import (
	"context"
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/transfer"
)

// CopyOptions are the settings of [Copy]. The zero value is ready to use.
type CopyOptions struct {
	// WithoutHistory leaves out what has happened: runs, orders, misfires, figures, states of
	// alarms, audit, versions of jobs, and backfills, also those that have not ended.
	WithoutHistory bool
	// Progress is called after each part of a table, with the number of its rows copied so far. Nil
	// is allowed.
	Progress func(table string, rows int64)
}

// A TableCount says how many rows of a table were copied.
type TableCount = transfer.TableCount

// CheckSource returns the error with which [Copy] refuses a source, so that a target need not be
// created for nothing.
func CheckSource(ctx context.Context, from xxladapter.Store, opts CopyOptions) error {
	source, ok := from.(*records.Store)
	if !ok {
		return errWithJournal
	}
	return (&transfer.Copy{From: source.DB, History: !opts.WithoutHistory}).CheckFrom(ctx)
}

var errWithJournal = errors.New("sqlstore: stores to copy must be opened by this package, without a journal")

// Copy copies all that a store has into an empty one, and compares both. The kinds may differ. Both
// must have been opened by [Open] without a journal, and be without schedulers. All rows keep their
// ids, and new rows of the target get ids that the source has not given.
//
// After an error the target has only a part of the rows and must not be used. Rows that make
// schedulers act are copied last.
//
// The error is [xxladapter.ErrConflict] if a scheduler works on either store or the target is not
// empty; without the history also while fires are being handed over.
func Copy(ctx context.Context, from, to xxladapter.Store, opts CopyOptions) ([]TableCount, error) {
	source, ok := from.(*records.Store)
	target, toOK := to.(*records.Store)
	if !ok || !toOK {
		return nil, errWithJournal
	}
	c := transfer.Copy{From: source.DB, To: target.DB, History: !opts.WithoutHistory, Progress: opts.Progress}
	return c.Run(ctx)
}
