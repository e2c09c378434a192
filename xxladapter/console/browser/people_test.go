package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const password = "correct horse"

// user creates a user with a role for a group, or for all with group 0.
func (s *site) user(name string, group int64, role string) {
	s.t.Helper()
	s.call("POST", "/users", map[string]any{"name": name, "password": password, "grants": []any{map[string]any{"jobGroup": group, "role": role}}}, nil)
}

// signedIn opens a path as a user.
func (s *site) signedIn(name, path string) *tab {
	s.t.Helper()
	tab := s.open(path)
	tab.allowed = append(tab.allowed, "401 (Unauthorized)")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.typeIn("Name", name)
	tab.typeIn("Password", password)
	tab.press(kb.Enter)
	tab.until("sign-in is gone", `!document.querySelector("dialog[open]")`)
	tab.settled()
	return tab
}

// users returns the names and the grants of all users.
func (s *site) users() map[string]string {
	s.t.Helper()
	var list struct {
		Users []struct {
			Name   string
			Grants []struct {
				JobGroup int64
				Role     string
			}
		}
	}
	s.call("GET", "/users", nil, &list)
	users := map[string]string{}
	for _, u := range list.Users {
		users[u.Name] = fmt.Sprint(u.Grants)
	}
	return users
}

// An administrator creates a user, grants roles, gives a new password and deletes the user again;
// the old path of XXL-JOB leads to the page.
func TestUsers(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	s.user("wang.fang", 0, "admin")
	tab := s.signIn("../user")
	tab.sees("wang.fang")
	tab.allowed = append(tab.allowed, "400 (Bad Request)", "409 (Conflict)")

	tab.click("New user")
	tab.accessible("users-new")
	tab.picture("users-new")
	tab.typeIn("Name", "li.na")
	tab.typeIn("Password", "short")
	tab.press(kb.Enter)
	tab.until("the rule stands beside the field", `document.querySelector("[aria-invalid=true]")?.type === "password"`)
	tab.typeIn("Password", password)
	tab.choose("Group", fmt.Sprint(group))
	tab.choose("Role", "operator")
	tab.click("Create")
	tab.sees("li.na was saved")
	tab.sees("Operator · Orders")
	require.Equal(t, fmt.Sprintf("[{%d operator}]", group), s.users()["li.na"])

	tab.click("Roles of li.na")
	tab.click("Add a role")
	tab.until("two roles", `document.querySelectorAll("dialog fieldset select").length === 4`)
	tab.accessible("users-edit")
	tab.picture("users-edit")
	tab.click("Save")
	tab.sees("Viewer · All groups")
	require.Equal(t, fmt.Sprintf("[{0 viewer} {%d operator}]", group), s.users()["li.na"])

	tab.click("New password for li.na")
	tab.typeIn("New password", "another horse")
	tab.click("Save")
	tab.until("the dialog is gone", `!document.querySelector("dialog[open]")`)
	status, _ := s.try("POST", "/session", map[string]any{"name": "li.na", "password": "another horse"})
	require.Equal(t, http.StatusOK, status)

	tab.click("Delete wang.fang?")
	tab.click("Delete")
	tab.until("the last administrator remains", `document.querySelector("dialog .field-error")`)
	tab.press(kb.Escape)
	tab.click("Delete li.na?")
	tab.click("Delete")
	tab.until("one user remains", `document.querySelectorAll("tbody tr").length === 1`)
	require.Len(t, s.users(), 1)
}

// Any page may link to the console with a token of its own. That does not replace who is signed in.
func TestALinkWithATokenReplacesNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.user("wang.fang", 0, "admin")
	tab := s.signedIn("wang.fang", "help")
	tab.visit("me?again#token=" + s.token)
	tab.sees("wang.fang")
	tab.until("the token is not kept", `!sessionStorage.getItem("xxlwheel.token") && !location.hash`)
}

// A link with a token that cannot be read asks for sign-in, as one without a token.
func TestALinkWithABrokenToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	tab := s.open("help#token=100%25%")
	tab.allowed = append(tab.allowed, "401 (Unauthorized)")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.until("the token is not kept", `!sessionStorage.getItem("xxlwheel.token") && !location.hash`)
}

// A user makes a token that is shown once and does what its limits say, revokes it, ends another
// session, and changes the password.
func TestMe(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.group("Orders")
	s.user("wang.fang", 0, "admin")
	status, _ := s.try("POST", "/session", map[string]any{"name": "wang.fang", "password": password})
	require.Equal(t, http.StatusOK, status, "the other session")
	tab := s.signedIn("wang.fang", "me")
	tab.allowed = append(tab.allowed, "400 (Bad Request)")
	tab.sees("Administrator · All groups")

	tab.click("New token")
	tab.typeIn("Used for", "nightly report")
	tab.accessible("token-new")
	tab.picture("token-new")
	tab.click("Create")
	tab.sees("it is not shown again")
	tab.accessible("token-shown")
	tab.picture("token-shown")
	var secret string
	tab.eval(`document.querySelector("dialog input").value`, &secret)
	script := *s
	script.token = secret
	script.call("GET", "/jobs", nil, nil)
	status, _ = script.try("POST", "/groups", map[string]any{"appName": "another-app"})
	require.Equal(t, http.StatusForbidden, status, "a viewer's token")
	tab.click("Done")
	tab.until("the secret is gone", `!document.documentElement.innerHTML.includes(`+fmt.Sprintf("%q", secret)+`)`)
	tab.accessible("me")
	tab.picture("me-token")

	tab.click("Revoke nightly report?")
	tab.click("Revoke")
	tab.sees("No tokens yet")
	status, _ = script.try("GET", "/jobs", nil)
	require.Equal(t, http.StatusUnauthorized, status)

	tab.until("there are two sessions", `document.querySelectorAll("tbody tr").length === 2`)
	tab.click("End the session from 127.0.0.1?")
	tab.click("End")
	tab.until("one session remains", `document.querySelectorAll("tbody tr").length === 1`)

	tab.typeIn("Old password", "wrong horse")
	tab.typeIn("New password", "another horse")
	tab.typeIn("Password again", "another horse")
	tab.press(kb.Enter)
	tab.until("the old one is wrong", `document.querySelector("[aria-invalid=true]")?.autocomplete === "current-password"`)
	tab.typeIn("Old password", password)
	tab.press(kb.Enter)
	tab.sees("The password was changed")
	status, _ = s.try("POST", "/session", map[string]any{"name": "wang.fang", "password": "another horse"})
	require.Equal(t, http.StatusOK, status)
}

// Pages offer what the caller may do, and the rail has the pages that it may read.
func TestPagesFollowRights(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	job := s.job(group, "settle orders", nil)
	s.user("wang.fang", 0, "admin")
	s.user("li.na", group, "viewer")
	s.user("zhang.wei", group, "operator")
	offers := func(tab *tab) string {
		var names string
		tab.until("the page is there for this user", `document.querySelector(".who") && !document.querySelector(".is-failure, .waiting")`)
		tab.eval(`[...document.querySelectorAll(".rail-list a, main .button, main .switch:enabled")].map((e) => e.getAttribute("aria-label") ?? e.innerText.trim()).join("|")`, &names)
		return names
	}
	reads := "Overview|Jobs|Runs|Load ahead|Job graph|Executors|Nodes|Export, apply|Settings|My account|API|Help"
	viewer := s.signedIn("li.na", "jobs")
	viewer.sees("settle orders")
	require.Equal(t, reads+"|Details of settle orders|Runs of settle orders", offers(viewer))
	viewer.visit(fmt.Sprintf("jobs/%d", job))
	require.Equal(t, reads, offers(viewer))
	viewer.allowed = append(viewer.allowed, "403 (Forbidden)")
	viewer.visit("users")
	viewer.sees("You may not do this")
	viewer.accessible("users-refused")
	viewer.picture("users-refused")

	operator := s.signedIn("zhang.wei", fmt.Sprintf("jobs/%d", job))
	require.Equal(t, reads+"|Schedule of settle orders|Run now", offers(operator))

	admin := s.signedIn("wang.fang", fmt.Sprintf("jobs/%d", job))
	require.Equal(t, "Overview|Jobs|Runs|Load ahead|Job graph|Executors|Nodes|Audit|Export, apply|Users|Settings|My account|API|Help|Schedule of settle orders|Run now|Edit|Copy|Delete", offers(admin))
}

// A session ends while a form is filled in. Sign-in stands above the form, and what was typed is
// kept, and saved only afterwards.
func TestASessionEndsAmidAnEdit(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	job := s.job(s.group("Orders"), "settle orders", nil)
	s.user("wang.fang", 0, "admin")
	tab := s.signedIn("wang.fang", fmt.Sprintf("jobs/%d/edit", job))
	tab.typeIn("Owner", "li.na")
	tab.typeIn("Parameter", "typed before the session ended")
	tab.eval(`window.same = true, 0`, nil)
	tab.click("Review changes")
	tab.until("the review is open", `document.querySelector("dialog .diff")`)

	users, err := s.store.Users(t.Context(), xxladapter.UserFilter{Name: "wang.fang"})
	require.NoError(t, err)
	require.Len(t, users, 1)
	require.NoError(t, s.store.UpdateUser(t.Context(), users[0].ID, xxladapter.UserChange{EndSessions: true}))
	tab.click("Save")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open] input[type=password]")`)
	tab.accessible("session-ended")
	tab.picture("session-ended")
	tab.typeIn("Name", "wang.fang")
	tab.typeIn("Password", password)
	tab.press(kb.Enter)
	tab.until("sign-in is gone", `!document.querySelector("dialog[open] input[type=password]")`)
	tab.until("what was typed is there", `document.querySelector("input[name=author]").value === "li.na" && document.querySelector("form").innerHTML !== "" && [...document.querySelectorAll("textarea")].some((e) => e.value === "typed before the session ended")`)
	var is struct{ Author, ExecutorParam string }
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	require.Equal(t, "wang.fang", is.Author, "nothing was saved by the session that had ended")
	tab.click("Review changes")
	tab.click("Save")
	tab.sees("settle orders was saved")
	tab.until("the page was not loaded again", `window.same`)
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	require.Equal(t, "li.na", is.Author)
	require.Equal(t, "typed before the session ended", is.ExecutorParam)
}

// Nothing that one user could read is left for the next one who signs in at the same tab.
func TestAnotherUserSeesNothingOfTheFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	s.user("wang.fang", 0, "admin")
	s.user("li.na", group, "viewer")
	tab := s.signedIn("wang.fang", "users")
	tab.rowsAre("wang.fang", "li.na")
	tab.allowed = append(tab.allowed, "403 (Forbidden)")
	tab.click("Sign out")
	tab.until("sign-in is asked for", `document.querySelector("dialog[open]")`)
	tab.typeIn("Name", "li.na")
	tab.typeIn("Password", password)
	tab.press(kb.Enter)
	tab.until("another user is there", `document.querySelector(".who")?.innerText === "li.na"`)
	tab.sees("You may not do this")
	tab.until("the users are gone", `!document.body.innerText.includes("wang.fang")`)
}

// Tabs share the cookie of a session. A tab that people come back to shows who they are by now.
func TestAnotherUserSignsInAtAnotherTab(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.user("wang.fang", 0, "admin")
	s.user("li.na", 0, "viewer")
	tab := s.signedIn("wang.fang", "users")
	tab.allowed = append(tab.allowed, "403 (Forbidden)")
	tab.rowsAre("wang.fang", "li.na")
	var status int
	tab.eval(fmt.Sprintf(`fetch("../api/v1/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name: "li.na", password: %q }) }).then((r) => r.status)`, password), &status)
	require.Equal(t, http.StatusOK, status)
	tab.eval(`document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`, nil)
	tab.until("the frame names the user", `document.querySelector(".who")?.innerText === "li.na"`)
	tab.sees("You may not do this")
}
