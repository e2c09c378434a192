package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// sessionWait is how long one statement waits for a lock, in ms. While it waits, its snapshot keeps
// VACUUM from removing rows that are deleted meanwhile.
const sessionWait = "10000"

const (
	tryLock   = `SELECT pg_try_advisory_lock(hashtextextended($1, 0))`
	awaitLock = `SELECT pg_advisory_lock(hashtextextended($1, 0))`

	// keepIdle allows the session to be idle. Servers before release 14 have no such setting.
	keepIdle = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`
)

// sessions hold advisory locks, each on a connection of its own.
type sessions struct{ config *pgx.ConnConfig }

func newSessions(config *pgx.ConnConfig, sockets *network.Connections) *sessions {
	config = config.Copy()
	config.DialFunc = sockets.Dialer(network.Fixed(network.AnySilence))
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = sessionWait
	return &sessions{config}
}

// Hold implements leases.sessions.
func (s *sessions) Hold(ctx context.Context, name string) error {
	return s.locked(ctx, name, func(conn *pgx.Conn, _ bool) error {
		_, err := conn.WaitForNotification(ctx) // none comes: it returns when the connection ends
		return err
	})
}

// Await implements leases.sessions.
func (s *sessions) Await(ctx context.Context, name string) (waited bool, err error) {
	err = s.locked(ctx, name, func(_ *pgx.Conn, did bool) error {
		waited = did
		return nil
	})
	return waited, err
}

// locked waits until a new connection has the lock, calls do, and closes the connection. waited
// says whether the lock was not free at once.
func (s *sessions) locked(ctx context.Context, name string, do func(conn *pgx.Conn, waited bool) error) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bye) // closes in any case
	}()
	if _, err := conn.Exec(ctx, keepIdle); err != nil {
		return err
	}
	var got bool
	if err := conn.QueryRow(ctx, tryLock, name).Scan(&got); err != nil {
		return err
	}
	waited := !got
	for !got {
		_, err := conn.Exec(ctx, awaitLock, name)
		var refused *pgconn.PgError
		switch {
		case err == nil:
			got = true
		case errors.As(err, &refused) && refused.Code == "55P03": // lock_not_available: the wait is over
		default:
			return err
		}
	}
	return do(conn, waited)
}
