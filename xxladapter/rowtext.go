package xxladapter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxRowText is how many bytes the longest texts of upstream's tables have room
// for: MySQL's TEXT. Users are refused more; what machines bring is cut.
const MaxRowText = 65535

// ValidText is text with a replacement character for each byte that is not part of
// UTF-8, and for each NUL, which PostgreSQL does not store.
func ValidText(text string) string {
	const replacement = "\ufffd"
	return strings.ReplaceAll(strings.ToValidUTF8(text, replacement), "\x00", replacement)
}

// isValid reports whether ValidText changes nothing.
func isValid(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// CutText is text if it has at most most bytes, and else its begin, which ends
// with a whole character, and a mark that says how long it was. Without room for
// the mark it is left out.
func CutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	mark := fmt.Sprintf("... (cut, %d bytes in all)", len(text))
	if len(mark) > most {
		mark = ""
	}
	end := max(most-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Fitted is the row with valid texts that are cut to [MaxRowText]: l itself, if
// they are.
func (l *Log) Fitted() *Log {
	if len(l.Param) <= MaxRowText && len(l.TriggerMsg) <= MaxRowText && isValid(l.Param) && isValid(l.TriggerMsg) {
		return l
	}
	fitted := *l
	fitted.Param, fitted.TriggerMsg = CutText(ValidText(l.Param), MaxRowText), CutText(ValidText(l.TriggerMsg), MaxRowText)
	return &fitted
}
