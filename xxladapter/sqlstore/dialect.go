package sqlstore

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A dialect is what the databases do not agree about: some statements, and the
// form of a datetime. All other statements are written once, with ? for their
// arguments, beside the act that they serve.
type dialect struct {
	// clock is the server's clock as an expression, in whole milliseconds, and
	// preciseClock in microseconds; empty: all processes of the store share one clock.
	clock, preciseClock string
	// begin starts a transaction that may write.
	begin string
	// numbered says that arguments are $1, $2 and so on.
	numbered bool
	// returning says that an INSERT tells its id by RETURNING, and not in the
	// driver's result.
	returning bool
	// cached says that the driver itself prepares each statement once in a
	// connection's life.
	cached bool
	// lazily lets the transaction end before it is on the disk; empty: it does not
	// cost others anything, or cannot be.
	lazily string
	// rewrite names the columns of a query as the database does; nil: as they
	// stand.
	rewrite func(query string) string
	// lock ends a SELECT whose rows nobody else may change, lock or remove
	// before the transaction ends; share one whose rows others may only lock in
	// the same way. Both are empty where one writer has the database for itself.
	lock, share string
	// lockDue ends the SELECT of due jobs.
	lockDue string
	// lockSchedule takes the lock that Java schedulers take too, until the
	// transaction ends; it must find a row. Empty where there are none.
	lockSchedule string
	// lockByID says that a SELECT with locks also locks, and waits for, the rows
	// that it only walks through, so that rows are found first and locked by
	// their ids.
	lockByID bool
	// byJob makes a look-up of fires by job and due time go by that index, where the
	// server else may walk through all open fires.
	byJob string
	// dueIndex says that an index leads to due jobs; it matters with lockByID.
	dueIndex bool
	// lockApp holds up all others who want to lock the same app name, until the
	// transaction ends. Argument: the app name. Empty as lock is.
	lockApp string
	// planFire inserts a planned fire, or nothing if its job has an open fire
	// with this due time. Arguments: the columns of fireValues, then job id
	// and due time again.
	planFire string
	// taken reports whether planFire failed because somebody else was planning
	// for the same due time; nil: it cannot.
	taken func(error) bool
	// among is the condition that a column is one of these ids, with its argument.
	among func(column string, ids []int64) (condition string, args []any)
	// beat inserts or refreshes the registration (group, key, value, time).
	beat string
	// knowAlarm inserts the alarm state of (job id) unless it is known.
	knowAlarm string
	// addToSlot adds to a slot of the figures, or makes it. Arguments: day, slot,
	// and what is added to the three counts.
	addToSlot string
	// insertTexts inserts texts with one statement; nil: each has its own.
	insertTexts func(texts []textRow) (query string, args []any)
	// nameHas is the condition that a job's name contains the argument.
	nameHas string
	// argument turns an argument into one that the database accepts; nil: it
	// takes them as they are.
	argument func(any) any
	// storeTogether stores many decisions at once; nil: each has its statements.
	storeTogether func(ctx context.Context, s *Store, tx *tx, decisions []decided) ([]xxladapter.Fire, error)
	// answered reports whether an error is the server's own answer, and unsent
	// whether a statement that failed like this was not sent at all.
	answered, unsent func(error) bool
	// widths are those of columns that differ between the releases of XXL-JOB.
	widths widths
	// idStep is the distance between the ids of rows that one INSERT brings.
	idStep int64
	// datetime is the argument for a datetime column: whole seconds, cut and
	// not rounded, NULL for the zero time.
	datetime func(time.Time) any
}

// arguments are the same arguments as the database accepts them.
func (d *dialect) arguments(args []any) []any {
	if d.argument == nil {
		return args
	}
	accepted := make([]any, len(args))
	for i, arg := range args {
		accepted[i] = d.argument(arg)
	}
	return accepted
}

// text is the query as the database wants it.
func (d *dialect) text(query string) string {
	if d.rewrite != nil {
		query = d.rewrite(query)
	}
	if d.numbered {
		return numbered(query)
	}
	return query
}
