package mysql

import (
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// updateRows implements [database.Dialect] by a join with a table of the new values. That table is
// read first, so that no other row is locked.
//
// REQUIRES: the first column is the primary key.
func updateRows(table string, columns []database.Column, rows int) string {
	first, sets := make([]string, len(columns)), make([]string, len(columns)-1)
	for i, c := range columns {
		first[i] = "? AS new_" + c.Name
		if i > 0 {
			sets[i-1] = "t." + c.Name + " = v.new_" + c.Name
		}
	}
	other := " UNION ALL SELECT ?" + strings.Repeat(", ?", len(columns)-1)
	return "UPDATE (SELECT " + strings.Join(first, ", ") + strings.Repeat(other, rows-1) +
		") v STRAIGHT_JOIN " + table +
		" t FORCE INDEX (PRIMARY) ON t." + columns[0].Name + " = v.new_" + columns[0].Name +
		" SET " + strings.Join(sets, ", ")
}
