// Package admin is the HTTP side of the scheduler: the calls that executors of all generations make
// (registration, removal, callback), and the management API below /api/v1 for operators and the
// command line.
//
// Executor calls are answered as by XXL-JOB's admin: with HTTP status 200, except 413 for a body
// that is too large, and the outcome in the code of a [wire.Reply]. Management calls are answered
// with an HTTP status and JSON. Every error is an object with "code" and "message"; if a field or a
// parameter is invalid, the message names it, its value and the rule.
//
// Where to look:
//
//	the handler and its options    server.go
//	the table of all calls         routes.go; internal/api decodes, answers and describes them
//	who calls, users               internal/users
//	who may see what               guard.go
//	calls of executors             internal/executorapi; what they do with jobs is in jobcalls.go
//	                               and declarecall.go
//	jobs                           jobs.go, jobform.go, joblist.go, joborders.go, bulk.go, tags.go,
//	                               bulkedits.go, children.go, graph.go, glue.go, gluesave.go,
//	                               versions.go, conflicts.go
//	schedules                      previews.go, schedulepreview.go, wrongschedule.go, forecast.go,
//	                               pauses.go, calendars.go, backfills.go
//	runs and fires                 internal/runs; rerun.go orders that one runs again
//	why a job did not run          explain.go, timeline.go
//	groups, executors              groups.go, probes.go, drains.go
//	schedulers                     internal/nodes
//	audit                          internal/audit
//	declarations                   apply.go, exportjobs.go, takeovers.go
//	streams                        events.go
//	figures                        internal/figures; those of the overview are in overview.go
//	this process                   health.go, info.go, alarmtest.go
package admin
