// Package printing writes values for people and programs: tables, JSON, YAML, times and changes of
// fields. It makes text of others safe for a terminal. All commands print through it; it calls no
// scheduler and reads no flags.
package printing

import (
	"fmt"
	"strings"
	"unicode"
)

// Plain makes untrusted text safe for a terminal. It spells out, as in \x1b, every character
// that would move the cursor, change colours or the title, or reverse the direction of writing.
// Line breaks and tabs are kept.
func Plain(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	harmless := func(r rune) bool { return r == '\n' || r == '\t' || !unicode.IsControl(r) && !turns(r) }
	if !strings.ContainsFunc(text, func(r rune) bool { return !harmless(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case harmless(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// turns reports whether r changes the direction of the text that follows, so that it reads
// differently from what it is.
func turns(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// OneLine returns what Plain returns, without line breaks and tabs at its ends. Each other sequence
// of them is replaced by a space.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(Plain(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// FirstLine returns what OneLine returns for the first line of text that is not empty. If that line
// has more than 120 bytes, it is truncated, and "..." is appended.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if len(line) > 120 {
		line = strings.ToValidUTF8(line[:120], "") + "..."
	}
	return OneLine(line)
}
