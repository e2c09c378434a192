package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// payloads are texts that somebody may write into any field, to do harm or by accident.
var payloads = []string{
	`<img src=x onerror="document.title='owned'">`,
	`javascript:document.title='owned'//`,
	"\u202eتسوية\u2066الطلبات", // begins to write from right to left and does not end it
	strings.Repeat("很长的名字", 2000),
	"a\x00b",
}

// Texts in any field stay texts: each is accepted or refused, and no page breaks.
func TestPayloadsInEveryField(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0 2 * * ?"})
	var g struct{ AddressList []string }
	s.call("GET", fmt.Sprintf("/groups/%d", group), nil, &g)
	fields := map[string]struct {
		method, path string
		body         func(text string) map[string]any
	}{
		"tag":          {"PUT", fmt.Sprintf("/jobs/%d", job), func(text string) map[string]any { return map[string]any{"tags": []string{text, "kept"}} }},
		"alarm e-mail": {"PUT", fmt.Sprintf("/jobs/%d", job), func(text string) map[string]any { return map[string]any{"alarmEmail": text} }},
		"source": {"PUT", fmt.Sprintf("/jobs/%d/glue", job), func(text string) map[string]any {
			return map[string]any{"glueType": "GLUE_SHELL", "glueSource": text, "glueRemark": text}
		}},
		"parameter": {"POST", fmt.Sprintf("/jobs/%d/trigger", job), func(text string) map[string]any { return map[string]any{"executorParam": text} }},
		"backfill": {"POST", fmt.Sprintf("/jobs/%d/backfill", job), func(text string) map[string]any {
			return map[string]any{"from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z", "executorParam": text}
		}},
		"pause":       {"POST", "/pauses", func(text string) map[string]any { return map[string]any{"jobGroup": group, "note": text} }},
		"drain":       {"POST", fmt.Sprintf("/groups/%d/drain", group), func(text string) map[string]any { return map[string]any{"address": g.AddressList[0], "note": text} }},
		"group title": {"POST", "/groups", func(text string) map[string]any { return map[string]any{"appName": "other-service", "title": text} }},
		"calendar note": {"PUT", "/calendars/plant", func(text string) map[string]any {
			return map[string]any{"weekend": []string{}, "years": []any{}, "note": text}
		}},
		"user": {"POST", "/users", func(text string) map[string]any {
			return map[string]any{"name": text, "password": password, "grants": []any{}}
		}},
	}
	shown := map[string]bool{}
	for name, f := range fields {
		for i, text := range payloads {
			status, answer := s.try(f.method, f.path, f.body(text))
			require.Contains(t, []int{http.StatusOK, http.StatusBadRequest, http.StatusConflict}, status, "%s %d: %s", name, i, answer)
			if status == http.StatusOK {
				shown[name] = true
			}
		}
	}
	for i, text := range payloads {
		status, answer := s.try("PUT", "/calendars/"+url.PathEscape(text), fields["calendar note"].body(""))
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, status, "calendar %d: %s", i, answer)
	}
	for _, name := range []string{"tag", "source", "parameter", "backfill", "pause", "drain", "group title", "calendar note"} {
		require.True(t, shown[name], "%s: no payload was stored, so none was shown", name)
	}

	tab := s.open("jobs")
	tab.until("what turns the direction of a note ends with it", `[...document.querySelectorAll(".banner bdi")].some((e) => e.innerText.startsWith("\u202e"))`)
	for _, path := range []string{"settings", "audit", "executors"} {
		tab.visit(path)
		tab.sees(payloads[0])
	}
	for _, path := range []string{
		"", "jobs", fmt.Sprintf("jobs/%d", job), fmt.Sprintf("jobs/%d/edit", job), fmt.Sprintf("jobs/%d/runs", job), fmt.Sprintf("jobs/%d/why", job),
		fmt.Sprintf("jobs/%d/code", job), fmt.Sprintf("jobs/%d/changes", job), "executors", fmt.Sprintf("executors/%d", group), "settings", "users", "audit", "graph", "forecast", "nodes",
	} {
		tab.visit(path)
		var is struct {
			Title    string
			Injected int
			Links    []string
		}
		tab.eval(`({ Title: document.title, Injected: document.querySelectorAll("main img, main script, body > script, [onerror]").length, Links: [...document.querySelectorAll("a[href]")].map((a) => a.href).filter((h) => !h.startsWith(location.origin)) })`, &is)
		require.NotEqual(t, "owned", is.Title, path)
		require.Zero(t, is.Injected, path)
		require.Empty(t, is.Links, path)
		for _, width := range []int64{1440, 390} {
			tab.look("en", "light", width)
			tab.fits(fmt.Sprintf("payloads %s at %d", path, width))
			if width == 390 || path == "jobs" || path == "settings" || path == "audit" {
				tab.picture(fmt.Sprintf("payloads-%d-%s", width, strings.ReplaceAll(path, "/", "-")))
			}
		}
	}
}
