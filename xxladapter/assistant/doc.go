// Package assistant offers calls of the management API as tools to assistants that speak the Model
// Context Protocol. A tool is one call: its arguments and descriptions are those of the API's own
// OpenAPI document, its answer is the API's, and what the caller's token does not grant is refused
// there, as for every other client. So nothing about a call is said a second time here.
package assistant
