package zookeeper

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// watchPace is how often a session checks when it last heard from a server.
const watchPace = 250 * time.Millisecond

// A session is a client's session with the ensemble, which may use several connections one after
// the other. The library reconnects without limit, and does not report how long it has heard
// nothing; this session ends after [elect.SessionLife] of silence.
type session struct {
	conn  *zk.Conn
	heard atomic.Int64 // when a server last sent something, in ns since born; 0 if none has
	born  time.Time
	over  chan struct{} // closed when the session has ended, or may have
	end   sync.Once

	watching sync.WaitGroup // the goroutine of watch; close waits for it

	mu     sync.Mutex // guards the fields below
	line   net.Conn   // the current connection; nil before the first
	closed bool
}

func open(a elect.Address) (*session, error) {
	s := &session{born: time.Now(), over: make(chan struct{})}
	dial := func(_, host string, limit time.Duration) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		conn, err := a.Dial(ctx, host)
		if err != nil {
			return nil, err
		}
		return s.use(conn), nil
	}
	expired := func(e zk.Event) {
		if e.State == zk.StateExpired || e.State == zk.StateAuthFailed {
			s.lose()
		}
	}
	var err error
	s.conn, _, err = zk.Connect(
		a.Hosts, elect.SessionLife, zk.WithHostProvider(new(servers)), zk.WithDialer(dial),
		zk.WithEventCallback(expired), zk.WithLogger(quiet{}), zk.WithLogInfo(false),
	)
	if err != nil {
		return nil, err
	}
	s.watching.Go(s.watch)
	return s, nil
}

// watch ends the session when nothing was heard for [elect.SessionLife], which is how long a server
// keeps it. The callers of open limit how long the first contact may take.
func (s *session) watch() {
	ticker := time.NewTicker(watchPace)
	defer ticker.Stop()
	for {
		select {
		case <-s.over:
			return
		case <-ticker.C:
			heard := time.Duration(s.heard.Load())
			if heard != 0 && time.Since(s.born)-heard > elect.SessionLife {
				s.lose()
			}
		}
	}
}

func (s *session) lose() { s.end.Do(func() { close(s.over) }) }

// close ends the session at the server too, if that can be reached. It may be called more than
// once.
func (s *session) close() {
	s.lose()
	s.watching.Wait()
	s.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.line != nil {
		_ = s.line.Close() // the library may be waiting for an answer on it
	}
}

// use makes conn the session's connection.
func (s *session) use(conn net.Conn) net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = conn
	if s.closed {
		_ = conn.Close()
	}
	return listening{conn, s}
}

// A listening connection notes when something arrives.
type listening struct {
	net.Conn
	session *session
}

func (l listening) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 {
		l.session.heard.Store(int64(time.Since(l.session.born)))
	}
	return n, err
}

// quiet drops what the library logs: the candidacy says what matters, once.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
