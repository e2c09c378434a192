package admin

import (
	"context"
	"net/http"
	"reflect"
	"strings"
)

// A call is one operation of the management API: its route, its input and output types, and its
// handler. The request is decoded into these types and the answer encoded from them. The OpenAPI
// document is generated from the same types, so it cannot differ.
type call struct {
	method, path string
	summary      string
	// query is the struct of the path, query and header parameters, body that of the request body
	// or nil, answer that of the answer.
	query, body, answer reflect.Type
	bodyOptional        bool
	required            []string // fields of the body, beyond those that its type requires
	serve               apiHandler
}

// An apiHandler returns a value to encode, or an error.
type apiHandler func(r *http.Request) (any, error)

// none stands for parameters, a body or an answer without content.
type none struct{}

// reads returns a call without a request body.
func reads[Q, A any](pattern, summary string, handle func(context.Context, Q) (A, error)) call {
	c := newCall(pattern, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
	c.serve = func(r *http.Request) (any, error) {
		var query Q
		if err := decodeParams(r, &query); err != nil {
			return nil, err
		}
		if err := decodeStrict(r, new(none), true); err != nil {
			return nil, err
		}
		return handle(r.Context(), query)
	}
	return c
}

// takes returns a call with a request body. If the body type is a pointer, the body is optional,
// and nil if it is missing.
func takes[Q, B, A any](pattern, summary string, handle func(context.Context, Q, B) (A, error)) call {
	c := newCall(pattern, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
	c.body = reflect.TypeFor[B]()
	if c.body.Kind() == reflect.Pointer {
		c.body, c.bodyOptional = c.body.Elem(), true
	}
	c.serve = func(r *http.Request) (any, error) {
		var query Q
		if err := decodeParams(r, &query); err != nil {
			return nil, err
		}
		var body B
		if err := decodeStrict(r, &body, c.bodyOptional); err != nil {
			return nil, err
		}
		return handle(r.Context(), query, body)
	}
	return c
}

// requiring names fields that the body must have although its type does not require them, because
// changes may omit them.
func (c call) requiring(fields ...string) call {
	c.required = fields
	return c
}

func newCall(pattern, summary string, query, answer reflect.Type) call {
	method, path, _ := strings.Cut(pattern, " ")
	return call{method: method, path: path, summary: summary, query: query, answer: answer}
}
