package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A pooledWriter runs each write in a transaction of its own, as many at once
// as there are connections.
type pooledWriter struct {
	db      *sql.DB
	dialect *dialect
	// repeat reports whether a transaction that failed like this has left
	// nothing behind and may succeed when it is repeated.
	repeat func(error) bool
	// waited reports whether a transaction failed because it had to wait for a row
	// for too long. It is repeated until its time is over, however often that is.
	waited func(error) bool
	// end is called after db is closed; nil: nothing.
	end func()
}

func (p *pooledWriter) write(ctx context.Context, apply func(context.Context, *tx) error) error {
	return p.attempt(ctx, func(ctx context.Context) (bool, error) { return p.once(ctx, apply) })
}

func (p *pooledWriter) writeOne(ctx context.Context, apply func(context.Context, *tx) error) error {
	return p.attempt(ctx, func(ctx context.Context) (bool, error) {
		return true, apply(ctx, &tx{session: p.db, dialect: p.dialect})
	})
}

// attempt tries until try succeeds or says that it must not be tried again.
func (p *pooledWriter) attempt(ctx context.Context, try func(context.Context) (again bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, writeLife)
	defer cancel()
	for attempt := 1; ; attempt++ {
		again, err := try(ctx)
		switch {
		case err == nil || !again:
			return err
		case p.waited(err):
			attempt = 0
		case attempt == writeAttempts || !p.repeat(err):
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(time.Duration(attempt*attempt) * time.Millisecond): // lets the other one of a deadlock pass
		}
	}
}

// once runs one transaction. again is false if it may have happened.
func (p *pooledWriter) once(ctx context.Context, apply func(context.Context, *tx) error) (again bool, err error) {
	transaction, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return true, fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = transaction.Rollback() }() // after a panic as well; of no effect after a commit
	if err := apply(ctx, &tx{session: transaction, dialect: p.dialect, slot: rand.IntN(reportSlots)}); err != nil {
		return true, err
	}
	switch err := transaction.Commit(); {
	case err == nil:
		return false, nil
	case p.dialect.unsent(err):
		return true, fmt.Errorf("commit: %w", err)
	default:
		return false, inDoubt(fmt.Errorf("commit: %w", err), p.dialect.answered)
	}
}

// inDoubt marks the error of what may have happened: all but those that are the
// server's own answer, as answered tells.
func inDoubt(err error, answered func(error) bool) error {
	if err == nil || answered(err) || errors.Is(err, xxladapter.ErrInDoubt) {
		return err
	}
	return fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, err)
}

func (p *pooledWriter) close() error {
	err := p.db.Close()
	if p.end != nil {
		p.end()
	}
	return err
}

// isConnectionLoss reports whether the server has gone in the middle of a call.
func isConnectionLoss(err error) bool {
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, errSilent) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network) && !network.Timeout()
}
