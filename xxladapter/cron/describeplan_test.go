package cron

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryPlanIsDescribed(t *testing.T) {
	for _, c := range []struct{ kind, conf, english, chinese string }{
		{None, "", "never by itself, only when it is triggered", "不自动运行，仅由手动、父任务或接口触发"},
		{Cron, "0 0 9 ? * MON-FRI", "at 09:00, on Monday to Friday", "周一至周五，09:00"},
		{FixRate, "30", "every 30 seconds", "每30秒"},
		{FixRate, "1", "every second", "每1秒"},
		{FixRate, "3600", "every hour", "每1小时"},
		{FixRate, "5400", "every 90 minutes", "每90分钟"},
		{FixRate, "0.5", "every 500 milliseconds", "每500毫秒"},
		{FixDelay, "86400", "1 day after the end of each run", "每次运行结束后1天"},
		{Once, "2030-01-02T15:04:05+08:00", "once, at 2030-01-02 15:04:05 +08:00", "仅一次，2030-01-02 15:04:05 +08:00"},
	} {
		english, err := DescribePlan(c.kind, c.conf, English)
		require.NoError(t, err)
		require.Equal(t, c.english, english)
		chinese, err := DescribePlan(c.kind, c.conf, Chinese)
		require.NoError(t, err)
		require.Equal(t, c.chinese, chinese)
	}
	_, err := DescribePlan(FixRate, "x", English)
	require.ErrorContains(t, err, `cron: period of FIX_RATE is "x", must be seconds`)
}
