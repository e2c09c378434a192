package journaled

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// A Comparison says how the tables differ from the memory once they have everything.
type Comparison struct {
	Fires, Jobs, Runs int // that were compared
	// Differences has one line for each row that differs; empty means that all are equal.
	Differences []string
}

// Compare writes everything to the tables, and reads in the same transaction whether they have what
// the memory has: all open fires, and the jobs and log rows that are in it.
func (s *Store) Compare(ctx context.Context) (Comparison, error) {
	var c Comparison
	f := s.front
	write := f.store.Write
	if f.shared != nil {
		write = f.shared.flush.Write
	}
	err := write(with(ctx, scope{needs: all, changes: true}), func(ctx context.Context, tx *database.Tx) (err error) {
		c, err = f.compare(ctx, tx)
		return err
	})
	return c, err
}

// compare compares the tables with the memory.
//
// REQUIRES: f.mu is held.
func (f *front) compare(ctx context.Context, tx *database.Tx) (c Comparison, err error) {
	tables, err := f.readTables(ctx, tx, load{everything: true})
	if err != nil {
		return c, err
	}
	fires := make(map[int64]xxladapter.Fire, len(f.m.byID))
	for id, fire := range f.m.byID {
		fires[id] = copyFire(fire.Fire)
	}
	there := make(map[int64]xxladapter.Fire, len(tables.fires))
	for _, fire := range tables.fires {
		there[fire.ID] = fire
	}
	c.Fires = len(fires)
	differ(&c, "fire", fires, there)

	jobs := map[int64]jobTimes{}
	for id, j := range f.m.jobs {
		jobs[id] = timesOf(j.Job)
	}
	rows, err := database.Within(ctx, tx, &records.JobEntity, slices.Collect(maps.Keys(jobs)))
	if err != nil {
		return c, err
	}
	times := map[int64]jobTimes{}
	for id, j := range rows {
		times[id] = timesOf(j)
	}
	c.Jobs = len(jobs)
	differ(&c, "job", jobs, times)

	known := map[int64]xxladapter.Log{}
	for id, r := range f.m.runs {
		known[id] = r.Log
	}
	logs, err := database.Within(ctx, tx, &runs.LogEntity, slices.Collect(maps.Keys(known)))
	if err != nil {
		return c, err
	}
	kept := map[int64]xxladapter.Log{}
	for id, l := range logs {
		row := *l
		row.AlarmStatus = known[id].AlarmStatus // the tables alone know it
		kept[id] = row
	}
	c.Runs = len(known)
	differ(&c, "run", known, kept)
	return c, nil
}

// jobTimes are what changes of a job without an edit.
type jobTimes struct {
	last, next int64 // in ms
	running    bool
}

func timesOf(j *xxladapter.Job) jobTimes {
	return jobTimes{msOf(j.TriggerLast), msOf(j.TriggerNext), j.Running}
}

// differ adds a line for each row that is not the same in both.
func differ[T any](c *Comparison, what string, memory, tables map[int64]T) {
	for id, mine := range memory {
		if there, found := tables[id]; !found {
			c.Differences = append(c.Differences, fmt.Sprintf("%s %d is missing in the tables", what, id))
		} else if !reflect.DeepEqual(mine, there) {
			c.Differences = append(
				c.Differences, fmt.Sprintf("%s %d is %+v in the tables, must be %+v", what, id, there, mine),
			)
		}
	}
	for id := range tables {
		if _, known := memory[id]; !known {
			c.Differences = append(c.Differences, fmt.Sprintf("%s %d is in the tables alone", what, id))
		}
	}
	slices.Sort(c.Differences)
}
