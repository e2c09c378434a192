package database

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// trips makes round trips of a millisecond each, and records them. A lookup of a positive id gets
// the time at which its trip began.
type trips struct {
	mu   sync.Mutex
	made [][lookupTables][]int64
	err  error
}

func (r *trips) all() [][lookupTables][]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.made)
}

func (r *trips) read(_ context.Context, batch []*Lookup) error {
	r.mu.Lock()
	r.made = append(r.made, [lookupTables][]int64{
		LookupJobs: askedOf(LookupJobs, batch), LookupGroups: askedOf(LookupGroups, batch), LookupLogs: askedOf(LookupLogs, batch),
	})
	r.mu.Unlock()
	began := time.Now()
	time.Sleep(time.Millisecond) // in a bubble
	for _, l := range batch {
		if l.ID > 0 {
			l.Row = began
		}
	}
	return r.err
}

// askedOf returns the ids that the batch asks for in a table.
func askedOf(table int, batch []*Lookup) []int64 { return (&Entity[int]{Table: table}).IDs(batch) }

// get looks a row up; nil means that there is none.
func (l lookups) get(ctx context.Context, table int, id int64) (any, error) {
	asked := &Lookup{Table: table, ID: id}
	if err := l[table].Do(ctx, asked); err != nil {
		return nil, err
	}
	return asked.Row, asked.Err
}

func TestLookUpsOfAllTablesShareARoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made trips
		q := together(made.read)
		get := func(table int, id int64) {
			came := time.Now()
			began, err := q.get(t.Context(), table, id)
			if err != nil || began == nil || began.(time.Time).Before(came) {
				t.Errorf("look-up of %d in %d at %v: read at %v, %v", id, table, came, began, err)
			}
		}
		go get(LookupJobs, 9)
		synctest.Wait()
		go get(LookupJobs, 3)
		go get(LookupJobs, 1)
		go get(LookupJobs, 3)
		for id := range int64(lookupMany - 3) {
			go get(LookupGroups, id+3)
		}
		go get(LookupLogs, 7)
		time.Sleep(1100 * time.Microsecond)
		synctest.Wait()
		require.Len(t, made.all(), 2, "one row is not worth a rest")
		time.Sleep(time.Millisecond)
		go get(LookupJobs, 2)
		time.Sleep(800 * time.Microsecond)
		synctest.Wait()
		require.Len(t, made.all(), 2, "after many it rests for as long as the round trip took")
		q.wait()
		require.Equal(t, [][lookupTables][]int64{
			{LookupJobs: {9}},
			{LookupJobs: {1, 3}, LookupGroups: {3, 4, 5, 6, 7}, LookupLogs: {7}},
			{LookupJobs: {2}},
		}, made.all())

		none, err := q.get(t.Context(), LookupLogs, -1)
		require.NoError(t, err)
		require.Nil(t, none)
		q.wait()
	})
}

func TestACallerMayLeaveALookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made trips
		q := together(made.read)
		ctx, cancel := context.WithCancel(t.Context())
		var others sync.WaitGroup
		for id := range int64(2) {
			others.Go(func() {
				row, err := q.get(t.Context(), LookupJobs, id+1)
				if row == nil || err != nil {
					t.Errorf("got %v, %v", row, err)
				}
			})
			synctest.Wait()
		}
		others.Go(func() {
			_, err := q.get(ctx, LookupJobs, 5)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		cancel()
		others.Wait()
		q.wait()
		require.Len(t, made.all(), 2)
	})
}

func TestALookUpFailsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := trips{err: errors.New("broken")}
		q := together(made.read)
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() {
				if _, err := q.get(t.Context(), LookupGroups, 1); !errors.Is(err, made.err) {
					t.Errorf("got %v", err)
				}
			})
		}
		callers.Wait()
		q.wait()
	})
}
