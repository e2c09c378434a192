// Package assistant offers calls of the management API as tools to assistants that speak the Model
// Context Protocol. A tool is one call: its arguments and descriptions are those of the API's own
// OpenAPI document, its answer is the API's, and the API refuses what the caller's token does not
// grant, as for every other client. So this package repeats nothing about a call.
package assistant
