package cron

import (
	"strconv"
	"strings"
	"time"
)

// DescribePlan describes in words what [ParsePlan] parses: "every 30 seconds". For CRON it returns
// the words of [Schedule.Describe]. The error is that of ParsePlan.
func DescribePlan(kind, conf string, lang Language, opts ...Option) (string, error) {
	plan, err := ParsePlan(kind, conf, time.UTC, opts...)
	if err != nil {
		return "", err
	}
	chinese := lang == Chinese
	switch p := plan.(type) {
	case zoned:
		return p.schedule.Describe(lang), nil
	case once:
		at, _ := time.Parse(time.RFC3339, conf) // with the offset in conf
		if chinese {
			return "仅一次，" + at.Format("2006-01-02 15:04:05 -07:00"), nil
		}
		return "once, at " + at.Format("2006-01-02 15:04:05 -07:00"), nil
	case interval:
		switch {
		case chinese && kind == FixDelay:
			return "每次运行结束后" + chineseSpan(p.period), nil
		case chinese:
			return "每" + chineseSpan(p.period), nil
		case kind == FixDelay:
			return englishSpan(p.period) + " after the end of each run", nil
		}
		return "every " + strings.TrimPrefix(englishSpan(p.period), "1 "), nil
	}
	if chinese {
		return "不自动运行，仅由手动、父任务或接口触发", nil
	}
	return "never by itself, only when it is triggered", nil
}

// units are the units of a described period, the largest first. A period is described in the
// largest one that divides it.
var units = []struct {
	length           time.Duration
	english, chinese string
}{
	{24 * time.Hour, "day", "天"},
	{time.Hour, "hour", "小时"},
	{time.Minute, "minute", "分钟"},
	{time.Second, "second", "秒"},
	{time.Millisecond, "millisecond", "毫秒"},
}

func englishSpan(d time.Duration) string {
	for _, u := range units {
		switch n := d / u.length; {
		case d%u.length != 0:
		case n == 1:
			return "1 " + u.english
		default:
			return strconv.FormatInt(int64(n), 10) + " " + u.english + "s"
		}
	}
	return d.String()
}

func chineseSpan(d time.Duration) string {
	for _, u := range units {
		if d%u.length == 0 {
			return strconv.FormatInt(int64(d/u.length), 10) + u.chinese
		}
	}
	return d.String()
}
