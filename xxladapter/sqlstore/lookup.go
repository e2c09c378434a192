package sqlstore

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// lookupMany is how many rows make a [lookupQueue] rest, and lookupRest for how
	// long at most.
	lookupMany = 8
	lookupRest = 5 * time.Millisecond
)

// A lookupQueue reads rows by their ids for many callers, of several tables in
// one round trip. Those that come while one runs share the next, so what a call
// returns was read after it came.
//
// After a round trip for many it rests for as long as that took: most of what one
// costs does not depend on how many rows it brings, and so more of them share the
// next. Where few ask, none of them waits for that.
type lookupQueue struct {
	read func(ctx context.Context, l *lookup) error

	mu      sync.Mutex
	next    *lookup // has not begun; nil: nobody waits
	reading bool    // Invariant: true while next is not nil
	running sync.WaitGroup
}

// A lookup is one round trip.
type lookup struct {
	ids   [lookupTables][]int64 // asked for
	found [lookupTables]map[int64]any
	done  chan struct{} // closed when found and err are set
	err   error
}

// The tables that rows are looked up in.
const (
	lookupJobs = iota
	lookupGroups
	lookupLogs
	lookupTables
)

// get returns the row of the table with the id, which belongs to other calls as
// well, or nil if there is none. If ctx ends it does not wait any longer.
func (q *lookupQueue) get(ctx context.Context, table int, id int64) (any, error) {
	q.mu.Lock()
	if q.next == nil {
		q.next = &lookup{done: make(chan struct{})}
	}
	mine := q.next
	mine.ids[table] = append(mine.ids[table], id)
	if !q.reading {
		q.reading = true
		q.running.Go(q.run)
	}
	q.mu.Unlock()
	select {
	case <-mine.done:
		return mine.found[table][id], mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run reads until nobody waits. No single caller's context counts for what all
// of them wait for.
func (q *lookupQueue) run() {
	for l := q.take(); l != nil; l = q.take() {
		rows := 0
		for table := range l.ids {
			slices.Sort(l.ids[table])
			l.ids[table] = slices.Compact(l.ids[table])
			rows += len(l.ids[table])
		}
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), groupLife)
		l.err = q.read(ctx, l)
		cancel()
		close(l.done)
		if rows >= lookupMany {
			time.Sleep(min(time.Since(begun), lookupRest))
		}
	}
}

// take begins the next round trip; nil: nobody waits.
func (q *lookupQueue) take() *lookup {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.next
	q.next, q.reading = nil, l != nil
	return l
}

// wait returns when nothing is read any more for callers that have left.
// REQUIRES: no call of get runs or will be made.
func (q *lookupQueue) wait() { q.running.Wait() }
