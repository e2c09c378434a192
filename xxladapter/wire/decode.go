package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Decode decodes one JSON value into v. Unknown fields are ignored, and so is a byte order mark, as
// by Java's Gson. An empty body, null, anything after the value, and a value of the wrong type are
// errors that describe the fault in one line.
func Decode(data []byte, v any) error {
	data = trim(data)
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
		return fmt.Errorf("%s is a JSON %s, must be %s", field, typeErr.Value, Shape(typeErr.Type))
	}
	return err
}

// byteOrderMark is what some .NET programs begin a text with.
var byteOrderMark = []byte("\ufeff")

// trim returns data without a byte order mark and without space around the rest.
func trim(data []byte) []byte { return bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark)) }

// Shape returns the words for the JSON values that a Go type is decoded from, such as "a list".
func Shape(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return Shape(t.Elem())
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}
