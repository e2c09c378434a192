package printing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

// printJSON prints a value as the API returns it, on one line. It writes characters that control a
// terminal as JSON escapes, which mean the same.
func printJSON(out io.Writer, value json.RawMessage) error {
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, r := range line.String() {
		if unicode.IsControl(r) || turns(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	_, err := fmt.Fprintln(out, b.String())
	return err
}

// WithField returns a JSON object with one more field.
//
// REQUIRES: object has a field.
func WithField(object json.RawMessage, name string, value any) (json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	object = bytes.TrimSpace(object)
	return fmt.Appendf(nil, "%s,%q:%s}", object[:len(object)-1], name, text), nil
}
