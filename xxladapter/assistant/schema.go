package assistant

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A document is the part of an OpenAPI document from which tools are made.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]json.RawMessage }
}

type operation struct {
	Summary     string
	Description string
	Parameters  []struct {
		Name, In, Description string
		Required              bool
		Schema                json.RawMessage
	}
	RequestBody struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
}

// A schema is a JSON Schema as the decoder returns it.
type schema = map[string]any

// An input describes the arguments of a tool, and where in the request each of them goes.
type input struct {
	schema        schema
	places        map[string]place
	hasBody       bool
	pathArguments []string
}

type place int

const (
	inPath place = iota
	inQuery
	inBody
)

// inputOf returns the arguments of an operation in one object: the parameters of path and query,
// and the fields of the body. Headers are left out.
func (d *document) inputOf(op operation) (input, error) {
	in := input{places: map[string]place{}}
	properties, required := schema{}, []string{}
	for _, p := range op.Parameters {
		where := map[string]place{"path": inPath, "query": inQuery}
		at, ok := where[p.In]
		if !ok {
			continue
		}
		s, err := d.resolve(p.Schema)
		if err != nil {
			return in, err
		}
		if p.Description != "" {
			s["description"] = p.Description
		}
		properties[p.Name], in.places[p.Name] = s, at
		if p.Required {
			required = append(required, p.Name)
		}
		if at == inPath {
			in.pathArguments = append(in.pathArguments, p.Name)
		}
	}
	if body, ok := op.RequestBody.Content["application/json"]; ok {
		in.hasBody = true
		s, err := d.resolve(body.Schema)
		if err != nil {
			return in, err
		}
		fields, _ := s["properties"].(schema)
		for name, field := range fields {
			if _, taken := in.places[name]; taken {
				continue // an id in the path, which the body may repeat
			}
			properties[name], in.places[name] = field, inBody
		}
		more, _ := s["required"].([]any)
		for _, name := range more {
			required = append(required, fmt.Sprint(name))
		}
	}
	slices.Sort(required)
	required = slices.Compact(required) // one that is in the path and in the body
	in.schema = schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return in, nil
}

// resolve returns a schema with its references replaced by what they name, and the parts of allOf
// joined.
func (d *document) resolve(raw json.RawMessage) (schema, error) {
	if len(raw) == 0 {
		return schema{}, nil
	}
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return d.inline(s, nil)
}

// inline does the work of resolve for a decoded schema. within has the names of the schemas that
// contain it.
func (d *document) inline(s schema, within []string) (schema, error) {
	if ref, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		if slices.Contains(within, name) {
			return schema{}, nil // a recursive schema allows anything
		}
		var named schema
		if err := json.Unmarshal(d.Components.Schemas[name], &named); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", name, err)
		}
		return d.inline(named, append(slices.Clip(within), name))
	}
	joined := schema{}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		value, err := d.inlineValue(s[key], within)
		if err != nil {
			return nil, err
		}
		if key != "allOf" {
			joined[key] = value
		}
	}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		p, _ := part.(schema)
		resolved, err := d.inline(p, within)
		if err != nil {
			return nil, err
		}
		join(joined, resolved)
	}
	return joined, nil
}

// join adds a part of allOf to a schema. Properties and required names are those of both; another
// keyword of the part replaces that of the schema.
func join(s, part schema) {
	for key, value := range part {
		switch key {
		case "properties":
			fields, _ := s[key].(schema)
			more, _ := value.(schema)
			both := schema{}
			maps.Copy(both, fields)
			maps.Copy(both, more)
			s[key] = both
		case "required":
			names, _ := s[key].([]any)
			more, _ := value.([]any)
			s[key] = slices.Concat(names, more)
		default:
			s[key] = value
		}
	}
}

// inlineValue does the work of inline for any value inside a schema.
func (d *document) inlineValue(value any, within []string) (any, error) {
	switch v := value.(type) {
	case schema:
		return d.inline(v, within)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			resolved, err := d.inlineValue(item, within)
			if err != nil {
				return nil, err
			}
			list[i] = resolved
		}
		return list, nil
	}
	return value, nil
}
