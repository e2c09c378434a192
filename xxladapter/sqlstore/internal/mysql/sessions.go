package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"
)

const (
	// sessionWait is how long one statement waits for a lock, in seconds. A connection whose
	// process has died may wait that long.
	sessionWait = 30

	// sessionIdle is how long the server keeps an idle connection, in seconds. It is the longest
	// time that all systems allow.
	sessionIdle = "2147483"

	// sessionCheck is the time between two checks of a connection that holds a lock. A check asks
	// only this machine's kernel.
	sessionCheck = time.Second

	getLock = `SELECT GET_LOCK(?, ?)`
)

// errLockRefused means that the server neither gave a lock nor let the connection wait for it.
var errLockRefused = errors.New("the server refused the lock of a session")

// sessions hold the locks of GET_LOCK, each on a connection of its own. The pool keeps no idle
// connections, so that a lock ends with its use.
type sessions struct{ db *sql.DB }

// Hold implements leases.sessions.
func (s sessions) Hold(ctx context.Context, name string) error {
	return s.locked(ctx, name, func(conn *sql.Conn, _ bool) error {
		ticker := time.NewTicker(sessionCheck)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-ticker.C:
			}
			if err := conn.Raw(func(c any) error { return c.(driver.SessionResetter).ResetSession(ctx) }); err != nil {
				return err
			}
		}
	})
}

// Await implements leases.sessions.
func (s sessions) Await(ctx context.Context, name string) (waited bool, err error) {
	err = s.locked(ctx, name, func(_ *sql.Conn, did bool) error {
		waited = did
		return nil
	})
	return waited, err
}

// locked waits until a new connection has the lock, calls do, and closes the connection. waited
// says whether the lock was not free at once.
func (s sessions) locked(ctx context.Context, name string, do func(conn *sql.Conn, waited bool) error) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // its error is that of a connection that has ended
	for wait := 0; ; wait = sessionWait {
		var got sql.NullInt64
		if err := conn.QueryRowContext(ctx, getLock, name, wait).Scan(&got); err != nil {
			return err
		}
		if !got.Valid {
			return errLockRefused
		}
		if got.Int64 == 1 {
			return do(conn, wait > 0)
		}
	}
}
