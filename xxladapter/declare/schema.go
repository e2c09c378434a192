package declare

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Schema returns the JSON Schema of declarations, made from the types that they are read into.
func Schema() ([]byte, error) {
	schema := schemaOf(reflect.TypeFor[Document]())
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = SchemaURL
	schema["title"] = "Declarations of jobs for xxlwheel"
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.String:
		if list := reflect.Zero(t).MethodByName("Values"); list.IsValid() {
			values := []any{}
			for _, value := range list.Call(nil)[0].Seq2() {
				values = append(values, value.Interface())
			}
			return map[string]any{"enum": values}
		}
		return map[string]any{"type": []string{"string", "number"}} // a number is read as it is written
	case reflect.Struct:
		properties, required := map[string]any{}, []string{}
		for _, f := range reflect.VisibleFields(t) {
			name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
			field := schemaOf(f.Type)
			if doc := f.Tag.Get("doc"); doc != "" {
				field["description"] = doc
			}
			properties[name] = field
			if !strings.Contains(flags, "omit") {
				required = append(required, name)
			}
		}
		schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			schema["required"] = required
		}
		return schema
	}
	panic("declare: no schema for " + t.String())
}
