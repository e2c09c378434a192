package admin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An object is a JSON object of the OpenAPI document.
type object = map[string]any

// schemas collects the JSON schemas of Go types, by the rules of encoding/json.
type schemas struct {
	named object // of struct types, by name
}

// of returns the schema of a type. For a struct it is a reference.
func (s *schemas) of(t reflect.Type) object {
	if values := enumValues(t); values != nil {
		return object{"type": "string", "enum": values}
	}
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[stamp]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{} // any value
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		return object{"type": "object"}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Struct:
		name := schemaName(t)
		if _, known := s.named[name]; !known {
			s.named[name] = nil // so that a type may contain itself
			s.named[name] = s.fields(t)
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	panic(fmt.Sprintf("api: no schema for %s", t))
}

// enumValues returns the values that the method Values of a string type lists, or nil for a type
// without that method.
func enumValues(t reflect.Type) (values []any) {
	if t.Kind() != reflect.String {
		return nil
	}
	list := reflect.Zero(t).MethodByName("Values")
	if !list.IsValid() {
		return nil
	}
	for _, value := range list.Call(nil)[0].Seq2() {
		values = append(values, value.Interface())
	}
	return values
}

// fields returns the schema of a struct. Every JSON field is required unless it may be omitted.
func (s *schemas) fields(t reflect.Type) object {
	properties, required := object{}, []any{}
	for _, f := range jsonFields(t) {
		schema := s.of(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			schema["description"] = doc
		}
		if example := f.Tag.Get("example"); example != "" {
			schema["examples"] = []any{example}
		}
		properties[f.name] = schema
		if !f.optional {
			required = append(required, f.name)
		}
	}
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

type jsonField struct {
	reflect.StructField
	name     string
	optional bool
}

func jsonFields(t reflect.Type) (fields []jsonField) {
	for _, f := range reflect.VisibleFields(t) {
		name, flags, tagged := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "", !f.IsExported(), name == "-":
			continue
		case name == "":
			name = f.Name
		}
		optional := tagged && (strings.Contains(flags, "omitempty") || strings.Contains(flags, "omitzero"))
		fields = append(fields, jsonField{f, name, optional})
	}
	return fields
}

// schemaName returns the type's Go name without the suffix Form, its first letter in upper case.
// That of the body of an error says in clients what it is.
func schemaName(t reflect.Type) string {
	if t == reflect.TypeFor[apiError]() {
		return "ApiError"
	}
	name := strings.TrimSuffix(t.Name(), "Form")
	if name == "" {
		panic(fmt.Sprintf("api: %s has no name, must have one to be a schema", t))
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
