package conventions

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	fenced     = regexp.MustCompile("(?ms)^```.*?^```$")
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	figure     = regexp.MustCompile(`^[0-9][0-9.,]*( %)?( [a-zA-Z]+)?$`) // a name says whose it is: 130 antlabs
)

// TestBothLanguagesOfREADMESayTheSame compares examples, commands and the figures of tables in
// their order. Links and names of code are compared sorted, because sentences are ordered
// differently.
func TestBothLanguagesOfREADMESayTheSame(t *testing.T) {
	type facts struct{ Examples, Figures, Links, Code []string }
	read := func(file string) facts {
		text := readFile(t, file)
		f := facts{Examples: fenced.FindAllString(text, -1)}
		rest := fenced.ReplaceAllString(text, "")
		for _, m := range link.FindAllStringSubmatch(rest, -1) {
			if !strings.HasPrefix(m[1], "README") {
				f.Links = append(f.Links, m[1])
			}
		}
		f.Code = inlineCode.FindAllString(rest, -1)
		for line := range strings.Lines(rest) {
			for cell := range strings.SplitSeq(line, "|") {
				if cell = strings.TrimSpace(cell); figure.MatchString(cell) {
					f.Figures = append(f.Figures, cell)
				}
			}
		}
		slices.Sort(f.Links)
		slices.Sort(f.Code)
		return f
	}
	english := read("README.md")
	require.Greater(t, len(english.Examples), 2)
	require.Greater(t, len(english.Figures), 40)
	require.Greater(t, len(english.Links), 30)
	require.Equal(t, english, read("README.zh-CN.md"))
}
