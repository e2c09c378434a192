package post

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// A peer is a server, identified by the base of its URLs.
type peer struct {
	base string
	addr string // host:port
	// host is the name in the server's certificate; empty without TLS.
	host  string
	heads map[string][]byte // beginnings of requests, by path; see parse
	idle  []*conn           // guarded by the client's mutex; the last one was used last
}

// parse returns the peer of a base, and the head of requests to base+path without the headers of a
// call. Package net/http writes the head, so that hosts and paths are encoded in its way.
func parse(base, path string) (*peer, []byte, error) {
	r, err := http.NewRequest(http.MethodPost, base+path, nil)
	if err != nil {
		return nil, nil, err
	}
	if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return nil, nil, fmt.Errorf("post %s: scheme is %q, must be http or https", r.URL.Redacted(), r.URL.Scheme)
	}
	if r.URL.Hostname() == "" {
		return nil, nil, fmt.Errorf("post %s: host is empty, must be set", r.URL.Redacted())
	}
	if user := r.URL.User; user != nil {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	var head bytes.Buffer
	if err := r.Write(&head); err != nil {
		return nil, nil, fmt.Errorf("post %s: %w", r.URL.Redacted(), err)
	}
	// The length and the empty line come with each call.
	cut := bytes.Replace(head.Bytes(), []byte("\r\nContent-Length: 0\r\n"), []byte("\r\n"), 1)
	cut = bytes.TrimSuffix(cut, []byte("\r\n"))
	written, err := http.ReadRequest(bufio.NewReader(&head))
	if err != nil {
		return nil, nil, fmt.Errorf("post %s: %w", r.URL.Redacted(), err)
	}
	host := (&url.URL{Host: written.Host}).Hostname() // encoded for DNS
	if _, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
		host = r.URL.Hostname() // with the zone, which the header does not have
	}
	port := r.URL.Port()
	p := &peer{base: base, heads: make(map[string][]byte)}
	if r.URL.Scheme == "https" {
		p.host = host
	}
	switch {
	case port != "":
	case p.host != "":
		port = "443"
	default:
		port = "80"
	}
	p.addr = net.JoinHostPort(host, port)
	return p, cut, nil
}

// shown returns the URL of a path for messages, without a password.
func (p *peer) shown(path string) string {
	base, err := url.Parse(p.base)
	if err != nil { // parse has parsed it with a path
		return p.addr + path
	}
	return base.Redacted() + path
}

// dial opens a connection.
func (p *peer) dial(ctx context.Context, opts *Options) (*conn, error) {
	socket, err := opts.Dial(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	raw := &guarded{Conn: socket}
	if p.host == "" {
		return newConn(raw, raw, opts.MaxBody), nil
	}
	config := new(tls.Config)
	if opts.TLS != nil {
		config = opts.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = p.host
	}
	secured := tls.Client(raw, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return newConn(secured, raw, opts.MaxBody), nil
}
