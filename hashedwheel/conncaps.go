package hashedwheel

import (
	"io"
	"net"
	"syscall"
)

// What a connection can do beyond net.Conn decides how others use it: io.Copy calls ReadFrom if
// there is one, proxies pass the end of a stream on if there is CloseWrite. A wrapper that has such
// a method without being able to do it would lead them the wrong way, and an error would come too
// late. So what Wrap returns has exactly the methods that the inner connection has, which takes a
// type for each combination.
type (
	closeWriter interface{ CloseWrite() error }
	closeReader interface{ CloseRead() error }
)

// A watchedTCPConn is a watchedConn for a connection that has all these methods, such as a
// *net.TCPConn. It has no part of its own, so that one allocation makes all of it.
type watchedTCPConn struct{ watchedConn }

func (c *watchedTCPConn) ReadFrom(r io.Reader) (int64, error) { return c.readFrom(r) }
func (c *watchedTCPConn) WriteTo(w io.Writer) (int64, error)  { return c.writeTo(w) }
func (c *watchedTCPConn) CloseWrite() error                   { return c.closeWrite() }
func (c *watchedTCPConn) CloseRead() error                    { return c.closeRead() }

func (c *watchedTCPConn) SyscallConn() (syscall.RawConn, error) {
	return c.syscallConn()
}

// The others have their methods from parts.
type (
	readFromPart   struct{ c *watchedConn }
	writeToPart    struct{ c *watchedConn }
	closeWritePart struct{ c *watchedConn }
	closeReadPart  struct{ c *watchedConn }
	syscallPart    struct{ c *watchedConn }
)

func (p readFromPart) ReadFrom(r io.Reader) (int64, error) { return p.c.readFrom(r) }
func (p writeToPart) WriteTo(w io.Writer) (int64, error)   { return p.c.writeTo(w) }
func (p closeWritePart) CloseWrite() error                 { return p.c.closeWrite() }
func (p closeReadPart) CloseRead() error                   { return p.c.closeRead() }

func (p syscallPart) SyscallConn() (syscall.RawConn, error) { return p.c.syscallConn() }

func (c *watchedConn) closeWrite() error {
	c.finished(writeSide)
	return c.Conn.(closeWriter).CloseWrite()
}

func (c *watchedConn) closeRead() error {
	c.finished(readSide)
	return c.Conn.(closeReader).CloseRead()
}

func (c *watchedConn) syscallConn() (syscall.RawConn, error) {
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	return watchedRawConn{raw, c}, nil
}

// A watchedRawConn touches for each read and each write. It hides the methods by which package os
// finds the descriptor of a raw connection: (*os.File).WriteTo, which io.Copy prefers to ReadFrom,
// would send to that, unseen until it has sent everything.
type watchedRawConn struct {
	syscall.RawConn
	c *watchedConn
}

func (r watchedRawConn) Read(f func(fd uintptr) (done bool)) error {
	err := r.RawConn.Read(f)
	if err == nil {
		r.c.touch(ReaderIdle)
	}
	return err
}

func (r watchedRawConn) Write(f func(fd uintptr) (done bool)) error {
	err := r.RawConn.Write(f)
	if err == nil {
		r.c.touch(WriterIdle)
	}
	return err
}

// What a connection can do, as bits.
const (
	canReadFrom = 1 << iota
	canWriteTo
	canCloseWrite
	canCloseRead
	canSyscallConn
	canAll = 1<<iota - 1
)

// abilities returns what c can do.
func abilities(c net.Conn) (can int) {
	if _, ok := c.(io.ReaderFrom); ok {
		can |= canReadFrom
	}
	if _, ok := c.(io.WriterTo); ok {
		can |= canWriteTo
	}
	if _, ok := c.(closeWriter); ok {
		can |= canCloseWrite
	}
	if _, ok := c.(closeReader); ok {
		can |= canCloseRead
	}
	if _, ok := c.(syscall.Conn); ok {
		can |= canSyscallConn
	}
	return can
}

// newWatchedConn returns a watchedConn for c, and the net.Conn that Wrap returns for it.
func newWatchedConn(c net.Conn) (*watchedConn, net.Conn) {
	can := abilities(c)
	if can == canAll {
		w := &watchedTCPConn{watchedConn{Conn: c}}
		w.outer = w
		return &w.watchedConn, w
	}
	w := &watchedConn{Conn: c}
	w.outer = w.able(can)
	return w, w.outer
}

// able returns c with exactly the methods whose bits are set in can. Callers find a method by a
// type assertion, and a type's methods are fixed when it is compiled, so each combination is a type
// and a case. canAll has no case: newWatchedConn makes a watchedTCPConn for it.
func (c *watchedConn) able(can int) net.Conn {
	rf, wt, cw, cr, sc := readFromPart{c}, writeToPart{c}, closeWritePart{c}, closeReadPart{c}, syscallPart{c}
	switch can {
	case canReadFrom:
		return struct {
			*watchedConn
			readFromPart
		}{c, rf}
	case canWriteTo:
		return struct {
			*watchedConn
			writeToPart
		}{c, wt}
	case canReadFrom | canWriteTo:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
		}{c, rf, wt}
	case canCloseWrite:
		return struct {
			*watchedConn
			closeWritePart
		}{c, cw}
	case canReadFrom | canCloseWrite:
		return struct {
			*watchedConn
			readFromPart
			closeWritePart
		}{c, rf, cw}
	case canWriteTo | canCloseWrite:
		return struct {
			*watchedConn
			writeToPart
			closeWritePart
		}{c, wt, cw}
	case canReadFrom | canWriteTo | canCloseWrite:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			closeWritePart
		}{c, rf, wt, cw}
	case canCloseRead:
		return struct {
			*watchedConn
			closeReadPart
		}{c, cr}
	case canReadFrom | canCloseRead:
		return struct {
			*watchedConn
			readFromPart
			closeReadPart
		}{c, rf, cr}
	case canWriteTo | canCloseRead:
		return struct {
			*watchedConn
			writeToPart
			closeReadPart
		}{c, wt, cr}
	case canReadFrom | canWriteTo | canCloseRead:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			closeReadPart
		}{c, rf, wt, cr}
	case canCloseWrite | canCloseRead:
		return struct {
			*watchedConn
			closeWritePart
			closeReadPart
		}{c, cw, cr}
	case canReadFrom | canCloseWrite | canCloseRead:
		return struct {
			*watchedConn
			readFromPart
			closeWritePart
			closeReadPart
		}{c, rf, cw, cr}
	case canWriteTo | canCloseWrite | canCloseRead:
		return struct {
			*watchedConn
			writeToPart
			closeWritePart
			closeReadPart
		}{c, wt, cw, cr}
	case canReadFrom | canWriteTo | canCloseWrite | canCloseRead:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			closeWritePart
			closeReadPart
		}{c, rf, wt, cw, cr}
	case canSyscallConn:
		return struct {
			*watchedConn
			syscallPart
		}{c, sc}
	case canReadFrom | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			syscallPart
		}{c, rf, sc}
	case canWriteTo | canSyscallConn:
		return struct {
			*watchedConn
			writeToPart
			syscallPart
		}{c, wt, sc}
	case canReadFrom | canWriteTo | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			syscallPart
		}{c, rf, wt, sc}
	case canCloseWrite | canSyscallConn:
		return struct {
			*watchedConn
			closeWritePart
			syscallPart
		}{c, cw, sc}
	case canReadFrom | canCloseWrite | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			closeWritePart
			syscallPart
		}{c, rf, cw, sc}
	case canWriteTo | canCloseWrite | canSyscallConn:
		return struct {
			*watchedConn
			writeToPart
			closeWritePart
			syscallPart
		}{c, wt, cw, sc}
	case canReadFrom | canWriteTo | canCloseWrite | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			closeWritePart
			syscallPart
		}{c, rf, wt, cw, sc}
	case canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			closeReadPart
			syscallPart
		}{c, cr, sc}
	case canReadFrom | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			closeReadPart
			syscallPart
		}{c, rf, cr, sc}
	case canWriteTo | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			writeToPart
			closeReadPart
			syscallPart
		}{c, wt, cr, sc}
	case canReadFrom | canWriteTo | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			writeToPart
			closeReadPart
			syscallPart
		}{c, rf, wt, cr, sc}
	case canCloseWrite | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			closeWritePart
			closeReadPart
			syscallPart
		}{c, cw, cr, sc}
	case canReadFrom | canCloseWrite | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			readFromPart
			closeWritePart
			closeReadPart
			syscallPart
		}{c, rf, cw, cr, sc}
	case canWriteTo | canCloseWrite | canCloseRead | canSyscallConn:
		return struct {
			*watchedConn
			writeToPart
			closeWritePart
			closeReadPart
			syscallPart
		}{c, wt, cw, cr, sc}
	}
	return c
}
