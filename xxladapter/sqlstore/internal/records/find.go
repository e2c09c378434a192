package records

import (
	"context"
	"slices"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// An Entity is how rows of one table are read by their ids.
type Entity[T any] struct {
	Query string // up to its condition
	Scan  func(Row) (*T, error)
	ID    func(*T) int64
	copy  func(*T) *T // shares nothing with its argument
	Table int         // of a [lookup]
	none  func(id int64) error
}

var (
	JobEntity = Entity[xxladapter.Job]{
		Query: `SELECT ` + JobColumns + ` FROM xxl_job_info`,
		Scan:  ScanJob,
		ID:    func(j *xxladapter.Job) int64 { return j.ID },
		copy: func(j *xxladapter.Job) *xxladapter.Job {
			mine := *j
			mine.ChildIDs = slices.Clone(j.ChildIDs)
			return &mine
		},
		none:  noJob,
		Table: lookupJobs,
	}
	GroupEntity = Entity[xxladapter.Group]{
		Query: `SELECT ` + groupColumns + ` FROM xxl_job_group`,
		Scan:  scanGroup,
		ID:    func(g *xxladapter.Group) int64 { return g.ID },
		copy: func(g *xxladapter.Group) *xxladapter.Group {
			mine := *g
			mine.Addresses = slices.Clone(g.Addresses)
			return &mine
		},
		none:  noGroup,
		Table: LookupGroups,
	}
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

// find is the row with the id, or the error of e.none. It is read together with
// those of other calls.
func find[T any](ctx context.Context, s *Store, e *Entity[T], shared *sharedReads[T], id int64) (*T, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.running.Done()
	row, err := together(ctx, s, e, shared, id)
	switch {
	case err == nil && row == nil:
		return nil, e.none(id)
	case err == nil:
		return e.copy(row), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	// Whose fault it was shows when each is read alone.
	found, err := e.read(ctx, s, `id = ?`, []any{id})
	if err == nil && found[id] == nil {
		err = e.none(id)
	}
	return found[id], err
}

// together reads the row with those of other calls; nil: there is none.
func together[T any](ctx context.Context, s *Store, e *Entity[T], shared *sharedReads[T], id int64) (*T, error) {
	if s.Lookups != nil {
		row, err := s.Lookups.get(ctx, e.Table, id)
		found, _ := row.(*T)
		return found, err
	}
	return shared.get(ctx, id, func(ctx context.Context, ids []int64) (map[int64]*T, error) {
		if len(ids) == 1 {
			return e.read(ctx, s, `id = ?`, []any{ids[0]})
		}
		condition, args := s.Dialect.Among("id", ids)
		return e.read(ctx, s, condition, args)
	})
}

func (e *Entity[T]) read(ctx context.Context, s *Store, condition string, args []any) (map[int64]*T, error) {
	found := map[int64]*T{}
	err := s.IDReads.query(ctx, e.Query+` WHERE `+condition, args, func(r Row) error {
		one, err := e.Scan(r)
		if err == nil {
			found[e.ID(one)] = one
		}
		return err
	})
	return found, err
}

// sharedReads makes few queries for many calls: those that come while one runs
// share the next. What a call returns was therefore read after it came. A call
// that meets no other reads alone, and for itself. The zero value is ready.
type sharedReads[T any] struct {
	mu      sync.Mutex
	next    *sharedRead[T] // has not begun; nil: nobody waits
	reading bool           // Invariant: true while next is not nil
	running sync.WaitGroup
}

// A sharedRead is one query.
type sharedRead[T any] struct {
	ids   []int64
	done  chan struct{} // closed when found and err are set
	found map[int64]*T
	err   error
}

// get returns the row with the id, which belongs to other calls as well, or nil
// if there is none. If ctx ends it does not wait any longer. read returns the
// rows that there are of ids, which come in order and once each; any call's read
// may be used for any other's.
func (s *sharedReads[T]) get(ctx context.Context, id int64, read func(ctx context.Context, ids []int64) (map[int64]*T, error)) (*T, error) {
	s.mu.Lock()
	if !s.reading {
		s.reading = true
		s.mu.Unlock()
		defer s.goOn(read)
		found, err := read(ctx, []int64{id})
		return found[id], err
	}
	if s.next == nil {
		s.next = &sharedRead[T]{done: make(chan struct{})}
	}
	mine := s.next
	mine.ids = append(mine.ids, id)
	s.mu.Unlock()
	select {
	case <-mine.done:
		return mine.found[id], mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// goOn has what waits be read, for which no single caller's context counts.
func (s *sharedReads[T]) goOn(read func(ctx context.Context, ids []int64) (map[int64]*T, error)) {
	if r := s.take(); r != nil {
		s.running.Go(func() {
			for ; r != nil; r = s.take() {
				slices.Sort(r.ids)
				ctx, cancel := context.WithTimeout(context.Background(), network.GroupLife)
				r.found, r.err = read(ctx, slices.Compact(r.ids))
				cancel()
				close(r.done)
			}
		})
	}
}

// take begins the next query; nil: nobody waits.
func (s *sharedReads[T]) take() *sharedRead[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.next
	s.next, s.reading = nil, r != nil
	return r
}

// wait returns when no query runs any more whose callers have left. REQUIRES: no
// call of get runs or will be made.
func (s *sharedReads[T]) wait() { s.running.Wait() }
