package database

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// guests limit how many connections of a pool the calls of users hold at once, so that slow
// listings leave the others to the scheduler. Nil guests limit nothing.
type guests chan struct{}

// NewGuests lets users hold half of a pool.
func NewGuests(connections int) guests { return make(guests, max(1, connections/2)) }

// enter waits for a place if ctx is a user's. The caller must call leave after the call.
func (g guests) enter(ctx context.Context) (leave func(), err error) {
	if g == nil || !xxladapter.IsForUser(ctx) {
		return func() {}, nil
	}
	select {
	case g <- struct{}{}:
		return func() { <-g }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
