package admin

import (
	"context"
)

// apiBase is the prefix of the paths of the management API.
const apiBase = "/api/v1"

// calls returns the calls of the management API. A call with method GET changes nothing.
func (s *Server) calls() []call {
	return []call{
		reads("GET /api/v1/openapi.json", "Return this description.", s.openAPI),

		reads("GET /api/v1/jobs", "List jobs, by id.", s.listJobs),
		takes("POST /api/v1/jobs", "Create a job, stopped. Name, author, handler and jobGroup or appName must be given.", s.createJob).requiring("name", "author"),
		reads("GET /api/v1/jobs/{id}", "Show a job.", s.showJob),
		takes("PUT /api/v1/jobs/{id}", "Change the given fields of a job. A running job continues with its new schedule.", s.updateJob),
		reads("DELETE /api/v1/jobs/{id}", "Delete a job with its runs.", s.removeJob),
		reads("POST /api/v1/jobs/{id}/start", "Switch a job's schedule on.", s.startJob),
		reads("POST /api/v1/jobs/{id}/stop", "Switch a job's schedule off.", s.stopJob),
		takes("POST /api/v1/jobs/{id}/copy", "Create a stopped copy of a job, with the given fields changed.", s.copyJob),
		takes("POST /api/v1/jobs/{id}/trigger", "Run a job now, even a stopped one.", s.triggerJob),

		reads("GET /api/v1/jobs/{id}/glue", "List the versions of a job's source.", s.listGlue),
		reads("GET /api/v1/jobs/{id}/glue/{version}", "Show a version of a job's source.", s.showGlueVersion),
		reads("POST /api/v1/jobs/{id}/glue/{version}/restore", "Restore an earlier version of a job's source, as a new version.", s.restoreGlue),

		reads("GET /api/v1/jobs/{id}/next", "List the next due times of a job, whether its schedule is on or off.", s.nextOfJob),
		reads("GET /api/v1/jobs/{id}/misfires", "List the due times of a job that got no fire of their own.", s.listMisfires),

		reads("GET /api/v1/groups", "List groups of executors, by id.", s.listGroups),
		takes("POST /api/v1/groups", "Create a group.", s.createGroup).requiring("appName"),
		reads("GET /api/v1/groups/{id}", "Show a group.", s.showGroup),
		takes("PUT /api/v1/groups/{id}", "Change the given fields of a group.", s.updateGroup),
		reads("DELETE /api/v1/groups/{id}", "Delete a group that has no jobs.", s.removeGroup),
		reads("GET /api/v1/groups/{id}/executors", "Probe each executor of a group: whether it answers, and which generation of the protocol it speaks.", s.probeGroup),

		reads("GET /api/v1/logs", "List runs, oldest or newest first.", s.listLogs),
		reads("GET /api/v1/logs/{id}", "Show a run.", s.showLog),
		reads("GET /api/v1/logs/{id}/text", "Show what a run wrote, from a line on.", s.runLog),
		reads("POST /api/v1/logs/{id}/kill", "Kill a run, together with all other runs of its job that run or wait on the same executor.", s.killRun),
		takes("POST /api/v1/logs/clear", "Delete ended runs by age, or all but the newest. A call stops after some seconds; repeat it until done is true.", s.clearLogs),

		reads("GET /api/v1/orders/{id}", "Show what became of a triggered run.", s.showOrder),
		reads("GET /api/v1/fires", "List fires that are not settled, by due time.", s.listFires),
		reads("GET /api/v1/nodes", "List the schedulers that hold a lease.", s.listNodes),
		reads("GET /api/v1/cron/next", "List the next times of a cron expression.", s.nextOfCron),

		reads("GET /api/v1/reports", "Show how many runs of each day succeeded and failed, by the day of their trigger.", s.reports),
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
