package hashedwheel

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// An IdleKind says what a connection has not done for its period. The kinds are those of
// Netty's IdleStateHandler.
type IdleKind int

const (
	ReaderIdle IdleKind = iota // nothing was read
	WriterIdle                 // nothing was written
	AllIdle                    // nothing was read or written
	idleKinds
)

// String returns "reader idle", "writer idle" or "all idle".
func (k IdleKind) String() string {
	switch k {
	case ReaderIdle:
		return "reader idle"
	case WriterIdle:
		return "writer idle"
	case AllIdle:
		return "all idle"
	}
	return fmt.Sprintf("IdleKind(%d)", int(k))
}

// ConnIdleOptions says when a connection is idle and what happens then.
type ConnIdleOptions struct {
	// Reader, Writer and All are how long a connection may read nothing, write
	// nothing, or do neither. Zero means that it does not matter. One of them must
	// be positive, and none negative.
	Reader, Writer, All time.Duration

	// OnIdle is told of an idle connection, which is the one that Wrap returned. Nil means
	// that it is closed. If OnIdle leaves it open, it is told again after
	// another period of silence. It runs as every task of the timer does and
	// must not block.
	OnIdle func(c net.Conn, kind IdleKind)
}

// A ConnIdle watches connections for idleness. Watching costs a connection no call of
// SetDeadline, and each Read and Write about a nanosecond.
type ConnIdle struct {
	idles  [idleKinds]*Idle // nil: does not matter
	onIdle func(net.Conn, IdleKind)
}

// NewConnIdle returns a ConnIdle. It returns an error that names the field if an option
// is out of its range.
func (w *HashedWheelTimer) NewConnIdle(opts ConnIdleOptions) (*ConnIdle, error) {
	ci := &ConnIdle{onIdle: opts.OnIdle}
	for kind, f := range []struct {
		name   string
		period time.Duration
	}{{"Reader", opts.Reader}, {"Writer", opts.Writer}, {"All", opts.All}} {
		if f.period < 0 {
			return nil, fmt.Errorf("hashedwheel: ConnIdleOptions.%s is %v, must not be negative", f.name, f.period)
		}
		if f.period == 0 {
			continue
		}
		idle, err := w.NewIdle(f.period, ci.silent)
		if err != nil {
			return nil, err
		}
		ci.idles[kind] = idle
	}
	if ci.idles == [idleKinds]*Idle{} {
		return nil, errors.New("hashedwheel: ConnIdleOptions: Reader, Writer and All are 0, one must be positive")
	}
	return ci, nil
}

// A watchedConn is a net.Conn under watch.
type watchedConn struct {
	net.Conn
	watcher *ConnIdle
	members [idleKinds]*connMember // nil: does not matter
	closed  atomic.Bool
}

type connMember struct {
	IdleMember
	conn *watchedConn
	kind IdleKind
}

// Wrap returns c under watch, from now on. The caller uses it in c's place; closing it ends the watch. It
// returns ErrStopped or ErrTooManyPending if the timer refuses; c is unchanged then and
// still the caller's.
//
// The result is a plain net.Conn. It hides other methods of c, such as a
// TCPConn's ReadFrom, since nobody could see whether that makes progress.
func (ci *ConnIdle) Wrap(c net.Conn) (net.Conn, error) {
	wc := &watchedConn{Conn: c, watcher: ci}
	for kind, idle := range ci.idles {
		if idle != nil {
			m := &connMember{conn: wc, kind: IdleKind(kind)}
			m.Value = m
			wc.members[kind] = m
		}
	}
	for kind, m := range wc.members {
		if m == nil {
			continue
		}
		if err := ci.idles[kind].Add(&m.IdleMember); err != nil {
			wc.unwatch()
			return nil, err
		}
	}
	return wc, nil
}

// Listener returns a net.Listener that accepts from l and wraps what it accepts.
// When the timer refuses a connection, Accept closes it and returns the error.
func (ci *ConnIdle) Listener(l net.Listener) net.Listener { return watchedListener{l, ci} }

type watchedListener struct {
	net.Listener
	watcher *ConnIdle
}

func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	wc, err := l.watcher.Wrap(c)
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("watch a connection from %v: %w", c.RemoteAddr(), err)
	}
	return wc, nil
}

func (c *watchedConn) touch(kind IdleKind) {
	if m := c.members[kind]; m != nil {
		m.Touch()
	}
	if m := c.members[AllIdle]; m != nil {
		m.Touch()
	}
}

// Read counts when it has read something.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.touch(ReaderIdle)
	}
	return n, err
}

// Write counts when it has written something.
func (c *watchedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if n > 0 {
		c.touch(WriterIdle)
	}
	return n, err
}

// Close closes the connection and ends the watch.
func (c *watchedConn) Close() error {
	c.unwatch()
	return c.Conn.Close()
}

func (c *watchedConn) unwatch() {
	c.closed.Store(true)
	for _, m := range c.members {
		if m != nil {
			m.Remove()
		}
	}
}

// silent is told of an idle member.
func (ci *ConnIdle) silent(m *IdleMember) {
	cm := m.Value.(*connMember)
	c := cm.conn
	if c.closed.Load() {
		return
	}
	if ci.onIdle == nil {
		_ = c.Close()
		return
	}
	ci.onIdle(c, cm.kind)
	if c.closed.Load() {
		return
	}
	// Still open: watched for another period. A timer that refuses has stopped, or is
	// full; then nobody watches any more.
	if ci.idles[cm.kind].Add(m) == nil && c.closed.Load() {
		m.Remove() // closed in between, too early for unwatch to see the member
	}
}
