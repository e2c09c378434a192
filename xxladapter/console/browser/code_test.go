package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// written is the JavaScript expression of the element that holds the editor's text.
const written = `document.querySelector(".editor").shadowRoot.querySelector(".cm-content")`

// glue is the stored source of a job.
type glue struct {
	GlueSource, GlueRemark, GlueUpdated string
	Versions                            []struct {
		ID         int64
		GlueRemark string
	}
}

func (s *site) glue(job int64) (is glue) {
	s.t.Helper()
	s.call("GET", fmt.Sprintf("/jobs/%d/glue", job), nil, &is)
	return is
}

// script creates a job that runs a shell script.
func (s *site) script(group int64, source string) int64 {
	s.t.Helper()
	return s.job(group, "migrate ledger", map[string]any{"glueType": "GLUE_SHELL", "glueSource": source, "glueRemark": "first version"})
}

// write types at the end of the editor's text.
func (t *tab) write(text string) {
	t.t.Helper()
	t.until("the editor is there", written)
	t.eval(`(() => { const e = `+written+`; e.focus(); const s = e.getRootNode().getSelection?.() ?? getSelection(); s.selectAllChildren(e); s.collapseToEnd(); })()`, nil)
	t.do(chromedp.KeyEvent(text))
}

// compared returns a JavaScript expression that is true if the last comparison on the page marks
// before on its left side and after on its right side as changed.
func compared(before, after string) string {
	return fmt.Sprintf(`((r) => r && [...r.querySelectorAll(".cm-merge-a .cm-changedLine")].some((l) => l.innerText.includes(%q)) && [...r.querySelectorAll(".cm-merge-b .cm-changedLine")].some((l) => l.innerText.includes(%q)))([...document.querySelectorAll(".compare")].at(-1)?.shadowRoot)`, before, after)
}

// A script is edited with a remark, its versions are compared side by side, and an earlier one is
// restored.
func TestASourceIsEditedComparedAndRestored(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.script(group, "#!/bin/bash\necho first\n")
	tab := s.open(fmt.Sprintf("jobs/%d", job))
	tab.click("Code")
	tab.until("the source is there, in colours", `[...`+written+`.querySelectorAll("span")].some((e) => e.innerText === "echo" && e.className)`)
	tab.write("echo second")
	tab.sees("Not saved")
	tab.accessible("code")
	tab.click("Save")
	tab.until("the difference is shown", `document.querySelector("dialog .compare")?.shadowRoot?.querySelector(".cm-merge-b .cm-changedLine")?.innerText.includes("second")`)
	tab.typeIn("Remark", "abc")
	tab.click("Save")
	tab.until("the rule stands beside the field", `document.querySelector("dialog .field-error")?.innerText.includes("4 to 100")`)
	tab.accessible("code-save")
	tab.picture("code-save")
	tab.typeIn("Remark", "writes a second line")
	tab.click("Save")
	tab.until("the version is listed", `document.querySelector(".versions li")?.innerText.includes("writes a second line")`)
	is := s.glue(job)
	require.Equal(t, "#!/bin/bash\necho first\necho second", is.GlueSource)
	require.Equal(t, "writes a second line", is.GlueRemark)

	tab.click("Compare first version")
	tab.until("the versions differ", `document.querySelector(".compare")?.shadowRoot?.querySelector(".cm-merge-b .cm-changedLine")?.innerText.includes("second")`)
	tab.until("the comparison is in the address", `location.search.includes("from=")`)
	tab.accessible("code-compare")
	tab.eval(`location.reload()`, nil)
	tab.settled()
	tab.until("and after a reload", `document.querySelector(".compare")?.shadowRoot?.querySelector(".cm-merge-b .cm-changedLine")?.innerText.includes("second")`)
	for columns, width := range []int64{390, 1440} {
		tab.look("en", "light", width)
		tab.until("a narrow page has one column", fmt.Sprintf(`((r) => r.querySelectorAll(".cm-merge-a").length === %d && r.querySelector(".cm-merge-b .cm-changedLine"))(document.querySelector(".compare").shadowRoot)`, columns))
	}
	tab.click("End the comparison")
	tab.until("it is gone", `!document.querySelector(".compare")`)

	tab.click("Restore first version")
	tab.click("Restore")
	tab.sees("The version was restored")
	tab.until("the editor has it", `!`+written+`.innerText.includes("second")`)
	require.Equal(t, "#!/bin/bash\necho first\n", s.glue(job).GlueSource)
	s.ended(s.run(job, ""))
}

// Somebody else saves while the editor is open: nothing is lost, and both sources are shown.
func TestTwoEditorsOfASource(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.script(s.group("Orders"), "echo first\n")
	tab := s.open(fmt.Sprintf("jobs/%d/code", job))
	tab.allowed = append(tab.allowed, "409 (Conflict)")
	tab.write("echo mine")
	s.call("PUT", fmt.Sprintf("/jobs/%d/glue", job), map[string]any{"glueSource": "echo theirs\n", "glueRemark": "their version"}, nil)
	tab.sees("Somebody saved another version while you were typing")
	tab.click("Save")
	tab.typeIn("Remark", "my version")
	tab.click("Save")
	tab.sees("Somebody else changed this")
	tab.until("both sources are shown", compared("theirs", "mine"))
	tab.accessible("code-conflict")
	tab.picture("code-conflict")
	tab.click("Save mine on top")
	tab.typeIn("Remark", "mine after theirs")
	tab.click("Save")
	tab.sees("A new version was saved")
	is := s.glue(job)
	require.Equal(t, "echo first\necho mine", is.GlueSource)
	require.Equal(t, "their version", is.Versions[1].GlueRemark)
}

// Somebody else changes the language of a job, and then lets it run a handler, while its source is
// being typed: nothing is lost, and what was typed can be saved in the new language.
func TestTheLanguageChangesUnderAnEditor(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.script(s.group("Orders"), "print(1)\n")
	tab := s.open(fmt.Sprintf("jobs/%d/code", job))
	tab.allowed = append(tab.allowed, "409 (Conflict)")
	tab.write("print(2)")
	const kept = written + `.innerText.includes("print(2)")`
	s.call("PUT", fmt.Sprintf("/jobs/%d", job), map[string]any{"glueType": "GLUE_PYTHON"}, nil)
	tab.until("the page has the other language", `[...document.querySelectorAll("main .tag")].some((e) => e.innerText === "Python")`)
	tab.until("the text is kept", kept)
	tab.sees("Somebody saved another version while you were typing")
	tab.click("Save")
	tab.typeIn("Remark", "a second line")
	tab.click("Save")
	tab.click("Save mine on top")
	tab.typeIn("Remark", "a second line")
	tab.click("Save")
	tab.sees("A new version was saved")
	var is struct{ GlueType, GlueSource string }
	s.call("GET", fmt.Sprintf("/jobs/%d/glue", job), nil, &is)
	require.Equal(t, "GLUE_PYTHON", is.GlueType)
	require.Equal(t, "print(1)\nprint(2)", is.GlueSource)

	tab.write("print(3)")
	s.call("PUT", fmt.Sprintf("/jobs/%d", job), map[string]any{"glueType": "BEAN", "executorHandler": "greet"}, nil)
	tab.until("the job runs a handler", `[...document.querySelectorAll("main .tag")].some((e) => e.innerText === "Bean")`)
	tab.until("the text is kept", written+`.innerText.includes("print(3)")`)
	tab.click("Discard")
	tab.sees("This job runs a handler")
}

// The 31st version drops the first one.
func TestThirtyVersionsAreKept(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.script(s.group("Orders"), "echo 0\n")
	for i := range 29 {
		s.call("PUT", fmt.Sprintf("/jobs/%d/glue", job), map[string]any{"glueSource": fmt.Sprintf("echo %d\n", i+1), "glueRemark": fmt.Sprintf("version number %d", i+1)}, nil)
	}
	tab := s.open(fmt.Sprintf("jobs/%d/code", job))
	tab.until("thirty versions, the first one last", `document.querySelectorAll(".versions li").length === 30 && [...document.querySelectorAll(".versions li")].at(-1).innerText.includes("first version")`)
	tab.write("# one more")
	tab.click("Save")
	tab.typeIn("Remark", "the thirty-first")
	tab.click("Save")
	tab.until("the first one is gone", `document.querySelectorAll(".versions li").length === 30 && document.querySelector(".versions li").innerText.includes("the thirty-first") && [...document.querySelectorAll(".versions li")].at(-1).innerText.includes("version number 1")`)
}

// A caller who may not change scripts can only read them. An empty editor offers a template.
func TestWhoMayWriteASource(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	group := s.group("Orders")
	job := s.script(group, "echo first\n")
	bean := s.job(group, "a handler", nil)
	s.user("wang.fang", 0, "admin")
	s.user("zhang.wei", group, "operator")
	operator := s.signedIn("zhang.wei", fmt.Sprintf("jobs/%d/code", job))
	operator.sees("Read only")
	operator.until("the source cannot be changed", written+`.contentEditable === "false" && `+written+`.innerText.includes("echo first")`)
	operator.until("nothing is offered", `![...document.querySelectorAll("main button")].some((b) => /^(Save|Restore|Discard)/.test(b.innerText))`)
	status, _ := s.try("PUT", fmt.Sprintf("/jobs/%d/glue", bean), map[string]any{"glueSource": "echo", "glueRemark": "a handler has none"})
	require.Equal(t, http.StatusBadRequest, status)

	admin := s.signedIn("wang.fang", "../jobcode?jobId="+fmt.Sprint(job))
	admin.until("the old path leads to the source", `location.pathname.endsWith("/code") && document.querySelector(".editor")`)
	admin.until("the editor is there", written)
	admin.eval(`(() => { const e = `+written+`; e.focus(); getSelection().selectAllChildren(e); })()`, nil)
	admin.do(chromedp.KeyEvent("\b"))
	admin.click("Insert a template")
	admin.until("the template is there", written+`.innerText.includes("set -euo pipefail")`)
	admin.click("Discard")
	admin.until("the source is back", written+`.innerText.includes("echo first")`)
	admin.visit(fmt.Sprintf("jobs/%d/code", bean))
	admin.sees("This job runs a handler")
	require.True(t, strings.HasPrefix(s.glue(job).GlueSource, "echo first"))
}
