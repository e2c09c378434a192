package why

import (
	"regexp"
	"strings"
)

// A Language is a language of findings.
type Language string

const (
	English Language = "en"
	Chinese Language = "zh"
)

// Values lists all languages.
func (Language) Values() []Language { return []Language{English, Chinese} }

// words has the sentences of each code. The first sentence whose names all have a value is used.
var words = map[Language]map[Code][]string{
	English: {
		NotCreated: {"The job did not exist yet: it was created at {added}."},
		Stopped: {
			"The schedule was off: {by} switched it off at {since}.",
			"The schedule was off, and there is no record that anybody switched it off: it may never have been on.",
		},
		NoSchedule:  {"The job has no schedule: it runs only when somebody or another job triggers it."},
		BadSchedule: {"The schedule {type} {conf} cannot be read."},
		NoMatch: {"The schedule {type} {conf} does not name this time. The nearest ones are {before} and {after}.",
			"The schedule {type} {conf} does not name this time. The last one before it is {before}; there is none after it.",
			"The schedule {type} {conf} does not name this time. The first one is {after}.",
			"The schedule {type} {conf} does not name this time."},
		AfterRun: {"The schedule {type} {conf} names no times: it counts from the end of the previous run."},
		NotYet:   {"{due} is still to come."},
		Misfire: {"{due} was noticed at {noticed}, {late} late, so it is a misfire. The strategy {strategy} decided what follows.",
			"{due} may have fired: the store lost what it knew about it. That was noticed at {noticed}, and it does not fire again."},
		Paused: {"{due} lay in the pause that {by} began at {from}: {note}",
			"{due} lay in the pause that {by} began at {from}.",
			"{due} lay in the pause that began at {from}: {note}", "{due} lay in a pause."},
		Excluded:    {"{due} does not fire: by the calendar {calendar}, {day} is a day without work."},
		NoScheduler: {"No scheduler is alive: none holds a lease. {due} is {late} overdue."},
		ClocksApart: {"The clock of the scheduler differs by {off} from the store's: it shows {scheduler} at {store}. Beyond {limit} a scheduler gives its lease back."},
		Overdue:     {"{due} is {late} overdue, and no scheduler has planned it yet."},
		NoRecord:    {"{due} was due, and nothing is stored about it: its log row was deleted, or another program keeps the schedule."},
		NoPlace: {
			"The fire of {due} has waited for {late}: the pool has no place for more calls to {app}.",
			"The fire of {due} has waited for {late}: the pool has no place for it.",
		},
		NodeFroze: {"Node {node} claimed the fire of {due} and fell silent. {by} took it over at {at}, {late} after the claim.",
			"Node {node} claimed the fire of {due} and has fallen silent. Another node takes it over once it notices."},
		BeingSent: {"The fire of {due} is being handed over at this moment."},
		Ambiguous: {
			"The executor's answer to the request of {due} was lost. It is being asked whether the run began.",
		},
		RanLate: {"The fire of {due} was claimed at {claimed}, {late} late: no scheduler was alive, or the pool had no place for it."},
		NotTraced: {
			"Run {run} was handed over by another program at {triggered}, so when it was due is not recorded.",
		},
		Unanswered: {
			"It is not known whether run {run} began: {reason}", "It is not known whether run {run} began.",
		},
		NoExecutor: {
			"Run {run} was not sent: no executor of {app} was registered.",
			"Run {run} was not sent: no executor was registered.",
		},
		Drained: {
			"Run {run} was not sent: every executor of {app} was drained.",
			"Run {run} was not sent: every executor was drained.",
		},
		RefusedByRoute: {
			"Run {run} was not sent: the route strategy {route} found no suitable executor. {reason}",
			"Run {run} was not sent: the route strategy {route} found no suitable executor.",
		},
		RefusedByBlock: {"The executor {address} discarded run {run}, because another run of the job was in progress and the block strategy is {block}."},
		Refused: {
			"The executor {address} refused run {run}: {reason}", "The executor {address} refused run {run}.",
		},
		Unreachable: {
			"Run {run} did not reach the executor {address}: {reason}",
			"Run {run} did not reach the executor {address}.",
		},
		Running: {"It is running: run {run} was triggered at {triggered} on {address} and has not ended."},
		Ran: {
			"It did run: run {run} was triggered at {triggered} on {address} and ended well at {finished}.",
			"It did run: run {run} was triggered at {triggered} and ended well.",
		},
		Failed: {"Run {run} failed on {address}: {reason}", "Run {run} failed on {address}."},
		TimedOut: {
			"Run {run} was ended on {address} by the job's time limit: {reason}",
			"Run {run} was ended on {address} by the job's time limit.",
		},
		Covered: {"Run {run} was ended on {address} by a later run, because the block strategy is {block}."},
		Killed:  {"Run {run} was killed on {address} by an operator."},
		ResultLost: {
			"The result of run {run} is lost: {reason}",
			"The executor {address} of run {run} is gone, or no longer knows the result.",
		},
	},
	Chinese: {
		NotCreated:  {"当时任务还不存在：它创建于 {added}。"},
		Stopped:     {"调度当时是停止的：{by} 于 {since} 停止了它。", "调度当时是停止的，没有停止它的操作记录：可能从未启动过。"},
		NoSchedule:  {"任务没有调度配置：只有手动触发或由父任务触发时才会运行。"},
		BadSchedule: {"调度配置 {type} {conf} 无法解析。"},
		NoMatch: {"调度配置 {type} {conf} 不包含这个时间。最近的时间是 {before} 和 {after}。",
			"调度配置 {type} {conf} 不包含这个时间。之前最近的一次是 {before}，之后不再触发。",
			"调度配置 {type} {conf} 不包含这个时间。第一次触发是 {after}。",
			"调度配置 {type} {conf} 不包含这个时间。"},
		AfterRun: {"调度配置 {type} {conf} 没有固定时间：它从上一次运行结束开始计时。"},
		NotYet:   {"{due} 还没有到。"},
		Misfire: {"{due} 直到 {noticed} 才被发现，晚了 {late}，属于调度过期，按调度过期策略 {strategy} 处理。",
			"{due} 可能已触发：存储丢失了相关记录，于 {noticed} 被发现，不再补发。"},
		Paused: {"{due} 处于暂停期间，该暂停由 {by} 于 {from} 开始：{note}", "{due} 处于暂停期间，该暂停由 {by} 于 {from} 开始。",
			"{due} 处于暂停期间，该暂停于 {from} 开始：{note}", "{due} 处于暂停期间。"},
		Excluded:    {"{due} 不触发：按照日历 {calendar}，{day} 不是工作日。"},
		NoScheduler: {"没有存活的调度中心：没有节点持有租约。{due} 已经超时 {late}。"},
		ClocksApart: {"调度中心的时钟与数据库相差 {off}：数据库为 {store} 时它显示 {scheduler}。相差超过 {limit} 时节点会交还租约。"},
		Overdue:     {"{due} 已经超时 {late}，还没有调度中心为它生成触发。"},
		NoRecord:    {"{due} 应当触发，但没有任何记录：调度日志已被清理，或者由其他程序调度。"},
		NoPlace:     {"{due} 的触发已等待 {late}：触发线程池里发往 {app} 的调用没有空位。", "{due} 的触发已等待 {late}：触发线程池没有空位。"},
		NodeFroze: {"调度节点 {node} 领取了 {due} 的触发后失去响应。{by} 于 {at} 接管，距领取 {late}。",
			"调度节点 {node} 领取了 {due} 的触发后失去响应，其他节点发现后会接管。"},
		BeingSent:      {"{due} 的触发正在下发。"},
		Ambiguous:      {"{due} 的请求没有收到执行器的应答，正在询问执行器是否已经开始运行。"},
		RanLate:        {"{due} 的触发直到 {claimed} 才被领取，晚了 {late}：当时没有存活的调度中心，或触发线程池没有空位。"},
		NotTraced:      {"运行 {run} 由其他程序于 {triggered} 下发，因此没有记录它的计划时间。"},
		Unanswered:     {"不知道运行 {run} 是否开始：{reason}", "不知道运行 {run} 是否开始。"},
		NoExecutor:     {"运行 {run} 无处下发：{app} 没有注册的执行器。", "运行 {run} 无处下发：没有注册的执行器。"},
		Drained:        {"运行 {run} 无处下发：{app} 的执行器都已排空。", "运行 {run} 无处下发：执行器都已排空。"},
		RefusedByRoute: {"运行 {run} 无处下发：路由策略 {route} 没有找到合适的执行器。{reason}", "运行 {run} 无处下发：路由策略 {route} 没有找到合适的执行器。"},
		RefusedByBlock: {"执行器 {address} 丢弃了运行 {run}，因为该任务有另一次运行尚未结束，而阻塞处理策略是 {block}。"},
		Refused:        {"执行器 {address} 拒绝了运行 {run}：{reason}", "执行器 {address} 拒绝了运行 {run}。"},
		Unreachable:    {"运行 {run} 没有到达执行器 {address}：{reason}", "运行 {run} 没有到达执行器 {address}。"},
		Running:        {"正在运行：运行 {run} 于 {triggered} 在 {address} 上触发，尚未结束。"},
		Ran: {
			"已经运行：运行 {run} 于 {triggered} 在 {address} 上触发，{finished} 成功结束。", "已经运行：运行 {run} 于 {triggered} 触发，成功结束。",
		},
		Failed:     {"运行 {run} 在 {address} 上失败：{reason}", "运行 {run} 在 {address} 上失败。"},
		TimedOut:   {"运行 {run} 在 {address} 上因任务超时时间被终止：{reason}", "运行 {run} 在 {address} 上因任务超时时间被终止。"},
		Covered:    {"运行 {run} 在 {address} 上被之后的调度覆盖，因为阻塞处理策略是 {block}。"},
		Killed:     {"运行 {run} 在 {address} 上被管理员终止。"},
		ResultLost: {"运行 {run} 的结果丢失：{reason}", "运行 {run} 的执行器 {address} 已离线，或已不再保存其结果。"},
	},
}

var name = regexp.MustCompile(`\{(\w+)\}`)

// Words returns the finding as a sentence. It is empty for a code or a language that does not
// exist.
func (f Finding) Words(in Language) string {
	for _, sentence := range words[in][f.Code] {
		complete := true
		told := name.ReplaceAllStringFunc(sentence, func(n string) string {
			value, known := f.Params[strings.Trim(n, "{}")]
			complete = complete && known
			return value
		})
		if complete {
			return told
		}
	}
	return ""
}
