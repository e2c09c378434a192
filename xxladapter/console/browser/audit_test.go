package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheAuditIsDownloaded checks that the audit of the chosen kind of object is downloaded as CSV.
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

// TestTheAuditSaysWhatIsWithinAField checks that the audit shows each changed setting of a job, and
// the removed and added days of a calendar, in the words of the forms and in both languages,
// without any JSON.
func TestTheAuditSaysWhatIsWithinAField(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job := s.job(group, "settle orders", map[string]any{"settings": map[string]any{"zone": "UTC", "misfireWindowMs": 60000, "keepLogs": "ALL"}})
	s.call("PUT", fmt.Sprintf("/jobs/%d", job), map[string]any{"settings": map[string]any{"calendar": "cn", "misfireWindowMs": 60000, "keepLogs": "FAILURES", "alarmOn": "IN_A_ROW", "alarmAfter": 3, "alarmRecovered": true}}, nil)
	year := func(off ...string) any {
		return []any{map[string]any{"year": 2026, "source": "the plant", "off": off, "work": []string{"2026-05-10"}}}
	}
	s.call("PUT", "/calendars/plant", map[string]any{"weekend": []string{"SUNDAY"}, "years": year("2026-05-01", "2026-05-04")}, nil)
	s.call("PUT", "/calendars/plant", map[string]any{"weekend": []string{"SUNDAY"}, "years": year("2026-05-01", "2026-05-05")}, nil)
	var g struct{ AddressList []string }
	s.call("GET", fmt.Sprintf("/groups/%d", group), nil, &g)
	s.call("POST", fmt.Sprintf("/groups/%d/drain", group), map[string]any{"address": g.AddressList[0], "note": "moves"}, nil)

	tab := s.open("audit")
	for _, says := range []string{
		"Drained addresses " + g.AddressList[0] + " · moves",
		"2026 · Days without work 05-04 → 05-05",
		"Weekend Sun; 2026 · Days without work 05-01, 05-04; 2026 · Make-up days 05-10; 2026 · Source the plant",
		"Time zone UTC; Keep in the log All runs → Failures only; Calendar Public holidays of China (cn); Alarm Several in a row; Failures in a row 3; Report recovery Yes",
	} {
		tab.until("an entry says "+says, entrySays(says))
	}
	tab.until("nothing is JSON", `!/[{}"\[\]]/.test(document.querySelector(".entries").innerText)`)
	tab.accessible("audit-settings")
	tab.picture("audit-settings")
	tab.look("zh-CN", "dark", 1024)
	tab.until("settings in Chinese too", entrySays("时区 UTC; 日志保留 全部 → 仅失败; 日历 中国法定节假日 (cn); 告警规则 连续失败; 连续失败次数 3; 恢复通知 是"))
	tab.picture("audit-settings-zh")
}

// entrySays returns a JavaScript expression that is true if the fields of an entry are these, in
// any order.
func entrySays(fields string) string {
	return fmt.Sprintf(`((fields) => [...document.querySelectorAll(".audit-changes")].some((list) => [...list.children].map((l) => l.innerText.replace(/\s+/g, " ")).sort().join("; ") === fields.split("; ").sort().join("; ")))(%q)`, fields)
}
