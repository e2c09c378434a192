//go:build unix

package testserver

import (
	"bufio"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Proxy is a network between a client and its server that a test may break. It reads the
// protocols of MySQL, MariaDB and PostgreSQL, so that faults hit chosen requests; their connections
// must not be encrypted or compressed. For other servers only whole connections can be broken.
//
// Lock order: the locks of a Proxy and of its links are never held together.
type Proxy struct {
	url     string
	target  string
	speaks  func() protocol
	address string

	mu       sync.Mutex   // guards the fields below
	listener net.Listener // nil means that connections are refused
	links    map[*link]struct{}
	traps    []*Trap
	holdNew  bool
	closed   bool

	running sync.WaitGroup // goroutines of links
}

// A Request is what a client sends before it waits for an answer: a command of MySQL's protocol, or
// messages of PostgreSQL's up to a Sync.
type Request struct {
	// Statements are the texts of the statements that the request runs, in order. The texts of
	// prepared statements are found by name. Statements that are only prepared are not included.
	Statements []string
	// Transaction are the statements of the open transaction so far, including these; without an
	// open transaction it equals Statements.
	Transaction []string
	// Commits tells whether this request makes something durable: it contains a COMMIT, or it
	// writes outside of a transaction.
	Commits bool
}

// Contains reports whether one of the request's statements contains text.
func (r *Request) Contains(text string) bool {
	return slices.ContainsFunc(r.Statements, func(s string) bool { return strings.Contains(s, text) })
}

// A Fault says what happens to a request.
type Fault int

const (
	// CutBefore resets the connection and does not deliver the request.
	CutBefore Fault = iota
	// CutAfter delivers the request. When the answer is complete, the proxy resets the connection
	// instead of forwarding the answer.
	CutAfter
	// Hold keeps the request until [Trap.Release] and then delivers it, even if the client has
	// closed the connection meanwhile.
	Hold
	// SilentBefore drops the request and everything that follows on its connection, in both
	// directions. The connection stays open on both sides.
	SilentBefore
	// SilentAfter does the same once the server has answered: the request has been executed, and
	// the client never learns of it.
	SilentAfter
)

// A Trap applies a fault to requests that match.
type Trap struct {
	proxy    *Proxy
	fault    Fault
	match    func(*Request) bool
	once     bool
	sprung   chan struct{}
	released chan struct{}
	count    int // guarded by the proxy's mu
}

// NewProxy starts a proxy in front of the server that the URL names. It ends with the test.
func NewProxy(t testing.TB, address string) *Proxy {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	p := &Proxy{target: u.Host, links: map[*link]struct{}{}}
	switch u.Scheme {
	case "postgres":
		p.speaks = newPostgresProtocol
	case "mysql":
		p.speaks = newMySQLProtocol
	case "etcd", "zookeeper", "redis":
		p.speaks = newOpaqueProtocol
	default:
		t.Fatalf("the proxy knows no protocol of %s", u.Redacted())
	}
	p.address = "127.0.0.1:0"
	must(t, p.listen())
	u.Host = p.address
	p.url = u.String()
	t.Cleanup(p.close)
	return p
}

// URL returns the URL that the proxy was created with, but leading through the proxy.
func (p *Proxy) URL() string { return p.url }

// Trap sets a trap for the next request that matches. match is called on goroutines of the proxy,
// one at a time.
func (p *Proxy) Trap(fault Fault, match func(*Request) bool) *Trap { return p.set(fault, match, true) }

// Always sets a trap for every request that matches, until [Trap.Remove].
func (p *Proxy) Always(fault Fault, match func(*Request) bool) *Trap {
	return p.set(fault, match, false)
}

func (p *Proxy) set(fault Fault, match func(*Request) bool, once bool) *Trap {
	trap := &Trap{
		proxy: p, fault: fault, match: match, once: once, sprung: make(chan struct{}), released: make(chan struct{}),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.traps = append(p.traps, trap)
	return trap
}

// Sprung returns a channel that is closed when the trap has caught its first request; for CutAfter
// and SilentAfter, when the server has answered it.
func (t *Trap) Sprung() <-chan struct{} { return t.sprung }

// Count returns how many requests the trap has caught.
func (t *Trap) Count() int {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	return t.count
}

// Release delivers what a trap with [Hold] has caught, and removes the trap.
func (t *Trap) Release() {
	t.Remove()
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	if !isClosed(t.released) {
		close(t.released)
	}
}

// Remove removes the trap: further requests pass.
func (t *Trap) Remove() {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	t.proxy.traps = slices.DeleteFunc(t.proxy.traps, func(other *Trap) bool { return other == t })
}

// note counts a caught request.
func (t *Trap) note() {
	t.proxy.mu.Lock()
	defer t.proxy.mu.Unlock()
	if t.count++; t.count == 1 {
		close(t.sprung)
	}
}

// catch returns the trap that the request falls into; nil means that it passes.
func (p *Proxy) catch(r *Request) *Trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, t := range p.traps {
		if t.match(r) {
			if t.once {
				p.traps = slices.Delete(p.traps, i, i+1)
			}
			return t
		}
	}
	return nil
}

// Stall holds all traffic on the present connections until [Proxy.Resume], which delivers what was
// sent meanwhile, even if its sender has closed the connection.
func (p *Proxy) Stall() { p.each((*link).stall) }

// Resume ends Stall.
func (p *Proxy) Resume() { p.each((*link).resume) }

// Silence drops all traffic on the present connections from now on. They stay open on both sides,
// and when one side closes its connection the other does not notice. New connections work, unless
// [Proxy.HoldNew] says otherwise.
func (p *Proxy) Silence() { p.each((*link).silence) }

// EndSilenced resets the server's side of the connections that are silent, as a server does whose
// probes of idle connections fail. Their clients still do not notice.
func (p *Proxy) EndSilenced() { p.each((*link).abandon) }

// HoldNew sets whether new connections are accepted and then ignored. Connections that were held
// stay ignored when that ends.
func (p *Proxy) HoldNew(hold bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holdNew = hold
}

// Reset resets the present connections, on both sides.
func (p *Proxy) Reset() { p.each((*link).cut) }

// Refuse refuses new connections until [Proxy.Accept].
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
}

// Accept ends Refuse.
func (p *Proxy) Accept(t testing.TB) { t.Helper(); must(t, p.listen()) }

// Connections returns how many connections are open.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

func (p *Proxy) each(do func(*link)) {
	p.mu.Lock()
	links := make([]*link, 0, len(p.links))
	for l := range p.links {
		links = append(links, l)
	}
	p.mu.Unlock()
	for _, l := range links {
		do(l)
	}
}

func (p *Proxy) listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	ln, err := net.Listen("tcp", p.address)
	if err != nil {
		return err
	}
	p.listener, p.address = ln, ln.Addr().String()
	p.running.Go(func() { p.accept(ln) })
	return nil
}

func (p *Proxy) accept(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return // it was closed
		}
		client := conn.(*net.TCPConn)
		p.running.Go(func() { p.serve(client) })
	}
}

// serve forwards one connection until it ends.
func (p *Proxy) serve(client *net.TCPConn) {
	l := &link{proxy: p, client: client, protocol: p.speaks(), ended: make(chan struct{}), open: make(chan struct{})}
	close(l.open)
	p.mu.Lock()
	hold := p.holdNew
	refused := p.closed
	if !refused {
		p.links[l] = struct{}{}
	}
	p.mu.Unlock()
	if refused {
		_ = client.Close()
		return
	}
	defer func() {
		l.end()
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	if hold {
		<-l.ended
		return
	}
	server, err := net.DialTimeout("tcp", p.target, 5*time.Second)
	if err != nil {
		l.cut()
		return
	}
	if !l.connect(server.(*net.TCPConn)) {
		return
	}
	var both sync.WaitGroup
	both.Go(l.carryRequests)
	both.Go(l.carryAnswers)
	both.Wait()
}

func (p *Proxy) close() {
	p.Refuse()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.each((*link).end)
	p.running.Wait()
}

// A link is one connection through the proxy.
type link struct {
	proxy    *Proxy
	client   *net.TCPConn
	protocol protocol
	ended    chan struct{}
	// inTransaction and statements describe the open transaction, judged by what the client has
	// sent. Only the goroutine of carryRequests uses them.
	inTransaction bool
	statements    []string

	mu      sync.Mutex // guards the fields below
	server  *net.TCPConn
	open    chan struct{} // closed while bytes may pass
	dead    bool          // nothing passes
	pending []*Trap       // one for each unanswered request; nil means no trap
}

// A protocol parses the bytes of one connection. request and answer are called on different
// goroutines.
type protocol interface {
	// request reads from the client up to the end of the next request. r is nil if no answer
	// follows, as in the handshake.
	request(from *bufio.Reader) (raw []byte, r *Request, err error)
	// answer reads a part of what the server sends; last reports that the answer to a request ends
	// with it.
	answer(from *bufio.Reader) (raw []byte, last bool, err error)
}

// connect sets the connection to the server; false means that the link has ended meanwhile.
func (l *link) connect(server *net.TCPConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isClosed(l.ended) {
		_ = server.Close()
		return false
	}
	l.server = server
	return true
}

func (l *link) stall() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isClosed(l.open) {
		l.open = make(chan struct{})
	}
}

func (l *link) resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead && !isClosed(l.open) {
		close(l.open)
	}
}

func (l *link) silence() {
	l.stall()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
}

// abandon resets the server's side of a link that is silent.
func (l *link) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead && l.server != nil {
		_ = l.server.SetLinger(0)
		_ = l.server.Close()
	}
}

// pass waits until bytes may pass; false means that the link has ended.
func (l *link) pass() bool {
	for {
		l.mu.Lock()
		open := l.open
		l.mu.Unlock()
		if isClosed(l.ended) {
			return false
		}
		if isClosed(open) {
			return true
		}
		select {
		case <-open:
		case <-l.ended:
			return false
		}
	}
}

// cut ends the link by resetting both sides.
func (l *link) cut() {
	l.mu.Lock()
	_ = l.client.SetLinger(0)
	if l.server != nil {
		_ = l.server.SetLinger(0)
	}
	l.mu.Unlock()
	l.end()
}

func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if isClosed(l.ended) {
		return
	}
	close(l.ended)
	_ = l.client.Close()
	if l.server != nil {
		_ = l.server.Close()
	}
}

// carryRequests forwards from the client to the server.
func (l *link) carryRequests() {
	from := bufio.NewReader(l.client)
	for {
		raw, r, err := l.protocol.request(from)
		if !l.pass() {
			return
		}
		if err != nil {
			// The server still executes what it has received.
			if errors.Is(l.server.CloseWrite(), net.ErrClosed) {
				l.end()
			}
			return
		}
		if r != nil {
			l.trace(r)
			trap := l.proxy.catch(r)
			l.mu.Lock()
			l.pending = append(l.pending, trap)
			l.mu.Unlock()
			if trap != nil && !l.befall(trap) {
				return
			}
		}
		if _, err := l.server.Write(raw); err != nil {
			l.cut()
			return
		}
	}
}

// befall applies a trap before the request is delivered; false means that it is not delivered.
func (l *link) befall(trap *Trap) bool {
	switch trap.fault {
	case CutBefore:
		trap.note()
		l.cut()
		return false
	case SilentBefore:
		l.silence()
		trap.note()
		return l.pass()
	case Hold:
		trap.note()
		select {
		case <-trap.released:
		case <-l.ended:
			return false
		}
	}
	return true
}

// carryAnswers forwards from the server to the client.
func (l *link) carryAnswers() {
	defer l.end()
	from := bufio.NewReader(l.server)
	to := bufio.NewWriter(l.client)
	for {
		raw, last, err := l.protocol.answer(from)
		l.mu.Lock()
		var trap *Trap
		if len(l.pending) > 0 {
			trap = l.pending[0]
		}
		if last && len(l.pending) > 0 {
			l.pending = l.pending[1:]
		}
		l.mu.Unlock()
		lost := err == nil && trap != nil && (trap.fault == CutAfter || trap.fault == SilentAfter)
		switch {
		case lost && !last:
			continue
		case lost && trap.fault == CutAfter:
			trap.note()
			l.cut()
			return
		case lost:
			l.silence()
			trap.note()
		}
		if !l.pass() || err != nil {
			_ = to.Flush()
			return
		}
		_, err = to.Write(raw)
		if err == nil && from.Buffered() == 0 {
			err = to.Flush()
		}
		if err != nil && trap == nil {
			return // the client has gone; a request that was held is still delivered
		}
	}
}

// trace keeps track of the transaction of the connection.
func (l *link) trace(r *Request) {
	for _, s := range r.Statements {
		verb, rest, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(s)), " ")
		switch {
		case verb == "BEGIN" || verb == "START":
			l.inTransaction, l.statements = true, nil
		case verb == "COMMIT":
			r.Commits = true
			l.inTransaction = false
		case verb == "ROLLBACK" && !strings.HasPrefix(rest, "TO"):
			l.inTransaction = false
		case !l.inTransaction:
			r.Commits = r.Commits || writes(verb, s)
		}
		l.statements = append(l.statements, s)
	}
	r.Transaction = slices.Clone(l.statements)
	if !l.inTransaction {
		l.statements = nil
	}
}

// writes reports whether a statement may change something.
func writes(verb, statement string) bool {
	switch verb {
	case "SELECT", "SET", "SHOW", "ROLLBACK", "DO", "--", "":
		return false
	case "WITH":
	default:
		return true
	}
	upper := strings.ToUpper(statement)
	return strings.Contains(upper, "INSERT ") || strings.Contains(upper, "UPDATE ") ||
		strings.Contains(upper, "DELETE ")
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
