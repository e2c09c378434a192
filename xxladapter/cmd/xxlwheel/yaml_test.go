package main

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

// TestYAMLOfCommands checks lists, single values and new ids against a scheduler.
func TestYAMLOfCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Equal(t, "---\nid: 1", d.must("group add billing -o yaml", ""))
	d.must("group add reports", "")
	require.Regexp(t, `(?s)^---\nid: 1\nappName: billing\n.*\n---\nid: 2\nappName: reports\n`, d.must("group list -o yaml", ""))
	require.Regexp(t, `(?s)^---\nid: 2\n.*executors: \[\]$`, d.must("group show 2 -o yaml", ""))
	require.Equal(t, "---\nid: 1", d.must("job add --app billing --name nightly --handler h -o yaml", ""))
	require.Regexp(t, `(?s)^---\nid: 1\n.*\nname: nightly\n`, d.must("job list -o yaml", ""))
	require.Equal(t, "---\ntotal: 1", d.must("job bulk remove --all --dry-run -o yaml", ""))
	d.must("user create root --role admin --all", "pass of root\n")
	require.Regexp(t, `^---\nid: 1\ntoken: xwt_`, d.must("token create ci --user root -o yaml", ""))
	require.Regexp(t, `^---\n`, d.must("overview -o yaml", ""))
	require.Equal(t, "1\n2", d.must("group list -q -o yaml", ""))
}
