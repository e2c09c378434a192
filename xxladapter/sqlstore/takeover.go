package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/transfer"
)

// TakeOverOptions are the settings of [TakeOver]. The zero value is ready to use.
type TakeOverOptions struct {
	Options
	// Source is the name under which the store remembers what it took. The default is the address
	// without user and password.
	Source string
	// DryRun only reports what would be taken.
	DryRun bool
	// Logs takes the log rows of ended runs too.
	Logs bool
	// Profile is the dialect in which the store's schedulers read cron expressions. The default is
	// [cron.Quartz].
	Profile cron.Profile
	// Progress is called while log rows are taken, with the ids of the last row taken and of the
	// last one to take. Nil is allowed.
	Progress func(done, last int64)
}

// CheckTakeOver returns the error with which [TakeOver] refuses a database before it reads what
// there is to take, so that a store need not be created for nothing.
func CheckTakeOver(ctx context.Context, from string, opts Options) error {
	_, _, closeIt, err := mysql.OpenUpstream(ctx, from, database.Options(opts))
	if err != nil {
		return err
	}
	return closeIt()
}

// TakeOver copies groups, jobs, versions of scripts, users and daily figures from a database of
// XXL-JOB, of release 2.3.0 and later, into a store that [Open] opened without a journal. from is
// an address like that of [OpenMySQL]. That database is only read, at one moment.
//
// All of it is written in one transaction. Jobs are stopped. They and their groups keep their ids
// if the store has no job and no group, and took none under the same Source before; otherwise they
// get new ones, and the ids of children follow. What was taken before is left as it is. Log rows
// follow in several transactions; after an error, the next call continues there. New runs of the
// store get ids above the database's newest log row, whether or not log rows are taken, because
// executors know the runs of XXL-JOB and of the store by their ids.
//
// The error is [xxladapter.ErrConflict] if the store knows another source, and none with this name,
// and Source is empty.
func TakeOver(
	ctx context.Context, from string, to xxladapter.Store, opts TakeOverOptions,
) (_ *fromxxljob.Report, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	store, ok := to.(*records.Store)
	if !ok {
		return nil, errors.New(
			"sqlstore: the store to take over into must be opened by this package, without a journal",
		)
	}
	upstream, name, closeIt, err := mysql.OpenUpstream(ctx, from, database.Options(opts.Options))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeIt()) }()
	now, err := to.Now(ctx)
	if err != nil {
		return nil, err
	}
	t := transfer.TakeOver{
		From: upstream, To: store, DryRun: opts.DryRun, Logs: opts.Logs, Progress: opts.Progress,
		Options: fromxxljob.Options{
			From: name, Sure: opts.Source != "", Profile: opts.Profile, Now: now.Truncate(time.Second),
		},
	}
	if opts.Source != "" {
		t.Options.From = opts.Source
	}
	return t.Run(ctx)
}
