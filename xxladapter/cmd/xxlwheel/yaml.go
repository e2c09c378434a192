package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// printYAML prints a value as the API returns it, as a YAML document with the fields in the API's
// order. It writes characters that control a terminal as YAML escapes, which mean the same.
func printYAML(out io.Writer, value json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	node, err := yamlNode(d)
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
			fmt.Fprintf(&shown, `\u%04x`, r) // in double quotes, see textNode
		} else {
			shown.WriteRune(r)
		}
	}
	_, err = io.WriteString(out, shown.String())
	return err
}

// yamlNode returns the next value of d.
func yamlNode(d *json.Decoder) (*yaml.Node, error) {
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
		for d.More() { // keys and values of an object alternate
			child, err := yamlNode(d)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		_, err := d.Token() // the end
		return node, err
	case string:
		return textNode(v), nil
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// textNode returns a text, in double quotes if it has characters to escape.
func textNode(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.ContainsFunc(text, mustEscape) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// mustEscape reports whether r would control a terminal.
func mustEscape(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || turns(r)
}
