package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Call is one operation of the management API: its route, its input and output types, and its
// handler. The request is decoded into these types and the answer encoded from them. The OpenAPI
// document is generated from the same types, so it cannot differ.
type Call struct {
	Method, Path string
	Need         Need
	Summary      string // one sentence
	Notes        string // what else a caller should know; may be empty
	// Query is the struct type of the path, query and header parameters, Body the type of the
	// request body or nil, and Answer the type of the answer.
	Query, Body, Answer reflect.Type
	// Stream is the media type of a streamed answer, whose values have the type Answer; empty means
	// one JSON value.
	Stream    string
	Produces  []string // content types of a download
	Redirects bool     // the answer leads a browser to another address
	Serve     Handler

	bodyOptional bool
	required     []string // fields of the body, beyond those that its type requires
}

// A Handler returns a value to encode, or an error.
type Handler func(r *http.Request) (any, error)

// None stands for parameters, a body or an answer without content.
type None struct{}

// WithoutBody returns a call without a request body. needs is what its callers must have.
func WithoutBody[Q, A any](pattern string, needs Need, summary string, handle func(context.Context, Q) (A, error)) Call {
	c := NewCall(pattern, needs, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
	c.Serve = func(r *http.Request) (any, error) {
		var query Q
		if err := DecodeParams(r, &query); err != nil {
			return nil, err
		}
		if err := decodeStrict(r, new(None), true); err != nil {
			return nil, err
		}
		return handle(callContext(r), query)
	}
	return c
}

// WithBody returns a call with a request body. needs is what its callers must have. If the body
// type is a pointer, the body is optional, and nil if it is missing.
func WithBody[Q, B, A any](
	pattern string, needs Need, summary string, handle func(context.Context, Q, B) (A, error),
) Call {
	c := NewCall(pattern, needs, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
	c.Body = reflect.TypeFor[B]()
	if c.Body.Kind() == reflect.Pointer {
		c.Body, c.bodyOptional = c.Body.Elem(), true
	}
	c.Serve = func(r *http.Request) (any, error) {
		var query Q
		if err := DecodeParams(r, &query); err != nil {
			return nil, err
		}
		var body B
		if err := decodeStrict(r, &body, c.bodyOptional); err != nil {
			return nil, err
		}
		return handle(callContext(r), query, body)
	}
	return c
}

// callContext returns the context of a call's handler. What calls change is audited under their
// method and path.
func callContext(r *http.Request) context.Context {
	if reads(r) {
		return r.Context()
	}
	return xxladapter.WithCall(r.Context(), r.Pattern)
}

// reads reports whether a call changes nothing.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// Requiring names fields that the body must have although its type does not require them, because
// calls that change a thing have the same type and may omit them. Only the OpenAPI document names
// them: the handler has to check them.
func (c Call) Requiring(fields ...string) Call {
	c.required = fields
	return c
}

// Noting adds what a caller should know beyond the summary.
func (c Call) Noting(notes string) Call {
	c.Notes = notes
	return c
}

// Producing names the content types of a call whose answer is a download.
func (c Call) Producing(types ...string) Call {
	c.Produces = types
	return c
}

// NewCall returns a call without a handler. The pattern is a method and a path.
func NewCall(pattern string, needs Need, summary string, query, answer reflect.Type) Call {
	method, path, _ := strings.Cut(pattern, " ")
	return Call{Method: method, Path: path, Need: needs, Summary: summary, Query: query, Answer: answer}
}
