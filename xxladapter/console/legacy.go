package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A target returns the page of the console, relative to Base, for the query of an old path.
type target func(url.Values) string

// legacy maps the root, and the paths of XXL-JOB's console, to the pages of the same purpose, so
// that links in notes and mails keep working.
var legacy = legacyPaths()

func legacyPaths() map[string]target {
	paths := map[string]target{"/{$}": to(""), Base[:len(Base)-1]: to("")}
	context := strings.TrimSuffix(wire.AdminContextPath, wire.AdminPath[1:])
	paths[context+"{$}"] = to("")
	for _, base := range []string{"/", context} {
		for old, page := range map[string]target{
			"jobinfo":              jobsOf,
			"joblog":               runsOf,
			"joblog/logDetailPage": runOf,
			"jobgroup":             to("executors"),
			"jobcode":              codeOf,
			"user":                 to("users"),
			"help":                 to("help"),
			"toLogin":              to("login"),
		} {
			paths[base+old] = page
		}
	}
	return paths
}

func to(page string) target { return func(url.Values) string { return page } }

// jobsOf keeps the group that XXL-JOB's list of jobs was filtered by.
func jobsOf(q url.Values) string { return "jobs" + filters(q, "jobGroup", "group") }

// runsOf keeps the group and the job that XXL-JOB's list of runs was filtered by.
func runsOf(q url.Values) string { return "runs" + filters(q, "jobGroup", "group", "jobId", "job") }

func runOf(q url.Values) string {
	if id := number(q.Get("id")); id != "" {
		return "runs/" + id
	}
	return "runs"
}

func codeOf(q url.Values) string {
	if id := number(q.Get("jobId")); id != "" {
		return "jobs/" + id + "/code"
	}
	return "jobs"
}

// filters translates the filters of an old query. names alternates old and new names; a filter that
// is no id is dropped.
func filters(q url.Values, names ...string) string {
	kept := url.Values{}
	for i := 0; i < len(names); i += 2 {
		if id := number(q.Get(names[i])); id != "" {
			kept.Set(names[i+1], id)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "?" + kept.Encode()
}

// number returns text if it is a positive number, and otherwise an empty text. XXL-JOB uses 0 and
// -1 for "all".
func number(text string) string {
	if text == "" || text[0] == '0' || strings.Trim(text, "0123456789") != "" {
		return ""
	}
	return text
}

// redirect returns a handler that redirects to a page. The Location is relative, so that it stays
// correct under any prefix that a proxy removes.
func redirect(page target) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		setPolicy(w.Header())
		up := strings.Repeat("../", strings.Count(r.URL.Path, "/")-1)
		w.Header().Set("Location", up+Base[1:]+page(r.URL.Query()))
		w.WriteHeader(http.StatusFound)
	}
}
