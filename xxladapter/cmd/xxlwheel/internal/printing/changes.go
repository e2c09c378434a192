package printing

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Changes returns one line for each field that changed, except the empty fields of a new object.
// Long values are truncated; -o json prints them in full.
func Changes(changes []xxladapter.FieldChange) string {
	var lines []string
	for _, c := range changes {
		switch {
		case c.Before == nil:
			if text := string(c.After); text != `""` && text != "0" && text != "false" && text != "[]" && text != "{}" {
				lines = append(lines, fmt.Sprintf("%s: %s", c.Field, short(c.After)))
			}
		case c.After == nil:
			lines = append(lines, fmt.Sprintf("%s: was %s", c.Field, short(c.Before)))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", c.Field, short(c.Before), short(c.After)))
		}
	}
	return strings.Join(lines, "\n")
}

func short(value json.RawMessage) string {
	const most = 60
	if text := []rune(string(value)); len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(value)
}
