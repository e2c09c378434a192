package xxladapter

import "context"

// A Store keeps everything that schedulers work on and that people define and read. It has two
// halves, so that a new store can begin with the smaller one:
//
//   - [SchedulingStore] has 40 methods, which take a job from its due time to the result of its
//     run. The packages scheduler and trigger call nothing else, and neither do the sweeps Lost,
//     Registry, Stuck and Waiting of package maintenance.
//   - [ManagementStore] has 65 methods for what people define and read, and for what the services
//     beside the scheduler keep. Package accounts and the sweeps Reports and Stats call nothing
//     else; the packages admin, alarm and events and the other sweeps call methods of both halves.
//
// Each half is composed of parts, which stand beside the types that they store. A caller asks for
// the parts or methods that it uses: scheduler.Store and trigger.Store have about a dozen each.
//
// These rules hold for every method of every part:
//
//   - It may be called from any goroutine.
//   - It is atomic: it has happened whole and durably when it returns nil, and not at all when it
//     returns an error, unless the error comes from ctx, from the connection or from the disk. Then
//     it may have happened. A crash of the database may take back the latest purges, texts of runs
//     and steps of the statistics, which are then repeated.
//   - It does nothing and returns the error of ctx if that has ended before the call.
//   - Arguments and returned values belong to the caller: a store keeps copies.
//   - Lists come in ascending id order, unless the method names another one. A list without
//     members is empty and no error.
//   - Pointers and functions among the arguments must not be nil, and limit must be above 0.
//
// The 105 methods of Store are many for two reasons. What has to be atomic is one method: a
// transaction that callers compose would put the locks and repeats of one database into them. And
// an answer for people is one method too, because the database counts, sorts and pages, and a
// caller that did it would read every row.
//
// The package storetest holds the suite that every Store passes, and the part of it that every
// SchedulingStore passes. A whole node needs a Store.
type Store interface {
	SchedulingStore
	ManagementStore
}

// A SchedulingStore is the half of [Store] that takes a job from its due time to the result of its
// run, however many schedulers there are. The rules of Store hold for it.
//
// It is complete without the other half: jobs fire as they do in a Store that has no pauses,
// calendars and orders.
type SchedulingStore interface {
	// What is due, and who fires it.
	Clock
	ScheduleStore
	FireStore
	LeaseStore
	PresenceStore
	PartitionMoveStore

	// What becomes of a fire.
	LogStore
	RunStore

	// What is fired, and where it runs. Both can be edited here, since a store without jobs and
	// groups schedules nothing.
	JobStore
	JobEditStore
	GroupStore
	RegistryStore

	// Close waits for running calls and releases the store, also if it returns an error. If the
	// database does not answer, it gives up within ten seconds, or up to two minutes later if a
	// store has much to write or to read first. Later calls fail; closing again is allowed and
	// changes nothing.
	//
	// An error says what could not be written to the database, or not be released. No acknowledged
	// change is lost: a store that writes its tables later keeps each in a log, and the next
	// process that opens the store writes what is missing.
	Close() error
}

// A ManagementStore is the half of [Store] that keeps what people and programs define beyond a
// schedule, what they read, and what the services beside the scheduler need. The rules of Store
// hold for it. It is not complete without the other half, whose jobs and runs it is about.
type ManagementStore interface {
	// What people and programs trigger.
	OrderStore
	BackfillStore

	// What they define beyond the schedules of jobs.
	JobVersionStore
	DeclarationStore
	GlueStore
	PauseStore
	CalendarStore
	DrainStore
	UserStore
	CredentialStore

	// What they read.
	DescriptionStore
	CountStore
	RunListStore
	RecentRunStore
	RunHistoryStore
	DailyReportStore
	StatStore
	AuditStore
	ChangeStore

	// What the services beside the scheduler keep for them: alarms, run texts, retention.
	AlarmStore
	RunTextStore
	PurgeStore
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
	// Journal says that changes of fires and runs are durable in a journal before the tables have
	// them.
	Journal bool
}

// A DescriptionStore is the part of [Store] that says what the store is.
type DescriptionStore interface {
	// Describe returns what the store is at present.
	Describe(ctx context.Context) (StoreDescription, error)
}
