package xxladapter

import "context"

// A Store keeps everything that a scheduler works on. It is composed of parts, each beside the
// types that it stores; a caller asks for the parts that it uses.
//
// These rules hold for every method of every part:
//
//   - It may be called from any goroutine.
//   - It is atomic: it has happened whole and durably when it returns nil, and not at all when it
//     returns an error, unless the error comes from ctx or from the connection. Then it may have
//     happened.
//   - It does nothing and returns the error of ctx if that has ended before the call.
//   - Arguments and returned values belong to the caller: a store keeps copies.
//   - Lists come in ascending id order, unless the method names another one. A list without
//     members is empty and no error.
//   - Pointers and functions among the arguments must not be nil, and limit must be above 0.
//
// Store has more than a hundred methods, for two reasons. What has to be atomic is one method: a
// transaction that callers compose would put the locks and repeats of one database into them. And
// an answer for people is one method too, because the database counts, sorts and pages, and a
// caller that did it would read every row. No caller needs them all: scheduler.Store and
// trigger.Store, which fire jobs, have about a dozen each.
//
// The package storetest holds the suite that every Store passes.
type Store interface {
	// What schedulers need to fire jobs and to follow their runs.
	Clock
	ScheduleStore
	FireStore
	OrderStore
	BackfillStore
	LeaseStore
	SessionStore
	ShardMoveStore
	LogStore
	RunStore

	// What the services beside the scheduler need: registration, alarms, run texts, retention.
	RegistryStore
	AlarmStore
	RunTextStore
	PurgeStore

	// What people and programs define and change.
	JobStore
	JobEditStore
	JobVersionStore
	DeclarationStore
	GlueStore
	PauseStore
	CalendarStore
	GroupStore
	DrainStore
	UserStore
	CredentialStore

	// What people read.
	DescriptionStore
	CountStore
	RunListStore
	JobRunStore
	RunHistoryStore
	ReportStore
	StatStore
	AuditStore
	ChangeStore

	// Close waits for running calls and releases the store. Later calls fail; closing again is
	// allowed and changes nothing.
	Close() error
}

// A StoreKind is the program that keeps the data of a [Store].
type StoreKind string

const (
	StoreMemory   StoreKind = "MEMORY"
	StoreSQLite   StoreKind = "SQLITE"
	StoreMySQL    StoreKind = "MYSQL" // also MariaDB, which the version tells
	StorePostgres StoreKind = "POSTGRES"
)

// Values lists all kinds.
func (StoreKind) Values() []StoreKind {
	return []StoreKind{StoreMemory, StoreSQLite, StoreMySQL, StorePostgres}
}

// A StoreDescription says what a store is, without its place and password.
type StoreDescription struct {
	Kind StoreKind
	// Version is what the database program says of itself, such as 10.11.6-MariaDB; empty for
	// [StoreMemory].
	Version string
	// Schema is the version of the side tables; 0 means that there are none.
	Schema int64
	// Journal says that calls end in a journal beside the tables.
	Journal bool
}

// A DescriptionStore is the part of [Store] that says what the store is.
type DescriptionStore interface {
	// Describe returns what the store is at present.
	Describe(ctx context.Context) (StoreDescription, error)
}
