package printing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
)

// printYAML prints a value as the API returns it, as a YAML document with the fields in the API's
// order. It writes characters that control a terminal as YAML escapes, which mean the same.
func printYAML(out io.Writer, value json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	node, err := declare.YAMLNode(d)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.WriteString("---\n")
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(node); err != nil {
		return err
	}
	var shown strings.Builder
	for _, r := range text.String() {
		if mustEscape(r) {
			fmt.Fprintf(&shown, `\u%04x`, r) // in double quotes, see YAMLNode
		} else {
			shown.WriteRune(r)
		}
	}
	_, err = io.WriteString(out, shown.String())
	return err
}

// mustEscape reports whether r would control a terminal.
func mustEscape(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || turns(r)
}
