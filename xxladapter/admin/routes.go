package admin

import (
	"context"
	"reflect"
	"sync"
)

// calls returns the calls of the management API, each with what it needs of its caller. A call with
// method GET changes nothing.
func (s *Server) calls() []call {
	return []call{
		reads("GET /api/v1/openapi.json", anyone, "Return this description.", s.openAPI),

		reads("GET /api/v1/session", public, "Show who calls, and how to sign in.", s.showSession),
		takes("POST /api/v1/session", public, "Sign in by name and password.", s.login).
			noting("The answer sets a cookie, with which further calls are the user's."),
		reads("DELETE /api/v1/session", public, "Sign out: end the session of the cookie.", s.logout),
		takes("POST /api/v1/session/first", public, "Create the first user, an administrator, with the secret of the one-time link, and sign in.", s.first),

		forBrowsers("GET "+oidcPath, "Lead the browser to the provider of OpenID Connect.", reflect.TypeFor[none](), s.beginOIDC).within(s.signOns),
		forBrowsers("GET "+oidcReturn, "Sign in whom the provider has signed in.", reflect.TypeFor[oidcQuery](), s.endOIDC).within(s.signOns).
			noting("Leads the browser to the console. The roles of the user become those that the provider's claims give."),

		reads("GET /api/v1/me", anyone, "Show the user who calls.", s.showMe),
		takes("PUT /api/v1/me/password", anyone, "Change one's own password.", s.changePassword).
			noting("Other sessions end."),
		reads("GET /api/v1/me/sessions", anyone, "List one's own sessions, by id.", s.listSessions),
		reads("DELETE /api/v1/me/sessions/{id}", anyone, "End one of one's own sessions.", s.endSession),

		reads("GET /api/v1/users", admin.forAll(), "List users, by id.", s.listUsers),
		takes("POST /api/v1/users", admin.forAll(), "Create a user.", s.createUser).requiring("name"),
		reads("GET /api/v1/users/{id}", admin.forAll(), "Show a user.", s.showUser),
		takes("PUT /api/v1/users/{id}", admin.forAll(), "Change the password or the roles of a user.", s.updateUser).
			noting("One administrator of all groups must remain."),
		reads("DELETE /api/v1/users/{id}", admin.forAll(), "Delete a user with sessions and tokens.", s.removeUser).
			noting("One administrator of all groups must remain."),

		reads("GET /api/v1/tokens", anyone, "List one's own personal tokens, or those of all users, by id.", s.listTokens).
			noting("A caller with a token sees that token alone."),
		takes("POST /api/v1/tokens", anyone, "Create a personal token, which acts as its user within its limits.", s.createToken),
		reads("DELETE /api/v1/tokens/{id}", anyone, "Delete a personal token.", s.removeToken).
			noting("One's own needs a session; administrators of all groups delete any."),

		reads("GET /api/v1/jobs", viewer, "List jobs, by id or in another order.", s.listJobs),
		takes("POST /api/v1/jobs", editor, "Create a job, stopped.", s.createJob).requiring("name", "author").
			noting("Name, author, handler and jobGroup or appName must be given."),
		reads("GET /api/v1/jobs/{id}", viewer, "Show a job.", s.showJob),
		takes("PUT /api/v1/jobs/{id}", editor, "Change the given fields of a job.", s.updateJob).
			noting("A running job continues with its new schedule."),
		reads("DELETE /api/v1/jobs/{id}", editor, "Delete a job with its runs.", s.removeJob),
		reads("POST /api/v1/jobs/{id}/start", operator, "Switch a job's schedule on.", s.startJob),
		reads("POST /api/v1/jobs/{id}/stop", operator, "Switch a job's schedule off.", s.stopJob),
		takes("POST /api/v1/jobs/{id}/copy", editor, "Create a stopped copy of a job, with the given fields changed.", s.copyJob),
		takes("POST /api/v1/jobs/{id}/trigger", operator, "Run a job now, even a stopped one.", s.triggerJob),
		streaming[bulkLine](typeJSONLines, takes("POST /api/v1/jobs/bulk", operator, "Start, stop, delete, change or trigger many jobs.", s.bulk).
			requiring("action").
			noting("Each job succeeds or fails by itself. The answer has a line for each of them.")),

		takes("POST /api/v1/jobs/{id}/backfill", operator, "Run a job for each of its due times in a past range.", s.startBackfill).requiring("from", "to").
			noting("Once for each and in order, with a limit of runs in progress."),
		reads("GET /api/v1/backfills", viewer, "List backfills with their progress, newest first.", s.listBackfills),
		reads("GET /api/v1/backfills/{id}", viewer, "Show the progress of a backfill.", s.showBackfill),
		reads("POST /api/v1/backfills/{id}/cancel", operator, "Cancel a running backfill.", s.cancelBackfill).
			noting("Nothing more begins, and runs in progress continue."),

		reads("GET /api/v1/tags", viewer, "List the tags of jobs, each with the number of jobs that have it.", s.listTags),

		reads("GET /api/v1/jobs/{id}/glue", viewer, "Show a job's source, and list its versions.", s.listGlue),
		takes("PUT /api/v1/jobs/{id}/glue", coder, "Store a new version of a job's source, with a remark.", s.saveGlue).requiring("glueSource", "glueRemark"),
		reads("GET /api/v1/jobs/{id}/glue/{version}", viewer, "Show a version of a job's source.", s.showGlueVersion),
		reads("POST /api/v1/jobs/{id}/glue/{version}/restore", coder, "Restore an earlier version of a job's source, as a new version.", s.restoreGlue),

		reads("GET /api/v1/jobs/{id}/versions", viewer, "List the versions of a job, each with who made it and what it changed, newest first.", s.listVersions),
		reads("GET /api/v1/jobs/{id}/versions/{version}", viewer, "Show a version of a job, and what differs from another one.", s.showJobVersion).
			noting("Without a version to compare with, that is the one before."),
		reads("POST /api/v1/jobs/{id}/versions/{version}/restore", editor, "Restore an earlier version of a job, as a new version.", s.restoreVersion).
			noting("Its fields are restored. Its schedule stays on or off, and its source as it is."),

		reads("GET /api/v1/jobs/{id}/next", viewer, "List the next due times of a job, whether its schedule is on or off.", s.nextOfJob),
		reads("GET /api/v1/jobs/{id}/timeline", viewer, "Show the due times of a job beside its runs, with how late each was.", s.timelineOfJob).
			within(s.heavy),
		reads("GET /api/v1/jobs/{id}/why", viewer, "Say why a job did or did not run at a time, with the records that prove it.", s.whyOfJob).within(s.heavy),
		reads("GET /api/v1/jobs/{id}/misfires", viewer, "List the due times of a job that got no fire of their own.", s.listMisfires),

		reads("GET /api/v1/pauses", viewer, "List pauses of schedules, newest first.", s.listPauses),
		takes("POST /api/v1/pauses", operator, "Pause the schedules of a group, or of all groups, which needs a role for all.", s.createPause).
			noting("Nothing fires by schedule once it has returned."),
		reads("POST /api/v1/pauses/{id}/end", operator, "End a pause.", s.endPause).
			noting("Due times within it are not run later."),

		reads("GET /api/v1/calendars", anyone, "List calendars of days without work, by name.", s.listCalendars),
		reads("GET /api/v1/calendars/{name}", anyone, "Show a calendar.", s.showCalendar),
		takes("PUT /api/v1/calendars/{name}", admin.forAll(), "Store a calendar in place of the one with its name.", s.saveCalendar).
			requiring("weekend", "years"),
		reads("DELETE /api/v1/calendars/{name}", admin.forAll(), "Delete a stored calendar that no job names.", s.removeCalendar).
			noting("One that is built in takes its place again."),

		reads("GET /api/v1/groups", viewer, "List groups of executors, by id.", s.listGroups),
		takes("POST /api/v1/groups", admin.forAll(), "Create a group.", s.createGroup).requiring("appName"),
		reads("GET /api/v1/groups/{id}", viewer, "Show a group.", s.showGroup),
		takes("PUT /api/v1/groups/{id}", admin, "Change the given fields of a group.", s.updateGroup).
			noting("App name, addresses and token need an administrator of all groups."),
		reads("DELETE /api/v1/groups/{id}", admin.forAll(), "Delete a group that has no jobs.", s.removeGroup),
		takes("POST /api/v1/groups/{id}/drain", operator, "Send no new runs to one executor address of a group.", s.drain).requiring("address").
			noting("That lasts until a given time, or until it is undone. Runs in progress continue."),
		takes("POST /api/v1/groups/{id}/undrain", operator, "Send runs to a drained executor address again.", s.undrain).requiring("address"),
		reads("GET /api/v1/groups/{id}/executors", viewer, "Probe each executor of a group.", s.probeGroup).
			noting("Says whether it answers, and which generation of the protocol it speaks."),

		reads("GET /api/v1/logs", viewer, "List runs, oldest or newest first.", s.listLogs),
		reads("GET /api/v1/logs/{id}", viewer, "Show a run.", s.showLog),
		reads("GET /api/v1/logs/{id}/text", viewer, "Show what a run wrote, from a line on.", s.runLog),
		streaming[tailForm](eventStream, reads("GET /api/v1/logs/{id}/tail", viewer, "Stream what a run writes, as server-sent events.", s.tailRun).
			noting("The stream ends with the run.")),
		takes("POST /api/v1/logs/{id}/rerun", operator, "Run a run again, with its parameter and its shard.", s.rerun).
			noting("The new run names it as its parent."),
		reads("POST /api/v1/logs/{id}/kill", operator, "Kill a run, together with all other runs of its job that run or wait on the same executor.", s.killRun),
		takes("POST /api/v1/logs/clear", editor, "Delete ended runs by age, or all but the newest.", s.clearLogs).
			noting("A call stops after some seconds; repeat it until done is true."),

		reads("GET /api/v1/orders/{id}", viewer, "Show what became of a triggered run.", s.showOrder),
		reads("GET /api/v1/fires", viewer, "List fires that are not settled, by due time.", s.listFires),
		reads("GET /api/v1/nodes", viewer, "List the schedulers that hold a lease.", s.listNodes),
		takes("POST /api/v1/nodes/drain", admin.forAll(), "Let a scheduler plan nothing more until it is started again.", s.drainNode).requiring("node").
			noting("Its shards move to the others, and its hand-overs continue."),
		reads("GET /api/v1/cron/next", anyone, "List the next times of a cron expression.", s.nextOfCron),
		reads("GET /api/v1/schedule/preview", anyone, "Show what a schedule will do: its due times, in words, and at clock changes.", s.previewSchedule).
			within(s.heavy),

		streaming[eventForm](eventStream, reads("GET /api/v1/events", viewer, "Stream what changes, as server-sent events.", s.listen).
			noting("Each event names a topic and an id.")),
		reads("GET /api/v1/overview", viewer, "Show at a glance what is wrong, and what comes next.", s.overview),
		reads("GET /api/v1/forecast", viewer, "Show how many fires and how much run time to expect, by quarter of an hour.", s.forecast).within(s.heavy),
		reads("GET /api/v1/graph", viewer, "Show jobs and their child jobs in layers, with their last results.", s.jobGraph).within(s.heavy),

		reads("GET /api/v1/info", viewer, "Show what this scheduler is: version, store, zone, features, retention and limits.", s.info),
		takes("POST /api/v1/alarms/test", admin.forAll(), "Send a test alarm through each configured channel, and say what became of it.", s.testAlarms),
		reads("GET /api/v1/export", viewer, "Download declarations of groups and jobs.", s.exportJobs).producing("application/json", typeYAML).
			noting("They name jobs by app names and keys, and have no tokens."),
		reads("POST /api/v1/export", editor, "Store the keys that jobs are exported with.", s.keepKeys).
			noting("Keys that were only made of names stay when a job is renamed."),
		takes("POST /api/v1/apply", editor, "Make groups and jobs be as declared, all or nothing.", s.applyFiles).requiring("files"),

		reads("GET /api/v1/takeover", admin.forAll(), "Show what would be taken from a database of XXL-JOB.", s.previewTakeOver).within(s.heavy).
			noting("The database is the one that the scheduler was started with (xxlwheel serve --takeover-from). Nothing is written."),
		reads("POST /api/v1/takeover", admin.forAll(), "Take jobs, and what belongs to them, from a database of XXL-JOB.", s.takeOver).
			within(s.heavy).
			noting("Takes groups, jobs, versions of scripts, users and daily figures from the database that the scheduler " +
				"was started with (xxlwheel serve --takeover-from). " +
				"All or nothing. Jobs are stopped. What the store has already stays as it is."),

		reads("GET /api/v1/stats", viewer, "Show how runs ended, how long they took and how late they were, by hour, group or job.", s.stats),
		reads("GET /api/v1/reports", viewer.forAll(), "Show how many runs of each day succeeded and failed, by the day of their trigger.", s.reports),

		reads("GET /api/v1/audit", viewer.forAll(), "List who changed what, oldest or newest first.", s.listAudit),
		reads("GET /api/v1/audit/export", viewer.forAll(), "Download the audit as JSON lines or as CSV.", s.exportAudit).producing(typeJSONLines, typeCSV),
		reads("GET /api/v1/audit/verify", viewer.forAll(), "Check that no row of the audit was changed, removed or inserted.", s.verifyAudit).within(s.heavy),
	}
}

// routes registers the management API.
func (s *Server) routes() {
	calls := s.calls()
	s.description = sync.OnceValue(func() object { return document(calls) })
	s.answers.register(s.mux, calls)
	s.mux.HandleFunc("GET /healthz", healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	if s.opts.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", s.metrics)
	}
}

func (s *Server) openAPI(context.Context, none) (object, error) { return s.description(), nil }
