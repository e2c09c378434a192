package database

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// The functions below run one statement for many rows. Unless its arguments are lists, the number
// of rows is a power of two, so that there are few distinct statements, and databases and drivers
// can cache them.

const (
	// mostRows bounds the rows of a part that Powers makes, and mostText the bytes of text in one
	// that parts makes, unless a single row has more.
	mostRows = 128
	mostText = 1 << 20
)

// Powers divides a list into parts whose lengths are powers of two, up to mostRows.
func Powers[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := min(mostRows, 1<<(bits.Len(uint(len(list)))-1))
			if !yield(list[:n:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// parts divides rows as Powers does, into parts with at most mostText.
func parts(rows [][]any) iter.Seq[[][]any] {
	return func(yield func([][]any) bool) {
		for len(rows) > 0 {
			n, text := 0, 0
			for ; n < len(rows) && n < mostRows; n++ {
				for _, value := range rows[n] {
					if s, ok := value.(string); ok {
						text += len(s)
					}
				}
				if n > 0 && text > mostText {
					break
				}
			}
			for part := range Powers(rows[:n]) {
				if !yield(part) {
					return
				}
			}
			rows = rows[n:]
		}
	}
}

// These returns the condition that a column is one of these ids.
func (d *Dialect) These(column string, ids []int64) (condition string, args []any) {
	if len(ids) == 1 {
		return column + ` = ?`, []any{ids[0]}
	}
	return d.Among(column, ids)
}

// DeleteFires returns the beginning of a DELETE that selects fires by their jobs.
func (d *Dialect) DeleteFires() string {
	if d.FiresByJob == "" {
		return `DELETE FROM xxlwheel_fire`
	}
	return `DELETE fires FROM xxlwheel_fire fires` + d.FiresByJob
}

// EachOf runs query, completed with the condition on the ids and then tail, and calls scan for each
// row.
func (t *Tx) EachOf(ctx context.Context, query, column string, ids []int64, tail string, scan func(Row) error) error {
	for ids := range Powers(sortedIDs(ids)) {
		these, args := t.Dialect.These(column, ids)
		if err := t.Query(ctx, query+these+tail, args, scan); err != nil {
			return err
		}
	}
	return nil
}

// DeleteOf runs a DELETE, completed with the condition on the ids.
func (t *Tx) DeleteOf(ctx context.Context, query, column string, ids []int64) error {
	for ids := range Powers(ids) {
		these, args := t.Dialect.These(column, ids)
		if _, err := t.Exec(ctx, query+these, args...); err != nil {
			return err
		}
	}
	return nil
}

// InsertAll runs an INSERT of one row for all rows.
func (t *Tx) InsertAll(ctx context.Context, insert string, rows [][]any) error {
	for part := range parts(rows) {
		if _, err := t.Exec(ctx, ManyRows(insert, len(part)), flat(part)...); err != nil {
			return err
		}
	}
	return nil
}

// InsertRows works like InsertAll for a table that generates ids, which it returns.
func (t *Tx) InsertRows(ctx context.Context, insert string, rows [][]any) (ids []int64, err error) {
	for part := range parts(rows) {
		query, args := ManyRows(insert, len(part)), flat(part)
		if t.Dialect.Returning {
			var given []int64
			err := t.Query(ctx, query+` RETURNING id`, args, func(r Row) error {
				var id int64
				err := r.Scan(&id)
				given = append(given, id)
				return err
			})
			if err != nil {
				return nil, err
			}
			ids = append(ids, sortedIDs(given)...) // rows get ascending ids
			continue
		}
		result, err := t.result(ctx, query, args)
		if err != nil {
			return nil, err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return nil, err
		}
		step := t.Dialect.IDStep
		if step == 0 { // the driver returned the last id
			id, step = id-int64(len(part))+1, 1
		}
		for i := range part {
			ids = append(ids, id+int64(i)*step)
		}
	}
	return ids, nil
}

// UpdateRows updates rows of a table, each to its own values, and returns how many of them exist.
// The first column is the id.
func (t *Tx) UpdateRows(ctx context.Context, table string, columns []Column, rows [][]any) (found int64, err error) {
	for part := range parts(rows) {
		n, err := t.Exec(ctx, t.Dialect.UpdateRows(table, columns, len(part)), flat(part)...)
		if err != nil {
			return found, err
		}
		found += n
	}
	return found, nil
}

// ManyRows repeats the last brackets of an INSERT.
func ManyRows(insert string, rows int) string {
	return insert + strings.Repeat(`, `+insert[strings.LastIndexByte(insert, '('):], rows-1)
}

func flat(rows [][]any) (args []any) {
	for _, row := range rows {
		args = append(args, row...)
	}
	return args
}

// sortedIDs returns the ids in order, each once.
func sortedIDs(ids []int64) []int64 {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// bulkRows is the number of rows of a statement that inserts many.
const bulkRows = 32

// arrayRows is the number of rows of a statement whose arguments are lists.
const arrayRows = 1000

// InsertTyped inserts rows into a table. values holds the values of all rows, one row after the
// other, each in the order of the columns. conflict is as in InsertManyOr.
func (t *Tx) InsertTyped(ctx context.Context, table string, columns []Column, conflict string, values []any) error {
	width := len(columns)
	if rest := len(values) % width; rest != 0 {
		return fmt.Errorf("%d values do not make whole rows of %d", rest, width)
	}
	if t.Dialect.InsertArrays == nil {
		names := make([]string, width)
		for i, c := range columns {
			names[i] = c.Name
		}
		insert := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES "
		return t.InsertManyOr(ctx, insert, conflict, width, values)
	}
	query := t.Dialect.InsertArrays(table, columns) + conflict
	for rows := range slices.Chunk(values, arrayRows*width) {
		lists := make([][]any, width)
		for i := range lists {
			lists[i] = make([]any, 0, len(rows)/width)
		}
		for i, value := range t.Dialect.arguments(rows) {
			lists[i%width] = append(lists[i%width], value)
		}
		args := make([]any, width)
		for i, list := range lists {
			args[i] = list
		}
		if _, err := t.Exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// InsertMany runs an INSERT with rows of width values each.
func (t *Tx) InsertMany(ctx context.Context, insert string, width int, values []any) error {
	return t.InsertManyOr(ctx, insert, "", width, values)
}

// InsertManyOr inserts rows as InsertMany does. conflict says what to do about a row that is there
// already.
func (t *Tx) InsertManyOr(ctx context.Context, insert, conflict string, width int, values []any) error {
	row := "(?" + strings.Repeat(", ?", width-1) + ")"
	for rows := bulkRows; rows > 0; rows /= 2 { // few statements, which are prepared once
		if len(values) < rows*width {
			continue
		}
		query := insert + row + strings.Repeat(", "+row, rows-1) + conflict
		for len(values) >= rows*width {
			if _, err := t.Exec(ctx, query, values[:rows*width]...); err != nil {
				return err
			}
			values = values[rows*width:]
		}
	}
	if len(values) > 0 {
		return fmt.Errorf("%d values do not make whole rows of %d", len(values), width)
	}
	return nil
}
