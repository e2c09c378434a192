package maintenance

import (
	"bytes"
	"fmt"
	"strings"
)

// A clip keeps the begin and the end of a text that may be of any length.
type clip struct {
	half int   // bytes that are kept of each
	size int64 // bytes that were written
	head []byte
	tail []byte // of what does not fit into head; its last half bytes count
}

// newClip keeps limit bytes, and a line that says what is missing.
func newClip(limit int) *clip { return &clip{half: limit / 2} }

func (c *clip) write(text string) {
	c.size += int64(len(text))
	n := min(c.half-len(c.head), len(text))
	c.head = append(c.head, text[:n]...)
	c.tail = append(c.tail, text[n:]...)
	if len(c.tail) > 4*c.half { // now and then, so that it is not moved for every line
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.half:]...)
	}
}

// whole says whether nothing was left out.
func (c *clip) whole() bool { return c.size <= int64(2*c.half) }

// text is what was written, or whole lines from its begin and its end as far as
// there are any.
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
	return fmt.Sprintf("%s\n... %d bytes are left out here ...\n\n%s",
		strings.TrimSuffix(strings.ToValidUTF8(string(head), ""), "\n"), left, strings.ToValidUTF8(string(tail), ""))
}
