//go:build unix

package testserver

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A pooler stands before a PostgreSQL server and keeps the connections of clients that have left,
// each for the next client with the same startup parameters. Before that it resets the session with
// DISCARD ALL, so that a client finds what a new connection has, except that the catalog is in the
// session's memory. The server starts a process for each connection, and the process reads the
// catalog; both together take longer than the few statements of most tests.
//
// It keeps the connection of a client that said goodbye outside a transaction. Any other end of a
// client ends its connection to the server, too.
type pooler struct {
	listener net.Listener
	server   string // host and port
	running  sync.WaitGroup

	mu     sync.Mutex            // guards the fields below
	idle   map[string][]*backend // by what keyOf returns
	kept   int                   // the number of all idle
	open   map[net.Conn]struct{} // to clients and to the server
	closed bool
}

// A backend is a connection to the server.
type backend struct {
	net.Conn
	from     *bufio.Reader
	key      string
	greeting []byte // what the server answered to the startup message
}

// startPooler starts a pooler before the server that the URL names. Its connections must not be
// encrypted, and the server must ask for no password.
func startPooler(address string) (*pooler, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &pooler{listener: ln, server: u.Host, idle: map[string][]*backend{}, open: map[net.Conn]struct{}{}}
	p.running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return // it was closed
			}
			p.running.Go(func() { p.serve(client) })
		}
	})
	return p, nil
}

// host returns what replaces the host and the port in a URL of the server.
func (p *pooler) host() string { return p.listener.Addr().String() }

// close ends all connections.
func (p *pooler) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for conn := range p.open {
		_ = conn.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// track makes [pooler.close] close conn too. It returns false if the pooler is closed, and then
// closes conn at once.
func (p *pooler) track(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = conn.Close()
		return false
	}
	p.open[conn] = struct{}{}
	return true
}

func (p *pooler) end(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	_ = conn.Close()
}

func (p *pooler) serve(client net.Conn) {
	if !p.track(client) {
		return
	}
	defer p.end(client)
	from := bufio.NewReader(client)
	startup, err := readStartup(from)
	if err != nil || len(startup) < 8 {
		return
	}
	if binary.BigEndian.Uint32(startup[4:]) == cancelRequest {
		p.cancel(client, startup)
		return
	}
	b, err := p.take(startup)
	if err != nil {
		return
	}
	if _, err := client.Write(b.greeting); err == nil && b.serve(client, from) {
		p.keep(b)
	} else {
		p.end(b.Conn)
	}
}

// cancelRequest is in the place of the protocol's version.
const cancelRequest = 80877102

// cancel forwards a request to cancel a statement, and ends when the server has seen it.
func (p *pooler) cancel(client net.Conn, request []byte) {
	server, err := net.Dial("tcp", p.server)
	if err != nil || !p.track(server) {
		return
	}
	defer p.end(server)
	if _, err := server.Write(request); err == nil {
		_, _ = io.Copy(client, server)
	}
}

// take returns a connection that was kept, or a new one.
func (p *pooler) take(startup []byte) (*backend, error) {
	key := keyOf(startup)
	p.mu.Lock()
	if kept := p.idle[key]; len(kept) > 0 {
		last := len(kept) - 1
		b := kept[last]
		p.idle[key] = kept[:last]
		p.kept--
		p.mu.Unlock()
		return b, nil
	}
	p.mu.Unlock()
	conn, err := net.Dial("tcp", p.server)
	if err != nil {
		return nil, err
	}
	if !p.track(conn) {
		return nil, net.ErrClosed
	}
	b := &backend{Conn: conn, from: bufio.NewReader(conn), key: key}
	_, err = conn.Write(startup)
	for kind := byte(0); err == nil && kind != 'Z'; { // ReadyForQuery
		var message []byte
		if kind, message, err = readMessage(b.from); err == nil {
			b.greeting = append(b.greeting, message...)
		}
	}
	if err != nil && len(b.greeting) == 0 {
		p.end(conn)
		return nil, err
	}
	return b, nil // the client may have been refused, which it reads in the greeting
}

// keyOf returns the parameters of a startup message, whose order pgx changes each time.
func keyOf(startup []byte) string {
	var parameters []string
	for rest := startup[8:]; len(rest) > 1; { // after the length and the version
		var name, value string
		name, rest = cString(rest)
		value, rest = cString(rest)
		parameters = append(parameters, name+"="+value)
	}
	slices.Sort(parameters)
	return strings.Join(parameters, "\x00")
}

// mostKept limits the idle connections to the server, which allows far more.
const mostKept = 100

func (p *pooler) keep(b *backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == mostKept {
		delete(p.open, b.Conn)
		_ = b.Close()
		return
	}
	p.kept++
	p.idle[b.key] = append(p.idle[b.key], b)
}

// discardAll is a simple query. It fails in a transaction.
var discardAll = append([]byte{'Q', 0, 0, 0, 4 + 12}, "DISCARD ALL\x00"...)

// serve carries messages until the client leaves, and reports whether the session has been reset.
func (b *backend) serve(client net.Conn, from *bufio.Reader) bool {
	var asked atomic.Int64 // messages to which a ReadyForQuery is the end of the answer
	var left atomic.Bool
	idle := make(chan bool, 1)
	go func() { // serve waits for it
		clean := b.answer(client, &asked, &left)
		if !left.Load() {
			_ = client.Close() // the server has ended the connection
		}
		idle <- clean
	}()
	to := bufio.NewWriter(b)
	for {
		kind, message, err := readMessage(from)
		switch {
		case err != nil:
			_ = b.Close()
			<-idle
			return false
		case kind == 'X': // Terminate
			message = discardAll
			asked.Add(1)
			left.Store(true)
		case kind == 'Q' || kind == 'S': // a simple query, Sync
			asked.Add(1)
		}
		_, _ = to.Write(message) // answer finds a connection that has failed
		if from.Buffered() == 0 || left.Load() {
			_ = to.Flush()
		}
		if left.Load() {
			return <-idle
		}
	}
}

// answer carries answers to the client until it has left. It reports whether the session was reset:
// the server refuses that in a transaction, and a request to cancel a statement may come late.
func (b *backend) answer(client net.Conn, asked *atomic.Int64, left *atomic.Bool) bool {
	to := bufio.NewWriter(client)
	refused := false
	for answered := int64(0); ; {
		kind, message, err := readMessage(b.from)
		if err != nil {
			return false
		}
		if kind == 'Z' {
			answered++
			if left.Load() && answered == asked.Load() {
				return !refused
			}
		}
		if left.Load() {
			refused = refused || kind == 'E' // ErrorResponse
			continue
		}
		_, _ = to.Write(message) // serve finds a client that has gone
		if b.from.Buffered() == 0 {
			_ = to.Flush()
		}
	}
}
