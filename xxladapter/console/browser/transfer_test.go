package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// give sets the files of the page's file input, as a user's choice does.
func (t *tab) give(files map[string]string) {
	t.t.Helper()
	t.until("files can be chosen", `document.querySelector("input[type=file]")`)
	var list strings.Builder
	for name, text := range files {
		fmt.Fprintf(&list, "d.items.add(new File([%q], %q));", text, name)
	}
	t.eval(`(() => { const d = new DataTransfer(), e = document.querySelector("input[type=file]"); `+list.String()+` e.files = d.files; e.dispatchEvent(new Event("change", { bubbles: true })); return true; })()`, nil)
}

// Jobs are exported to a file, which is applied again. A dry run shows each field that differs and
// changes nothing, problems are named by file and line, and a viewer cannot apply files.
func TestTransfer(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"executorParam": "all"})
	tab := s.signIn("transfer")
	tab.allowed = append(tab.allowed, "400 (Bad Request)")
	tab.sees("The scheduler was started without such a database.")

	tab.eval(`(() => { const real = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then((text) => (window.saved = text)); return real(b); }; return true; })()`, nil)
	tab.until("the group can be chosen", `document.querySelectorAll("main select option").length === 2`)
	tab.choose("Group", siteApp)
	tab.click("Download YAML")
	tab.until("a file is downloaded", `window.saved`)
	var file string
	tab.eval(`window.saved`, &file)
	require.Contains(t, file, "name: settle orders")
	require.NotContains(t, file, fmt.Sprint("id: ", job))

	changed := strings.Replace(file, "executorParam: all", "executorParam: merchants", 1)
	require.NotEqual(t, file, changed)
	tab.give(map[string]string{"orders.yaml": changed, "month.sh": "echo month\n"})
	tab.sees("orders.yaml")
	tab.typeIn("Or paste YAML here", `{"jobs": [{"appName": "`+siteApp+`", "key": "month", "name": "close the month", "author": "li.na", "glueType": "GLUE_SHELL", "glueSourceFile": "month.sh", "glueRemark": "from a file", "scheduleType": "CRONE"}]}`)
	for range 3 { // past both boxes
		tab.press(kb.Tab)
	}
	tab.press(kb.Enter)
	tab.sees("The files cannot be applied")
	tab.until("the place of the mistake is named", `document.querySelector("[role=alert] .entry-head")?.innerText.includes("pasted.yaml:1") && document.querySelector("[role=alert] .field-error").innerText.includes("CRONE")`)
	tab.accessible("transfer-refused")
	tab.picture("transfer-refused")

	tab.eval(`(() => { const e = document.querySelector("main textarea"); e.value = e.value.replace("CRONE", "NONE"); e.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`, nil)
	tab.until("what was said of the text before is gone", `!document.querySelector("[role=alert]")`)
	tab.click("Dry run")
	tab.sees("What would change")
	tab.until("each field is shown", `["close the month", "month.sh", "merchants"].every((text) => document.querySelector("main").innerText.includes(text)) && document.querySelector(".audit-changes del")?.innerText === "all"`)
	for _, width := range []int64{1440, 390} {
		tab.look("en", "light", width)
		tab.fits(fmt.Sprint("transfer-dry-run-", width))
		tab.accessible(fmt.Sprint("transfer-dry-run-", width))
		tab.eval(`document.querySelector(".entries").scrollIntoView({ block: "end" })`, nil)
		tab.picture(fmt.Sprint("transfer-dry-run-", width))
	}
	var is struct{ ExecutorParam string }
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	require.Equal(t, "all", is.ExecutorParam)

	tab.look("en", "light", 1440)
	tab.click("Apply 2 changes")
	tab.click("Apply")
	tab.sees("The files were applied")
	s.call("GET", fmt.Sprintf("/jobs/%d", job), nil, &is)
	require.Equal(t, "merchants", is.ExecutorParam)
	tab.until("what was made leads to its page", `[...document.querySelectorAll("main .entries a")].some((a) => a.innerText === "close the month" && a.pathname.endsWith("/jobs/`+fmt.Sprint(job+1)+`"))`)
	tab.click("Dry run")
	tab.sees("Everything is as declared")

	s.user("wang.fang", 0, "admin")
	s.user("li.na", group, "viewer")
	viewer := s.signedIn("li.na", "transfer")
	viewer.sees("Download YAML")
	viewer.until("no file can be applied, and no jobs taken over", `!document.body.innerText.includes("Take over from") && document.querySelector(".who") && !document.querySelector("input[type=file]")`)
}

// A job that its owner's files no longer name is deleted only on request, and after a confirmation.
func TestTransferDeletes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	file := func(keys ...string) map[string]string {
		text := "owner: billing\njobs:\n"
		for _, key := range keys {
			text += "  - {appName: " + siteApp + ", key: " + key + ", author: li.na, executorHandler: greet}\n"
		}
		return map[string]string{"billing.yaml": text}
	}
	tab := s.open("transfer")
	tab.give(file("settle", "collect"))
	tab.click("Dry run")
	tab.click("Apply 2 changes")
	tab.click("Apply")
	tab.sees("The files were applied")
	tab.give(file("settle"))
	tab.tick("Delete jobs of the same owner that the files do not name")
	tab.click("Dry run")
	tab.click("Apply 1 change")
	tab.sees("1 job will be deleted.")
	tab.accessible("transfer-delete")
	tab.picture("transfer-delete")
	tab.click("Apply")
	tab.sees("What has changed")
	var list struct{ Jobs []struct{ Name string } }
	s.call("GET", "/jobs", nil, &list)
	require.Len(t, list.Jobs, 1)
	require.Equal(t, "settle", list.Jobs[0].Name)
}
