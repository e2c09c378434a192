package declare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// SchemaURL is where editors find the JSON Schema of declarations.
const SchemaURL = "https://raw.githubusercontent.com/xxlwheel/xxlwheel/main/xxladapter/docs/declarations.schema.json"

// JSON returns the document in JSON that is also valid YAML: characters that YAML forbids are
// escaped.
func (d *Document) JSON() ([]byte, error) {
	var text, escaped bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return nil, err
	}
	for _, r := range text.String() {
		if unicode.IsControl(r) && r != '\n' || r == '\ufeff' || r == '\ufffe' || r == '\uffff' {
			fmt.Fprintf(&escaped, `\u%04x`, r) // such a character is part of a text
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes(), nil
}

// YAML returns the document in YAML, with a comment by which editors find its schema.
func (d *Document) YAML() ([]byte, error) {
	text, err := d.JSON()
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	node, err := YAMLNode(decoder)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString("# yaml-language-server: $schema=" + SchemaURL + "\n")
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err = e.Encode(node)
	return out.Bytes(), err
}

// YAMLNode returns the next value of d as a node of YAML, with fields in their order. d has to keep
// numbers as they are written; see [json.Decoder.UseNumber]. Texts with characters that control a
// terminal are in double quotes, so that a caller may write such characters as escapes.
func YAMLNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if v == '{' {
			node.Kind = yaml.MappingNode
		}
		for d.More() { // fields and values of an object alternate
			child, err := YAMLNode(d)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		_, err := d.Token() // the end
		return node, err
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return scalar(tag, v.String()), nil
	case bool:
		return scalar("!!bool", strconv.FormatBool(v)), nil
	case string:
		node := scalar("!!str", v)
		if v == "<<" || strings.ContainsFunc(v, needsQuotes) || strings.Contains(v, "\n") &&
			strings.ContainsAny(v[:1], " \t\n") {
			node.Style = yaml.DoubleQuotedStyle // a block would not keep it, and a plain << is a merge key
		}
		return node, nil
	}
	return scalar("!!null", "null"), nil
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// needsQuotes reports whether r ends a line, though it is not a line feed, or controls a terminal.
func needsQuotes(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// String returns a problem on one line: file, line, place and message.
func (p *Problem) String() string {
	var where string
	switch {
	case p.File != "" && p.Line != 0:
		where = fmt.Sprintf("%s:%d: ", p.File, p.Line)
	case p.File != "":
		where = p.File + ": "
	}
	if p.At != "" {
		where += p.At + ": "
	}
	return where + p.Message
}
