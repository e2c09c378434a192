package api

import (
	"context"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// HeavyPlaces is how many calls that read or compute much run at the same time.
	HeavyPlaces = 4
	// HeavyWait is how long such a call waits for a place.
	HeavyWait = 5 * time.Second
)

// Places bounds how many calls run at the same time.
type Places chan struct{}

// Take takes a place, which the caller gives back with a receive. It waits for HeavyWait at most;
// then the error has [xxladapter.CodeTooMany].
func (p Places) Take(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, HeavyWait)
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
		Code: xxladapter.CodeTooMany, Rule: errorrule.TooManyCalls, RetryAfter: time.Second,
		Message: "too many calls of this kind at the same time, try again in 1 second",
	}
}

// Within returns the call with a handler that runs only while it has a place of p.
func (c Call) Within(p Places) Call {
	serve := c.Serve
	c.Serve = func(r *http.Request) (any, error) {
		if err := p.Take(r.Context()); err != nil {
			return nil, err
		}
		defer func() { <-p }()
		return serve(r)
	}
	return c
}
