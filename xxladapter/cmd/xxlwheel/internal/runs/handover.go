package runs

import (
	"html"
	"regexp"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

var (
	lineBreakTag = regexp.MustCompile(`(?i)<br\s*/?>`)
	spanTag      = regexp.MustCompile(`(?i)</?span[^<>]*>`)
)

// messageText returns the message of a hand-over as plain text. The message is HTML, for the page
// of a Java admin.
func messageText(message string) string {
	message = lineBreakTag.ReplaceAllString(message, "\n")
	return printing.Plain(html.UnescapeString(spanTag.ReplaceAllString(message, "")))
}

// reasonOf returns what the message of a hand-over says about its outcome: the part after "result"
// in our messages and after "msg" in a Java admin's, or else the last line.
func reasonOf(message string) string {
	lines := strings.Split(strings.TrimSpace(messageText(message)), "\n")
	for i, line := range lines {
		if reason, ok := strings.CutPrefix(line, "result："); ok {
			rest := lines[i+1:]
			for j, line := range rest {
				if strings.HasPrefix(line, "next attempt：") {
					rest = rest[:j]
					break
				}
			}
			return strings.Join(append([]string{strings.TrimPrefix(reason, "error, ")}, rest...), "\n")
		}
	}
	for _, line := range lines {
		if reason, ok := strings.CutPrefix(line, "msg："); ok && reason != "" {
			return reason
		}
	}
	return lines[len(lines)-1]
}
