package xxladapter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRowText is the length in bytes of the longest text that a TEXT column of MySQL can hold.
// Upstream keeps all long texts but scripts in such columns. Longer texts of users are refused, and
// those of machines are truncated.
const MaxRowText = 65535

// ValidText replaces each byte of text that is not valid UTF-8, and each NUL, which PostgreSQL does
// not store, by the replacement character.
func ValidText(text string) string {
	const replacement = "\ufffd"
	return strings.ReplaceAll(strings.ToValidUTF8(text, replacement), "\x00", replacement)
}

// isValid reports whether ValidText changes nothing.
func isValid(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// CutText truncates text to limit bytes. The truncated text ends with a whole character and a mark
// that states the original length; if there is no room for the mark, it is left out.
func CutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	mark := fmt.Sprintf("... (cut, %d bytes in all)", len(text))
	if len(mark) > limit {
		mark = ""
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// FirstCharacters truncates text to its first limit characters.
func FirstCharacters(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for i := range text {
		if limit == 0 {
			return text[:i]
		}
		limit--
	}
	return text
}

// Fitted returns the row with valid texts of at most [MaxRowText] bytes. It returns l itself if
// nothing has to change.
func (l *Log) Fitted() *Log {
	if len(l.Param) <= MaxRowText && len(l.TriggerMsg) <= MaxRowText && isValid(l.Param) && isValid(l.TriggerMsg) {
		return l
	}
	fitted := *l
	fitted.Param, fitted.TriggerMsg = CutText(ValidText(l.Param), MaxRowText),
		CutText(ValidText(l.TriggerMsg), MaxRowText)
	return &fitted
}
