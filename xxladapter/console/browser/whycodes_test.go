package browser

import (
	"fmt"
	"testing"
	"time"
)

// explains waits until the page of a job names this finding at a time, in the page's language, and
// then looks at it in the other one. Without a time the page asks about the last due time.
func (t *tab) explains(job int64, at, code string) {
	t.t.Helper()
	path := fmt.Sprintf("jobs/%d/why", job)
	if at != "" {
		path += "?at=" + at
	}
	t.visit(path)
	for range 2 {
		t.until(code+" is named in the language of the page", fmt.Sprintf(`((found) => found && found.querySelector(".status").innerText.trim() !== %q && [found.querySelector(".status"), found.querySelector("p")].every((e) => e.innerText.trim() && /\p{Script=Han}/u.test(e.innerText) === (document.documentElement.lang === "zh-CN")))(document.querySelector("[data-code=%s]"))`, code, code))
		t.eval(`document.querySelector("button.lang").click()`, nil)
	}
}

// What a schedule says explains times at which nothing ran, or at which nothing will.
func TestWhyByTheSchedule(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	var paused struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports"}, &paused)
	s.call("POST", "/pauses", map[string]any{"jobGroup": paused.ID, "note": "the ledger moves"}, nil)
	s.call("PUT", "/calendars/plant", map[string]any{"note": "the plant stands still", "weekend": []string{"SUNDAY"}}, nil)
	hourly := map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 * * * ?", "settings": map[string]any{"zone": "UTC"}}
	excluded := map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 * * * ?", "settings": map[string]any{"zone": "UTC", "calendar": "plant"}}
	missed := s.job(group, "missed", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "86400"})
	due := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	s.startAt(missed, due)

	const sunday = "2099-03-01T02:00:00Z"
	tab := s.open("help")
	for _, tt := range []struct {
		code   string
		group  int64
		fields map[string]any
		at     string
	}{
		{"not_created", group, hourly, "2001-03-01T02:00:00Z"},
		{"not_yet", group, hourly, sunday},
		{"excluded", group, excluded, sunday},
		{"paused", paused.ID, hourly, sunday},
		{"after_run", group, map[string]any{"scheduleType": "FIX_DELAY", "scheduleConf": "86400"}, sunday},
		{"no_schedule", group, nil, sunday},
	} {
		job := s.job(tt.group, tt.code, tt.fields)
		if tt.fields != nil {
			s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
		}
		tab.explains(job, tt.at, tt.code)
	}
	tab.explains(missed, due.Format(time.RFC3339), "misfire")
}

// What became of a run explains it: no executor took it, or it was ended.
func TestWhyByTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	var empty, closed struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports"}, &empty)
	s.call("POST", "/groups", map[string]any{"appName": "archive", "title": "Archive", "addressType": 1, "addressList": []string{"http://127.0.0.1:1/"}}, &closed)
	count := func(name, block string) (job, run int64) {
		job = s.job(group, name, map[string]any{"executorHandler": "count", "executorBlockStrategy": block})
		return job, s.run(job, "")
	}
	covered, first := count("covered", "COVER_EARLY")
	running, killed := count("running", "DISCARD_LATER")
	slow := s.job(group, "slow", map[string]any{"executorHandler": "count", "executorTimeout": 1})
	late := s.run(slow, "")

	tab := s.open("help")
	tab.explains(running, "", "running")
	tab.explains(covered, "", "running")
	discarded := s.run(running, "")
	s.run(covered, "")
	for _, tt := range []struct {
		code   string
		group  int64
		fields map[string]any
	}{
		{"no_executor", empty.ID, nil},
		{"unreachable", closed.ID, map[string]any{"executorRouteStrategy": "FIRST"}},
		{"refused_by_route", closed.ID, map[string]any{"executorRouteStrategy": "FAILOVER"}},
		{"refused", group, map[string]any{"executorHandler": "nobody"}},
	} {
		job := s.job(tt.group, tt.code, tt.fields)
		s.ended(s.run(job, ""))
		tab.explains(job, "", tt.code)
	}
	s.ended(discarded)
	tab.explains(running, "", "refused_by_block")
	s.call("POST", fmt.Sprintf("/runs/%d/kill", killed), nil, nil)
	for run, code := range map[int64]string{first: "covered", killed: "killed", late: "timed_out"} {
		s.ended(run)
		var l struct{ JobID int64 }
		s.call("GET", fmt.Sprintf("/runs/%d", run), nil, &l)
		tab.explains(l.JobID, s.dueOf(l.JobID, run), code)
	}
}

// dueOf returns when a run was due.
func (s *site) dueOf(job, run int64) string {
	s.t.Helper()
	var line struct {
		Runs []struct {
			LogID int64
			Due   string
		}
	}
	s.call("GET", fmt.Sprintf("/jobs/%d/timeline?from=%s&to=%s", job, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), time.Now().Add(time.Minute).UTC().Format(time.RFC3339)), nil, &line)
	for _, r := range line.Runs {
		if r.LogID == run {
			return r.Due
		}
	}
	s.t.Fatalf("run %d of job %d is not in its timeline", run, job)
	return ""
}
