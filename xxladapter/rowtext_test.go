package xxladapter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCutText(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		// It fits.
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"長い", 6, "長い"},

		// No room for the mark.
		{"abc", 2, "ab"},
		{"長い", 5, "長"},
		{"😀😀", 7, "😀"},
		{"😀", 3, ""},
		{"abc", 0, ""},

		// Beginning and mark.
		{strings.Repeat("a", 100), 50, strings.Repeat("a", 23) + "... (cut, 100 bytes in all)"},
		{strings.Repeat("😀", 25), 50, strings.Repeat("😀", 5) + "... (cut, 100 bytes in all)"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, CutText(tt.text, tt.limit), "%q to %d", tt.text, tt.limit)
	}
}

func TestFirstCharacters(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"", 0, ""},
		{"abc", 0, ""},
		{"abc", 2, "ab"},
		{"abc", 3, "abc"},
		{"長い名前", 3, "長い名"},
		{"長い名前", 4, "長い名前"},
		{"長い名前", 5, "長い名前"},
		{"😀a😀", 2, "😀a"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, FirstCharacters(tt.text, tt.limit), "%q to %d", tt.text, tt.limit)
	}
}

func TestCutTextIsTextOfTheLengthThatWasAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(0, 60).Draw(t, "most")
		got := CutText(text, most)
		require.LessOrEqual(t, len(got), max(most, 0))
		require.True(t, utf8.ValidString(got), "%q", got)
	})
}

func TestTextsOfALogRowFit(t *testing.T) {
	long := strings.Repeat("😀", MaxRowText/4+1)
	l := &Log{ID: 7, Param: long, TriggerMsg: long}
	fitted := l.Fitted()
	require.Equal(t, long, l.Param, "the run gets all of it")
	for _, text := range []string{fitted.Param, fitted.TriggerMsg} {
		require.LessOrEqual(t, len(text), MaxRowText)
		require.Contains(t, text, "(cut, 65536 bytes in all)")
	}
	require.EqualValues(t, 7, fitted.ID)
	short := &Log{Param: long[:MaxRowText-3]}
	require.Same(t, short, short.Fitted())
}
