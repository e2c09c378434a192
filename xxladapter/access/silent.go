package access

import (
	"net"
	"net/http"
	"sync"
)

// silentConns are the connections of a server that have not asked for anything
// yet. Clients open them in reserve, and [http.Server.Shutdown] waits five
// seconds for each, though it answers nothing that comes meanwhile. Until then a
// process that was stopped would not end, nor its successor begin.
type silentConns struct {
	mu     sync.Mutex
	closed bool
	open   map[net.Conn]struct{}
}

// CloseSilent makes [http.Server.Shutdown] close the silent connections of s, and
// those to come. It sets s.ConnState. REQUIRES: s does not serve yet.
func CloseSilent(s *http.Server) {
	silent := new(silentConns)
	s.ConnState = silent.note
	s.RegisterOnShutdown(silent.close)
}

// note is the server's ConnState.
func (s *silentConns) note(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state != http.StateNew {
		delete(s.open, conn)
		return
	}
	if s.closed {
		_ = conn.Close() // it was accepted in the last moment
		return
	}
	if s.open == nil {
		s.open = make(map[net.Conn]struct{})
	}
	s.open[conn] = struct{}{}
}

// close closes those that are silent, and those to come. The server forgets
// them when it finds that it cannot read from them.
func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.open {
		_ = conn.Close()
	}
}
