package errortext

import (
	"errors"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// ofCron returns an error of package cron in Chinese. It is empty for any other error, and for one
// whose rule or hint has no text.
func ofCron(err error) string {
	var syntax *cron.ParseError
	var other *cron.PlanError
	switch {
	case errors.As(err, &syntax):
		rule, known := inCron(cronRules, syntax.Rule)
		hint, hinted := inCron(cronHints, syntax.Hint)
		if !known || syntax.Hint != "" && !hinted {
			return ""
		}
		text := "Cron 表达式的" + cronFields[syntax.Field] + "（第 " + strconv.Itoa(syntax.Column) + " 列起）为“" + syntax.Text +
			"”，" + rule
		if hinted {
			text += "；" + hint
		}
		return text
	case errors.As(err, &other):
		what, rule := cronFields[other.Field], cronPlanRules[other.Rule]
		if what == "" || rule == "" {
			return ""
		}
		return what + "为“" + other.Text + "”，" + rule
	}
	return ""
}

// inCron returns the Chinese text of a rule or a hint. A text that ends with … matches every text
// with that beginning, and the rest of that text is kept.
func inCron(texts map[string]string, english string) (chinese string, known bool) {
	if chinese, known = texts[english]; known {
		return chinese, true
	}
	for begin, chinese := range texts { // no two of them are the beginning of one text
		if begin, open := strings.CutSuffix(begin, "…"); open && strings.HasPrefix(english, begin) {
			return strings.Replace(chinese, "…", english[len(begin):], 1), true
		}
	}
	return "", false
}

// cronFields are the parts of schedules, as ParseError and PlanError name them.
var cronFields = map[string]string{
	"expression": "整体", "second": "秒", "minute": "分", "hour": "时", "day of month": "日", "month": "月",
	"day of week": "周", "year": "年",
	"period": "间隔", "instant": "时间", "schedule type": "调度类型",
}

var cronPlanRules = map[string]string{
	"must be seconds as decimal digits such as 30 or 0.1":     "须为秒数，例如 30 或 0.1",
	"must have at most 3 decimals":                            "最多 3 位小数",
	"must be 0.1 to 2147483647 seconds":                       "须在 0.1 到 2147483647 秒之间",
	"must be RFC 3339 such as 2026-03-01T09:00:00+08:00":      "须为 RFC 3339 格式，例如 2026-03-01T09:00:00+08:00",
	"must be one of NONE, CRON, FIX_RATE, FIX_DELAY and ONCE": "须为 NONE、CRON、FIX_RATE、FIX_DELAY 或 ONCE",
}

var cronRules = map[string]string{
	"must be 0 to 59":                                                            "须在 0 到 59 之间",
	"must be 0 to 23":                                                            "须在 0 到 23 之间",
	"must be 1 to 31":                                                            "须在 1 到 31 之间",
	"must be 1 to 12 or JAN to DEC":                                              "须为 1 到 12 或 JAN 到 DEC",
	"must be 1 to 7 (1 is Sunday) or SUN to SAT":                                 "须为 1 到 7（1 为周日）或 SUN 到 SAT",
	"must be 0 to 7 (0 and 7 are Sunday) or SUN to SAT":                          "须为 0 到 7（0 和 7 为周日）或 SUN 到 SAT",
	"must be 1970 to 9999":                                                       "须在 1970 到 9999 之间",
	"has a step above …":                                                         "步长不得超过 …",
	"has a step of 0, must be at least 1":                                        "步长为 0，至少为 1",
	"has a step that is not a number":                                            "步长不是数字",
	"lacks the step after /":                                                     "/ 之后缺少步长",
	"lacks the end of its range":                                                 "范围缺少结束值",
	"has a range whose end is not a number":                                      "范围的结束值不是数字",
	"has a range that ends before it starts":                                     "范围的结束值小于开始值",
	"mixes a number and a name in a range":                                       "范围不能混用数字和名称",
	"mixes a name and a number in a range":                                       "范围不能混用名称和数字",
	"has an empty list item":                                                     "列表中有空项",
	"has only empty list items":                                                  "列表只有空项",
	"has more than 64 items":                                                     "列表超过 64 项",
	"has a character that cannot start an item":                                  "含有不能作为开头的字符",
	"has a C, which only day fields may have":                                    "含有 C，只有日和周可以使用",
	"has no names":                                                               "该字段没有名称",
	"has a name of more than three letters":                                      "名称超过三个字母",
	"has a name of fewer than three letters":                                     "名称不足三个字母",
	"has an unknown name, must be one of …":                                      "名称未知，须为以下之一：…",
	"has text after ?":                                                           "? 之后有多余的内容",
	"has text after L":                                                           "L 之后有多余的内容",
	"has text after #k":                                                          "#k 之后有多余的内容",
	"has text after *":                                                           "* 之后有多余的内容",
	"has text after W":                                                           "W 之后有多余的内容",
	"has text after a step":                                                      "步长之后有多余的内容",
	"has text after a number":                                                    "数字之后有多余的内容",
	"has text after a range":                                                     "范围之后有多余的内容",
	"has text after a name":                                                      "名称之后有多余的内容",
	"has text after a name range":                                                "名称范围之后有多余的内容",
	"must not be ?, which only Quartz has":                                       "不能为 ?，只有 Quartz 表达式可以使用",
	"must not be ?, which only day of month and day of week may be":              "不能为 ?，只有日和周可以为 ?",
	"has ? in a list; it must stand alone":                                       "列表中有 ?，? 须单独使用",
	"lacks the number of days after L-":                                          "L- 之后缺少天数",
	"has an offset from the last day above 30":                                   "距月末的天数不得超过 30",
	"is not one of L, L-n, LW and L-nW":                                          "须为 L、L-n、LW 或 L-nW",
	"has L in a list, which is not possible in this field":                       "列表中有 L，该字段不支持",
	"has # twice, which is not possible":                                         "# 不能出现两次",
	"has # in a list, which is not possible":                                     "# 不能用于列表",
	"must have 1 to 5 after #":                                                   "# 之后须为 1 到 5",
	"cannot start with W":                                                        "不能以 W 开头",
	"has L, W or #, which only Quartz has":                                       "含有 L、W 或 #，只有 Quartz 表达式可以使用",
	"has W, which only the day of month may have":                                "含有 W，只有日可以使用",
	"has #, which only the day of week may have":                                 "含有 #，只有周可以使用",
	"has L after a day, which only the day of week may have":                     "L 在日期之后，只有周可以这样使用",
	"has L, which only the day fields may have":                                  "含有 L，只有日和周可以使用",
	"and day of month are both ?, but one of them must say which days":           "与日同时为 ?，其中一个须指明日期",
	"and day of month are both given, but one of them must be ?":                 "与日同时指定，其中一个须为 ?",
	"must have 6 or 7 fields, second to day of week and perhaps year, but has …": "须有 6 或 7 个字段，依次为秒、分、时、日、月、周，年可省略，现有 … 个",
	"must have 5 fields, minute to day of week, but has …":                       "须有 5 个字段，依次为分、时、日、月、周，现有 … 个",
	"continues after 2048 bytes, the longest allowed":                            "超过了最大长度 2048 字节",
}

var cronHints = map[string]string{
	"write *":                                           "请写 *",
	"write ? as day of week":                            "周请写 ?",
	"write ? as day of month":                           "日请写 ?",
	"to fire on either, use two jobs":                   "若两者任一满足即触发，请用两个任务",
	"write two ranges":                                  "请写成两个范围",
	"values are never negative":                         "值不能为负数",
	"the day comes first: 15W":                          "日期在前：15W",
	"Quartz ignores a step after names; write numbers":  "Quartz 忽略名称之后的步长，请写数字",
	"names such as @daily are not part of this dialect": "不支持 @daily 这样的名称",
	"six fields, with seconds, are Quartz's; parse them without the Unix option":                "带秒的六个字段是 Quartz 表达式，请不要使用 unix 方言",
	"five fields are Unix cron, where Sunday is 0: parse them with the Unix option":             "五个字段是 Unix 表达式（周日为 0），请使用 unix 方言",
	"five fields are Unix cron, where Sunday is 0: parse them with the Unix option, or write …": "五个字段是 Unix 表达式（周日为 0），请使用 unix 方言，或写作 …",
}
