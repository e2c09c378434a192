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

	// OnIdle is called with an idle connection, which is the one that Wrap returned. Nil means
	// that it is closed. If OnIdle leaves it open, it is called again after
	// another period of silence. It runs as every task of the timer does and
	// must not block.
	OnIdle func(c net.Conn, kind IdleKind)
}

// A ConnIdle watches connections for idleness. Watching costs a connection no call of
// SetDeadline, and each Read and Write about a nanosecond.
type ConnIdle struct {
	idles   [idleKinds]*IdleOf[*watchedConn] // nil: does not matter
	onIdle  func(net.Conn, IdleKind)
	refused atomic.Int64
	log     sparseLog
}

// NewConnIdle returns a ConnIdle. It returns an error that names the field if an option
// is out of its range.
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

// Wrap returns c under watch, from now on. The caller uses it in c's place. The watch ends when
// the connection is closed, when a Read or Write fails for another reason than a deadline, and,
// for one direction, when Read returns io.EOF or CloseWrite is called. Wrap returns ErrStopped or
// ErrTooManyPending if the timer refuses, and ErrIdleStopped after Stop; c is unchanged then and
// still the caller's.
//
// The result has the methods ReadFrom, WriteTo, CloseRead, CloseWrite and SyscallConn if c has
// them, and none of them if not. io.Copy and http.ServeContent so use sendfile and splice on
// a *net.TCPConn. A NetConn method returns c; what is read and written through c itself is
// not seen.
//
// A long transfer by ReadFrom, WriteTo or a large Write counts while it makes progress: it is
// looked at piece by piece and, on Linux and TCP, by the number of bytes that the peer has
// acknowledged. One that is stuck is reported after at most two periods.
//
// For TLS wrap the connection below it: tls.Server(wrapped, config), or tls.NewListener on
// what Listener returns. Servers look for a *tls.Conn, which a wrapped one would hide.
func (ci *ConnIdle) Wrap(c net.Conn) (net.Conn, error) {
	wc, outer := newWatchedConn(c)
	for kind, idle := range ci.idles {
		if idle == nil {
			continue
		}
		m := &IdleMemberOf[*watchedConn]{Value: wc}
		wc.members[kind] = m
		if err := idle.Add(m); err != nil {
			wc.finished(bothSides)
			return nil, err
		}
	}
	return outer, nil
}

// Stop ends the watch of all connections, which stay open. OnIdle is called no more: only a
// call that has begun, or is about to, is not waited for. The timer continues. Wrap returns
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
	switch {
	case !c.watches(kind):
		return
	case c.closedElsewhere():
		c.finished(bothSides)
		return
	case c.progressed(kind):
	case ci.onIdle == nil:
		_ = c.Close()
		return
	default:
		ci.onIdle(c.outer, kind)
	}
	if !c.watches(kind) {
		return
	}
	// Still open: watched for another period. A timer that refuses has stopped, or is
	// full; then nobody watches any more.
	if ci.idles[kind].Add(m) == nil && !c.watches(kind) {
		m.Remove() // over in between, too early for finished to see the member
	}
}
