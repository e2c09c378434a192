package post

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// ErrWithheld is returned by a call whose May returned false: the peer did not get the whole
// request.
var ErrWithheld = errors.New("post: not sent, because the caller no longer may")

// Options configures a [Client].
type Options struct {
	// Dial opens a TCP connection to host:port.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS configures connections to https URLs. Nil trusts the authorities of the system.
	TLS *tls.Config
	// Idle limits the connections that are kept to one peer.
	Idle int
	// IdleFor is how long an idle connection may be used again. It is closed before twice that
	// time.
	IdleFor time.Duration
	// MaxBody limits the body of a response, in bytes. The rest is not read.
	MaxBody int64
}

// A Client keeps connections. Its methods may be called from any goroutine.
type Client struct {
	opts Options

	mu     sync.Mutex // guards the fields below and the idle connections of peers
	peers  map[string]*peer
	sweep  *time.Timer // nil while nothing is kept
	closed bool
}

// New returns a Client.
//
// REQUIRES: all options but TLS are set.
func New(opts Options) *Client {
	return &Client{opts: opts, peers: make(map[string]*peer)}
}

// A Call is one request.
type Call struct {
	// Base is the URL of the peer, and Path is appended to it.
	Base, Path string
	// Header holds names, in canonical form, and values. An empty value is not sent.
	Header [][2]string
	Body   []byte
	// Deadline limits the call, connecting included.
	Deadline time.Time
	// May is called before each write of the request to the socket. If it returns false, nothing
	// more is written and the call fails with [ErrWithheld]. Nil permits every write.
	May func() bool
}

// An Answer is the response to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Cut says that the response has a longer body, of which Body is the beginning.
	Cut bool
}

// Do sends a request and reads the response. sent says that a byte of the request may have left:
// the peer may have acted on it, whatever the error is. The error wraps [context.DeadlineExceeded]
// after the deadline.
func (c *Client) Do(ctx context.Context, call *Call) (a Answer, sent bool, err error) {
	p, head, err := c.peer(call.Base, call.Path)
	if err != nil {
		return a, false, err
	}
	for {
		conn, reused, err := c.connect(ctx, p, call)
		if err != nil {
			return a, false, fmt.Errorf("post %s: %w", p.shown(call.Path), inTime(ctx, err))
		}
		a, again, err := conn.exchange(ctx, call, head)
		sent := conn.raw.wrote
		switch {
		case err == nil && again:
			c.keep(p, conn)
		default:
			_ = conn.Close()
		}
		if err != nil && reused && !sent && !errors.Is(err, ErrWithheld) && ctx.Err() == nil &&
			time.Now().Before(call.Deadline) {
			continue // the peer has just closed the kept connection
		}
		if err != nil {
			return a, sent, fmt.Errorf("post %s: %w", p.shown(call.Path), inTime(ctx, err))
		}
		return a, sent, nil
	}
}

// inTime returns the reason for a socket's error: that of ctx if ctx has ended, or
// [context.DeadlineExceeded] after the deadline. Other errors, and [ErrWithheld], stay as they are.
func inTime(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrWithheld):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	}
	return err
}

// connect returns a kept connection that the peer has not closed, or else a new one.
func (c *Client) connect(ctx context.Context, p *peer, call *Call) (_ *conn, reused bool, err error) {
	for {
		conn := c.take(p)
		if conn == nil {
			break
		}
		if conn.SetDeadline(call.Deadline) == nil && conn.raw.quiet() {
			return conn, true, nil
		}
		_ = conn.Close()
	}
	ctx, cancel := context.WithDeadline(ctx, call.Deadline)
	defer cancel()
	conn, err := p.dial(ctx, &c.opts)
	if err != nil {
		return nil, false, err
	}
	if err := conn.SetDeadline(call.Deadline); err != nil {
		_ = conn.Close()
		return nil, false, err
	}
	return conn, false, nil
}

// peer returns the peer at base, and the head of requests to the path there. It remembers both.
func (c *Client) peer(base, path string) (*peer, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.peers[base]
	if p != nil {
		if head, ok := p.heads[path]; ok {
			return p, head, nil
		}
	}
	parsed, head, err := parse(base, path)
	if err != nil {
		return nil, nil, err
	}
	if p == nil {
		p = parsed
		c.peers[base] = p
		c.sweepLater()
	}
	p.heads[path] = head
	return p, head, nil
}

// take removes and returns the idle connection that was used last; nil if there is none, or if it
// was idle for too long. Then all of them have been idle for too long, and forget closes them.
func (c *Client) take(p *peer) *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 || time.Since(p.idle[last].since) >= c.opts.IdleFor {
		return nil
	}
	conn := p.idle[last]
	p.idle[last] = nil
	p.idle = p.idle[:last]
	return conn
}

// keep keeps a connection for another call, or closes it if enough are kept.
func (c *Client) keep(p *peer, conn *conn) {
	conn.since = time.Now()
	c.mu.Lock()
	kept := !c.closed && len(p.idle) < c.opts.Idle && c.peers[p.base] == p
	if kept {
		p.idle = append(p.idle, conn)
		c.sweepLater()
	}
	c.mu.Unlock()
	if !kept {
		_ = conn.Close()
	}
}

// sweepLater starts the timer that calls forget, unless it is running or the client is closed.
//
// REQUIRES: c.mu is held.
func (c *Client) sweepLater() {
	if c.sweep == nil && !c.closed {
		c.sweep = time.AfterFunc(c.opts.IdleFor, c.forget)
	}
}

// forget closes connections that were kept for too long, and forgets peers without any.
func (c *Client) forget() {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep = nil
	for base, p := range c.peers {
		old := 0 // the oldest come first
		for old < len(p.idle) && now.Sub(p.idle[old].since) >= c.opts.IdleFor {
			_ = p.idle[old].Close()
			old++
		}
		rest := copy(p.idle, p.idle[old:])
		clear(p.idle[rest:])
		p.idle = p.idle[:rest]
		if rest == 0 {
			delete(c.peers, base)
		}
	}
	if len(c.peers) > 0 {
		c.sweepLater()
	}
}

// Close closes the kept connections. Later calls work, and keep none.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.sweep != nil {
		c.sweep.Stop()
		c.sweep = nil
	}
	for _, p := range c.peers {
		for _, conn := range p.idle {
			_ = conn.Close()
		}
		p.idle = nil
	}
}
