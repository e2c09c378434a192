package triggermsg

import (
	"html"
	"regexp"
	"strings"
)

// Value returns the value of a label in a text that [Message] wrote, as plain text. found is false
// for the texts of other programs.
func Value(text string, label Label) (value string, found bool) {
	for line := range strings.SplitSeq(text, lineBreak) {
		if value, found = strings.CutPrefix(line, string(label)+colon); found {
			return html.UnescapeString(value), true
		}
	}
	return "", false
}

// Reason returns, as plain text, what text says about the outcome: the reason (or success) in a
// [Message], what follows the label msg in a Java admin's text, and the last line of any other
// text.
func Reason(text string) string {
	if result, found := Value(text, Result); found {
		for _, outcome := range []Outcome{Error, Unknown} {
			if reason, cut := strings.CutPrefix(result, string(outcome)+", "); cut {
				return reason
			}
		}
		return result
	}
	lines := strings.Split(Plain(text), "\n")
	for _, line := range lines {
		if reason, cut := strings.CutPrefix(line, "msg"+colon); cut && reason != "" {
			return reason
		}
	}
	return lines[len(lines)-1]
}

var (
	lineBreakTag = regexp.MustCompile(`(?i)<br\s*/?>`)
	// knownTag matches only tags that schedulers write themselves: a stack trace may contain
	// <init>, which has to stay.
	knownTag = regexp.MustCompile(`(?i)</?(span|font|div|p|b|pre)(\s[^<>]*)?>`)
)

// Plain returns a message column, trigger_msg or handle_msg, as plain text without space around it.
// Executors and other schedulers may write anything there, so it may have control characters.
func Plain(text string) string {
	text = lineBreakTag.ReplaceAllString(text, "\n")
	return strings.TrimSpace(html.UnescapeString(knownTag.ReplaceAllString(text, "")))
}
