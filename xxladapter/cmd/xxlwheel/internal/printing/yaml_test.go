package printing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestYAMLSaysWhatJSONSays reads values back that look like something else, or control a terminal.
func TestYAMLSaysWhatJSONSays(t *testing.T) {
	want := map[string]any{
		"texts": []any{
			"", "plain", "yes", "null", "007", "1e3", "2030-01-02", "- x", "a: b #c", " ends with a blank ", "#!/bin/sh\necho a\n\techo b\n", "\n", "tab\there",
			"\x1b[31mred", "a\rb", "\u0085", "\u202edesrever\n", "\u2028", "\\u202e \u202e", `"'`, "报表", "😀", "---", "\u007f",
		},
		"number": int64(12345678901), "fraction": 0.25, "large": 1e21, "yes": true, "no": nil, "empty": map[string]any{}, "none": []any{},
		"\x1b key": map[string]any{"nested": []any{1, []any{2}}},
	}
	object, err := json.Marshal(want)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, printYAML(&out, object))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	require.NotContains(t, out.String(), "\r")
	var got map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(out.String()), &got))
	back, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(object), string(back), out.String())

	out.Reset()
	require.NoError(t, printYAML(&out, json.RawMessage(`{"b":1,"a":["x"]}`)))
	require.Equal(t, "---\nb: 1\na:\n  - x\n", out.String(), "in the API's order")
}
