package maintenance

import (
	"bytes"
	"fmt"
	"strings"
)

// A clip keeps the beginning and the end of a text of any length.
type clip struct {
	half int   // bytes kept at each end
	size int64 // bytes written so far
	head []byte
	tail []byte // what does not fit into head; only its last half bytes count
}

// newClip returns a clip that keeps limit bytes, plus a line that says what is missing.
func newClip(limit int) *clip { return &clip{half: limit / 2} }

func (c *clip) write(text string) {
	c.size += int64(len(text))
	n := min(c.half-len(c.head), len(text))
	c.head = append(c.head, text[:n]...)
	c.tail = append(c.tail, text[n:]...)
	if len(c.tail) > 4*c.half { // rarely, because it moves the tail
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.half:]...)
	}
}

// whole reports whether nothing is missing.
func (c *clip) whole() bool { return c.size <= int64(2*c.half) }

// text returns what was written or, if that is too long, whole lines from its beginning and its
// end, as far as there are any.
func (c *clip) text() string {
	if c.whole() {
		return string(c.head) + string(c.tail)
	}
	head, tail := c.head, c.tail[len(c.tail)-min(c.half, len(c.tail)):]
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 {
		head = head[:end+1]
	}
	if begin := bytes.IndexByte(tail, '\n'); begin >= 0 && begin+1 < len(tail) {
		tail = tail[begin+1:]
	}
	left := c.size - int64(len(head)+len(tail))
	return fmt.Sprintf("%s\n... %d bytes omitted ...\n\n%s",
		strings.TrimSuffix(strings.ToValidUTF8(string(head), ""), "\n"), left, strings.ToValidUTF8(string(tail), ""))
}
