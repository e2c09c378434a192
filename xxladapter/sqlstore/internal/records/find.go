package records

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An Entity describes how rows of one table are read by their ids.
type Entity[T any] struct {
	Query string // without its condition
	Scan  func(Row) (*T, error)
	ID    func(*T) int64
	copy  func(*T) *T // a deep copy
	Table int         // of a [Lookup]
	none  func(id int64) error
}

var (
	// JobEntity reads jobs.
	JobEntity = Entity[xxladapter.Job]{
		Query: `SELECT ` + JobColumns + ` FROM xxl_job_info`,
		Scan:  ScanJob,
		ID:    func(j *xxladapter.Job) int64 { return j.ID },
		copy: func(j *xxladapter.Job) *xxladapter.Job {
			mine := *j
			mine.ChildIDs, mine.Tags = slices.Clone(j.ChildIDs), slices.Clone(j.Tags)
			return &mine
		},
		none:  noJob,
		Table: lookupJobs,
	}
	// GroupEntity reads groups.
	GroupEntity = Entity[xxladapter.Group]{
		Query: `SELECT ` + groupColumns + ` FROM xxl_job_group`,
		Scan:  scanGroup,
		ID:    func(g *xxladapter.Group) int64 { return g.ID },
		copy: func(g *xxladapter.Group) *xxladapter.Group {
			mine := *g
			mine.Addresses, mine.Drains = slices.Clone(g.Addresses), slices.Clone(g.Drains)
			return &mine
		},
		none:  noGroup,
		Table: LookupGroups,
	}
	// LogEntity reads log rows.
	LogEntity = Entity[xxladapter.Log]{
		Query: `SELECT ` + LogColumns + ` FROM xxl_job_log`,
		Scan:  scanLog,
		ID:    func(l *xxladapter.Log) int64 { return l.ID },
		copy: func(l *xxladapter.Log) *xxladapter.Log {
			mine := *l
			return &mine
		},
		none:  NoLog,
		Table: lookupLogs,
	}
)

// find returns the row with the id, or the error of e.none. It is read together with those of other
// calls.
func find[T any](ctx context.Context, s *Store, e *Entity[T], id int64) (*T, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.running.Done()
	if s.Front != nil {
		if err := s.Front.Read(ctx); err != nil {
			return nil, err
		}
	}
	l := &Lookup{Table: e.Table, ID: id}
	err := s.Lookups[e.Table].Do(ctx, l)
	if err == nil {
		err = l.Err
	}
	switch {
	case err == nil && l.Row == nil:
		return nil, e.none(id)
	case err == nil:
		return e.copy(l.Row.(*T)), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	// The batch failed. Reading alone shows whose fault it was.
	found, err := e.read(ctx, s, []int64{id})
	if err == nil && found[id] == nil {
		err = e.none(id)
	}
	return found[id], err
}

// read returns the rows that exist, by id.
func (e *Entity[T]) read(ctx context.Context, s *Store, ids []int64) (map[int64]*T, error) {
	condition, args := `id = ?`, []any{ids[0]}
	if len(ids) > 1 {
		condition, args = s.Dialect.Among("id", ids)
	}
	found := make(map[int64]*T, len(ids))
	err := s.IDReads.query(ctx, e.Query+` WHERE `+condition, args, func(r Row) error {
		one, err := e.Scan(r)
		if err == nil {
			found[e.ID(one)] = one
		}
		return err
	})
	return found, err
}
