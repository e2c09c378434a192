package admin

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// document returns the OpenAPI 3.1 description of calls.
func document(calls []call) object {
	types := &schemas{named: object{}}
	failure := object{
		"description": "The call did nothing. The message names the field, its value and the rule.",
		"content":     object{"application/json": object{"schema": types.of(reflect.TypeFor[apiError]())}},
	}
	paths := object{}
	for _, c := range calls {
		done, answer := "200", object{"description": "Done.", "content": contentOf(types, c)}
		if c.redirects {
			done, answer = "303", object{"description": "Redirects the browser to the address in Location."}
		}
		operation := object{
			"operationId": operationID(c),
			"summary":     c.summary,
			"responses": object{
				done:      answer,
				"default": failure,
			},
		}
		if c.notes != "" {
			operation["description"] = c.notes
		}
		if params := parameters(types, c); len(params) > 0 {
			operation["parameters"] = params
		}
		if c.body != nil {
			schema := types.of(c.body)
			if len(c.required) > 0 {
				schema = object{"allOf": []any{schema, object{"required": c.required}}}
			}
			operation["requestBody"] = object{
				"required": !c.bodyOptional,
				"content":  object{"application/json": object{"schema": schema}},
			}
		}
		item, _ := paths[c.path].(object)
		if item == nil {
			item = object{}
			paths[c.path] = item
		}
		item[strings.ToLower(c.method)] = operation
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title":       "xxlwheel",
			"version":     "1",
			"description": "Jobs, executors, runs and schedules of an XXL-JOB compatible scheduler. Instants are RFC 3339.",
			"license":     object{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []any{object{"url": "/"}},
		"security": []any{object{"token": []any{}}, object{"bearer": []any{}}},
		"paths":    paths,
		"components": object{
			"schemas": types.named,
			"securitySchemes": object{
				"token":  object{"type": "apiKey", "in": "header", "name": wire.HeaderToken},
				"bearer": object{"type": "http", "scheme": "bearer"},
			},
		},
	}
}

// contentOf describes the body of a call's answer.
func contentOf(types *schemas, c call) object {
	if c.answer != reflect.TypeFor[download]() {
		return object{cmp.Or(c.stream, "application/json"): object{"schema": types.of(c.answer)}}
	}
	content := object{}
	for _, kind := range c.produces {
		content[kind] = object{"schema": object{"type": "string"}}
	}
	return content
}

func parameters(types *schemas, c call) (list []any) {
	for p := range paramsOf(c.query) {
		one := object{"name": p.name, "in": p.in, "required": p.in == "path", "schema": types.of(p.kind)}
		if p.doc != "" {
			one["description"] = p.doc
		}
		list = append(list, one)
	}
	return list
}

// operationID returns a name for generated clients: GET /api/v1/jobs/{id}/next is getJobsIdNext.
func operationID(c call) string {
	id := strings.ToLower(c.method)
	for word := range strings.FieldsFuncSeq(strings.TrimPrefix(c.path, apiBase), notLetter) {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id
}

func notLetter(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
