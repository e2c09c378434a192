package printing

import (
	"encoding/json"
	"io"
)

// Raw prints a value as the API returns it: as YAML if output is yaml, otherwise as JSON.
func Raw(out io.Writer, output string, value json.RawMessage) error {
	if output == "yaml" {
		return printYAML(out, value)
	}
	return printJSON(out, value)
}

// Value prints a value as Raw does.
func Value(out io.Writer, output string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Raw(out, output, text)
}
