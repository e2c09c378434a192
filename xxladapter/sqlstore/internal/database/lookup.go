package database

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/gather"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

const (
	// lookupMany is the size at which a batch of lookups makes the queue rest, and lookupRest
	// limits the rest.
	lookupMany = 8
	lookupRest = 5 * time.Millisecond
)

// The tables that rows are looked up in.
const (
	LookupJobs = iota
	LookupGroups
	LookupLogs
	lookupTables
)

// A Lookup asks for the row with an id in a table.
type Lookup struct {
	Table int
	ID    int64
	Row   any // a pointer to the entity's type, shared with other calls; nil if there is no row
	Err   error
}

// lookups holds the queue of each table. Calls that arrive while rows are read share the next read,
// so a call never returns a row that was read before the call arrived.
type lookups [lookupTables]*gather.Queue[*Lookup]

// A gathered is an [Entity] of any type.
type gathered interface {
	table() int
	queueOf(db *DB) *gather.Queue[*Lookup]
}

// Gather creates the queues in which [Find] looks up rows of these entities: one for each or, if
// db.Lookup is set, one for all tables.
func (db *DB) Gather(entities ...gathered) {
	if db.Lookup != nil {
		db.Queues = together(db.Lookup)
		return
	}
	for _, e := range entities {
		db.Queues[e.table()] = e.queueOf(db)
	}
}

// together returns one queue for all tables, whose batches are read in one round trip.
func together(read func(ctx context.Context, batch []*Lookup) error) (l lookups) {
	all := &gather.Queue[*Lookup]{
		Run: func(batch []*Lookup) {
			ctx, cancel := context.WithTimeout(context.Background(), network.BatchLife)
			defer cancel()
			if err := read(ctx, batch); err != nil {
				for _, l := range batch {
					l.Err = err
				}
			}
		},
		// Most of the cost of a round trip does not depend on how many rows it carries. A rest
		// after a large batch lets more calls share the next one; under little load no call waits.
		Rest: func(batch []*Lookup, took time.Duration) time.Duration {
			if len(batch) < lookupMany {
				return 0
			}
			return min(took, lookupRest)
		},
	}
	for i := range l {
		l[i] = all
	}
	return l
}

func (e *Entity[T]) table() int { return e.Table }

// queueOf returns a queue that reads rows of one table. A call that meets no other one reads under
// its own context.
func (e *Entity[T]) queueOf(db *DB) *gather.Queue[*Lookup] {
	read := func(ctx context.Context, batch ...*Lookup) {
		found, err := e.Read(ctx, db, e.IDs(batch))
		e.Answer(batch, found, err)
	}
	return &gather.Queue[*Lookup]{
		Run: func(batch []*Lookup) {
			ctx, cancel := context.WithTimeout(context.Background(), network.BatchLife)
			defer cancel()
			read(ctx, batch...)
		},
		Alone: func(ctx context.Context, l *Lookup) { read(ctx, l) },
	}
}

// IDs returns the ids that the batch asks for in the entity's table, sorted and without duplicates.
func (e *Entity[T]) IDs(batch []*Lookup) (ids []int64) {
	for _, l := range batch {
		if l.Table == e.Table {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Answer sets the results of the lookups in the entity's table.
func (e *Entity[T]) Answer(batch []*Lookup, found map[int64]*T, err error) {
	for _, l := range batch {
		if l.Table != e.Table {
			continue
		}
		l.Err = err
		if row := found[l.ID]; row != nil {
			l.Row = row
		}
	}
}

// wait waits for the reads that run.
func (l *lookups) wait() {
	for _, queue := range l {
		if queue != nil {
			queue.Wait()
		}
	}
}
