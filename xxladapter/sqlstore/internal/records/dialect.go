package records

import (
	"time"
)

// A Dialect holds the statements and value forms in which databases differ. All other statements are
// written once, with ? for their arguments, beside the code that runs them.
type Dialect struct {
	// Clock is an expression for the server's clock in whole milliseconds, and PreciseClock in
	// microseconds. They are empty if all processes of the store share one clock.
	Clock, PreciseClock string
	// Returning is set if an INSERT returns its id by RETURNING and not in the driver's result.
	Returning bool
	// Cached is set if the driver itself prepares each statement once per connection.
	Cached bool
	// Lazily is the statement that lets the transaction end before it is on the disk; empty if the
	// database has no such setting for a transaction.
	Lazily string
	// Rewrite turns a query into the database's form, with its names of columns and its
	// placeholders. Nil leaves queries as they are.
	Rewrite func(query string) string
	// Lock ends a SELECT whose rows nobody else may change, lock or remove before the transaction
	// ends; Share ends one whose rows others may only lock in the same way. Both are empty where
	// one writer has the database for itself.
	Lock, Share string
	// LockSchedule takes the lock that Java schedulers take too, until the transaction ends. It
	// must find a row. It is empty where no Java scheduler can run.
	LockSchedule string
	// LockApp locks an app name, its argument, until the transaction ends. It is empty where Lock
	// is.
	LockApp string
	// PlanFire inserts a planned fire, or nothing if its job has an open fire with this due time.
	// Arguments: the columns of [FireValues], then job id and due time again.
	PlanFire string
	// Among returns the condition that a column is one of these ids, with its arguments.
	Among func(column string, ids []int64) (condition string, args []any)
	// Beat inserts or refreshes a registration. Arguments: group, key, value, time.
	Beat string
	// KnowAlarm inserts the alarm state of a job id unless there is one.
	KnowAlarm string
	// AddToSlot adds to a slot of the figures, and creates it if needed. Arguments: day, slot, and
	// what is added to the three counts.
	AddToSlot string
	// InsertTexts returns one statement that inserts all texts. Nil inserts each with its own.
	InsertTexts func(texts []TextRow) (query string, args []any)
	// NameHas is the condition that a job's name contains the argument.
	NameHas string
	// Argument converts an argument into one that the database accepts. Nil converts none.
	Argument func(any) any
	// Widths are the widths of columns that differ between releases of XXL-JOB.
	Widths Widths
	// Datetime returns the argument for a datetime column: whole seconds, truncated and not
	// rounded, and NULL for the zero time.
	Datetime func(time.Time) any
}

// arguments converts args for the database.
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

// Text returns the query in the database's form.
func (d *Dialect) Text(query string) string {
	if d.Rewrite != nil {
		query = d.Rewrite(query)
	}
	return query
}
