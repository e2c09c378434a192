package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

const (
	// deadlockDetected is the server's answer to one transaction of a deadlock.
	deadlockDetected = "40P01"
	// lockNotAvailable is its answer to a statement that has waited for lock_timeout.
	lockNotAvailable = "55P03"
	// uniqueViolation is its answer to a row whose key another row has.
	uniqueViolation = "23505"
)

// answered reports whether an error is the server's own answer.
func answered(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server)
}

// waited reports whether a transaction has waited too long for a row.
func waited(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == lockNotAvailable
}

// duplicateIn returns the table that refused a row because another one has its key, and an empty
// text for all other errors.
func duplicateIn(err error) (table string) {
	if server := (*pgconn.PgError)(nil); errors.As(err, &server) && server.Code == uniqueViolation {
		return server.TableName
	}
	return ""
}

// hasHistory reports whether a history was refused because its run has one.
func hasHistory(err error) bool { return duplicateIn(err) == "xxlwheel_run" }

// batchRepeats works like [repeats] for batches, with two differences. A batch that has waited too
// long for a row is not repeated, since its calls are then made alone. A batch that met a stored
// history is repeated, and then adds to it.
func batchRepeats(err error) bool { return repeats(err) && !waited(err) || hasHistory(err) }

// repeats reports whether a transaction that failed like this left nothing behind and may succeed
// when it is retried.
func repeats(err error) bool {
	var server *pgconn.PgError
	if errors.Is(err, errPlannedMeanwhile) {
		return true
	}
	if errors.As(err, &server) {
		switch server.Code {
		case "40001", deadlockDetected, // the first is a serialization failure
			lockNotAvailable,
			"25P03", "57P01", "57P02", "57P05": // the session ended by its idle limit or with the server
			return true
		}
		return false
	}
	return pgconn.SafeToRetry(err) || network.IsConnectionLoss(err)
}
