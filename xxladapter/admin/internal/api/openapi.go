package api

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Document returns the OpenAPI 3.1 description of calls.
func Document(calls []Call) Object {
	types := &schemas{named: Object{}}
	failure := Object{
		"description": "The call did nothing. The message names the field, its value and the rule.",
		"content":     Object{"application/json": Object{"schema": types.of(reflect.TypeFor[Error]())}},
	}
	paths := Object{}
	for _, c := range calls {
		done, answer := "200", Object{"description": "Done.", "content": contentOf(types, c)}
		if c.Redirects {
			done, answer = "303", Object{"description": "Redirects the browser to the address in Location."}
		}
		operation := Object{
			"operationId": operationID(c),
			"summary":     c.Summary,
			"responses": Object{
				done:      answer,
				"default": failure,
			},
		}
		if c.Notes != "" {
			operation["description"] = c.Notes
		}
		if params := parameters(types, c); len(params) > 0 {
			operation["parameters"] = params
		}
		if c.Body != nil {
			schema := types.of(c.Body)
			if len(c.required) > 0 {
				schema = Object{"allOf": []any{schema, Object{"required": c.required}}}
			}
			operation["requestBody"] = Object{
				"required": !c.bodyOptional,
				"content":  Object{"application/json": Object{"schema": schema}},
			}
		}
		item, _ := paths[c.Path].(Object)
		if item == nil {
			item = Object{}
			paths[c.Path] = item
		}
		item[strings.ToLower(c.Method)] = operation
	}
	return Object{
		"openapi": "3.1.0",
		"info": Object{
			"title":       "xxlwheel",
			"version":     "1",
			"description": "Jobs, executors, runs and schedules of an XXL-JOB compatible scheduler. Instants are RFC 3339.",
			"license":     Object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []any{Object{"url": "/"}},
		"security": []any{Object{"token": []any{}}, Object{"bearer": []any{}}},
		"paths":    paths,
		"components": Object{
			"schemas": types.named,
			"securitySchemes": Object{
				"token":  Object{"type": "apiKey", "in": "header", "name": wire.HeaderToken},
				"bearer": Object{"type": "http", "scheme": "bearer"},
			},
		},
	}
}

// contentOf describes the body of a call's answer.
func contentOf(types *schemas, c Call) Object {
	if c.Answer != reflect.TypeFor[Download]() {
		return Object{cmp.Or(c.Stream, "application/json"): Object{"schema": types.of(c.Answer)}}
	}
	content := Object{}
	for _, kind := range c.Produces {
		content[kind] = Object{"schema": Object{"type": "string"}}
	}
	return content
}

func parameters(types *schemas, c Call) (list []any) {
	for p := range ParamsOf(c.Query) {
		one := Object{"name": p.Name, "in": p.In, "required": p.In == "path", "schema": types.of(p.Kind)}
		if p.doc != "" {
			one["description"] = p.doc
		}
		list = append(list, one)
	}
	return list
}

// operationID returns a name for generated clients: GET /api/v1/jobs/{id}/next is getJobsIdNext.
func operationID(c Call) string {
	id := strings.ToLower(c.Method)
	for word := range strings.FieldsFuncSeq(strings.TrimPrefix(c.Path, Base), notLetter) {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id
}

func notLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
