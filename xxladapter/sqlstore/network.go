package sqlstore

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

// A network is the connections of one store, of all its pools.
//
// When one of them turns out to be silent, those that rest are closed: most likely
// the network has lost them as well, and each would cost a time limit of its own.
type network struct {
	mu      sync.Mutex
	sockets map[*socket]struct{}
	closed  bool
}

func newNetwork() *network { return &network{sockets: map[*socket]struct{}{}} }

// dialer returns a function that makes connections with a limit for the server's
// silence.
func (n *network) dialer(limit *patience) func(ctx context.Context, network, address string) (net.Conn, error) {
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
		s := &socket{Conn: conn, network: n, limit: limit}
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.closed {
			return nil, errors.Join(errClosed, conn.Close())
		}
		n.sockets[s] = struct{}{}
		return s, nil
	}
}

// suspect closes the connections that rest.
func (n *network) suspect() {
	for _, s := range n.all() {
		if s.rests() {
			_ = s.Close()
		}
	}
}

// close closes all connections and makes no more.
func (n *network) close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	for _, s := range n.all() {
		_ = s.Close()
	}
}

func (n *network) all() []*socket {
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
	network *network
	limit   *patience

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
		limit = min(limit, openDialLimit) // whatever comes later, a greeting takes no longer
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
	if n > 0 {
		s.mu.Lock()
		if s.waiting || s.answers == 0 {
			s.answers++
		}
		s.waiting = false
		works := s.answers >= workingAnswers
		s.mu.Unlock()
		s.limit.answered(time.Since(begun), works)
	}
	if own && errors.Is(err, os.ErrDeadlineExceeded) && time.Since(begun) >= limit {
		s.limit.gaveUp(limit)
		_ = s.Close()
		s.network.suspect()
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

// sound reports whether a driver's connection was not closed behind its back.
func sound(conn net.Conn) bool {
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

// A patience is for how long the connections of a pool wait for an answer: least, or
// four times as long as the longest answer of the last minutes took, so that what is
// slow because there is much of it is not taken for silence. An answer that did not
// come in time doubles it for a moment; else what is slow for the first time would
// never be learned. It was the connection's fault if another one works. A patience whose least is
// its most never changes.
type patience struct {
	least, most time.Duration

	mu           sync.Mutex
	longest      time.Duration
	longestAt    time.Time
	doubled      time.Duration
	doubledUntil time.Time
}

const (
	// patienceMemory is how long the longest answer is remembered, and
	// patienceDoubled how long a silence.
	patienceMemory  = 10 * time.Minute
	patienceDoubled = slowSilence

	// workingAnswers is how many answers show that a connection works: more than those to
	// its settings and to the statements before one that may be slow.
	workingAnswers = 12
)

// anySilence is for work that takes as long as it takes.
const anySilence = 24 * time.Hour

func fixed(limit time.Duration) *patience { return &patience{least: limit, most: limit} }

func (p *patience) limit() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	limit := p.least
	if now.Sub(p.longestAt) < patienceMemory {
		limit = max(limit, 4*p.longest)
	}
	if now.Before(p.doubledUntil) {
		limit = max(limit, p.doubled)
	}
	return min(limit, p.most)
}

// answered notes how long an answer took, and whether it came on a connection that works.
func (p *patience) answered(took time.Duration, works bool) {
	if p.least == p.most || 4*took <= p.least && !works {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if works {
		p.doubled = 0
	}
	if 4*took <= p.least {
		return
	}
	if now := time.Now(); took > p.longest || now.Sub(p.longestAt) >= patienceMemory {
		p.longest, p.longestAt = took, now
	}
}

// gaveUp notes that no answer came for so long.
func (p *patience) gaveUp(after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doubled, p.doubledUntil = 2*after, time.Now().Add(patienceDoubled)
}
