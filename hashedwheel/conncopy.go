package hashedwheel

import (
	"io"
	"math"
	"net"
)

// readFrom does the work of ReadFrom for a connection whose inner connection has that method.
func (c *watchedConn) readFrom(r io.Reader) (n int64, err error) {
	c.writing.calls.Add(1)
	defer c.writing.calls.Add(-1)
	inner, ok := c.Conn.(*net.TCPConn)
	if !ok {
		// All that is known about the inner connection is that it reads r again once it has
		// written.
		return c.Conn.(io.ReaderFrom).ReadFrom(touchingReader{r, c})
	}
	limited, _ := r.(*io.LimitedReader)
	left := int64(math.MaxInt64)
	if limited != nil {
		left, r = limited.N, limited.R
	}
	var source *watchedConn
	if wrapped, ok := r.(interface{ inside() *watchedConn }); ok {
		// The net package makes the kernel move data only from its own types, and only a TCP
		// connection shows its progress meanwhile. From others, Read moves the data, and touches.
		if tcp, ok := wrapped.inside().Conn.(*net.TCPConn); ok {
			source = wrapped.inside()
			source.reading.calls.Add(1)
			defer source.reading.calls.Add(-1)
			r = tcp
		}
	}
	for left > 0 {
		// The net package knows a LimitedReader, and what is in it, but not a second one inside.
		piece := io.LimitedReader{R: r, N: min(left, kernelPiece)}
		left -= piece.N
		k, err := inner.ReadFrom(&piece)
		left += piece.N // not read
		if limited != nil {
			limited.N = left
		}
		n += k
		if k > 0 {
			c.touch(WriterIdle)
			if source != nil {
				source.touch(ReaderIdle)
			}
		}
		if err != nil {
			return n, err
		}
		if piece.N > 0 { // the end of r
			if source != nil {
				source.finished(readSide)
			}
			return n, nil
		}
	}
	return n, nil
}

// writeTo does the work of WriteTo for a connection whose inner connection has that method.
func (c *watchedConn) writeTo(w io.Writer) (n int64, err error) {
	c.reading.calls.Add(1)
	defer c.reading.calls.Add(-1)
	inner, ok := c.Conn.(*net.TCPConn)
	if !ok {
		if n, err = c.Conn.(io.WriterTo).WriteTo(touchingWriter{w, c}); err == nil {
			c.finished(readSide)
		}
		return n, err
	}
	if _, ok := w.(*net.UnixConn); ok {
		// The net package can splice into w, but only everything up to the end of c.
		n, err = inner.WriteTo(w)
		if n > 0 {
			c.touch(ReaderIdle)
		}
	} else if into, ok := w.(io.ReaderFrom); ok {
		for {
			piece := io.LimitedReader{R: inner, N: kernelPiece}
			k, err := into.ReadFrom(&piece)
			n += k
			if k > 0 {
				c.touch(ReaderIdle)
			}
			if err != nil {
				return n, err
			}
			if piece.N > 0 {
				break // the end of c
			}
		}
	} else {
		return io.Copy(w, struct{ io.Reader }{c})
	}
	if err == nil {
		c.finished(readSide)
	}
	return n, err
}

// A touchingReader supplies the data that is written to c. Each read of data counts as a write to
// c.
type touchingReader struct {
	io.Reader
	c *watchedConn
}

func (r touchingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.c.touch(WriterIdle)
	}
	return n, err
}

// A touchingWriter gets the data that is read from c. Each write counts as a read from c.
type touchingWriter struct {
	io.Writer
	c *watchedConn
}

func (w touchingWriter) Write(p []byte) (int, error) {
	w.c.touch(ReaderIdle)
	return w.Writer.Write(p)
}
