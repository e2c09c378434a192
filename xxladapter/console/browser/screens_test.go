package browser

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// populated names what populate made.
type populated struct{ job, failing, failed, script, long int64 }

// populate fills a site with what lists have to cope with: long names, failures, all schedule
// types.
func populate(s *site) populated {
	group := s.group("订单结算服务 · Order settlement")
	var reporting struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reporting-nightly-aggregation-cluster", "title": "Nightly aggregation of reports for all merchants and regions"}, &reporting)
	job := s.job(group, "settle outstanding orders", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 0/5 9-18 ? * MON-FRI", "executorParam": `{"merchant": "*", "dryRun": false}`, "alarmEmail": "ops@example.org", "executorRouteStrategy": "ROUND"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)
	every := s.job(group, "heartbeat of warehouse gateways", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "2"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", every), nil, nil)
	long := s.job(group, "重新计算全部商户的月度对账单并发送到财务共享中心（含历史调整与跨境结算差异），失败时请联系结算值班同学", map[string]any{"scheduleType": "CRON", "scheduleConf": "0 30 2 L * ?"})
	s.job(group, "recompute-monthly-statements-of-every-merchant-including-historic-adjustments-and-cross-border-differences", map[string]any{"scheduleType": "FIX_DELAY", "scheduleConf": "86400", "executorHandler": "recomputeMonthlyStatementsOfEveryMerchantHandler"})
	script := s.job(group, "migrate ledger", map[string]any{"scheduleType": "ONCE", "scheduleConf": "2030-01-02T15:04:05Z", "glueType": "GLUE_SHELL", "glueSource": ledgerScript, "glueRemark": "first version"})
	s.call("PUT", fmt.Sprintf("/jobs/%d/glue", script), map[string]any{"glueSource": newLedgerScript, "glueRemark": "stop at the first failure, and migrate by month"}, nil)
	failing := s.job(group, "collect payments", map[string]any{"executorHandler": "fail", "childJobIds": []int64{job}})
	var failed int64
	for range 3 {
		failed = s.run(failing, "")
		s.ended(failed)
	}
	s.ended(s.run(job, `{"merchant": "4711"}`))
	for name, cron := range nightly {
		s.call("POST", fmt.Sprintf("/jobs/%d/start", s.job(reporting.ID, name, map[string]any{"scheduleType": "CRON", "scheduleConf": cron})), nil, nil)
	}
	return populated{job, failing, failed, script, long}
}

// nightly are the schedules of reports: most at night, some by day, few at the weekend.
var nightly = map[string]string{
	"aggregate orders by merchant": "0 0/5 1-4 * * ?", "aggregate refunds": "0 0/10 2-5 * * ?", "build statements": "0 0/15 3-5 ? * MON-FRI",
	"send statements": "0 0/5 8-9 ? * MON-FRI", "refresh dashboards": "0 0/10 8-18 ? * MON-FRI", "check balances": "0 0 * * * ?",
	"close the week": "0 0/5 22 ? * SUN", "rebuild search index": "0 0/2 0 ? * SAT",
}

const ledgerScript = `#!/bin/bash
# Moves the ledger of a year to the new tables.
year=${1:-2025}
echo "migrating $year"
ledger export --year "$year" > /tmp/ledger.csv
ledger import --file /tmp/ledger.csv
echo "done"
`

const newLedgerScript = `#!/bin/bash
# Moves the ledger of a year to the new tables, month by month.
set -euo pipefail
year=${1:-2025}
for month in {01..12}; do
    echo "migrating $year-$month"
    ledger export --year "$year" --month "$month" | ledger import --file -
done
echo "done"
`

// everyPage returns the paths of all pages of a populated site, by name.
func everyPage(made populated) map[string]string {
	return map[string]string{
		"overview": "", "jobs": "jobs", "new": "jobs/new", "edit": fmt.Sprintf("jobs/%d/edit", made.job), "job": fmt.Sprintf("jobs/%d", made.job),
		"job-runs": fmt.Sprintf("jobs/%d/runs", made.job), "job-timeline": fmt.Sprintf("jobs/%d/timeline?span=24h", made.failing), "job-why": fmt.Sprintf("jobs/%d/why", made.job), "job-why-failed": fmt.Sprintf("jobs/%d/why", made.failing),
		"job-code": fmt.Sprintf("jobs/%d/code", made.script), "job-code-compare": fmt.Sprintf("jobs/%d/code?from=1", made.script),
		"job-misfires": fmt.Sprintf("jobs/%d/misfires", made.job),
		"job-changes":  fmt.Sprintf("jobs/%d/changes", made.job), "audit": "audit",
		"forecast": "forecast", "forecast-week": "forecast?hours=168&by=time", "graph": "graph", "api": "api?find=glue",
		"runs": "runs", "runs-of-a-long-name": fmt.Sprintf("runs?job=%d", made.long), "run": fmt.Sprintf("runs/%d", made.failed),
		"executors": "executors", "executor": "executors/1", "nodes": "nodes", "users": "users", "settings": "settings", "transfer": "transfer", "me": "me", "help": "help", "missing": "no/such/page",
	}
}

// A look is how somebody sees a page.
type look struct {
	lang, theme string
	width       int64
}

// looks are always judged; with -screens, all others are pictured too. A layout depends on language
// and width, contrasts on the theme. axe, which is slow, searches the looks that are true.
var looks = map[look]bool{
	{"en", "light", 1440}: true, {"en", "light", 1024}: false, {"en", "light", 390}: true,
	{"zh-CN", "dark", 1440}: true, {"zh-CN", "dark", 1024}: false, {"zh-CN", "dark", 390}: false,
}

// TestScreens shows every page in its looks, and enlarged: each fits the window, and axe finds
// nothing in the looks that it searches. Two windows share the pages: this test is the longest, and
// in one window it would run alone at the end and leave a core idle.
func TestScreens(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	made := populate(s)
	s.job(1, "تسوية الطلبات المعلقة لجميع التجار (2026)", map[string]any{"author": "ليلى", "tags": []string{"فواتير", "nightly"}})
	for i := range 98 {
		s.call("POST", "/groups", map[string]any{"appName": fmt.Sprintf("region-%02d-executor", i), "title": fmt.Sprintf("Region %02d", i)}, nil)
	}
	pages := everyPage(made)
	s.user("wang.fang", 0, "admin")
	tab := s.signedIn("wang.fang", "")
	for _, call := range []string{
		`"users", { name: "settlement-service-of-all-regions", grants: [{ jobGroup: 1, role: "operator" }, { jobGroup: 2, role: "viewer" }] }`,
		`"tokens", { name: "nightly report of the settlement service", role: "viewer", groups: [1, 2], expires: new Date(Date.now() + 3e9).toISOString() }`,
	} {
		var status int
		tab.eval(`((path, body) => fetch("../api/v1/" + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }).then((r) => r.status))(`+call+`)`, &status)
		require.Equal(t, http.StatusOK, status)
	}
	names := slices.Sorted(maps.Keys(pages))
	for first := range 2 {
		t.Run(fmt.Sprint("from ", first), func(t *testing.T) {
			t.Parallel()
			own := *s
			own.t = t
			tab := own.signedIn("wang.fang", "")
			for i := first; i < len(names); i += 2 {
				tab.visit(pages[names[i]])
				tab.seen(names[i])
				tab.enlarged(names[i])
			}
		})
	}
}

// seen judges the page in all looks.
func (t *tab) seen(name string) {
	t.t.Helper()
	for _, lang := range []string{"en", "zh-CN"} {
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1440, 1024, 390} {
				audit, judged := looks[look{lang, theme, width}]
				if !judged && *screens == "" {
					continue
				}
				where := fmt.Sprintf("%s-%s-%s-%d", name, lang, theme, width)
				t.look(lang, theme, width)
				t.fits(where)
				if audit {
					t.accessible(where)
				}
				t.picture(where)
			}
		}
	}
}
