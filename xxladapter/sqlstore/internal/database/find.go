package database

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// An Entity describes how rows of one table are read by their ids.
type Entity[T any] struct {
	Query string // without its condition
	Scan  func(Row) (*T, error)
	ID    func(*T) int64
	Copy  func(*T) *T // a deep copy
	Table int         // of a [Lookup]
	None  func(id int64) error
}

// Find returns the row with the id, or the error of e.None. The row is read together with those of
// other calls.
func Find[T any](ctx context.Context, db *DB, e *Entity[T], id int64) (*T, error) {
	if err := db.Enter(ctx); err != nil {
		return nil, err
	}
	defer db.Leave()
	if db.Front != nil {
		if err := db.Front.Read(ctx); err != nil {
			return nil, err
		}
	}
	l := &Lookup{Table: e.Table, ID: id}
	err := db.Queues[e.Table].Do(ctx, l)
	if err == nil {
		err = l.Err
	}
	switch {
	case err == nil && l.Row == nil:
		return nil, e.None(id)
	case err == nil:
		return e.Copy(l.Row.(*T)), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	// The batch failed. Reading alone shows whose fault it was.
	found, err := e.Read(ctx, db, []int64{id})
	if err == nil && found[id] == nil {
		err = e.None(id)
	}
	return found[id], err
}

// Read returns the rows that exist, by id.
func (e *Entity[T]) Read(ctx context.Context, db *DB, ids []int64) (map[int64]*T, error) {
	condition, args := `id = ?`, []any{ids[0]}
	if len(ids) > 1 {
		condition, args = db.Dialect.Among("id", ids)
	}
	found := make(map[int64]*T, len(ids))
	err := db.IDReads.query(ctx, e.Query+` WHERE `+condition, args, func(r Row) error {
		one, err := e.Scan(r)
		if err == nil {
			found[e.ID(one)] = one
		}
		return err
	})
	return found, err
}

// A read of many rows is divided, because client and server are busy with it by turns. Fewer rows
// than leastPart are not worth another statement.
const (
	mostParts = 4
	leastPart = 250
)

// ReadAll reads rows by their ids without the queue of [Find], and many of them in parallel. It
// asks no front.
func ReadAll[T any](ctx context.Context, db *DB, e *Entity[T], ids []int64) (map[int64]*T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := db.Enter(ctx); err != nil {
		return nil, err
	}
	defer db.Leave()
	size := max(leastPart, (len(ids)+mostParts-1)/mostParts)
	if len(ids) <= size {
		return e.Read(ctx, db, ids)
	}
	var mu sync.Mutex // guards found
	found := make(map[int64]*T, len(ids))
	parts, ctx := errgroup.WithContext(ctx)
	for part := range slices.Chunk(ids, size) {
		parts.Go(func() error {
			some, err := e.Read(ctx, db, part)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(found, some)
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return nil, err
	}
	return found, nil
}

// Within reads rows by their ids in the transaction.
func Within[T any](ctx context.Context, tx *Tx, e *Entity[T], ids []int64) (map[int64]*T, error) {
	found := make(map[int64]*T, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	condition, args := tx.Dialect.Among("id", ids)
	err := tx.Query(ctx, e.Query+` WHERE `+condition, args, func(r Row) error {
		one, err := e.Scan(r)
		if err == nil {
			found[e.ID(one)] = one
		}
		return err
	})
	return found, err
}
