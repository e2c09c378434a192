package hashedwheel

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// A side is a direction of a connection. Sides are bits.
type side uint32

const (
	readSide side = 1 << iota
	writeSide
	bothSides = readSide | writeSide
)

// sides are the directions in which a connection can end the idleness of a kind.
func (k IdleKind) sides() side { return [idleKinds]side{readSide, writeSide, bothSides}[k] }

// A watchedConn is a net.Conn under watch.
type watchedConn struct {
	net.Conn
	outer   net.Conn // what Wrap returned
	members [idleKinds]*IdleMemberOf[*watchedConn]
	over    atomic.Uint32 // the sides on which nothing will happen any more

	reading, writing transfer
}

// A transfer is what is known of long transfers in one direction.
type transfer struct {
	calls atomic.Int32             // under way
	bytes [idleKinds]atomic.Uint64 // moved by the connection, as of the last look for a kind
}

func (c *watchedConn) inside() *watchedConn { return c }

// NetConn returns the connection under the watch.
func (c *watchedConn) NetConn() net.Conn { return c.Conn }

// touch is called when something was moved in a direction.
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

// Write counts when it has written something: all of p or, of a large one, a piece.
func (c *watchedConn) Write(p []byte) (n int, err error) {
	if len(p) > transferPiece {
		c.writing.calls.Add(1)
		defer c.writing.calls.Add(-1)
	}
	for {
		piece := p[n:min(n+transferPiece, len(p))]
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
	case errors.As(err, &timeout) && timeout.Timeout():
	default:
		c.finished(bothSides)
	}
}

// finished ends the watch for which nothing can happen any more.
func (c *watchedConn) finished(s side) {
	c.over.Or(uint32(s))
	for kind, m := range c.members {
		if m != nil && !c.watches(IdleKind(kind)) {
			m.Remove()
		}
	}
}

// watches reports whether idleness of a kind still matters.
func (c *watchedConn) watches(kind IdleKind) bool {
	return kind.sides()&^side(c.over.Load()) != 0
}

// closedElsewhere reports whether the connection was closed by somebody who has it
// without the watch.
func (c *watchedConn) closedElsewhere() bool {
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

// progressed reports whether a long transfer is under way on a side that matters for kind, and
// the connection has moved bytes since the last look.
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
