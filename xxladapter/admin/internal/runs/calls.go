package runs

import "github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"

// Calls returns the calls about runs, each with what it needs of its caller.
func (s *Server) Calls() []api.Call {
	return []api.Call{
		api.WithoutBody(
			"GET /api/v1/jobs/{id}/misfires", api.Viewer, "List the due times of a job that got no fire of their own.",
			s.listMisfires,
		),
		api.WithoutBody("GET /api/v1/runs", api.Viewer, "List runs, oldest or newest first.", s.listRuns),
		api.WithoutBody("GET /api/v1/runs/{id}", api.Viewer, "Show a run.", s.showRun),
		api.WithoutBody("GET /api/v1/runs/{id}/log", api.Viewer, "Show what a run wrote, from a line on.", s.runLog),
		api.Streaming[TailForm](api.EventStream, api.WithoutBody(
			"GET /api/v1/runs/{id}/tail", api.Viewer, "Stream what a run writes, as server-sent events.", s.tailRun,
		).Noting("The stream ends with the run.")),
		api.WithoutBody(
			"POST /api/v1/runs/{id}/kill", api.Operator,
			"Kill a run, together with all other runs of its job that run or wait on the same executor.", s.killRun,
		),
		api.WithBody(
			"POST /api/v1/runs/clear", api.Editor, "Delete ended runs by age, or all but the newest.", s.clearRuns,
		).Noting("A call stops after some seconds; repeat it until done is true."),
		api.WithoutBody("GET /api/v1/fires", api.Viewer, "List fires that are not settled, by due time.", s.listFires),
	}
}
