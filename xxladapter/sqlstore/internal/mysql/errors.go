package mysql

import (
	"errors"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// The numbers of the errors that are treated specially.
const (
	duplicate      = 1062
	deadlock       = 1213
	lockWaitOver   = 1205
	changedSince   = 1020 // MariaDB's other number for a conflict
	tableDenied    = 1142
	databaseDenied = 1044
	rightMissing   = 1227
	// disconnected tells a client of MySQL 8.0.24 and later that the server has closed its idle
	// connection. It is the answer to whatever the client sends next, and the server reads none of
	// that. Other servers only close the connection.
	disconnected = 4031
)

func isError(err error, numbers ...uint16) bool {
	var coded *mysql.MySQLError
	if !errors.As(err, &coded) {
		return false
	}
	for _, number := range numbers {
		if coded.Number == number {
			return true
		}
	}
	return false
}

func isDuplicate(err error) bool { return isError(err, duplicate) }

// repeats reports whether a transaction that failed like this before its commit may succeed when it
// is retried.
func repeats(err error) bool {
	return isError(err, deadlock, changedSince, disconnected) ||
		errors.Is(err, mysql.ErrInvalidConn) || network.IsConnectionLoss(err)
}

// waited reports whether a transaction has waited too long for a row.
func waited(err error) bool { return isError(err, lockWaitOver) }
