package runs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheReasonOfAHandOver(t *testing.T) {
	ours := "trigger type：CRON<br>scheduler：n1<br><br>address：http://a/<br>param：<br>result：error, &#34;no&#34; &lt;b&gt;\x1b[31m"
	require.Equal(t, "trigger type：CRON\nscheduler：n1\n\naddress：http://a/\nparam：\nresult：error, \"no\" <b>\\x1b[31m", messageText(ours))
	for message, reason := range map[string]string{
		ours: `"no" <b>\x1b[31m`,
		ours + "\nsecond line<br>next attempt：2026-01-01T00:00:00.000Z": "\"no\" <b>\\x1b[31m\nsecond line",
		`任务触发类型：Cron触发<br>调度机器：h<br><br><span style="color:#00c0ef;" > >>>>触发调度<<<< </span><br>触发调度：<br>address：http://a/<br>code：500<br>msg：job handler [x] not found.`: "job handler [x] not found.",
		"one line": "one line",
		"":         "",
	} {
		require.Equal(t, reason, reasonOf(message))
	}
}
