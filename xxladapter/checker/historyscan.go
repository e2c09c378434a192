package checker

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"
)

// A line is a scanned line: a flat JSON object of known fields.
type line struct {
	present set
	numbers [fields]int64
	texts   [fields][]byte
	list    []int64

	pos int
	b   []byte
}

// A fieldError is a fault of a line.
type fieldError struct{ what string }

func (e *fieldError) Error() string { return e.what }

func faultf(format string, args ...any) error { return &fieldError{fmt.Sprintf(format, args...)} }

// scan parses b into l. The texts are parts of b unless they contain escapes.
func (l *line) scan(b []byte) error {
	l.present, l.list, l.pos, l.b = 0, l.list[:0], 0, b
	if !l.take('{') {
		return faultf("is %s, must be a JSON object", excerpt(b))
	}
	if l.take('}') {
		return l.rest()
	}
	for {
		name, err := l.text("a field name")
		if err != nil {
			return err
		}
		f := fieldNamed(name)
		if f == fields {
			return faultf(
				"field %s is unknown, must be one of those in the documentation of package checker", excerpt(name),
			)
		}
		if l.present&(1<<f) != 0 {
			return faultf("field %s occurs twice, must occur once", fieldNames[f])
		}
		l.present |= 1 << f
		if !l.take(':') {
			return faultf("field %s has no value, must be followed by a colon and one", fieldNames[f])
		}
		if err := l.value(f); err != nil {
			return err
		}
		switch {
		case l.take(','):
		case l.take('}'):
			return l.rest()
		default:
			return faultf(
				"continues with %s after field %s, must continue with a comma or a closing brace", excerpt(l.b[l.pos:]),
				fieldNames[f],
			)
		}
	}
}

func (l *line) rest() error {
	l.space()
	if l.pos < len(l.b) {
		return faultf("continues with %s after the object, must end there", excerpt(l.b[l.pos:]))
	}
	return nil
}

func (l *line) space() {
	for l.pos < len(l.b) && isSpace(l.b[l.pos]) {
		l.pos++
	}
}

// isSpace reports whether JSON allows c between its parts. A line has no line feed.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

func (l *line) take(c byte) bool {
	l.space()
	if l.pos < len(l.b) && l.b[l.pos] == c {
		l.pos++
		return true
	}
	return false
}

func (l *line) value(f field) (err error) {
	switch c := &classes[f]; {
	case c.text:
		l.texts[f], err = l.text("field " + fieldNames[f])
	case c.list:
		if !l.take('[') {
			return faultf("field %s is %s, must be a list of whole numbers", fieldNames[f], excerpt(l.b[l.pos:]))
		}
		if l.take(']') {
			return nil
		}
		for {
			n, err := l.number(f, c)
			if err != nil {
				return err
			}
			l.list = append(l.list, n)
			if l.take(']') {
				return nil
			}
			if !l.take(',') {
				return faultf(
					"field %s continues with %s, must be a list of whole numbers", fieldNames[f], excerpt(l.b[l.pos:]),
				)
			}
		}
	default:
		l.numbers[f], err = l.number(f, c)
	}
	return err
}

// text parses a string.
func (l *line) text(what string) ([]byte, error) {
	l.space()
	start := l.pos
	if start == len(l.b) || l.b[start] != '"' {
		return nil, faultf("%s is %s, must be a string in quotes", what, excerpt(l.b[start:]))
	}
	escaped := false
	for i := start + 1; i < len(l.b); i++ {
		switch l.b[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			l.pos = i + 1
			if !escaped {
				return l.b[start+1 : i], nil
			}
			var s string
			if err := json.Unmarshal(l.b[start:i+1], &s); err != nil {
				return nil, faultf("%s is %s, must be a JSON string", what, excerpt(l.b[start:i+1]))
			}
			return []byte(s), nil
		}
	}
	return nil, faultf("%s is %s, must end with a quote", what, excerpt(l.b[start:]))
}

// number parses a whole number within the range of its class.
func (l *line) number(f field, c *class) (int64, error) {
	l.space()
	i, negative := l.pos, false
	if i < len(l.b) && l.b[i] == '-' {
		negative = true
		i++
	}
	first, n := i, int64(0)
	for ; i < len(l.b) && l.b[i]-'0' <= 9; i++ {
		d := int64(l.b[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			n = -1
			break
		}
		n = n*10 + d
	}
	if i == first || n < 0 || i < len(l.b) && l.b[i] != ',' && l.b[i] != '}' && l.b[i] != ']' && !isSpace(l.b[i]) {
		return 0, faultf("field %s is %s, must be a whole number", fieldNames[f], excerpt(until(l.b[l.pos:])))
	}
	if negative {
		n = -n
	}
	if n < c.min || n > c.max {
		return 0, faultf("field %s is %d, must be %d to %d", fieldNames[f], n, c.min, c.max)
	}
	l.pos = i
	return n, nil
}

// until returns the part of a line up to the end of a value.
func until(b []byte) []byte {
	for i, c := range b {
		if c == ',' || c == '}' || c == ']' {
			return b[:i]
		}
	}
	return b
}

// excerpt quotes b on one line, truncated to 60 bytes.
func excerpt(b []byte) string {
	const limit = 60
	if len(b) == 0 {
		return "missing"
	}
	more := ""
	if len(b) > limit {
		b, more = b[:limit], "..."
		for len(b) > 0 && !utf8.Valid(b[max(0, len(b)-4):]) {
			b = b[:len(b)-1]
		}
	}
	return fmt.Sprintf("%q%s", b, more)
}
