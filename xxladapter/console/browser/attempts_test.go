package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A repeated run says which attempt it is at every width, also where the cause has no column.
func TestTheListOfRunsSaysAttempts(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	failing := s.job(s.group("Orders"), "collect payments", map[string]any{"executorHandler": "fail", "executorFailRetryCount": 1})
	s.run(failing, "")
	var list struct{ Runs []struct{ Status string } }
	testserver.Eventually(s.t, 30*time.Second, "both attempts failed", func() bool {
		s.call("GET", fmt.Sprintf("/runs?job=%d&status=FAIL", failing), nil, &list)
		return len(list.Runs) == 2
	})
	tab := s.open("runs")
	for _, look := range []struct {
		lang, theme, text string
		width             int64
	}{
		{"en", "light", "attempt 2", 1440}, {"zh-CN", "dark", "第 2 次", 1024}, {"en", "dark", "attempt 2", 1024},
		{"zh-CN", "light", "第 2 次", 390}, {"en", "light", "attempt 2", 390},
	} {
		tab.look(look.lang, look.theme, look.width)
		for _, path := range []string{"runs", fmt.Sprintf("jobs/%d/runs", failing)} {
			tab.visit(path)
			tab.until("one run of two says its attempt", `[...document.querySelectorAll("tbody .tag")].filter((e) => e.checkVisibility() && e.innerText === "`+look.text+`").length === 1`)
			name := fmt.Sprintf("attempts-%s-%s-%d-%t", look.lang, look.theme, look.width, path == "runs")
			tab.fits(name)
			tab.accessible(name)
			tab.picture(name)
		}
	}
}
