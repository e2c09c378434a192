package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A run that is started from the list of jobs has the parameter of the job, unless another one is
// typed. The list leaves parameters out.
func TestARunFromTheListHasTheParameterOfItsJob(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", map[string]any{"executorParam": "merchant 4711"})
	tab := s.open("jobs")
	started := func(want string, runs int) {
		t.Helper()
		var list struct {
			Runs []struct{ ExecutorParam string }
		}
		testserver.Eventually(s.t, 30*time.Second, "the run is there", func() bool {
			s.call("GET", fmt.Sprintf("/runs?job=%d&newest=true", job), nil, &list)
			return len(list.Runs) == runs
		})
		require.Equal(t, want, list.Runs[0].ExecutorParam)
	}
	const field = `document.querySelector("dialog textarea")`
	tab.click("Run settle orders now")
	tab.until("the dialog has the parameter", field+`?.value === "merchant 4711"`)
	tab.eval(`document.querySelector("dialog [type=submit]").click()`, nil)
	tab.until("the dialog is closed", `!document.querySelector("dialog")`)
	started("merchant 4711", 1)

	tab.click("Run settle orders now")
	tab.until("it has it again", field+`?.value === "merchant 4711"`)
	tab.eval(`((e) => { e.value = ""; e.dispatchEvent(new Event("input", { bubbles: true })); })(`+field+`)`, nil)
	tab.until("it is empty", field+`.value === ""`)
	tab.eval(`document.querySelector("dialog [type=submit]").click()`, nil)
	tab.until("the dialog is closed", `!document.querySelector("dialog")`)
	started("", 2)
}
