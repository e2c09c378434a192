package database

import (
	"context"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Dialect holds the statements and value forms in which databases differ. All other statements
// are written once, with ? for their arguments, beside the code that runs them.
type Dialect struct {
	// Kind is the database, and Version an expression for the version of its program.
	Kind    xxladapter.StoreKind
	Version string
	// Clock is an expression for the server's clock in whole milliseconds, and PreciseClock in
	// microseconds. They are empty if all processes of the store share one clock.
	Clock, PreciseClock string
	// Returning is set if an INSERT returns its id by RETURNING and not in the driver's result.
	Returning bool
	// Cached is set if the driver itself prepares each statement once per connection, or prepares
	// none.
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
	// Arguments: the columns of records.FireValues, then job id and due time again.
	PlanFire string
	// JoinIDs is the aggregate that joins the column id of all rows by commas, in the order of the
	// rows. Empty if the length of its result is limited.
	JoinIDs string
	// Among returns the condition that a column is one of these ids, with its arguments.
	Among func(column string, ids []int64) (condition string, args []any)
	// UpdateRows returns a statement that sets columns of some rows of a table, each to its own
	// values. Arguments: the columns of each row, of which the first is the key.
	UpdateRows func(table string, columns []Column, rows int) string
	// InsertArrays returns an INSERT of any number of rows whose arguments are lists, one for each
	// column. Nil where each row is written out.
	InsertArrays func(table string, columns []Column) string
	// JobsByID follows xxl_job_info, and FiresByJob xxlwheel_fire, in statements that find rows by
	// ids of jobs and lock what they pass. Each makes the database use an index, however small the
	// table is. Both are empty for a database whose statements never wait for rows that do not
	// match.
	JobsByID, FiresByJob string
	// IDStep is the distance between the ids of one INSERT, of which the driver returns the first.
	// 0 means that they are consecutive, and that the driver returns the last one.
	IDStep int64
	// AdvanceIDs returns the statement after which a table generates ids above those that it has.
	// Nil where that needs no statement.
	AdvanceIDs func(table string) string
	// Columns selects table, column, type, and whether it is a part of the primary key, of all
	// tables whose names begin with xxl, in the order of the columns.
	Columns string
	// ReserveIDs returns statements after which a table that generates ids gives higher ones than
	// last.
	ReserveIDs func(table string, last int64) []string
	// ReserveWithin is ReserveIDs for xxlwheel_fire and xxl_job_log within a transaction, which it
	// does not end. Nil means that ReserveIDs ends none.
	ReserveWithin func(table string, last int64) []string
	// LastID returns an id that is at least as high as each one that xxlwheel_fire or xxl_job_log
	// has generated, even if its row was deleted.
	LastID func(ctx context.Context, tx *Tx, table string) (int64, error)
	// OpenRuns is the condition that the run of a log row has no outcome. If the database has an
	// index of such rows, the condition reads no others.
	OpenRuns string
	// Seconds is an expression for the number of seconds from the trigger_time to the handle_time
	// of a log row.
	Seconds string
	// Updated is an expression for the update_time of a job, and for the beginning of 1970 where
	// that is NULL.
	Updated string
	// Beat inserts or refreshes a registration. Arguments: group, key, value, time.
	Beat string
	// KnowAlarm inserts the alarm state of a job id unless there is one.
	KnowAlarm string
	// AddToSlot adds to a slot of the figures, and creates it if needed. Arguments: day, slot, and
	// what is added to the three counts.
	AddToSlot string
	// KeepHistory ends an INSERT of histories: if a run has one already, instants that are known
	// are added to it.
	KeepHistory string
	// RecordMisfire inserts a misfire, or moves the end of the job's misfire for the same pause.
	// Arguments: those of records.InsertMisfire.
	RecordMisfire string
	// InsertTexts returns one statement that inserts all texts. Nil inserts each with its own.
	InsertTexts func(texts []TextRow) (query string, args []any)
	// MoveJobs returns one statement that moves all jobs. Nil moves them by UpdateRows.
	MoveJobs func(jobs []MovedJob) (query string, args []any)
	// NeverRan is the condition that a job has no stored result. It reads the stored results by
	// job.
	NeverRan string
	// Has returns the condition that a text column contains the argument, byte for byte.
	Has func(column string) string
	// Bytes returns a text expression in a form that is compared by its bytes.
	Bytes func(text string) string
	// Argument converts an argument into one that the database accepts. Nil converts none.
	Argument func(any) any
	// Widths are the widths of columns that differ between releases of XXL-JOB.
	Widths Widths
	// Datetime returns the argument for a datetime column: whole seconds, truncated and not
	// rounded, and NULL for the zero time. A limit may be any instant: where the column has only
	// the years 1000 to 9999, one outside of them becomes the nearest second within them.
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

// A Column is one that [Dialect.UpdateRows] or [Tx.InsertTyped] sets, or the key by which rows are
// found.
type Column struct {
	Name string
	Type string // as PostgreSQL names it; other databases do not use it
}

// Columns returns the columns that a list names, each with its type behind it.
func Columns(list string) (columns []Column) {
	for item := range strings.SplitSeq(list, ",") {
		name, kind, _ := strings.Cut(strings.TrimSpace(item), " ")
		columns = append(columns, Column{Name: name, Type: kind})
	}
	return columns
}

// A MovedJob is a job whose times, in ms, or switch have changed.
type MovedJob struct {
	ID, Last, Next int64
	Status         int // 1 while the job runs, otherwise 0
}

// A TextRow is a row of xxlwheel_log_text.
type TextRow struct {
	LogID    int64
	Body     []byte
	Size     int64
	Complete int
	Note     string
}

// Values returns the arguments of runs.InsertText.
func (r *TextRow) Values() []any { return []any{r.LogID, r.Body, r.Size, r.Complete, r.Note} }
