package hashedwheel

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// An IdleKind says what a connection has not done for its period. The kinds are those of Netty's
// IdleStateHandler.
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
	// Reader, Writer and All are how long a connection may read nothing, write nothing, or do
	// neither. Zero disables a check. At least one must be positive, and none negative.
	Reader, Writer, All time.Duration

	// OnIdle is called with an idle connection, which is the one that Wrap returned. If OnIdle
	// leaves it open, even by a panic, OnIdle is called again after another period of silence. It
	// runs as every task of the timer does and must not block. Nil means that the connection is
	// closed.
	OnIdle func(c net.Conn, kind IdleKind)
}

// A ConnIdle watches connections for idleness. It never calls SetDeadline. Each Read and each piece
// of a Write costs at most two calls of Touch, and each Write a lock.
type ConnIdle struct {
	idles   [idleKinds]*IdleOf[*watchedConn] // nil if that kind is not watched
	onIdle  func(net.Conn, IdleKind)
	refused atomic.Int64
	log     sparseLog
}

// NewConnIdle returns a ConnIdle. It returns an error that names the field if an option is out of
// its range.
func (w *HashedWheelTimer) NewConnIdle(opts ConnIdleOptions) (*ConnIdle, error) {
	ci := &ConnIdle{onIdle: opts.OnIdle, log: sparseLog{logger: w.logger}}
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
		idle, err := NewIdleOf(w, f.period, func(m *IdleMemberOf[*watchedConn]) { ci.silent(m, IdleKind(kind)) })
		if err != nil {
			return nil, err
		}
		ci.idles[kind] = idle
	}
	if ci.idles == [idleKinds]*IdleOf[*watchedConn]{} {
		return nil, errors.New("hashedwheel: ConnIdleOptions: Reader, Writer and All are 0, one must be positive")
	}
	return ci, nil
}

// Wrap returns c under watch, from now on. The caller uses it in c's place. The watch ends when the
// connection is closed, when a Read or Write fails for another reason than a deadline, and, for one
// direction, when Read returns io.EOF, a copy from the connection reaches its end, or CloseRead or
// CloseWrite is called. Wrap returns ErrStopped or ErrTooManyPending if the timer refuses, and
// ErrIdleStopped after Stop; c is unchanged then and still the caller's.
//
// The result has exactly those of the methods ReadFrom, WriteTo, CloseRead, CloseWrite and
// SyscallConn that c has. So io.Copy and http.ServeContent can use sendfile and splice on a
// *net.TCPConn. A NetConn method returns c; what is read and written through c itself is not seen.
//
// A long transfer by ReadFrom, WriteTo or a large Write counts while it makes progress: it is
// checked piece by piece and, on Linux and TCP, by the number of bytes that were read or that the
// peer has acknowledged (not on 386 and s390x). One that is stuck is reported after at most two
// periods.
//
// For TLS wrap the connection below it: tls.Server(wrapped, config), or tls.NewListener on what
// Listener returns. Servers look for a *tls.Conn, which a wrapped one would hide.
func (ci *ConnIdle) Wrap(c net.Conn) (net.Conn, error) {
	wc, outer := newWatchedConn(c)
	for kind, idle := range ci.idles {
		if idle != nil {
			wc.members[kind] = &IdleMemberOf[*watchedConn]{Value: wc}
		}
	}
	for kind, m := range wc.members { // which the worker reads from the first Add on
		if m == nil {
			continue
		}
		if err := ci.idles[kind].Add(m); err != nil {
			wc.finished(bothSides)
			return nil, err
		}
		wc.forgetEnded(m, IdleKind(kind))
	}
	return outer, nil
}

// Stop ends the watch of all connections, which stay open. It does not wait for a call of OnIdle
// that has begun or is about to begin; no other one follows. The timer continues. Wrap returns
// ErrIdleStopped from then on.
func (ci *ConnIdle) Stop() {
	for _, idle := range ci.idles {
		if idle != nil {
			idle.Stop()
		}
	}
}

// silent is called for an idle member.
func (ci *ConnIdle) silent(m *IdleMemberOf[*watchedConn], kind IdleKind) {
	c := m.Value
	if !c.watches(kind) {
		return
	}
	if c.closedElsewhere() {
		c.finished(bothSides)
		return
	}
	moved := c.progressed(kind)
	if !moved && ci.onIdle == nil {
		_ = c.Close()
		return
	}
	defer ci.watchOn(m, kind) // also if OnIdle panics
	if !moved {
		ci.onIdle(c.outer, kind)
	}
}

// watchOn watches a connection for another period, if it is still open. A timer that refuses has
// stopped, or is full; then the connection is no longer watched.
func (ci *ConnIdle) watchOn(m *IdleMemberOf[*watchedConn], kind IdleKind) {
	c := m.Value
	if !c.watches(kind) {
		return
	}
	if ci.idles[kind].Add(m) == nil {
		c.forgetEnded(m, kind)
	}
}

// Listener returns a net.Listener that accepts from l and wraps what it accepts.
//
// A connection for which the timer has no place (ErrTooManyPending) is closed, counted by Refused
// and logged, at most once in ten seconds; Accept then waits for the next. It does not return an
// error: a server would take an error for the end of its listener, or pause for up to a second
// after a temporary one, while others want to connect.
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
		// Counted first, so that a peer that sees the close is counted.
		l.watcher.refused.Add(1)
		l.watcher.log.warn(
			"hashedwheel: the timer is full; a connection is closed instead of watched", "remote", c.RemoteAddr(),
		)
		_ = c.Close()
	}
}

// A side is a direction of a connection. Sides are bits.
type side uint32

const (
	readSide side = 1 << iota
	writeSide
	bothSides = readSide | writeSide
)

// sides returns the directions in which a connection can end the idleness of a kind.
func (k IdleKind) sides() side { return [idleKinds]side{readSide, writeSide, bothSides}[k] }

// A watchedConn is a net.Conn under watch.
type watchedConn struct {
	net.Conn
	outer   net.Conn // what Wrap returned
	members [idleKinds]*IdleMemberOf[*watchedConn]
	over    atomic.Uint32 // the sides on which nothing more will happen

	// Writes in one piece may overlap: the inner connection keeps them apart.
	writes sync.RWMutex // held for reading during a Write in one piece, for writing during one in several

	reading, writing transfer
}

// A transfer records the progress of long transfers in one direction.
type transfer struct {
	calls atomic.Int32             // in progress
	bytes [idleKinds]atomic.Uint64 // moved by the connection, at the last check of each kind
}

func (c *watchedConn) inside() *watchedConn { return c }

// NetConn returns the connection under the watch.
func (c *watchedConn) NetConn() net.Conn { return c.Conn }

// touch touches the members of kind and of AllIdle, because something was moved in that direction.
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
	if err != nil {
		c.failed(readSide, err)
	}
	return n, err
}

// Write counts when it has written something: all of p or, of a large one, a piece. Only Writes to
// streams are split, and no other Write comes between the pieces of one.
func (c *watchedConn) Write(p []byte) (n int, err error) {
	most := len(p)
	if len(p) > transferPiece {
		c.writing.calls.Add(1)
		defer c.writing.calls.Add(-1)
		if !c.keepsMessages() {
			most = transferPiece
		}
	}
	if most < len(p) {
		c.writes.Lock()
		defer c.writes.Unlock()
	} else {
		c.writes.RLock()
		defer c.writes.RUnlock()
	}
	for {
		piece := p[n:min(n+most, len(p))]
		k, err := c.Conn.Write(piece)
		n += k
		if k > 0 {
			c.touch(WriterIdle)
		}
		if err != nil {
			c.failed(writeSide, err)
			return n, err
		}
		if n == len(p) || k < len(piece) {
			return n, nil
		}
	}
}

// keepsMessages reports whether what one Write writes is one message, which must not be split.
func (c *watchedConn) keepsMessages() bool {
	a := c.LocalAddr()
	if a == nil {
		return false
	}
	network := a.Network()
	return network == "unixgram" || network == "unixpacket" ||
		strings.HasPrefix(network, "udp") || strings.HasPrefix(network, "ip")
}

// Close closes the connection and ends the watch.
func (c *watchedConn) Close() error {
	c.finished(bothSides)
	return c.Conn.Close()
}

// failed ends the watch if err means that nothing more will come from a side.
func (c *watchedConn) failed(s side, err error) {
	var timeout net.Error
	switch {
	case s == readSide && errors.Is(err, io.EOF):
		c.finished(readSide)
	case errors.Is(err, syscall.ETIMEDOUT): // the peer no longer answers, which net calls a time-out
		c.finished(bothSides)
	case errors.As(err, &timeout) && timeout.Timeout():
	default:
		c.finished(bothSides)
	}
}

// finished ends the watch of the sides on which nothing more can happen.
func (c *watchedConn) finished(s side) {
	c.over.Or(uint32(s))
	for kind, m := range c.members {
		if m != nil && !c.watches(IdleKind(kind)) {
			m.Remove()
		}
	}
}

// forgetEnded removes m, which was just added, if the watch of its kind had ended before Add:
// finished has then found no member.
func (c *watchedConn) forgetEnded(m *IdleMemberOf[*watchedConn], kind IdleKind) {
	if !c.watches(kind) {
		m.Remove()
	}
}

// watches reports whether idleness of a kind still matters.
func (c *watchedConn) watches(kind IdleKind) bool {
	return kind.sides()&^side(c.over.Load()) != 0
}

// closedElsewhere reports whether the connection was closed by code that holds the inner one.
func (c *watchedConn) closedElsewhere() bool {
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

// progressed reports whether a long transfer is in progress on a side that matters for kind, and
// the connection has moved bytes since the last check.
func (c *watchedConn) progressed(kind IdleKind) bool {
	moved := false
	for _, t := range []struct {
		side
		*transfer
	}{{readSide, &c.reading}, {writeSide, &c.writing}} {
		if t.side&kind.sides() == 0 || t.calls.Load() == 0 {
			continue
		}
		if bytes, ok := bytesMoved(c.Conn, t.side); ok && t.bytes[kind].Swap(bytes) != bytes {
			moved = true
		}
	}
	return moved
}
