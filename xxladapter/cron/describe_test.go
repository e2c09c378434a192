package cron

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribe(t *testing.T) {
	for _, tt := range []struct {
		expr, english, chinese string
		profile                Profile
	}{
		// A few times of day are listed.
		{expr: "0 0 9 * * ?", english: "at 09:00, every day", chinese: "每天，09:00"},
		{expr: "30 0 0 1 * ?", english: "at 00:00:30, on day 1 of the month", chinese: "每月1日，00:00:30"},
		{expr: "0 0,30 9,17 ? * MON-FRI",
			english: "at 09:00, 09:30, 17:00 and 17:30, on Monday to Friday",
			chinese: "周一至周五，09:00、09:30、17:00、17:30"},

		// More of them are described field by field.
		{expr: "* * * * * ?", english: "every second, every day", chinese: "每天，每秒"},
		{expr: "*/5 * * * * ?", english: "every 5 seconds, every day", chinese: "每天，每5秒"},
		{expr: "0 0/5 * * * ?", english: "every 5 minutes, every day", chinese: "每天，每5分钟"},
		{expr: "0 15 * * * ?", english: "at minute 15 of every hour, every day", chinese: "每天，每小时第15分"},
		{expr: "0 0 */2 * * ?", english: "at minute 0, every 2 hours from midnight, every day", chinese: "每天，从零点起每2小时，第0分"},
		{expr: "0 0/30 9-17 ? * MON-FRI",
			english: "every 30 minutes, from 09:00 to 17:59, on Monday to Friday",
			chinese: "周一至周五，09:00至17:59，每30分钟"},
		{expr: "10,20 * * * * ?", english: "at seconds 10 and 20, every minute, every day", chinese: "每天，每分钟，第10、20秒"},
		{expr: "* 5 * * * ?", english: "every second, in minute 5 of every hour, every day", chinese: "每天，每小时第5分，每秒"},
		{expr: "*/10 */10 * L * ?",
			english: "every 10 seconds, in minutes that are multiples of 10, on the last day of the month",
			chinese: "每月最后一天，分钟数为10的倍数时，每10秒"},
		{expr: "0 * 22-2 * * ?", english: "every minute, in hours 0 to 2, 22 and 23, every day", chinese: "每天，0点至2点、22点、23点，每分钟"},

		// A step that does not divide the hour starts anew in each hour.
		{expr: "0 */25 * * * ?", english: "at minutes 0, 25 and 50 of every hour, every day", chinese: "每天，每小时第0、25、50分"},

		// Days.
		{expr: "0 0 0 L-1,L-3,LW,15W,1-5 2,5 ?",
			english: "at 00:00, on days 1 to 5, the weekday nearest to day 15, the day before the last day, " +
				"3 days before the last day and the last weekday of the month, in February and May",
			chinese: "2月、5月1日至5日、最接近15日的工作日、倒数第2天、倒数第4天、最后一个工作日，00:00"},
		{expr: "0 0 0 L-2W * ?",
			english: "at 00:00, on the weekday nearest to 2 days before the last day of the month",
			chinese: "每月最接近倒数第3天的工作日，00:00"},
		{expr: "0 0 0 ? * FRIL", english: "at 00:00, on the last Friday of the month", chinese: "每月最后一个周五，00:00"},
		{expr: "0 0 0 ? 3 2#3", english: "at 00:00, on the third Monday of the month, in March", chinese: "3月第3个周一，00:00"},
		{expr: "0 0 0 ? JAN-MAR SAT,SUN", english: "at 00:00, on Sunday and Saturday, in January to March", chinese: "1月至3月，周日、周六，00:00"},
		{expr: "0 0 0 * 7 ?", english: "at 00:00, every day, in July", chinese: "7月每天，00:00"},

		// Years.
		{expr: "0 0 0 1 1 ? 2026", english: "at 00:00, on day 1 of the month, in January, in 2026", chinese: "2026年，1月1日，00:00"},
		{expr: "0 0 0 1 1 ? 2040,2026-2030/2,2050-2052,2060/3,2070-9999",
			english: "at 00:00, on day 1 of the month, in January, in every 2nd year from 2026 to 2030, 2040, " +
				"2050 to 2052, every 3rd year from 2060 and 2070 and later",
			chinese: "2026年至2030年每2年、2040年、2050年至2052年、2060年起每3年、2070年起，1月1日，00:00"},

		// Impossible dates are marked.
		{expr: "0 0 0 30 2 ?", english: "at 00:00, on day 30 of the month, in February, which never comes", chinese: "2月30日，00:00（永远不会到来）"},
		{expr: "0 0 0 ? * 9#1", profile: XXL34, english: "at 00:00, on no day, which never comes", chinese: "每月（无此日），00:00（永远不会到来）"},

		// In Unix a match of either day field is enough.
		{expr: "0 0 13 * 5", profile: Unix, english: "at 00:00, on day 13 of the month or on Friday", chinese: "每月13日或周五，00:00"},
	} {
		s, err := Parse(tt.expr, tt.profile)
		require.NoError(t, err, "%q", tt.expr)
		require.Equal(t, tt.english, s.Describe(English), "%q", tt.expr)
		require.Equal(t, tt.chinese, s.Describe(Chinese), "%q", tt.expr)
		require.Equal(t, tt.english, s.Describe(Language(99)), "%q", tt.expr)
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th"} {
		require.Equal(t, want, ordinal(n))
	}
}
