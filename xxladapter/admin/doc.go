// Package admin is the HTTP side of the scheduler: the calls that executors of all generations make
// (registration, removal, callback), and the management API below /api/v1 for operators and the
// command line.
//
// Executor calls are answered as by XXL-JOB's admin: always with HTTP status 200, and the outcome
// in the code of a [wire.Reply]. Management calls are answered with an HTTP status and JSON; every
// error is an object {"code", "message"} whose message names field, value and rule.
package admin
