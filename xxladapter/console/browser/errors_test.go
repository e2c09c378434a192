package browser

import (
	"fmt"
	"testing"
)

// TestErrorsInChinese checks that errors are shown in the language of the console, beside the field
// that they are about.
func TestErrorsInChinese(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open("jobs")
	tab.allowed = append(tab.allowed, "400 (Bad Request)", "404 (Not Found)")
	tab.look("zh-CN", "light", 1440)
	tab.visit("runs/4711")
	tab.sees("运行 4711 不存在")
	tab.visit(fmt.Sprintf("jobs/%d/edit", job))
	tab.choose("调度类型", "CRON")
	tab.typeIn("调度配置", "0 61 * * * ?")
	tab.sees("Cron 表达式的分（第 3 列起）为“61”，须在 0 到 59 之间")
	tab.typeIn("调度配置", "0 0 2 * * ?")
	tab.typeIn("报警邮件", "nobody")
	tab.click("查看修改")
	tab.click("保存")
	tab.until("the mistake is named beside its field", `document.querySelector("input[name=alarmEmail]")?.closest(".field").querySelector(".field-error")?.innerText === "alarmEmail 含有“nobody”，须为邮件地址，例如 ops@example.org"`)
	tab.accessible("error-in-chinese")
	tab.picture("error-in-chinese")
}

// TestProblemsOfFilesInChinese checks that the mistakes in declared files are shown in the language
// of the console, each with its place.
func TestProblemsOfFilesInChinese(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.group("Orders")
	tab := s.open("help")
	tab.allowed = append(tab.allowed, "400 (Bad Request)")
	tab.look("zh-CN", "light", 1440)
	tab.visit("transfer")
	tab.give(map[string]string{"jobs.yaml": "jobs:\n  - {appName: " + siteApp + ", key: a, author: li.na, executorHandler: greet, scheduleType: CRON, scheduleConf: '0 61 * * * ?', children: [nobody]}\n"})
	tab.click("试运行")
	tab.sees("Cron 表达式的分（第 3 列起）为“61”，须在 0 到 59 之间")
	tab.sees("children 含有“nobody”，须为已存在或已声明的任务的键")
	tab.accessible("problems-in-chinese")
	tab.picture("problems-in-chinese")
}

// TestTheErrorOfAHiddenFieldIsShown checks that the form of a job says what is wrong with a field
// that it does not show: the zone of a schedule that has become one without a zone.
func TestTheErrorOfAHiddenFieldIsShown(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open(fmt.Sprintf("jobs/%d/edit", job))
	tab.allowed = append(tab.allowed, "400 (Bad Request)")
	tab.choose("Schedule type", "CRON")
	tab.typeIn("Schedule", "0 0 2 * * ?")
	tab.typeIn("Time zone", "Nowhere")
	tab.choose("Schedule type", "FIX_RATE")
	tab.typeIn("Schedule", "30")
	tab.click("Review changes")
	tab.click("Save")
	tab.until("the error is at the foot", `document.querySelector(".form-foot .field-error")?.innerText.startsWith("zone is")`)
}

// The page of a job that somebody else deletes says so, and offers nothing of the job any longer.
func TestAJobThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	job := s.job(s.group("Orders"), "settle orders", nil)
	tab := s.open(fmt.Sprintf("jobs/%d", job))
	tab.allowed = append(tab.allowed, "404 (Not Found)")
	tab.sees("settle orders")
	s.call("DELETE", fmt.Sprintf("/jobs/%d", job), nil, nil)
	tab.until("the page says it", `document.querySelector(".is-failure")`)
	tab.until("nothing can be done with it", `!document.querySelector("main .switch") && !document.body.innerText.includes("settle orders")`)
}
