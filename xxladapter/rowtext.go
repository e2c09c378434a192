package xxladapter

import (
	"fmt"
	"unicode/utf8"
)

// MaxRowText is how many bytes the longest texts of upstream's tables have room
// for: MySQL's TEXT. Users are refused more; what machines bring is cut.
const MaxRowText = 65535

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

// Fitted is the row with its texts cut to [MaxRowText]: l itself, if they fit.
func (l *Log) Fitted() *Log {
	if len(l.Param) <= MaxRowText && len(l.TriggerMsg) <= MaxRowText {
		return l
	}
	fitted := *l
	fitted.Param, fitted.TriggerMsg = CutText(l.Param, MaxRowText), CutText(l.TriggerMsg, MaxRowText)
	return &fitted
}
