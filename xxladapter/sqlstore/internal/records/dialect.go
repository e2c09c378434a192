package records

import (
	"time"
)

// A Dialect is what the databases do not agree about: some statements, and the
// form of a datetime. All other statements are written once, with ? for their
// arguments, beside the act that they serve.
type Dialect struct {
	// Clock is the server's clock as an expression, in whole milliseconds, and
	// preciseClock in microseconds; empty: all processes of the store share one clock.
	Clock, PreciseClock string
	// Returning says that an INSERT tells its id by RETURNING, and not in the
	// driver's result.
	Returning bool
	// Cached says that the driver itself prepares each statement once in a
	// connection's life.
	Cached bool
	// Lazily lets the transaction end before it is on the disk; empty: it does not
	// cost others anything, or cannot be.
	Lazily string
	// Rewrite turns a query into the database's form of it, with its names of columns and of
	// arguments; nil: it takes them as they stand.
	Rewrite func(query string) string
	// Lock ends a SELECT whose rows nobody else may change, lock or remove
	// before the transaction ends; share one whose rows others may only lock in
	// the same way. Both are empty where one writer has the database for itself.
	Lock, Share string
	// LockSchedule takes the lock that Java schedulers take too, until the
	// transaction ends; it must find a row. Empty where there are none.
	LockSchedule string
	// LockApp holds up all others who want to lock the same app name, until the
	// transaction ends. Argument: the app name. Empty as lock is.
	LockApp string
	// PlanFire inserts a planned fire, or nothing if its job has an open fire
	// with this due time. Arguments: the columns of fireValues, then job id
	// and due time again.
	PlanFire string
	// Among is the condition that a column is one of these ids, with its argument.
	Among func(column string, ids []int64) (condition string, args []any)
	// Beat inserts or refreshes the registration (group, key, value, time).
	Beat string
	// KnowAlarm inserts the alarm state of (job id) unless it is known.
	KnowAlarm string
	// AddToSlot adds to a slot of the figures, or makes it. Arguments: day, slot,
	// and what is added to the three counts.
	AddToSlot string
	// InsertTexts inserts texts with one statement; nil: each has its own.
	InsertTexts func(texts []TextRow) (query string, args []any)
	// NameHas is the condition that a job's name contains the argument.
	NameHas string
	// Argument turns an argument into one that the database accepts; nil: it
	// takes them as they are.
	Argument func(any) any
	// Widths are those of columns that differ between the releases of XXL-JOB.
	Widths Widths
	// Datetime is the argument for a datetime column: whole seconds, cut and
	// not rounded, NULL for the zero time.
	Datetime func(time.Time) any
}

// arguments are the same arguments as the database accepts them.
func (d *Dialect) arguments(args []any) []any {
	if d.Argument == nil {
		return args
	}
	accepted := make([]any, len(args))
	for i, arg := range args {
		accepted[i] = d.Argument(arg)
	}
	return accepted
}

// Text is the query as the database wants it.
func (d *Dialect) Text(query string) string {
	if d.Rewrite != nil {
		query = d.Rewrite(query)
	}
	return query
}
