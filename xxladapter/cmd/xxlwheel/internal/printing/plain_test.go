package printing

import (
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
		require.Equal(t, want, Plain(text))
	}
	require.Equal(t, `a b \x1bc`, OneLine("a\nb\t\x1bc\n"))
	require.Equal(t, "the first", FirstLine("\n\nthe first\nthe second"))
	require.Equal(t, "the first", FirstLine("\n   \n\tthe first \nthe second"))
}
