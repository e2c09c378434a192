package records

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

const (
	// lookupMany is how many rows make a [LookupQueue] rest, and lookupRest for how
	// long at most.
	lookupMany = 8
	lookupRest = 5 * time.Millisecond
)

// A LookupQueue reads rows by their ids for many callers, of several tables in
// one round trip. Those that come while one runs share the next, so what a call
// returns was read after it came.
//
// After a round trip for many it rests for as long as that took: most of what one
// costs does not depend on how many rows it brings, and so more of them share the
// next. Where few ask, none of them waits for that.
type LookupQueue struct {
	Read func(ctx context.Context, l *Lookup) error

	Mu      sync.Mutex
	Next    *Lookup // has not begun; nil: nobody waits
	Reading bool    // Invariant: true while next is not nil
	running sync.WaitGroup
}

// A Lookup is one round trip.
type Lookup struct {
	IDs   [lookupTables][]int64 // asked for
	Found [lookupTables]map[int64]any
	done  chan struct{} // closed when found and err are set
	err   error
}

// The tables that rows are looked up in.
const (
	lookupJobs = iota
	LookupGroups
	lookupLogs
	lookupTables
)

// get returns the row of the table with the id, which belongs to other calls as
// well, or nil if there is none. If ctx ends it does not wait any longer.
func (q *LookupQueue) get(ctx context.Context, table int, id int64) (any, error) {
	q.Mu.Lock()
	if q.Next == nil {
		q.Next = &Lookup{done: make(chan struct{})}
	}
	mine := q.Next
	mine.IDs[table] = append(mine.IDs[table], id)
	if !q.Reading {
		q.Reading = true
		q.running.Go(q.run)
	}
	q.Mu.Unlock()
	select {
	case <-mine.done:
		return mine.Found[table][id], mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run reads until nobody waits. No single caller's context counts for what all
// of them wait for.
func (q *LookupQueue) run() {
	for l := q.take(); l != nil; l = q.take() {
		rows := 0
		for table := range l.IDs {
			slices.Sort(l.IDs[table])
			l.IDs[table] = slices.Compact(l.IDs[table])
			rows += len(l.IDs[table])
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), network.GroupLife)
		l.err = q.Read(ctx, l)
		cancel()
		close(l.done)
		if rows >= lookupMany {
			time.Sleep(min(time.Since(begun), lookupRest))
		}
	}
}

// take begins the next round trip; nil: nobody waits.
func (q *LookupQueue) take() *Lookup {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	l := q.Next
	q.Next, q.Reading = nil, l != nil
	return l
}

// wait returns when nothing is read any more for callers that have left.
// REQUIRES: no call of get runs or will be made.
func (q *LookupQueue) wait() { q.running.Wait() }
