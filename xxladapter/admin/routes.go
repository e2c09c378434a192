package admin

import (
	"context"
	"slices"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// calls returns the calls of the management API, each with what it needs of its caller. A call with
// method GET changes nothing, except that the one to which a provider sends a browser back signs a
// user in.
func (s *Server) calls() []api.Call {
	return slices.Concat(
		s.jobCalls(), s.versionCalls(), s.scheduleCalls(), s.backfillCalls(), s.pauseCalls(), s.calendarCalls(),
		s.groupCalls(), s.orderCalls(), s.declarationCalls(), s.overviewCalls(), s.processCalls(),
		s.users.Calls(), s.runs.Calls(), s.figures.Calls(), s.nodes.Calls(), s.audit.Calls(),
	)
}

// jobCalls returns the calls about jobs.
func (s *Server) jobCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/jobs", api.Viewer, "List jobs, by id or in another order.", s.listJobs),
		api.WithBody("POST /api/v1/jobs", api.Editor, "Create a job, stopped.", s.createJob).
			Requiring("name", "author").
			Noting("Name, author, handler and jobGroup or appName must be given."),
		api.WithoutBody("GET /api/v1/jobs/{id}", api.Viewer, "Show a job.", s.showJob),
		api.WithBody("PUT /api/v1/jobs/{id}", api.Editor, "Change the given fields of a job.", s.updateJob).
			Noting("A running job continues with its new schedule."),
		api.WithoutBody("DELETE /api/v1/jobs/{id}", api.Editor, "Delete a job with its runs.", s.removeJob),
		api.WithoutBody("POST /api/v1/jobs/{id}/start", api.Operator, "Switch a job's schedule on.", s.startJob),
		api.WithoutBody("POST /api/v1/jobs/{id}/stop", api.Operator, "Switch a job's schedule off.", s.stopJob),
		api.WithBody(
			"POST /api/v1/jobs/{id}/copy", api.Editor,
			"Create a stopped copy of a job, with the given fields changed.", s.copyJob,
		),
		api.WithBody("POST /api/v1/jobs/{id}/trigger", api.Operator, "Run a job now, even a stopped one.", s.triggerJob),
		api.Streaming[bulkLine](api.JSONLines, api.WithBody(
			"POST /api/v1/jobs/bulk", api.Operator, "Start, stop, delete, change or trigger many jobs.", s.bulk,
		).Requiring("action").Noting("Each job succeeds or fails by itself. The answer has a line for each of them.")),
		api.WithoutBody(
			"GET /api/v1/tags", api.Viewer, "List the tags of jobs, each with the number of jobs that have it.",
			s.listTags,
		),
		api.WithoutBody(
			"GET /api/v1/graph", api.Viewer, "Show jobs and their child jobs in layers, with their last results.",
			s.jobGraph,
		).Within(s.heavy),
	}
}

// versionCalls returns the calls about versions of jobs and of their sources.
func (s *Server) versionCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/jobs/{id}/glue", api.Viewer, "Show a job's source, and list its versions.", s.listGlue),
		api.WithBody(
			"PUT /api/v1/jobs/{id}/glue", api.Coder, "Store a new version of a job's source, with a remark.",
			s.saveGlue,
		).Requiring("glueSource", "glueRemark"),
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/glue/{version}", api.Viewer, "Show a version of a job's source.", s.showGlueVersion,
		),
		api.WithoutBody(
			"POST /api/v1/jobs/{id}/glue/{version}/restore", api.Coder,
			"Restore an earlier version of a job's source, as a new version.", s.restoreGlue,
		),

		api.WithoutBody(
			"GET /api/v1/jobs/{id}/versions", api.Viewer,
			"List the versions of a job, each with who made it and what it changed, newest first.", s.listVersions,
		),
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/versions/{version}", api.Viewer,
			"Show a version of a job, and what differs from another one.", s.showJobVersion,
		).Noting("Without a version to compare with, that is the one before."),
		api.WithoutBody(
			"POST /api/v1/jobs/{id}/versions/{version}/restore", api.Editor,
			"Restore an earlier version of a job, as a new version.", s.restoreVersion,
		).Noting("Its fields are restored. Its schedule stays on or off, and its source as it is."),
	}
}

// scheduleCalls returns the calls that show what schedules have done and will do.
func (s *Server) scheduleCalls() []api.Call {
	return []api.Call{
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/next", api.Viewer,
			"List the next due times of a job, whether its schedule is on or off.", s.nextOfJob,
		),
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/timeline", api.Viewer,
			"Show the due times of a job beside its runs, with how late each was.", s.timelineOfJob,
		).Within(s.heavy),
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/why", api.Viewer,
			"Say why a job did or did not run at a time, with the records that prove it.", s.whyOfJob,
		).Within(s.heavy),
		api.WithoutBody("GET /api/v1/cron/next", api.Anyone, "List the next times of a cron expression.", s.nextOfCron),
		api.WithoutBody(
			"GET /api/v1/schedule/preview", api.Anyone,
			"Show what a schedule will do: its due times, in words, and at clock changes.", s.previewSchedule,
		).Within(s.heavy),
		api.WithoutBody(
			"GET /api/v1/forecast", api.Viewer,
			"Show how many fires and how much run time to expect, by quarter of an hour.", s.forecast,
		).Within(s.heavy),
	}
}

// backfillCalls returns the calls about backfills.
func (s *Server) backfillCalls() []api.Call {
	return []api.Call{
		api.WithBody(
			"POST /api/v1/jobs/{id}/backfill", api.Operator,
			"Run a job for each of its due times in a past range.", s.startBackfill,
		).Requiring("from", "to").Noting("Once for each and in order, with a limit of runs in progress."),
		api.WithoutBody(
			"GET /api/v1/backfills", api.Viewer, "List backfills with their progress, newest first.", s.listBackfills,
		),
		api.WithoutBody("GET /api/v1/backfills/{id}", api.Viewer, "Show the progress of a backfill.", s.showBackfill),
		api.WithoutBody("POST /api/v1/backfills/{id}/cancel", api.Operator, "Cancel a running backfill.", s.cancelBackfill).
			Noting("Nothing more begins, and runs in progress continue."),
	}
}

// pauseCalls returns the calls about pauses of schedules.
func (s *Server) pauseCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/pauses", api.Viewer, "List pauses of schedules, newest first.", s.listPauses),
		api.WithBody(
			"POST /api/v1/pauses", api.Operator,
			"Pause the schedules of a group, or of all groups, which needs a role for all.", s.createPause,
		).Noting("Nothing fires by schedule once it has returned."),
		api.WithoutBody("POST /api/v1/pauses/{id}/end", api.Operator, "End a pause.", s.endPause).
			Noting("Due times within it are not run later."),
	}
}

// calendarCalls returns the calls about calendars of days without work.
func (s *Server) calendarCalls() []api.Call {
	return []api.Call{
		api.WithoutBody(
			"GET /api/v1/calendars", api.Anyone, "List calendars of days without work, by name.", s.listCalendars,
		),
		api.WithoutBody("GET /api/v1/calendars/{name}", api.Anyone, "Show a calendar.", s.showCalendar),
		api.WithBody(
			"PUT /api/v1/calendars/{name}", api.Admin.ForAll(),
			"Store a calendar in place of the one with its name.", s.saveCalendar,
		).Requiring("weekend", "years"),
		api.WithoutBody(
			"DELETE /api/v1/calendars/{name}", api.Admin.ForAll(), "Delete a stored calendar.", s.removeCalendar,
		).Noting("It is refused while jobs name the calendar, unless a built-in one takes its place."),
	}
}

// groupCalls returns the calls about groups and their executors.
func (s *Server) groupCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/groups", api.Viewer, "List groups of executors, by id.", s.listGroups),
		api.WithBody("POST /api/v1/groups", api.Admin.ForAll(), "Create a group.", s.createGroup).Requiring("appName"),
		api.WithoutBody("GET /api/v1/groups/{id}", api.Viewer, "Show a group.", s.showGroup),
		api.WithBody("PUT /api/v1/groups/{id}", api.Admin, "Change the given fields of a group.", s.updateGroup).
			Noting("App name, addresses and token need an administrator of all groups."),
		api.WithoutBody("DELETE /api/v1/groups/{id}", api.Admin.ForAll(), "Delete a group that has no jobs.", s.removeGroup),
		api.WithBody(
			"POST /api/v1/groups/{id}/drain", api.Operator, "Send no new runs to one executor address of a group.",
			s.drain,
		).Requiring("address").
			Noting("That lasts until a given time, or until it is undone. Runs in progress continue."),
		api.WithBody(
			"POST /api/v1/groups/{id}/undrain", api.Operator, "Send runs to a drained executor address again.",
			s.undrain,
		).Requiring("address"),
		api.WithoutBody("GET /api/v1/groups/{id}/executors", api.Viewer, "Probe each executor of a group.", s.probeGroup).
			Noting("Says whether it answers, and which generation of the protocol it speaks."),
	}
}

// orderCalls returns the calls about orders, except those that trigger jobs, which jobCalls has.
func (s *Server) orderCalls() []api.Call {
	return []api.Call{
		api.WithBody(
			"POST /api/v1/runs/{id}/rerun", api.Operator, "Run a run again, with its parameter and its shard.", s.rerun,
		).Noting("The new run names it as its parent."),
		api.WithoutBody("GET /api/v1/orders/{id}", api.Viewer, "Show what became of a triggered run.", s.showOrder),
	}
}

// declarationCalls returns the calls that read and write many jobs at once: declarations, and what
// a database of XXL-JOB has.
func (s *Server) declarationCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/export", api.Viewer, "Download declarations of calendars, groups and jobs.", s.exportJobs).
			Producing("application/json", api.YAML).
			Noting("They name jobs by app names and keys, and have no tokens."),
		api.WithoutBody("POST /api/v1/export", api.Editor, "Store the keys that jobs are exported with.", s.keepKeys).
			Noting("Keys that were only made of names stay when a job is renamed."),
		api.WithBody(
			"POST /api/v1/apply", api.Editor, "Make calendars, groups and jobs be as declared, all or nothing.", s.applyFiles,
		).Requiring("files"),

		api.WithoutBody(
			"GET /api/v1/takeover", api.Admin.ForAll(), "Show what would be taken from a database of XXL-JOB.",
			s.previewTakeOver,
		).Within(s.heavy).Noting(
			"The database is the one that the scheduler was started with (xxlwheel serve --takeover-from). " +
				"Nothing is written.",
		),
		api.WithoutBody(
			"POST /api/v1/takeover", api.Admin.ForAll(),
			"Take jobs, and what belongs to them, from a database of XXL-JOB.", s.takeOver,
		).Within(s.heavy).Noting(
			"Takes groups, jobs, versions of scripts, users and daily figures from the database that the scheduler " +
				"was started with (xxlwheel serve --takeover-from). All or nothing. Jobs are stopped. " +
				"What the store has already stays as it is.",
		),
	}
}

// overviewCalls returns the calls that show everything at a glance, and what changes.
func (s *Server) overviewCalls() []api.Call {
	return []api.Call{
		api.WithoutBody(
			"GET /api/v1/overview", api.Viewer, "Show at a glance what is wrong, and what comes next.", s.overview,
		),
		api.Streaming[eventForm](api.EventStream, api.WithoutBody(
			"GET /api/v1/events", api.Viewer, "Stream what changes, as server-sent events.", s.listen,
		).Noting("Each event names a topic and an id.")),
	}
}

// processCalls returns the calls about this process.
func (s *Server) processCalls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/openapi.json", api.Anyone, "Return this description.", s.openAPI),
		api.WithoutBody(
			"GET /api/v1/info", api.Viewer,
			"Show what this scheduler is: version, store, zone, features, retention and limits.", s.info,
		),
		api.WithBody(
			"POST /api/v1/alarms/test", api.Admin.ForAll(),
			"Send a test alarm through each configured channel, and say what became of it.", s.testAlarms,
		),
	}
}

// routes registers the management API.
func (s *Server) routes() {
	calls := s.calls()
	s.description = sync.OnceValue(func() api.Object { return api.Document(calls) })
	s.answers.Register(s.mux, calls)
	s.mux.HandleFunc("GET /healthz", healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	if s.opts.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", s.metrics)
	}
}

func (s *Server) openAPI(context.Context, api.None) (api.Object, error) { return s.description(), nil }
