package xxladapter

import "context"

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
