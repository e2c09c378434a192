package assistant

import (
	"net/http"
	"net/url"
)

// A tool is a call of the API under the name by which an assistant knows it.
type tool struct {
	name, method, path string
	// given are query parameters that are sent unless the assistant sets them. They keep answers
	// short.
	given url.Values
}

// reading are the tools that change nothing.
var reading = []tool{
	{name: "overview", method: http.MethodGet, path: "/overview"},
	{name: "scheduler_info", method: http.MethodGet, path: "/info"},
	{name: "list_nodes", method: http.MethodGet, path: "/nodes"},
	{name: "list_groups", method: http.MethodGet, path: "/groups"},
	{name: "list_jobs", method: http.MethodGet, path: "/jobs", given: url.Values{"limit": {"50"}, "light": {"true"}}},
	{name: "show_job", method: http.MethodGet, path: "/jobs/{id}"},
	{name: "next_due_times", method: http.MethodGet, path: "/jobs/{id}/next"},
	{name: "why", method: http.MethodGet, path: "/jobs/{id}/why"},
	{name: "timeline", method: http.MethodGet, path: "/jobs/{id}/timeline"},
	{
		name: "list_misfires", method: http.MethodGet, path: "/jobs/{id}/misfires",
		given: url.Values{"limit": {"50"}, "newest": {"true"}},
	},
	{name: "list_runs", method: http.MethodGet, path: "/runs", given: url.Values{"limit": {"50"}, "newest": {"true"}}},
	{name: "show_run", method: http.MethodGet, path: "/runs/{id}"},
	{name: "run_log", method: http.MethodGet, path: "/runs/{id}/log"},
	{name: "statistics", method: http.MethodGet, path: "/stats"},
	{name: "forecast", method: http.MethodGet, path: "/forecast"},
	{name: "graph", method: http.MethodGet, path: "/graph"},
	{name: "preview_schedule", method: http.MethodGet, path: "/schedule/preview"},
	{name: "list_pauses", method: http.MethodGet, path: "/pauses"},
	{name: "list_calendars", method: http.MethodGet, path: "/calendars"},
}

// changing are the tools that are offered only if changes are allowed.
var changing = []tool{
	{name: "trigger_job", method: http.MethodPost, path: "/jobs/{id}/trigger"},
	{name: "start_job", method: http.MethodPost, path: "/jobs/{id}/start"},
	{name: "stop_job", method: http.MethodPost, path: "/jobs/{id}/stop"},
	{name: "create_job", method: http.MethodPost, path: "/jobs"},
	{name: "update_job", method: http.MethodPut, path: "/jobs/{id}"},
	{name: "rerun", method: http.MethodPost, path: "/runs/{id}/rerun"},
	{name: "kill_run", method: http.MethodPost, path: "/runs/{id}/kill"},
	{name: "begin_pause", method: http.MethodPost, path: "/pauses"},
	{name: "end_pause", method: http.MethodPost, path: "/pauses/{id}/end"},
}
