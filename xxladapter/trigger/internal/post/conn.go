package post

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxHead limits the head of a response, in bytes.
	maxHead = 1 << 20
	// maxKept is the largest request, in bytes, whose buffer is kept for the next one.
	maxKept = 64 << 10
	// lastWord is how long a response is awaited after the request could not be written completely:
	// a server that refuses a request may say why and close the connection before it has read
	// everything.
	lastWord = 50 * time.Millisecond
)

// A conn is one connection. It serves one call after the other.
type conn struct {
	net.Conn
	raw     *guarded // Conn, or the socket below its TLS
	limited *io.LimitedReader
	in      *bufio.Reader // reads limited
	out     []byte
	maxBody int64
	since   time.Time // of its last use, if it is idle
}

func newConn(c net.Conn, raw *guarded, maxBody int64) *conn {
	limited := &io.LimitedReader{R: c}
	return &conn{Conn: c, raw: raw, limited: limited, in: bufio.NewReader(limited), maxBody: maxBody}
}

// exchange sends a request and reads the response. again says that the connection may serve another
// call.
//
// REQUIRES: the deadline of the connection is set.
func (c *conn) exchange(ctx context.Context, call *Call, head []byte) (a Answer, again bool, err error) {
	if err := c.compose(call, head); err != nil {
		return a, false, err
	}
	uncancelled := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	c.raw.may, c.raw.wrote = call.May, false
	c.limited.N = maxHead + c.maxBody
	_, err = c.Write(c.out)
	if cap(c.out) > maxKept {
		c.out = nil
	}
	if err == nil {
		a, again, err = c.read()
	} else if c.raw.wrote && !errors.Is(err, ErrWithheld) {
		_ = c.SetReadDeadline(time.Now().Add(lastWord))
		if said, _, readErr := c.read(); readErr == nil {
			a, err = said, nil
		}
	}
	if !uncancelled() {
		again = false // its deadline is, or will be, in the past
	}
	return a, again, err
}

// compose puts the request into the buffer, so that one call of Write sends it.
func (c *conn) compose(call *Call, head []byte) error {
	c.out = append(c.out[:0], head...)
	for _, h := range call.Header {
		if h[1] == "" {
			continue
		}
		if strings.ContainsFunc(h[1], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("header %s contains a control character", h[0])
		}
		c.out = append(c.out, h[0]...)
		c.out = append(c.out, ": "...)
		c.out = append(c.out, h[1]...)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(c.out, "Content-Length: "...)
	c.out = strconv.AppendInt(c.out, int64(len(call.Body)), 10)
	c.out = append(c.out, "\r\n\r\n"...)
	c.out = append(c.out, call.Body...)
	return nil
}

// read reads a response, and truncates its body to maxBody bytes.
func (c *conn) read() (a Answer, again bool, err error) {
	var resp *http.Response
	for range 5 { // 100 Continue and its like may come first
		if resp, err = http.ReadResponse(c.in, nil); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return a, false, fmt.Errorf("read response: %w", err)
		}
		if resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			break
		}
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	if length := resp.ContentLength; length >= 0 && length <= c.maxBody {
		a.Body = make([]byte, length)
		_, err = io.ReadFull(resp.Body, a.Body)
		return a, err == nil && c.reusable(resp), wrapRead(err)
	}
	a.Body, err = io.ReadAll(io.LimitReader(resp.Body, c.maxBody))
	if err != nil {
		return a, false, wrapRead(err)
	}
	var one [1]byte // is the body longer?
	n, end := resp.Body.Read(one[:])
	a.Cut = n > 0
	return a, n == 0 && end == io.EOF && c.reusable(resp), nil
}

func wrapRead(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read response: %w", err)
}

// reusable reports whether the connection can serve another call after a response that was read to
// its end: the response does not close it, and nothing follows the response.
func (c *conn) reusable(resp *http.Response) bool {
	return !resp.Close && resp.StatusCode >= 200 && c.in.Buffered() == 0
}

// A guarded socket calls may before each write. That leaves one gap: a process that freezes between
// the answer and the write sends when it wakes (see DESIGN.md of package scheduler).
type guarded struct {
	net.Conn
	may   func() bool // nil permits everything
	wrote bool        // a byte was written since it was set to false
}

func (g *guarded) Write(p []byte) (int, error) {
	if g.may != nil && !g.may() {
		return 0, ErrWithheld
	}
	n, err := g.Conn.Write(p)
	g.wrote = g.wrote || n > 0
	return n, err
}
