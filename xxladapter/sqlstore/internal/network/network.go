// Package network watches the connections to a database server: it gives up those on which the
// server is silent, and has the time limits of all that is asked.
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

// errSilent is what a connection fails with on which the server has been silent for
// too long. What was asked may have happened.
var errSilent = errors.New("the database server was silent for too long")

// errEnded is what no connection is made with after [Connections.Close].
var errEnded = errors.New("sqlstore: closed")

// Connections are the connections of one store, of all its pools.
//
// Connections that die without a word die together, as behind a firewall that was
// restarted. So the first silence closes all connections that rest, and the caller makes a
// new one. When the server answers on a new one, the silence was the network's fault: the
// older connections that still wait would wait in vain, each for a time limit of its own,
// and are closed as well. A slow server answers nobody at that moment, and a
// connection on which slow answers are expected is left alone.
type Connections struct {
	mu        sync.Mutex
	sockets   map[*socket]struct{}
	closed    bool
	silentAt  time.Time // when a connection was last found silent
	suspected bool      // no newer connection has had an answer yet
}

func New() *Connections { return &Connections{sockets: map[*socket]struct{}{}} }

// Dialer returns a function that makes connections with a limit for the server's
// silence.
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

// add makes conn one of the network's connections.
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

// FellSilent closes the connections that rest, after one on which an answer was waited
// for in vain since the given time. What was waited for when the last silence was
// found belongs to that one, and tells nothing of connections that were made since.
func (n *Connections) FellSilent(since time.Time) {
	n.mu.Lock()
	if since.After(n.silentAt) {
		n.silentAt, n.suspected = time.Now(), true
	}
	before := n.silentAt
	n.mu.Unlock()
	n.closeOld(before, (*socket).rests)
}

// greeted closes the connections that still wait, if the server has answered on a
// connection that was made after they were.
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

// closeOld closes the selected connections that were made before then.
func (n *Connections) closeOld(before time.Time, selected func(*socket) bool) {
	for _, s := range n.all() {
		if s.made.Before(before) && selected(s) {
			_ = s.Close()
		}
	}
}

// Close closes all connections and makes no more.
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

// A socket is a connection to the database server that gives up when the server is
// silent, whatever the driver waits for: also a COMMIT, to which no context reaches.
type socket struct {
	net.Conn
	network *Connections
	limit   *Patience
	made    time.Time

	mu      sync.Mutex
	answers int       // how many there were
	waiting bool      // something was sent, and nothing has come since
	until   time.Time // what the driver has set as the deadline of reads; zero: none
	ended   bool
}

// Read reads, and closes the connection when nothing comes in time.
func (s *socket) Read(b []byte) (int, error) {
	begun, limit := time.Now(), s.limit.limit()
	s.mu.Lock()
	if s.answers == 0 {
		limit = min(limit, OpenDialLimit) // whatever comes later, a greeting takes no longer
	}
	deadline := begun.Add(limit)
	own := s.until.IsZero() || deadline.Before(s.until)
	if !own {
		deadline = s.until
	}
	err := s.Conn.SetReadDeadline(deadline)
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := s.Conn.Read(b)
	s.mu.Lock()
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

func (s *socket) Write(b []byte) (int, error) {
	s.mu.Lock()
	s.waiting = true
	s.mu.Unlock()
	return s.Conn.Write(b)
}

// SetDeadline and SetReadDeadline shorten the wait of a Read; none lengthens it.
func (s *socket) SetDeadline(t time.Time) error {
	return errors.Join(s.SetReadDeadline(t), s.Conn.SetWriteDeadline(t))
}

func (s *socket) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until = t; t.IsZero() {
		return nil // the next Read sets its own
	}
	return s.Conn.SetReadDeadline(t)
}

// Close closes the connection; again is fine.
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

// SyscallConn lets a driver look whether the server has closed the connection.
func (s *socket) SyscallConn() (syscall.RawConn, error) {
	conn, ok := s.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return conn.SyscallConn()
}

func (s *socket) rests() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.waiting
}

// Sound reports whether a driver's connection was not closed behind its back.
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

// A Patience is for how long the connections of a pool wait for an answer: least, or
// twice as long as the longest answer of the last minutes took, so that what is slow
// because there is much of it is not taken for silence. What has become that slow since
// falls silent on a new connection too, and that doubles the limit for a moment; else it
// would never be learned. A silence alone doubles nothing: mostly the connection
// has died, and a new one works. A Patience whose least is its most never changes.
type Patience struct {
	Least, Most time.Duration

	mu           sync.Mutex
	longest      time.Duration
	longestAt    time.Time
	silentAt     time.Time // when it was last waited in vain
	doubled      time.Duration
	doubledUntil time.Time
}

const (
	// patienceMemory is how long the longest answer is remembered, and
	// patienceDoubled how long a silence and what follows from it.
	patienceMemory  = 10 * time.Minute
	patienceDoubled = SlowSilence

	// workingAnswers is how many answers show that a connection works: more than those to
	// its settings and to the statements before one that may be slow.
	workingAnswers = 12
)

// AnySilence is for work that takes as long as it takes.
const AnySilence = 24 * time.Hour

func Fixed(limit time.Duration) *Patience { return &Patience{Least: limit, Most: limit} }

func (p *Patience) limit() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	limit := p.Least
	if now.Sub(p.longestAt) < patienceMemory {
		limit = max(limit, 2*p.longest)
	}
	if now.Before(p.doubledUntil) {
		limit = max(limit, p.doubled)
	}
	return min(limit, p.Most)
}

// answered notes how long an answer took, and whether it came on a connection that works.
func (p *Patience) answered(took time.Duration, works bool) {
	if p.Least == p.Most || 2*took <= p.Least && !works {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if works {
		p.doubled = 0
	}
	if 2*took <= p.Least {
		return
	}
	if now := time.Now(); took > p.longest || now.Sub(p.longestAt) >= patienceMemory {
		p.longest, p.longestAt = took, now
	}
}

// gaveUp notes that no answer came for so long, on a connection that was made then and
// that works otherwise, or has not shown it yet.
func (p *Patience) gaveUp(after time.Duration, made time.Time, works bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if again := now.Sub(p.silentAt) < patienceDoubled && made.After(p.silentAt); again && !works {
		p.doubled, p.doubledUntil = 2*after, now.Add(patienceDoubled)
	}
	p.silentAt = now
}
