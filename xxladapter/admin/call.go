package admin

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A call is one operation of the management API: its route, its input and output types, and its
// handler. The request is decoded into these types and the answer encoded from them. The OpenAPI
// document is generated from the same types, so it cannot differ.
type call struct {
	method, path string
	need         need
	summary      string // one sentence
	notes        string // what else a caller should know; may be empty
	// query is the struct type of the path, query and header parameters, body the type of the
	// request body or nil, and answer the type of the answer.
	query, body, answer reflect.Type
	bodyOptional        bool
	stream              string   // the media type of a streamed answer, whose values have the type answer; empty means one JSON value
	required            []string // fields of the body, beyond those that its type requires
	produces            []string // content types of a download
	redirects           bool     // the answer leads a browser to another address
	serve               apiHandler
}

// An apiHandler returns a value to encode, or an error.
type apiHandler func(r *http.Request) (any, error)

// none stands for parameters, a body or an answer without content.
type none struct{}

// reads returns a call without a request body. needs is what its callers must have.
func reads[Q, A any](pattern string, needs need, summary string, handle func(context.Context, Q) (A, error)) call {
	c := newCall(pattern, needs, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
	c.serve = func(r *http.Request) (any, error) {
		var query Q
		if err := decodeParams(r, &query); err != nil {
			return nil, err
		}
		if err := decodeStrict(r, new(none), true); err != nil {
			return nil, err
		}
		return handle(callContext(r), query)
	}
	return c
}

// takes returns a call with a request body. needs is what its callers must have. If the body type
// is a pointer, the body is optional, and nil if it is missing.
func takes[Q, B, A any](pattern string, needs need, summary string, handle func(context.Context, Q, B) (A, error)) call {
	c := newCall(pattern, needs, summary, reflect.TypeFor[Q](), reflect.TypeFor[A]())
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
		return handle(callContext(r), query, body)
	}
	return c
}

// callContext returns the context of a call's handler. What calls change is audited under their
// method and path.
func callContext(r *http.Request) context.Context {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.Context()
	}
	return xxladapter.WithCall(r.Context(), r.Pattern)
}

// requiring names fields that the body must have although its type does not require them, because
// calls that change a thing have the same type and may omit them.
func (c call) requiring(fields ...string) call {
	c.required = fields
	return c
}

// noting adds what a caller should know beyond the summary.
func (c call) noting(notes string) call {
	c.notes = notes
	return c
}

// producing names the content types of a call whose answer is a download.
func (c call) producing(types ...string) call {
	c.produces = types
	return c
}

func newCall(pattern string, needs need, summary string, query, answer reflect.Type) call {
	method, path, _ := strings.Cut(pattern, " ")
	return call{method: method, path: path, need: needs, summary: summary, query: query, answer: answer}
}
