package redisstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// moveLimit limits how long a call is repeated while the slot moves, if its context has no
	// earlier deadline.
	moveLimit = 3 * time.Second
	// movePause is the pause before the first repetition. Each next one is twice as long, up to
	// maxMovePause, so that nodes that are down are not asked all the time.
	movePause    = 2 * time.Millisecond
	maxMovePause = 20 * time.Millisecond
)

// with runs a call on the primary. The answer of a server that is no longer the primary is an
// error.
//
// In a cluster the call is repeated, maybe on another node, if the node that got it has done
// nothing. With twice, which says that it may be carried out twice, it is also repeated if the slot
// has moved meanwhile.
func (s *server) with(ctx context.Context, twice bool, call func(*client) error) error {
	var last error
	for begun, pause := time.Now(), movePause; ; pause = min(2*pause, maxMovePause) {
		err, again := s.once(ctx, twice, call)
		if last != nil && (ctx.Err() != nil && err != nil || errors.Is(err, os.ErrDeadlineExceeded)) {
			return fmt.Errorf("%w after %w", err, last)
		}
		if err == nil || !again || s.cluster == nil || time.Since(begun) > moveLimit {
			return err
		}
		last = err
		s.cluster.askSoon()
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// once runs a call once. again is set if the call may run again, in a cluster.
func (s *server) once(ctx context.Context, twice bool, call func(*client) error) (err error, again bool) {
	wait := unsettled{}
	c, err := s.at.primary()
	if err != nil {
		return err, errors.As(err, &wait)
	}
	err = s.on(ctx, c, call)
	if at, is := redirected(err); is && s.cluster != nil {
		var importer *client
		if importer, err = s.cluster.importer(c, at); err == nil {
			err = s.on(ctx, importer, call)
		}
	}
	former := s.at.confirm(c)
	switch {
	case undone(err), errors.As(err, &wait):
		return err, true
	case former != nil && err != nil:
		return fmt.Errorf("%w: %w", former, err), twice
	case former != nil:
		return former, twice
	}
	return err, false
}

// on runs a call with a client, once it is known whether the log has come to that server without a
// loss.
func (s *server) on(ctx context.Context, c *client, call func(*client) error) error {
	if c.named.home != (home{}) {
		if err := s.settle(ctx, c); err != nil {
			return err
		}
	}
	return call(c)
}
