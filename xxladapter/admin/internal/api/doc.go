// Package api is the machinery of the management API. It knows no job, run or user: a subject
// describes its calls by [WithoutBody], [WithBody] and [Streaming], each with a [Need], and returns
// values or errors.
//
// A request passes through these files:
//
//	register.go            the route, or the answer to what is no call
//	answer.go, panics.go   an [Authenticator] says who calls; the answer, and the log of faults
//	need.go                what the caller may do, and which groups exist for it
//	params.go, page.go     path, query and headers become a struct
//	years.go               which times a query may name
//	strict.go              the body becomes a struct, and nothing in it is ignored
//	call.go, optional.go   the handler
//	witness.go             the audit of what a handler does outside of the store
//	refusal.go             an error becomes a status and a body
//	stream.go, download.go answers that are not one JSON value
//	places.go              how many costly calls run at the same time
//
// The OpenAPI document is made of the same types (openapi.go, schema.go, stamp.go). What every
// request carries, whichever API it calls, is in request.go.
package api
