package triggermsg

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestAMessageIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"<br>", "result：error, x", "<br>result：success", "next attempt：", "msg：no", "&lt;", "line\nline", "error, unknown, ",
		}))
		m := Message{
			Scheduler: text.Draw(t, "scheduler"), Addresses: rapid.SliceOfN(text, 0, 3).Draw(t, "addresses"),
			Handler: text.Draw(t, "handler"), Param: text.Draw(t, "param"),
			Outcome: rapid.SampledFrom([]Outcome{Error, Unknown}).Draw(t, "outcome"), Reason: text.Draw(t, "reason"),
			Due: time.UnixMilli(rapid.Int64Range(0, 1e13).Draw(t, "due")),
		}
		if rapid.Bool().Draw(t, "retried") {
			m.Next = []time.Time{m.Due}
		}
		written := m.String()
		require.Equal(t, m.Reason, Reason(written))
		addresses, found := Value(written, Addresses)
		require.True(t, found)
		require.Equal(t, "["+strings.Join(m.Addresses, ", ")+"]", addresses)
		due, _ := Value(written, Due)
		read, err := time.Parse(time.RFC3339, due)
		require.NoError(t, err)
		require.True(t, m.Due.Equal(read), "%v and %v", m.Due, read)
	})
}

func TestALongMessageFitsAndKeepsTheResult(t *testing.T) {
	long := strings.Repeat("<😀>", 20_000)
	m := Message{Addresses: []string{long}, Handler: strings.Repeat("<", 255), Param: long, Outcome: Error, Reason: "refused " + long}
	written := m.String()
	require.LessOrEqual(t, len(written), xxladapter.MaxRowText)
	require.True(t, utf8.ValidString(written))
	require.Contains(t, written, "<br>result：error, refused &lt;")
	require.Equal(t, 3, strings.Count(written, " bytes in all)"))
	require.True(t, strings.HasPrefix(Reason(written), "refused <😀><😀>"))
}

func TestTheReasonInTextsOfOthers(t *testing.T) {
	for text, reason := range map[string]string{
		`任务触发类型：Cron触发<br>调度机器：h<br><br><span style="color:#00c0ef;" > >>>>触发调度<<<< </span><br>触发调度：<br>address：http://a/<br>code：500<br>msg：job handler [x] not found.`: "job handler [x] not found.",
		`任务触发类型：Cron触发<br><br><span style="color:#00c0ef;" > >>>>触发调度<<<< </span><br>调度失败：执行器地址为空<br><br>`:                                                               "调度失败：执行器地址为空",
		"one line":        "one line",
		"":                "",
		"result：success":  "success",
		"result：a &lt; b": "a < b",
	} {
		require.Equal(t, reason, Reason(text))
	}
}

func TestATextIsPlainWithoutTheTagsOfSchedulers(t *testing.T) {
	require.Equal(t, "a\n\nb <init> & c", Plain("<p>a<BR/><br ><span style='x'>b</span> <init> &amp; c</p>\n"))
}
