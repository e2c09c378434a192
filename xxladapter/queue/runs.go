package queue

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// ErrTooLarge is wrapped by the error of Publish for a run that the broker never accepts.
var ErrTooLarge = broker.ErrTooLarge

// ErrAway is wrapped by the error of Publish while there is no connection to the broker. Publish
// does not wait for one, because waiting would hold up hand-overs that need no broker.
var ErrAway = broker.ErrAway

// Never returns [ErrTooLarge] to a scheduler, which then need not import this package.
func (c *Conn) Never() error { return ErrTooLarge }

// Publish stores a run for an address and returns its position there. Within two minutes a second
// run with the same key is not stored: Publish returns the position of the first. The error wraps
// [ErrTooLarge] if the run can never be stored; after any other error it may be stored or not.
func (c *Conn) Publish(
	ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte,
) (position uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	position, err = c.broker.Publish(ctx, to, key, header, run)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		err = fmt.Errorf("publish to queue %s: %w", c.shown, err)
	}
	return position, err
}

// Holds reports whether the run for an address that was published under key is still stored at a
// position.
func (c *Conn) Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	held, err := c.broker.Holds(ctx, to, position, key)
	if err != nil {
		return false, fmt.Errorf("read run from queue %s: %w", c.shown, err)
	}
	return held, nil
}

// Clear drops the runs that wait for an executor that is gone. If there are none, it does nothing.
func (c *Conn) Clear(ctx context.Context, to xxladapter.QueueAddress) error {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	if to.Instance == "" {
		return fmt.Errorf("%s names no single executor", to)
	}
	if err := c.broker.Clear(ctx, to); err != nil {
		return fmt.Errorf("clear queue %s: %w", c.shown, err)
	}
	return nil
}
