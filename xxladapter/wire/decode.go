package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Decode decodes one JSON value into v. Unknown fields are ignored. An empty body, null, anything
// after the value, and a value of the wrong type are errors that describe the fault in one line.
func Decode(data []byte, v any) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return errors.New("empty body")
	}
	if string(data) == "null" {
		return errors.New("body is null")
	}
	err := json.Unmarshal(data, v)
	var typeErr *json.UnmarshalTypeError
	if errors.As(err, &typeErr) {
		field := typeErr.Field
		if field == "" {
			field = "body"
		}
		return fmt.Errorf("%s is a JSON %s, must be %s", field, typeErr.Value, kindName(typeErr.Type.Kind().String()))
	}
	return err
}

// kindName returns the JSON word for a Go kind.
func kindName(kind string) string {
	switch kind {
	case "struct", "map":
		return "an object"
	case "slice", "array":
		return "a list"
	case "string":
		return "a string"
	case "bool":
		return "a boolean"
	}
	return "a number"
}
