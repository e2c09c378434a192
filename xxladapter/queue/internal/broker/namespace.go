package broker

import (
	"fmt"
	"strings"
)

// Namespace returns the namespace of an installation on a broker, which keeps its names apart from
// those of others; empty becomes "default".
func Namespace(text string) (string, error) {
	if text == "" {
		return "default", nil
	}
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	if len(text) > 32 || strings.ContainsFunc(text, odd) {
		return "", fmt.Errorf("queue namespace is %q, must have 1 to 32 lower-case letters, digits and hyphens", text)
	}
	return text, nil
}
