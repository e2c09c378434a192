package postgres

import (
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// updateRows implements [database.Dialect] by a join with the rows as a table. PostgreSQL takes the
// types of all rows from the first one, so only that has casts.
func updateRows(table string, columns []database.Column, rows int) string {
	names, first, sets := make([]string, len(columns)), make([]string, len(columns)), make([]string, len(columns)-1)
	for i, c := range columns {
		names[i], first[i] = c.Name, "?::"+c.Type
		if i > 0 {
			sets[i-1] = c.Name + " = v." + c.Name
		}
	}
	other := ", (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	return "UPDATE " + table + " SET " + strings.Join(sets, ", ") + " FROM (VALUES (" + strings.Join(first, ", ") +
		")" + strings.Repeat(other, rows-1) +
		") AS v (" + strings.Join(names, ", ") + ") WHERE " + table + "." + columns[0].Name + " = v." + columns[0].Name
}

// insertArrays implements [database.Dialect]. A row costs a quarter less than one that is written
// out, because the server binds a few lists in place of each value.
func insertArrays(table string, columns []database.Column) string {
	names, lists := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], lists[i] = c.Name, "?::"+c.Type+"[]"
	}
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") SELECT * FROM unnest(" +
		strings.Join(lists, ", ") + ")"
}
