// Package admin is the HTTP side of the scheduler: the calls that executors of
// all generations make (registration, removal, callback), and the management
// API below /api/v1 that operators and the command line use.
//
// An executor's call is answered as XXL-JOB's admin answers it, always with
// HTTP status 200 and the outcome in the code of a [wire.Reply]. A management
// call is answered with a status line and JSON; every error is one object
// {"code", "message"} whose message names field, value and rule.
package admin
