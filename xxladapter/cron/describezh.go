package cron

import (
	"math/bits"
	"strconv"
	"strings"
)

var (
	chineseWords = words{"至", "、", "、"}
	chineseDays  = []string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}
)

// chinese describes s from the year down to the second, as is usual in Chinese.
func (s *Schedule) chinese() string {
	w := chineseWords
	var parts []string
	if s.years != nil {
		var years []string
		for _, y := range s.sortedYears() {
			text := strconv.Itoa(int(y.lo)) + "年"
			switch {
			case y.step > 1 && y.hi >= maxYear:
				text += "起每" + strconv.Itoa(int(y.step)) + "年"
			case y.step > 1:
				text += w.to + strconv.Itoa(int(y.hi)) + "年每" + strconv.Itoa(int(y.step)) + "年"
			case y.hi > y.lo && y.hi >= maxYear:
				text += "起"
			case y.hi > y.lo:
				text += w.to + strconv.Itoa(int(y.hi)) + "年"
			}
			years = append(years, text)
		}
		parts = append(parts, w.join(years))
	}

	months := ""
	if s.month != fullMonth {
		months = w.list(uint64(s.month), func(m int) string { return strconv.Itoa(m) + "月" })
	}
	monthly := months
	if monthly == "" {
		monthly = "每月"
	}
	switch {
	case s.byDate && s.byWeek:
		parts = append(parts, monthly+s.chineseDate()+"或"+s.chineseWeek())
	case s.byWeek && s.nth != 0:
		parts = append(parts, monthly+s.chineseWeek())
	case s.byWeek && s.weekdays != fullWeek:
		if months != "" {
			parts = append(parts, months)
		}
		parts = append(parts, s.chineseWeek())
	case s.byDate && s.days != allDays:
		parts = append(parts, monthly+s.chineseDate())
	default:
		parts = append(parts, months+"每天")
	}
	parts = append(parts, s.chineseTime()...)

	text := strings.Join(parts, "，")
	if s.never {
		text += "（永远不会到来）"
	}
	return text
}

func (s *Schedule) chineseTime() []string {
	w := chineseWords
	if at := s.times(); at != nil {
		return []string{w.join(at)}
	}
	repeat := func(n int, unit string) string {
		if n == 1 {
			return "每" + unit
		}
		return "每" + strconv.Itoa(n) + unit
	}

	var parts []string
	hourly := every(uint64(s.hour), 24)
	minutely := every(s.minute, 60)
	secondly := every(s.second, 60)
	switch {
	case hourly == 1 && minutely == 0:
		parts = append(parts, "每小时")
	case hourly == 1:
	case hourly > 1:
		parts = append(parts, "从零点起每"+strconv.Itoa(hourly)+"小时")
	default:
		a, last := bits.TrailingZeros32(s.hour), bits.Len32(s.hour)-1
		if bits.OnesCount32(s.hour) == last-a+1 {
			parts = append(parts, two(a)+":00至"+two(last)+":59")
		} else {
			parts = append(parts, w.list(uint64(s.hour), func(h int) string { return strconv.Itoa(h) + "点" }))
		}
	}
	switch {
	case minutely == 1 && secondly > 0:
	case minutely > 1 && secondly > 0:
		parts = append(parts, "分钟数为"+strconv.Itoa(minutely)+"的倍数时")
	case minutely > 0:
		parts = append(parts, repeat(minutely, "分钟"))
	case hourly == 1:
		parts[len(parts)-1] += "第" + w.list(s.minute, strconv.Itoa) + "分"
	default:
		parts = append(parts, "第"+w.list(s.minute, strconv.Itoa)+"分")
	}
	switch {
	case secondly > 0:
		parts = append(parts, repeat(secondly, "秒"))
	case s.second != 1:
		parts = append(parts, "第"+w.list(s.second, strconv.Itoa)+"秒")
	}
	return parts
}

func (s *Schedule) chineseDate() string {
	w := chineseWords
	var items []string
	if s.days != 0 {
		items = append(items, w.list(uint64(s.days), func(d int) string { return strconv.Itoa(d) + "日" }))
	}
	for _, n := range values(uint64(s.nearest)) {
		items = append(items, "最接近"+strconv.Itoa(n)+"日的工作日")
	}
	fromLast := func(n int) string {
		if n == 0 {
			return "最后一天"
		}
		return "倒数第" + strconv.Itoa(n+1) + "天"
	}
	for _, n := range values(uint64(s.last)) {
		items = append(items, fromLast(n))
	}
	for _, n := range values(uint64(s.lastNearest)) {
		if n == 0 {
			items = append(items, "最后一个工作日")
		} else {
			items = append(items, "最接近"+fromLast(n)+"的工作日")
		}
	}
	return w.join(items)
}

func (s *Schedule) chineseWeek() string {
	days := chineseWords.list(uint64(s.weekdays), func(d int) string { return chineseDays[d] })
	switch {
	case s.weekdays == 0:
		return "（无此日）"
	case s.nth == lastOfMonth:
		return "最后一个" + days
	case s.nth != 0:
		return "第" + strconv.Itoa(int(s.nth)) + "个" + days
	}
	return days
}
