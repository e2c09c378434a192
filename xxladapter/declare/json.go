package declare

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// jsonOnly matches escape sequences, and the characters that JSON has in its texts and YAML does
// not have or takes for ends of lines. A pair of surrogates is one match. It also matches what JSON
// has between its texts and YAML has not: a colon on a later line than its name, and tabs. Inside
// of texts, JSON has neither tabs nor ends of lines.
var jsonOnly = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\.|` +
	`[\x7f-\x{9f}\x{2028}\x{2029}\x{feff}\x{fffe}\x{ffff}]|[ \t\r\n]*\n[ \t\r\n]*:|\t`)

// asYAML returns a text in JSON as YAML that says the same on the same lines. Other texts stay as
// they are.
func asYAML(text string) string {
	if !json.Valid([]byte(text)) {
		return text
	}
	return jsonOnly.ReplaceAllStringFunc(text, func(part string) string {
		switch {
		case part == "\t":
			return " "
		case strings.HasSuffix(part, ":"):
			return ":" + strings.Repeat("\n", strings.Count(part, "\n"))
		case part[0] != '\\':
			return fmt.Sprintf(`\u%04x`, []rune(part)[0])
		case part == `\/`:
			return "/"
		case len(part) > 2:
			var character string
			_ = json.Unmarshal([]byte(`"`+part+`"`), &character) // cannot fail: text is valid
			return character
		}
		return part
	})
}
