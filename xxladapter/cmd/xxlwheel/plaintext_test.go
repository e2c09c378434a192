package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextOfOthersMovesNoTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b]0;owned\x07":         `\x1b]0;owned\x07`,
		"a\x7fb\u009b31mred":       `a\x7fb\x9b31mred`,
		"line\r\nnext\tcell":       "line\nnext\tcell",
		"over\rwritten":            `over\x0dwritten`,
		"turned \u202egnp.exe":     `turned \u202egnp.exe`,
		"报表 für Ω 🎉":               "报表 für Ω 🎉",
		"\x00":                     `\x00`,
		"no change, <br> included": "no change, <br> included",
	} {
		require.Equal(t, want, plainText(text))
	}
	require.Equal(t, `a b \x1bc`, oneLine("a\nb\t\x1bc\n"))
	require.Equal(t, "the first", firstLine("\n\nthe first\nthe second"))
}

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

func TestColumnsOfWideCharacters(t *testing.T) {
	var out bytes.Buffer
	table := table{out: &out}
	table.print([][]string{{"ID", "NAME", "HANDLER"}, {"1", "日终报表", "h1"}, {"2", "nightly", "h\x1b[2J\nsecond"}})
	table.print([][]string{{"10", "e\u0301 ｆ", "h3"}})
	require.Equal(t, ""+
		"ID  NAME      HANDLER\n"+
		"1   日终报表  h1\n"+
		"2   nightly   h\\x1b[2J\n"+
		"              second\n"+
		"10  e\u0301 ｆ      h3\n", out.String())
}
