package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An Object is a JSON object of the OpenAPI document.
type Object = map[string]any

// schemas collects the JSON schemas of Go types, by the rules of encoding/json.
type schemas struct {
	named Object // of struct types, by name
}

// of returns the schema of a type. For a struct it is a reference.
func (s *schemas) of(t reflect.Type) Object {
	if values := EnumValues(t); values != nil {
		return Object{"type": "string", "enum": values}
	}
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[Stamp]():
		return Object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return Object{} // any value
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	}
	switch t.Kind() {
	case reflect.String:
		return Object{"type": "string"}
	case reflect.Bool:
		return Object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return Object{"type": "integer", "format": "int64"}
	case reflect.Float64:
		return Object{"type": "number"}
	case reflect.Map:
		return Object{"type": "object"}
	case reflect.Slice:
		return Object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Struct:
		name := SchemaName(t)
		if _, known := s.named[name]; !known {
			s.named[name] = nil // so that a type may contain itself
			s.named[name] = s.fields(t)
		}
		return Object{"$ref": "#/components/schemas/" + name}
	}
	panic(fmt.Sprintf("api: no schema for %s", t))
}

// EnumValues returns the values that the method Values of a string type lists, or nil for a type
// without that method.
func EnumValues(t reflect.Type) (values []any) {
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
func (s *schemas) fields(t reflect.Type) Object {
	properties, required := Object{}, []any{}
	for _, f := range JSONFields(t) {
		schema := s.of(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			schema["description"] = doc
		}
		if example := f.Tag.Get("example"); example != "" {
			schema["examples"] = []any{example}
		}
		properties[f.Name] = schema
		if !f.optional {
			required = append(required, f.Name)
		}
	}
	schema := Object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// A JSONField is a field of a struct as encoding/json knows it.
type JSONField struct {
	reflect.StructField
	Name     string
	optional bool
}

// JSONFields returns the fields of a struct type and of the structs embedded in it.
func JSONFields(t reflect.Type) (fields []JSONField) {
	for _, f := range reflect.VisibleFields(t) {
		name, flags, tagged := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "", !f.IsExported(), name == "-":
			continue
		case name == "":
			name = f.Name
		}
		optional := tagged && (strings.Contains(flags, "omitempty") || strings.Contains(flags, "omitzero"))
		fields = append(fields, JSONField{f, name, optional})
	}
	return fields
}

// SchemaName returns the type's Go name without the suffix Form, its first letter in upper case.
// [Error] becomes ApiError, so that its name says in generated clients what it is.
func SchemaName(t reflect.Type) string {
	if t == reflect.TypeFor[Error]() {
		return "ApiError"
	}
	name := strings.TrimSuffix(t.Name(), "Form")
	if name == "" {
		panic(fmt.Sprintf("api: %s has no name, must have one to be a schema", t))
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
