//go:build unix

package testserver

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// postgresProtocol parses PostgreSQL's protocol, version 3.
type postgresProtocol struct {
	begun    bool // the startup message is over
	texts    map[string]string
	portals  map[string]string // texts by portal
	partial  []byte            // the bytes so far of the request that is being read
	executed []string
}

func newPostgresProtocol() protocol {
	return &postgresProtocol{texts: map[string]string{}, portals: map[string]string{}}
}

func (p *postgresProtocol) request(from *bufio.Reader) (raw []byte, r *Request, err error) {
	if !p.begun {
		p.begun = true
		raw, err = readStartup(from)
		return raw, nil, err
	}
	for {
		kind, message, err := readMessage(from)
		if err != nil {
			return nil, nil, err
		}
		p.partial = append(p.partial, message...)
		body := message[5:]
		switch kind {
		case 'P': // Parse: name, text
			name, rest := cString(body)
			p.texts[name], _ = cString(rest)
		case 'B': // Bind: portal, name
			portal, rest := cString(body)
			name, _ := cString(rest)
			p.portals[portal] = p.texts[name]
		case 'E': // Execute: portal
			portal, _ := cString(body)
			p.executed = append(p.executed, p.portals[portal])
		case 'Q': // a simple query
			text, _ := cString(body)
			p.executed = append(p.executed, splitStatements(text, false)...)
			return p.end(true)
		case 'S': // Sync
			return p.end(true)
		case 'C', 'D': // Close and Describe, up to a Sync
		default: // Terminate, a password, a Flush, data of a COPY
			return p.end(false)
		}
	}
}

// end returns the bytes since the last request. If answer is set, the server replies to them: they
// are a request, which r describes.
func (p *postgresProtocol) end(answer bool) (raw []byte, r *Request, err error) {
	raw = p.partial
	if answer {
		r = &Request{Statements: p.executed}
		p.executed = nil
	}
	p.partial = nil
	return raw, r, nil
}

func (p *postgresProtocol) answer(from *bufio.Reader) (raw []byte, last bool, err error) {
	kind, message, err := readMessage(from)
	// The first ReadyForQuery is the end of the handshake, when nothing is pending.
	return message, kind == 'Z', err
}

// readStartup reads the first message of a connection, which has no kind. Clients with
// sslmode=disable do not ask for TLS.
func readStartup(from *bufio.Reader) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(from, length); err != nil {
		return nil, err
	}
	return readRest(from, length, int(binary.BigEndian.Uint32(length))-4)
}

func readMessage(from *bufio.Reader) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	message, err = readRest(from, head, int(binary.BigEndian.Uint32(head[1:]))-4)
	return head[0], message, err
}

func readRest(from io.Reader, head []byte, n int) ([]byte, error) {
	if n < 0 || n > 1<<30 {
		return nil, errors.New("testserver: a message has an invalid length")
	}
	message := make([]byte, len(head)+n)
	copy(message, head)
	_, err := io.ReadFull(from, message[len(head):])
	return message, err
}

// cString splits off a text that ends with a zero byte.
func cString(b []byte) (text string, rest []byte) {
	before, after, _ := bytes.Cut(b, []byte{0})
	return string(before), after
}
