package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// heavyPlaces is how many calls that read or compute much run at the same time.
	heavyPlaces = 4
	// heavyWait is how long such a call waits for a place.
	heavyWait = 5 * time.Second
)

// places bounds how many calls run at the same time.
type places chan struct{}

// take takes a place, which the caller gives back with a receive. It waits for heavyWait at most.
func (p places) take(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, heavyWait)
	defer cancel()
	select {
	case p <- struct{}{}:
		return nil
	case <-wait.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return &xxladapter.Error{
		Code: xxladapter.CodeTooMany, Message: "too many calls of this kind at the same time, try again in 1 second", RetryAfter: time.Second,
	}
}

// within returns the call for callers who have a place.
func (c call) within(p places) call {
	serve := c.serve
	c.serve = func(r *http.Request) (any, error) {
		if err := p.take(r.Context()); err != nil {
			return nil, err
		}
		defer func() { <-p }()
		return serve(r)
	}
	return c
}
