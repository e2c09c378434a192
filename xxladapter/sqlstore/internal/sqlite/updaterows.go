package sqlite

import (
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// updateRows implements UpdateRows of [database.Dialect] by a join with the rows as a table.
func updateRows(table string, columns []database.Column, rows int) string {
	sets := make([]string, len(columns)-1)
	for i, c := range columns[1:] {
		sets[i] = c.Name + " = v.column" + strconv.Itoa(i+2)
	}
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	return "UPDATE " + table + " SET " + strings.Join(sets, ", ") +
		" FROM (VALUES " + row + strings.Repeat(", "+row, rows-1) +
		") AS v WHERE " + table + "." + columns[0].Name + " = v.column1"
}
