package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// A PooledWriter runs each write in a transaction of its own, as many at once as there are
// connections.
type PooledWriter struct {
	DB      *sql.DB
	Dialect *Dialect
	// Repeat reports whether a transaction that failed like this left nothing behind and may
	// succeed when it is repeated.
	Repeat func(error) bool
	// Waited reports whether a transaction failed because it waited too long for a row lock. Such a
	// transaction is retried until network.WriteLife has passed, without a limit on attempts.
	Waited func(error) bool
	// Answered reports whether an error is the server's own answer, and Unsent whether the failed
	// statement was not sent at all.
	Answered, Unsent func(error) bool
	// End is called after DB is closed. Nil calls nothing.
	End func()
}

// Write runs apply in a transaction, and retries it as [PooledWriter] says.
func (p *PooledWriter) Write(ctx context.Context, apply func(context.Context, *Tx) error) error {
	return p.attempt(ctx, func(ctx context.Context) (bool, error) { return p.once(ctx, apply) })
}

// WriteOne runs apply without a transaction. It retries as Write does, so apply may take effect
// more than once.
func (p *PooledWriter) WriteOne(ctx context.Context, apply func(context.Context, *Tx) error) error {
	return p.attempt(ctx, func(ctx context.Context) (bool, error) {
		return true, apply(ctx, &Tx{session: p.DB, Dialect: p.Dialect})
	})
}

// Lasting returns a context in which a write of a [PooledWriter] may last longer than
// network.WriteLife by extra: for many statements, each of which is quick.
func Lasting(ctx context.Context, extra time.Duration) context.Context {
	return context.WithValue(ctx, lastingKey{}, extra)
}

type lastingKey struct{}

// attempt retries try until it succeeds, says that it must not be retried, fails in a way that
// Repeat rejects, or has used up network.WriteAttempts or network.WriteLife; see [Lasting].
func (p *PooledWriter) attempt(ctx context.Context, try func(context.Context) (again bool, err error)) error {
	extra, _ := ctx.Value(lastingKey{}).(time.Duration)
	ctx, cancel := context.WithTimeout(ctx, network.WriteLife+extra)
	defer cancel()
	for attempt := 1; ; attempt++ {
		again, err := try(ctx)
		switch {
		case err == nil || !again:
			return err
		case p.Waited(err):
			attempt = 0
		case attempt == network.WriteAttempts || !p.Repeat(err):
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(time.Duration(attempt*attempt) * time.Millisecond): // lets the other transaction of a deadlock pass
		}
	}
}

// once runs one transaction. again is false if the transaction was or may have been committed.
func (p *PooledWriter) once(ctx context.Context, apply func(context.Context, *Tx) error) (again bool, err error) {
	transaction, err := p.DB.BeginTx(ctx, nil)
	if err != nil {
		return true, fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = transaction.Rollback() }() // also after a panic; has no effect after a commit
	if err := apply(ctx, &Tx{session: transaction, Dialect: p.Dialect, Slot: rand.IntN(ReportSlots)}); err != nil {
		return true, err
	}
	switch err := transaction.Commit(); {
	case err == nil:
		return false, nil
	case p.Unsent(err):
		return true, fmt.Errorf("commit: %w", err)
	default:
		return false, InDoubt(fmt.Errorf("commit: %w", err), p.Answered)
	}
}

// InDoubt marks errors of writes that may have taken effect: all but the server's own answers,
// which answered recognizes.
func InDoubt(err error, answered func(error) bool) error {
	if err == nil || answered(err) || errors.Is(err, xxladapter.ErrInDoubt) {
		return err
	}
	return fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, err)
}

// Close closes the pool, then calls End.
func (p *PooledWriter) Close() error {
	err := p.DB.Close()
	if p.End != nil {
		p.End()
	}
	return err
}
