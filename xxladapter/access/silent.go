package access

import (
	"net"
	"net/http"
	"sync"
)

// silentConns holds the connections of a server that have not sent a request yet. Clients keep such
// connections in reserve. [http.Server.Shutdown] treats such a connection as busy until it has been
// open for five seconds, although no request on it is answered meanwhile. Without silentConns a
// stopped process would end, and its successor start, up to five seconds later.
type silentConns struct {
	mu     sync.Mutex // guards the fields below
	closed bool
	open   map[net.Conn]struct{}
}

// CloseSilent makes [http.Server.Shutdown] close the silent connections of s, including those
// accepted later. It sets s.ConnState.
//
// REQUIRES: s does not serve yet.
func CloseSilent(s *http.Server) {
	silent := new(silentConns)
	s.ConnState = silent.note
	s.RegisterOnShutdown(silent.close)
}

// note records a new connection, and removes it from open when its state changes. It is the
// server's ConnState callback.
func (s *silentConns) note(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != http.StateNew {
		delete(s.open, conn)
		return
	}
	if s.closed {
		_ = conn.Close() // accepted at the last moment
		return
	}
	if s.open == nil {
		s.open = make(map[net.Conn]struct{})
	}
	s.open[conn] = struct{}{}
}

// close closes the silent connections, and makes note close those that come later. Closed
// connections stay in open until the server calls note with their new state.
func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.open {
		_ = conn.Close()
	}
}
