package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A packet holds statements that go to the server in one packet, and are answered in one round
// trip. None runs after one that fails. The connection must allow several statements
// (multiStatements).
type packet struct {
	text  strings.Builder
	args  []any
	count int
}

// add begins a statement, which write continues, and returns its index.
func (b *packet) add(text string, args ...any) int {
	if b.count > 0 {
		b.text.WriteString(";\n")
	}
	b.count++
	b.write(text, args...)
	return b.count - 1
}

func (b *packet) write(text string, args ...any) {
	b.text.WriteString(text)
	b.args = append(b.args, args...)
}

// ids writes the ids as a list without brackets.
func (b *packet) ids(ids []int64) {
	var digits [20]byte
	for i, id := range ids {
		if i > 0 {
			b.text.WriteByte(',')
		}
		b.text.Write(strconv.AppendInt(digits[:0], id, 10))
	}
}

// byID writes an expression with a value for each id, or one value if all are equal.
//
// REQUIRES: the values can be compared.
func (b *packet) byID(ids []int64, values []any) { b.byKey("id", ids, values) }

// byKey works like byID for another column than id.
func (b *packet) byKey(column string, ids []int64, values []any) {
	same := true
	for _, v := range values {
		same = same && v == values[0]
	}
	if same {
		b.write("?", values[0])
		return
	}
	b.write("ELT(FIELD(" + column + ",")
	b.ids(ids)
	b.write(")"+strings.Repeat(",?", len(values))+")", values...)
}

// insert adds an INSERT of many rows and returns its index.
func (b *packet) insert(statement string, rows [][]any) int {
	values := statement[strings.LastIndexByte(statement, '('):]
	place := b.add(statement, rows[0]...)
	for _, row := range rows[1:] {
		b.write(", "+values, row...)
	}
	return place
}

// query runs the statements and passes the rows of each SELECT to its function.
func (b *packet) query(ctx context.Context, conn *sql.Conn, scans []func(database.Row) error) error {
	rows, err := conn.QueryContext(ctx, b.text.String(), b.args...)
	if err != nil {
		return err
	}
	for i, scan := range scans {
		if i > 0 && !rows.NextResultSet() {
			return errors.Join(errors.New("the server sent fewer results than statements"), rows.Err(), rows.Close())
		}
		for rows.Next() {
			if err := scan(rows); err != nil {
				return errors.Join(err, rows.Close())
			}
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// exec runs the statements and returns for each the first id that it generated.
func (b *packet) exec(ctx context.Context, conn *sql.Conn) (ids []int64, err error) {
	args := make([]driver.NamedValue, len(b.args))
	for i, arg := range b.args {
		if args[i].Value, err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return nil, err
		}
		args[i].Ordinal = i + 1
	}
	err = conn.Raw(func(raw any) error {
		result, err := raw.(driver.ExecerContext).ExecContext(ctx, b.text.String(), args)
		if err == nil {
			ids = result.(mysql.Result).AllLastInsertIds()
		}
		return err
	})
	return ids, err
}
