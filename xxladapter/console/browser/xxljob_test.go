package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// chartAgrees returns a JavaScript expression that is true if the chart of the overview has a
// number of bars, and their heights, their titles and the table behind them have the figures of the
// API.
func chartAgrees(bars int) string {
	return fmt.Sprintf(`(async (bars) => {
		const answer = await fetch("/api/v1/stats?by=hour", { headers: { Authorization: "Bearer " + sessionStorage.getItem("xxlwheel.token") } });
		const { stats } = await answer.json();
		const svg = document.querySelector("svg[aria-label=调度报表]");
		if (!svg) return false;
		const [foot, , head] = [...svg.querySelectorAll(".grid")].map((e) => Number(e.getAttribute("y1")));
		const top = Number(svg.querySelectorAll("text")[2].textContent);
		const rows = [...document.querySelectorAll("table[aria-label=调度报表] tbody tr")].map((r) => [...r.querySelectorAll("td")].map((e) => Number(e.textContent)));
		const places = [...svg.querySelectorAll("title")].map((e) => e.parentNode);
		const high = (place, name, n) => Math.abs(Number(place.querySelector(name)?.getAttribute("height") ?? 0) - ((foot - head) * n) / top) < 0.5;
		const drawn = places.length === rows.length && rows.every(([ok, fail], i) => high(places[i], ".bar-ok", ok) && high(places[i], ".bar-fail", fail) && places[i].querySelector("title").textContent.includes("成功 " + ok + "\n失败 " + fail));
		const want = Array.from({ length: bars }, () => [0, 0]);
		for (const s of stats) {
			const ago = bars === 24 ? Math.floor(Date.now() / 3600e3) - Date.parse(s.hour) / 3600e3 : new Date().getUTCDate() === new Date(s.hour).getUTCDate() ? 0 : 1;
			want[bars - 1 - ago][0] += s.success;
			want[bars - 1 - ago][1] += s.runs - s.success;
		}
		const sum = (at) => want.reduce((n, w) => n + w[at], 0);
		return rows.length === bars && drawn && sum(0) >= 3 && sum(1) >= 2 && JSON.stringify(rows.map((r) => r.slice(0, 2))) === JSON.stringify(want);
	})(%d)`, bars)
}

// A user of XXL-JOB finds in Chinese, under the words of its console: a script and its versions,
// the copy of a job, users with rights per executor, clearing logs, and the report of results.
func TestAUserOfXXLJobInChinese(t *testing.T) {
	t.Parallel()
	s := startSite(t, "a-secret-of-operators", loopback, func(o *node.Options, _ string) { o.Zone = time.UTC })
	orders := s.group("订单")
	var created struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "payroll", "title": "工资"}, &created)
	settle, broken := s.job(orders, "结算订单", nil), s.job(orders, "收款", map[string]any{"executorHandler": "fail"})
	foreign := s.job(created.ID, "发工资", nil)
	for range 3 {
		s.ended(s.run(settle, ""))
	}
	for range 2 {
		s.ended(s.run(broken, ""))
	}
	s.ended(s.run(foreign, ""))
	script := s.script(orders, "#!/bin/bash\necho first\n")
	s.user("wang.fang", 0, "admin")

	tab := s.signIn("jobs")
	tab.look("zh-CN", "light", 1440)
	tab.click("任务管理")
	tab.click("migrate ledger")
	tab.click("源码")
	tab.write("echo second")
	tab.sees("未保存")
	tab.click("保存")
	tab.typeIn("备注", "再输出一行")
	tab.click("保存")
	tab.sees("新版本已保存")
	tab.until("the new version is in use, above the old one", `((v) => v.length === 2 && v[0].includes("再输出一行") && v[0].includes("使用中") && v[1].includes("first version"))([...document.querySelectorAll(".versions li")].map((e) => e.innerText))`)
	require.Equal(t, "#!/bin/bash\necho first\necho second", s.glue(script).GlueSource)
	tab.click("对比 first version")
	tab.until("the old one is read, beside the new one", `((r) => r && [".cm-merge-a .cm-content", ".cm-merge-b .cm-content"].map((side) => r.querySelector(side).innerText.replace(/\s+/g, " ").trim()).join("|") === "#!/bin/bash echo first|#!/bin/bash echo first echo second")(document.querySelector(".compare")?.shadowRoot)`)
	tab.accessible("xxl-job-glue")
	tab.picture("xxl-job-glue")

	tab.click("任务管理")
	tab.click("复制 结算订单")
	tab.until("the form has the copy", `location.search === "?copy=`+fmt.Sprint(settle)+`" && document.querySelector("form input[name=name]")?.value === "结算订单（副本）"`)

	tab.click("用户管理")
	tab.click("新增用户")
	tab.typeIn("账号", "li.na")
	tab.typeIn("密码", password)
	tab.choose("执行器", fmt.Sprint(orders))
	tab.choose("角色", "operator")
	tab.click("创建")
	tab.sees("li.na 已保存")
	tab.sees("运维 · 订单")
	lina := s.signedIn("li.na", "jobs")
	lina.look("zh-CN", "light", 1440)
	lina.rowsAre("结算订单", "收款", "migrate ledger")
	const offered = `[...document.querySelectorAll("tbody .row-actions")].at(-1).innerHTML`
	lina.until("an operator runs, and neither edits nor copies", offered+`.includes("执行一次") && !`+offered+`.includes("编辑") && !`+offered+`.includes("复制")`)
	tab.click("li.na 的权限")
	tab.choose("角色", "editor")
	tab.click("保存")
	tab.sees("编辑 · 订单")
	require.Equal(t, fmt.Sprintf("[{%d editor}]", orders), s.users()["li.na"])
	lina.visit("jobs")
	lina.rowsAre("结算订单", "收款", "migrate ledger")
	lina.until("an editor edits and copies", offered+`.includes("编辑") && `+offered+`.includes("复制")`)
	tab.accessible("xxl-job-users")

	selected := func() (n int) {
		t.Helper()
		var answer struct{ Selected int }
		s.call("POST", "/runs/clear", map[string]any{"jobGroup": orders, "all": true, "dryRun": true}, &answer)
		return answer.Selected
	}
	testserver.Eventually(s.t, 30*time.Second, "failures were told to who listens", func() bool {
		return selected() == 5
	})
	tab.click("调度日志")
	tab.click("清理日志")
	tab.choose("执行器", fmt.Sprint(orders))
	tab.choose("清理方式", "all")
	tab.sees("将清理 5 条日志")
	tab.click("清理")
	tab.sees("已清理 5 条日志")
	require.Zero(t, selected())
	var list struct{ Count int }
	s.call("GET", "/runs?count", nil, &list)
	require.Equal(t, 1, list.Count, "the log of the other executor")

	// The report of results has the figures of the API.
	tab.click("运行报表")
	for button, bars := range map[string]int{"24 小时": 24, "7 天": 7, "30 天": 30} {
		tab.click(button)
		testserver.Eventually(s.t, 30*time.Second, button+" of the report", func() (is bool) {
			tab.eval(chartAgrees(bars), &is)
			return is
		})
	}
	tab.accessible("xxl-job-report")
	tab.picture("xxl-job-report")
}
