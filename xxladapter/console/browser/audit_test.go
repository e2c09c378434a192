package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The audit is downloaded as CSV, of the kind of object that is chosen.
func TestTheAuditIsDownloaded(t *testing.T) {
	t.Parallel()
	s := newSite(t, "a-secret-of-operators")
	s.job(s.group("Orders"), "settle orders", nil)
	tab := s.signIn("audit")
	rows := func() (text string) {
		t.Helper()
		tab.eval(`new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { URL.createObjectURL = make; b.text().then(done); return make(b); }; [...document.querySelectorAll(".page-head button")].find((b) => b.innerText === "Export").click(); })`, &text)
		return text
	}
	all := rows()
	require.Contains(t, all, "POST /api/v1/jobs,")
	require.Contains(t, all, "POST /api/v1/groups,")
	tab.choose("Object", "group")
	tab.until("jobs are left out", `document.querySelectorAll(".entries > li").length === 1`)
	groups := rows()
	require.NotContains(t, groups, "POST /api/v1/jobs,")
	require.Contains(t, groups, "POST /api/v1/groups,")
}
