package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// decodeStrict decodes a body of our own API into v, unless it is optional and empty. It refuses
// what encoding/json tolerates and what is most likely a mistake: unknown fields, names in another
// case, duplicate fields, and text that is not UTF-8.
func decodeStrict(r *http.Request, v any, optional bool) error {
	data, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err
	case err != nil:
		return xxladapter.Invalidf(errorrule.Body, "request body: %v", err)
	case optional && len(data) == 0:
		return nil
	}
	return DecodeStrictly(data, v)
}

// DecodeStrictly decodes as decodeStrict does, from a body that has been read.
func DecodeStrictly(data []byte, v any) error {
	if !utf8.Valid(data) {
		return xxladapter.Invalidf(errorrule.UTF8, "request %s is not valid UTF-8", "body")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil && !ended(d):
		return xxladapter.Invalidf(errorrule.BodySingle, "request body has more than one JSON value")
	case err == nil:
		return checkNames(json.NewDecoder(bytes.NewReader(data)), reflect.TypeOf(v))
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return xxladapter.Invalidf(errorrule.BodyJSONType, "request %s is a JSON %s, must be %s",
			"body", wrongType.Value, wire.Shape(wrongType.Type))
	case errors.As(err, &wrongType):
		return xxladapter.Invalidf(errorrule.JSONType, "%s is a JSON %s, must be %s",
			sentName(wrongType.Field, reflect.TypeOf(v)), wrongType.Value, wire.Shape(wrongType.Type))
	}
	if err := wrongInstant(data, reflect.TypeOf(v)); err != nil {
		return err
	}
	reason := strings.TrimPrefix(err.Error(), "json: ")
	if quoted, is := strings.CutPrefix(reason, "unknown field "); is {
		return xxladapter.Invalidf(errorrule.UnknownField, "request body: unknown field %q", strings.Trim(quoted, `"`))
	}
	return xxladapter.Invalidf(errorrule.Body, "request body: %s", reason)
}

// sentName returns the path of a field as it was sent: if the field is in an embedded struct,
// encoding/json begins the path with the name of that struct.
func sentName(path string, of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	first, rest, deeper := strings.Cut(path, ".")
	if of.Kind() != reflect.Struct || !deeper {
		return path
	}
	if f, is := of.FieldByName(first); is && f.Anonymous {
		return sentName(rest, f.Type)
	}
	return path
}

// ended reports whether nothing follows the value that d has decoded. [json.Decoder.More] would not
// notice a closing bracket.
func ended(d *json.Decoder) bool {
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// wrongInstant returns an error for the first field of an object that must be an instant and is not
// written as one. The decoder's own error does not name it.
func wrongInstant(data []byte, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var given map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(data, &given) != nil {
		return nil
	}
	for _, f := range JSONFields(t) {
		value := given[f.Name]
		if f.Type != reflect.TypeFor[time.Time]() && f.Type != reflect.TypeFor[*time.Time]() || value == nil {
			continue
		}
		if json.Unmarshal(value, new(time.Time)) != nil {
			return xxladapter.Invalidf(errorrule.Instant,
				"%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z",
				f.Name, strings.Trim(string(value), `"`))
		}
	}
	return nil
}

// checkNames reads one value. It refuses objects with a duplicate name, or with a name in another
// case than the field's.
//
// REQUIRES: the value was decoded into type t, which limits its depth.
func checkNames(d *json.Decoder, t reflect.Type) error {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	part, err := d.Token()
	if err != nil {
		return err
	}
	switch part {
	case json.Delim('['):
		for d.More() {
			if err := checkNames(d, t); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		if err := checkObject(d, t); err != nil {
			return err
		}
	default:
		return nil
	}
	_, err = d.Token() // the closing bracket
	return err
}

func checkObject(d *json.Decoder, t reflect.Type) error {
	fields := map[string]reflect.Type{}
	if t != nil && t.Kind() == reflect.Struct {
		for _, f := range JSONFields(t) {
			fields[f.Name] = f.Type
		}
	}
	seen := map[string]bool{}
	for d.More() {
		part, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := part.(string)
		if seen[name] {
			return xxladapter.Invalidf(errorrule.Once, "%s is given twice, must be given once", name)
		}
		seen[name] = true
		field, known := fields[name]
		if !known && len(fields) > 0 {
			return xxladapter.Invalidf(errorrule.UnknownField, "request body: unknown field %q", name)
		}
		if err := checkNames(d, field); err != nil {
			return err
		}
	}
	return nil
}
