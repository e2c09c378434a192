package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachRole checks that the page offers each role what the API lets it do, and that nothing of
// another group exists for it, neither in lists nor by its id.
func TestEachRole(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	job := s.job(group, "settle orders", nil)
	run := s.run(job, "")
	s.ended(run)
	var created struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "payroll", "title": "Payroll"}, &created)
	foreign := s.job(created.ID, "pay salaries", nil)
	s.user("root", 0, "admin")
	for i, role := range []string{"viewer", "operator", "editor", "coder", "admin"} {
		name := "the." + role
		s.user(name, group, role)
		tab := s.signedIn(name, fmt.Sprintf("jobs/%d", job))
		tab.allowed = append(tab.allowed, "404 (Not Found)", "403 (Forbidden)")
		tab.until("the page is there for this user", `document.querySelector(".who") && document.querySelector(".switch")`)
		offers := func(selector string) (names string) {
			t.Helper()
			tab.eval(fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.getAttribute("aria-label") ?? e.innerText.trim()).join("|")`, selector), &names)
			return names
		}
		want := []string{"", "Schedule of settle orders|Run now", "Schedule of settle orders|Run now|Edit|Copy|Delete"}[min(i, 2)]
		require.Equal(t, want, offers(".page-head .switch:enabled, .page-head .button"), role)
		// Calls that the page does not offer are refused; those that it offers are not.
		status := func(method, path, body string) (n int) {
			t.Helper()
			tab.eval(fmt.Sprintf(`fetch(%q, { method: %q, headers: { "Content-Type": "application/json" }, body: %s }).then((r) => r.status)`, "/api/v1"+path, method, body), &n)
			return n
		}
		may := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}
		require.Equal(t, may[i >= 1], status("POST", fmt.Sprintf("/jobs/%d/trigger", job), "undefined"), role)
		require.Equal(t, may[i >= 2], status("PUT", fmt.Sprintf("/jobs/%d", job), `'{"author":"li.na"}'`), role)
		require.Equal(t, may[i >= 3], status("PUT", fmt.Sprintf("/jobs/%d/glue", s.job(group, "a script of "+role, nil)), `'{"glueType":"GLUE_SHELL","glueSource":"echo","glueRemark":"by a coder"}'`), role)
		require.Equal(t, may[i >= 4], status("PUT", fmt.Sprintf("/groups/%d", group), `'{"title":"Orders"}'`), role)
		require.Equal(t, http.StatusForbidden, status("GET", "/users", "undefined"), role)

		if i > 0 && i < 4 { // the lowest and the highest role suffice
			continue
		}
		for _, path := range []string{"jobs/%d", "jobs/%d/edit", "jobs/%d/why", "jobs/%d/code"} {
			tab.visit(fmt.Sprintf(path, foreign))
			tab.until("it does not exist", `document.querySelector(".is-failure")?.innerText.includes("does not exist")`)
		}
		tab.visit(fmt.Sprintf("executors/%d", created.ID))
		tab.until("it does not exist", `document.querySelector(".is-failure")?.innerText.includes("does not exist")`)
		for _, path := range []string{"", "jobs", "runs", "executors", "forecast", "graph"} {
			tab.visit(path)
			var text string
			tab.eval(`document.body.innerText`, &text)
			require.False(t, strings.Contains(text, "Payroll") || strings.Contains(text, "pay salaries"), "%s sees another group on %s", role, path)
		}
	}
}
