// Package network watches the connections to a database server. It gives up connections on which
// the server is silent, and defines the time limits of all calls.
package network

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// errSilent is the error of a connection on which the server was silent for too long. What was
// asked may have taken effect.
var errSilent = errors.New("sqlstore: the database server was silent for too long")

// errEnded is the error of connecting after [Connections.Close].
var errEnded = errors.New("sqlstore: closed")

// Connections are the connections of one store, in all its pools.
//
// Connections that die silently die together, for example behind a firewall that was restarted. So
// the first silence closes all idle connections, and the caller opens a new one. When the server
// answers on a new connection, the silence was the network's fault: older connections that still
// wait would wait in vain, each for a time limit of its own, and are closed as well. A slow server
// answers on no connection at that moment, and connections on which slow answers are expected are
// left alone.
//
// Lock order: the locks of Connections, of a socket and of a [Patience] are never held together.
type Connections struct {
	mu        sync.Mutex // guards the fields below
	sockets   map[*socket]struct{}
	closed    bool
	silentAt  time.Time // when a connection was last found silent
	suspected bool      // no newer connection has received an answer yet
}

// New returns Connections that have no connection yet.
func New() *Connections { return &Connections{sockets: map[*socket]struct{}{}} }

// Dialer returns a function that connects with a limit for the server's silence.
func (n *Connections) Dialer(limit *Patience) func(ctx context.Context, network, address string) (net.Conn, error) {
	dial := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: time.Second, Count: 3},
		Control: func(network, _ string, conn syscall.RawConn) error {
			if network == "unix" {
				return nil
			}
			return limitUnacked(conn, unackedLimit)
		},
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return n.add(conn, limit)
	}
}

// add adds conn to the connections.
func (n *Connections) add(conn net.Conn, limit *Patience) (*socket, error) {
	s := &socket{Conn: conn, network: n, limit: limit, made: time.Now()}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil, errors.Join(errEnded, conn.Close())
	}
	n.sockets[s] = struct{}{}
	return s, nil
}

// FellSilent closes idle connections after a wait in vain that began at since. A wait that began
// before the last silence was found belongs to that silence, and says nothing about newer
// connections.
func (n *Connections) FellSilent(since time.Time) {
	n.mu.Lock()
	if since.After(n.silentAt) {
		n.silentAt, n.suspected = time.Now(), true
	}
	before := n.silentAt
	n.mu.Unlock()
	n.closeOld(before, (*socket).rests)
}

// greeted closes the connections that were opened before the last silence and expect quick answers,
// if s is the first newer one on which the server has answered.
func (n *Connections) greeted(s *socket) {
	n.mu.Lock()
	proven := n.suspected && !s.made.Before(n.silentAt)
	if proven {
		n.suspected = false
	}
	before := n.silentAt
	n.mu.Unlock()
	if proven {
		n.closeOld(before, func(s *socket) bool { return s.limit.limit() <= QuickSilence })
	}
}

// closeOld closes the selected connections that were opened before then.
func (n *Connections) closeOld(before time.Time, selected func(*socket) bool) {
	for _, s := range n.all() {
		if s.made.Before(before) && selected(s) {
			_ = s.Close()
		}
	}
}

// Close closes all connections and refuses new ones.
func (n *Connections) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	for _, s := range n.all() {
		_ = s.Close()
	}
}

func (n *Connections) all() []*socket {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := make([]*socket, 0, len(n.sockets))
	for s := range n.sockets {
		all = append(all, s)
	}
	return all
}

// A socket is a connection to the database server that gives up when the server is silent, whatever
// the driver waits for: also a COMMIT, which no context reaches.
type socket struct {
	net.Conn
	network *Connections
	limit   *Patience
	made    time.Time

	mu      sync.Mutex // guards the fields below
	answers int        // number of answers so far
	waiting bool       // something was sent, and nothing was received since
	until   time.Time  // the driver's own deadline of reads; zero means none
	reading time.Time  // the deadline of the Read in progress; zero means that there is none
	ended   bool
}

// Read reads, and closes the connection if nothing comes in time.
func (s *socket) Read(b []byte) (int, error) {
	begun, limit := time.Now(), s.limit.limit()
	s.mu.Lock()
	if s.answers == 0 {
		limit = min(limit, OpenDialLimit) // a greeting takes no longer, however slow later answers may be
	}
	deadline := begun.Add(limit)
	own := s.until.IsZero() || deadline.Before(s.until)
	if !own {
		deadline = s.until
	}
	err := s.Conn.SetReadDeadline(deadline)
	if err == nil {
		s.reading = deadline
	}
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := s.Conn.Read(b)
	s.mu.Lock()
	s.reading = time.Time{}
	greeting := n > 0 && s.answers == 0
	if n > 0 {
		if s.waiting || greeting {
			s.answers++
		}
		s.waiting = false
	}
	works := s.answers >= workingAnswers
	s.mu.Unlock()
	switch {
	case n > 0:
		s.limit.answered(time.Since(begun), works)
		if greeting {
			s.network.greeted(s)
		}
	case own && errors.Is(err, os.ErrDeadlineExceeded) && time.Since(begun) >= limit:
		s.limit.gaveUp(limit, s.made, works)
		_ = s.Close()
		s.network.FellSilent(begun)
		err = fmt.Errorf("%w: %v", errSilent, limit)
	}
	return n, err
}

// Write sends, and expects an answer from then on.
func (s *socket) Write(b []byte) (int, error) {
	s.mu.Lock()
	s.waiting = true
	s.mu.Unlock()
	return s.Conn.Write(b)
}

// SetDeadline and SetReadDeadline can shorten the wait of a Read, but not lengthen it.
func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.Conn.SetWriteDeadline(t))
}

func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = t // from which the next Read makes its own deadline
	if s.reading.IsZero() || t.IsZero() || !t.Before(s.reading) {
		return nil
	}
	s.reading = t
	return s.Conn.SetReadDeadline(t)
}

// Close closes the connection. It may be called again.
func (s *socket) Close() error {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	s.network.mu.Lock()
	delete(s.network.sockets, s)
	s.network.mu.Unlock()
	if ended {
		return nil
	}
	return s.Conn.Close()
}

// SyscallConn lets a driver check whether the server has closed the connection. That check is a
// read too, and would meet the deadline that the last Read has left.
func (s *socket) SyscallConn() (syscall.RawConn, error) {
	conn, ok := s.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading.IsZero() {
		if err := s.Conn.SetReadDeadline(s.until); err != nil {
			return nil, err
		}
	}
	return conn.SyscallConn()
}

func (s *socket) rests() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.waiting
}

// Sound reports whether a driver's connection is still open on our side.
func Sound(conn net.Conn) bool {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	s, ok := conn.(*socket)
	if !ok {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended
}

// A Patience limits how long the connections of a pool wait for an answer: twice the longest recent
// answer, but at least Min and at most Max. If a new connection times out as well, the server has
// become slow, and the limit is doubled for patienceDoubled. A single timeout changes nothing:
// usually the connection has died. If Min equals Max, the limit never changes.
type Patience struct {
	Min, Max time.Duration

	mu           sync.Mutex // guards the fields below
	longest      time.Duration
	longestAt    time.Time
	silentAt     time.Time // end of the last wait in vain
	doubled      time.Duration
	doubledUntil time.Time
}

const (
	// patienceMemory is how long the longest answer counts. patienceDoubled is how long a timeout
	// is remembered, and how long a doubled limit holds.
	patienceMemory  = 10 * time.Minute
	patienceDoubled = SlowSilence

	// workingAnswers is the number of answers that proves a connection: more than those to its
	// settings and to the statements before one that may be slow.
	workingAnswers = 12
)

// AnySilence is for work without a time limit.
const AnySilence = 24 * time.Hour

// Fixed returns a patience that never changes.
func Fixed(limit time.Duration) *Patience { return &Patience{Min: limit, Max: limit} }

func (p *Patience) limit() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	limit := p.Min
	if now.Sub(p.longestAt) < patienceMemory {
		limit = max(limit, 2*p.longest)
	}
	if now.Before(p.doubledUntil) {
		limit = max(limit, p.doubled)
	}
	return min(limit, p.Max)
}

// answered records how long an answer took, and whether its connection works.
func (p *Patience) answered(took time.Duration, works bool) {
	if p.Min == p.Max || 2*took <= p.Min && !works {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if works {
		p.doubled = 0
	}
	if 2*took <= p.Min {
		return
	}
	if now := time.Now(); took > p.longest || now.Sub(p.longestAt) >= patienceMemory {
		p.longest, p.longestAt = took, now
	}
}

// gaveUp records a wait in vain, on a connection that was opened at made, and whether that
// connection has proved to work.
func (p *Patience) gaveUp(after time.Duration, made time.Time, works bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if again := now.Sub(p.silentAt) < patienceDoubled && made.After(p.silentAt); again && !works {
		p.doubled, p.doubledUntil = 2*after, now.Add(patienceDoubled)
	}
	p.silentAt = now
}
