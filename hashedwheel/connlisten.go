package hashedwheel

import (
	"errors"
	"fmt"
	"net"
)

// Listener returns a net.Listener that accepts from l and wraps what it accepts.
//
// A connection for which the timer has no place (ErrTooManyPending) is closed, counted by Refused
// and logged, at most once in ten seconds; Accept then waits for the next. It does not return
// an error: a server takes that for the end of its listener or, if the error says that it is
// temporary, waits for up to a second while others want to connect.
//
// After Stop connections are passed on without a watch. When the timer has stopped, Accept closes
// the connection and returns an error that wraps ErrStopped.
func (ci *ConnIdle) Listener(l net.Listener) net.Listener { return watchedListener{l, ci} }

// Refused returns how many connections Listener has closed because the timer was full.
func (ci *ConnIdle) Refused() int64 { return ci.refused.Load() }

type watchedListener struct {
	net.Listener
	watcher *ConnIdle
}

func (l watchedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		wc, err := l.watcher.Wrap(c)
		switch {
		case err == nil:
			return wc, nil
		case errors.Is(err, ErrIdleStopped):
			return c, nil
		}
		if !errors.Is(err, ErrTooManyPending) {
			_ = c.Close()
			return nil, fmt.Errorf("watch a connection from %v: %w", c.RemoteAddr(), err)
		}
		// Counted before the close, so that the peer that sees it finds it counted.
		l.watcher.refused.Add(1)
		l.watcher.log.warn("hashedwheel: the timer is full; a connection is closed instead of watched", "remote", c.RemoteAddr())
		_ = c.Close()
	}
}
