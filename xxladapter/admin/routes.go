package admin

import (
	"context"
)

// apiBase is where the paths of the management API begin.
const apiBase = "/api/v1"

// calls is the management API. A method of GET changes nothing.
func (s *Server) calls() []call {
	return []call{
		reads("GET /api/v1/openapi.json", "This description.", s.openAPI),

		reads("GET /api/v1/jobs", "List jobs, by id.", s.listJobs),
		takes("POST /api/v1/jobs", "Create a job, stopped. Name, author, handler and jobGroup or appName must be given.", s.createJob).requiring("name", "author"),
		reads("GET /api/v1/jobs/{id}", "Show a job.", s.showJob),
		takes("PUT /api/v1/jobs/{id}", "Change the given fields of a job. A running one goes on by its new schedule.", s.updateJob),
		reads("DELETE /api/v1/jobs/{id}", "Delete a job with its runs.", s.removeJob),
		reads("POST /api/v1/jobs/{id}/start", "Switch a job's schedule on.", s.startJob),
		reads("POST /api/v1/jobs/{id}/stop", "Switch a job's schedule off.", s.stopJob),
		takes("POST /api/v1/jobs/{id}/copy", "Create a job like another one, stopped, but for the given fields.", s.copyJob),
		takes("POST /api/v1/jobs/{id}/trigger", "Run a job now, also a stopped one.", s.triggerJob),

		reads("GET /api/v1/jobs/{id}/glue", "List the versions of a job's source.", s.listGlue),
		reads("GET /api/v1/jobs/{id}/glue/{version}", "Show a version of a job's source.", s.showGlueVersion),
		reads("POST /api/v1/jobs/{id}/glue/{version}/restore", "Give a job the source of an earlier version, which becomes the newest.", s.restoreGlue),

		reads("GET /api/v1/jobs/{id}/next", "When a job would be due next, whether its schedule is on or off.", s.nextOfJob),
		reads("GET /api/v1/jobs/{id}/misfires", "The due times of a job that gave no fire of their own.", s.listMisfires),

		reads("GET /api/v1/groups", "List groups of executors, by id.", s.listGroups),
		takes("POST /api/v1/groups", "Create a group.", s.createGroup).requiring("appName"),
		reads("GET /api/v1/groups/{id}", "Show a group.", s.showGroup),
		takes("PUT /api/v1/groups/{id}", "Change the given fields of a group.", s.updateGroup),
		reads("DELETE /api/v1/groups/{id}", "Delete a group that has no jobs.", s.removeGroup),
		reads("GET /api/v1/groups/{id}/executors", "Call each executor of a group: whether it answers, and what release it is of.", s.probeGroup),

		reads("GET /api/v1/logs", "List runs: oldest first, or newest first.", s.listLogs),
		reads("GET /api/v1/logs/{id}", "Show a run.", s.showLog),
		reads("GET /api/v1/logs/{id}/text", "What a run wrote, from a line on.", s.runLog),
		reads("POST /api/v1/logs/{id}/kill", "End a run, and with it what else of its job runs or waits on that executor.", s.killRun),
		takes("POST /api/v1/logs/clear", "Delete runs that have ended, by age or all but the newest, for some seconds; to be repeated until it is done.", s.clearLogs),

		reads("GET /api/v1/orders/{id}", "Show what became of a trigger by a call: its runs.", s.showOrder),
		reads("GET /api/v1/fires", "List fires that are not settled, by due time.", s.listFires),
		reads("GET /api/v1/nodes", "List the schedulers that hold a lease.", s.listNodes),
		reads("GET /api/v1/cron/next", "When a cron expression matches next.", s.nextOfCron),

		reads("GET /api/v1/reports", "What became of the runs of each day, by the day of their trigger.", s.reports),
	}
}

// routes registers the management API.
func (s *Server) routes() {
	calls := s.calls()
	s.description = document(calls)
	for _, c := range calls {
		s.mux.Handle(c.method+" "+c.path, s.api(c.serve))
	}
	s.mux.Handle(apiBase+"/", s.api(s.noCall))
	s.mux.HandleFunc("GET /healthz", healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	if s.opts.Metrics != nil {
		s.mux.HandleFunc("GET /metrics", s.metrics)
	}
}

func (s *Server) openAPI(context.Context, none) (object, error) { return s.description, nil }
