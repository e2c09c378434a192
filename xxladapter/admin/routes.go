package admin

import (
	"context"
	"reflect"
	"sync"
)

// apiBase is the prefix of the paths of the management API.
const apiBase = "/api/v1"

// calls returns the calls of the management API, each with what it needs of its caller. A call with
// method GET changes nothing.
func (s *Server) calls() []call {
	return []call{
		reads("GET /api/v1/openapi.json", anyone, "Return this description.", s.openAPI),

		reads("GET /api/v1/session", public, "Show who calls, and how to sign in.", s.showSession),
		takes("POST /api/v1/session", public, "Sign in by name and password. The answer sets a cookie, with which further calls are the user's.", s.login),
		reads("DELETE /api/v1/session", public, "Sign out: end the session of the cookie.", s.logout),
		takes("POST /api/v1/session/first", public, "Create the first user, an administrator, with the secret of the one-time link, and sign in.", s.first),

		forBrowsers("GET "+oidcPath, "Lead the browser to the provider of OpenID Connect, to sign in there.", reflect.TypeFor[none](), s.beginOIDC).within(s.signOns),
		forBrowsers("GET "+oidcReturn, "Sign in whom the provider has signed in, and lead the browser to the console. The roles of the user become those that the provider's claims give.", reflect.TypeFor[oidcQuery](), s.endOIDC).within(s.signOns),

		reads("GET /api/v1/me", anyone, "Show the user who calls.", s.showMe),
		takes("PUT /api/v1/me/password", anyone, "Change one's own password. Other sessions end.", s.changePassword),
		reads("GET /api/v1/me/sessions", anyone, "List one's own sessions, by id.", s.listSessions),
		reads("DELETE /api/v1/me/sessions/{id}", anyone, "End one of one's own sessions.", s.endSession),

		reads("GET /api/v1/users", admin.forAll(), "List users, by id.", s.listUsers),
		takes("POST /api/v1/users", admin.forAll(), "Create a user.", s.createUser).requiring("name"),
		reads("GET /api/v1/users/{id}", admin.forAll(), "Show a user.", s.showUser),
		takes("PUT /api/v1/users/{id}", admin.forAll(), "Change the password or the roles of a user. One administrator of all groups must remain.", s.updateUser),
		reads("DELETE /api/v1/users/{id}", admin.forAll(), "Delete a user with sessions and tokens. One administrator of all groups must remain.", s.removeUser),

		reads("GET /api/v1/tokens", anyone, "List one's own personal tokens, or those of all users, by id. A caller with a token sees that token alone.", s.listTokens),
		takes("POST /api/v1/tokens", anyone, "Create a personal token, which acts as its user within its limits.", s.createToken),
		reads("DELETE /api/v1/tokens/{id}", anyone, "Delete a personal token of one's own, which needs a session; administrators of all groups delete any.", s.removeToken),

		reads("GET /api/v1/jobs", viewer, "List jobs, by id or in another order.", s.listJobs),
		takes("POST /api/v1/jobs", editor, "Create a job, stopped. Name, author, handler and jobGroup or appName must be given.", s.createJob).requiring("name", "author"),
		reads("GET /api/v1/jobs/{id}", viewer, "Show a job.", s.showJob),
		takes("PUT /api/v1/jobs/{id}", editor, "Change the given fields of a job. A running job continues with its new schedule.", s.updateJob),
		reads("DELETE /api/v1/jobs/{id}", editor, "Delete a job with its runs.", s.removeJob),
		reads("POST /api/v1/jobs/{id}/start", operator, "Switch a job's schedule on.", s.startJob),
		reads("POST /api/v1/jobs/{id}/stop", operator, "Switch a job's schedule off.", s.stopJob),
		takes("POST /api/v1/jobs/{id}/copy", editor, "Create a stopped copy of a job, with the given fields changed.", s.copyJob),
		takes("POST /api/v1/jobs/{id}/trigger", operator, "Run a job now, even a stopped one.", s.triggerJob),
		streaming[bulkLine](typeJSONLines, takes("POST /api/v1/jobs/bulk", operator, "Start, stop, delete, change or trigger many jobs, each by itself. The answer has a line for each of them.", s.bulk).requiring("action")),

		takes("POST /api/v1/jobs/{id}/backfill", operator, "Run a job for each of its due times in a past range, once and in order, with a limit of runs in progress.", s.startBackfill).requiring("from", "to"),
		reads("GET /api/v1/backfills", viewer, "List backfills with their progress, newest first.", s.listBackfills),
		reads("GET /api/v1/backfills/{id}", viewer, "Show the progress of a backfill.", s.showBackfill),
		reads("POST /api/v1/backfills/{id}/cancel", operator, "Cancel a running backfill: nothing more begins, and runs in progress continue.", s.cancelBackfill),

		reads("GET /api/v1/tags", viewer, "List the tags of jobs, each with the number of jobs that have it.", s.listTags),

		reads("GET /api/v1/jobs/{id}/glue", viewer, "Show a job's source, and list its versions.", s.listGlue),
		takes("PUT /api/v1/jobs/{id}/glue", coder, "Store a new version of a job's source, with a remark.", s.saveGlue).requiring("glueSource", "glueRemark"),
		reads("GET /api/v1/jobs/{id}/glue/{version}", viewer, "Show a version of a job's source.", s.showGlueVersion),
		reads("POST /api/v1/jobs/{id}/glue/{version}/restore", coder, "Restore an earlier version of a job's source, as a new version.", s.restoreGlue),

		reads("GET /api/v1/jobs/{id}/versions", viewer, "List the versions of a job, each with who made it and what it changed, newest first.", s.listVersions),
		reads("GET /api/v1/jobs/{id}/versions/{version}", viewer, "Show a version of a job, and what differs from the one before or from another one.", s.showJobVersion),
		reads("POST /api/v1/jobs/{id}/versions/{version}/restore", editor, "Restore the fields of an earlier version of a job, as a new version. Its schedule stays on or off, and its source as it is.", s.restoreVersion),

		reads("GET /api/v1/jobs/{id}/next", viewer, "List the next due times of a job, whether its schedule is on or off.", s.nextOfJob),
		reads("GET /api/v1/jobs/{id}/timeline", viewer, "Show the due times of a job beside its actual runs, with how late each was.", s.timelineOfJob).within(s.heavy),
		reads("GET /api/v1/jobs/{id}/why", viewer, "Say why a job did or did not run at a time, with the records that prove it.", s.whyOfJob).within(s.heavy),
		reads("GET /api/v1/jobs/{id}/misfires", viewer, "List the due times of a job that got no fire of their own.", s.listMisfires),

		reads("GET /api/v1/pauses", viewer, "List pauses of schedules, newest first.", s.listPauses),
		takes("POST /api/v1/pauses", operator, "Pause the schedules of a group, or of all groups, which needs a role for all. Nothing fires by schedule once it has returned.", s.createPause),
		reads("POST /api/v1/pauses/{id}/end", operator, "End a pause. Due times within it are not run later.", s.endPause),

		reads("GET /api/v1/calendars", anyone, "List calendars of days without work, by name.", s.listCalendars),
		reads("GET /api/v1/calendars/{name}", anyone, "Show a calendar.", s.showCalendar),
		takes("PUT /api/v1/calendars/{name}", admin.forAll(), "Store a calendar, in place of the one with its name.", s.saveCalendar).requiring("weekend", "years"),
		reads("DELETE /api/v1/calendars/{name}", admin.forAll(), "Delete a stored calendar that no job names. One that is built in takes its place again.", s.removeCalendar),

		reads("GET /api/v1/groups", viewer, "List groups of executors, by id.", s.listGroups),
		takes("POST /api/v1/groups", admin.forAll(), "Create a group.", s.createGroup).requiring("appName"),
		reads("GET /api/v1/groups/{id}", viewer, "Show a group.", s.showGroup),
		takes("PUT /api/v1/groups/{id}", admin, "Change the given fields of a group. App name, addresses and token need an administrator of all groups.", s.updateGroup),
		reads("DELETE /api/v1/groups/{id}", admin.forAll(), "Delete a group that has no jobs.", s.removeGroup),
		takes("POST /api/v1/groups/{id}/drain", operator, "Send no new runs to one executor address of a group, until a given time or until that is undone. Its runs in progress continue.", s.drain).requiring("address"),
		takes("POST /api/v1/groups/{id}/undrain", operator, "Send runs to a drained executor address again.", s.undrain).requiring("address"),
		reads("GET /api/v1/groups/{id}/executors", viewer, "Probe each executor of a group: whether it answers, and which generation of the protocol it speaks.", s.probeGroup),

		reads("GET /api/v1/logs", viewer, "List runs, oldest or newest first.", s.listLogs),
		reads("GET /api/v1/logs/{id}", viewer, "Show a run.", s.showLog),
		reads("GET /api/v1/logs/{id}/text", viewer, "Show what a run wrote, from a line on.", s.runLog),
		streaming[tailForm](eventStream, reads("GET /api/v1/logs/{id}/tail", viewer, "Stream what a run writes, as server-sent events, until the run has ended.", s.tailRun)),
		takes("POST /api/v1/logs/{id}/rerun", operator, "Run a run again, with its parameter and its shard. The new run names it as its parent.", s.rerun),
		reads("POST /api/v1/logs/{id}/kill", operator, "Kill a run, together with all other runs of its job that run or wait on the same executor.", s.killRun),
		takes("POST /api/v1/logs/clear", editor, "Delete ended runs by age, or all but the newest. A call stops after some seconds; repeat it until done is true.", s.clearLogs),

		reads("GET /api/v1/orders/{id}", viewer, "Show what became of a triggered run.", s.showOrder),
		reads("GET /api/v1/fires", viewer, "List fires that are not settled, by due time.", s.listFires),
		reads("GET /api/v1/nodes", viewer, "List the schedulers that hold a lease.", s.listNodes),
		takes("POST /api/v1/nodes/drain", admin.forAll(), "Let a scheduler plan nothing more until it is started again. Its shards move to the others, and its hand-overs continue.", s.drainNode).requiring("node"),
		reads("GET /api/v1/cron/next", anyone, "List the next times of a cron expression.", s.nextOfCron),
		reads("GET /api/v1/schedule/preview", anyone, "Show what a schedule of any type will do: its due times, in words, and at clock changes.", s.previewSchedule).within(s.heavy),

		streaming[eventForm](eventStream, reads("GET /api/v1/events", viewer, "Stream what changes, as server-sent events that name a topic and an id.", s.listen)),
		reads("GET /api/v1/overview", viewer, "Show at a glance what is wrong, and what comes next.", s.overview),
		reads("GET /api/v1/forecast", viewer, "Show how many fires and how much run time to expect, by quarter of an hour.", s.forecast).within(s.heavy),
		reads("GET /api/v1/graph", viewer, "Show jobs and their child jobs in layers, with their last results.", s.jobGraph).within(s.heavy),

		reads("GET /api/v1/info", viewer, "Show what this scheduler is: version, store, zone, features, retention and limits.", s.info),
		takes("POST /api/v1/alarms/test", admin.forAll(), "Send a test alarm through each configured channel, and say what became of it.", s.testAlarms),
		reads("GET /api/v1/export", viewer, "Download declarations of groups and jobs, by app names and keys, without tokens.", s.exportJobs).producing("application/json", typeYAML),
		reads("POST /api/v1/export", editor, "Store the keys that jobs are exported with, where they were only made of names, so that they stay when a job is renamed.", s.keepKeys),
		takes("POST /api/v1/apply", editor, "Make groups and jobs be as declared, all or nothing.", s.applyFiles).requiring("files"),

		reads("GET /api/v1/takeover", admin.forAll(), "Show what would be taken from the database of XXL-JOB that the scheduler was started with (xxlwheel serve --takeover-from). Nothing is written.", s.previewTakeOver).within(s.heavy),
		reads("POST /api/v1/takeover", admin.forAll(), "Take groups, jobs, versions of scripts, users and daily figures from the database of XXL-JOB that the scheduler was started with (xxlwheel serve --takeover-from), all or nothing. Jobs are stopped. What the store has already stays as it is.", s.takeOver).within(s.heavy),

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
	for _, c := range calls {
		s.mux.Handle(c.method+" "+c.path, s.api(c.need, c.serve))
	}
	s.mux.Handle(apiBase+"/", s.api(anyone, s.noCall))
	s.mux.HandleFunc("GET /healthz", healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	if s.opts.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", s.metrics)
	}
}

func (s *Server) openAPI(context.Context, none) (object, error) { return s.description(), nil }
