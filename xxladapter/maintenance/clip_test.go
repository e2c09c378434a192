package maintenance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAShortTextIsKeptWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := 2 * rapid.IntRange(0, 40).Draw(t, "half")
		c, all := newClip(limit), ""
		for _, part := range rapid.SliceOf(rapid.StringMatching(`[a-c\n]{0,9}`)).Draw(t, "parts") {
			c.write(part)
			all += part
			require.EqualValues(t, len(all), c.size)
			require.Equal(t, len(all) <= limit, c.whole())
			if c.whole() {
				require.Equal(t, all, c.text())
			} else {
				checkClipped(t, all, c.text(), limit)
			}
		}
	})
}

// checkClipped requires lines of the beginning, a line that says what is missing, and lines of the
// end.
func checkClipped(t require.TestingT, all, got string, limit int) {
	head, rest, found := strings.Cut(got, "\n... ")
	require.True(t, found, got)
	_, tail, found := strings.Cut(rest, " bytes omitted ...\n\n")
	require.True(t, found, got)
	require.True(t, strings.HasPrefix(all, head), "%q in %q", head, all)
	require.True(t, strings.HasSuffix(all, tail), "%q in %q", tail, all)
	require.LessOrEqual(t, len(head)+len(tail), limit)
}

func TestALongTextKeepsWholeLinesOfItsBeginAndItsEnd(t *testing.T) {
	c := newClip(20)
	for _, line := range []string{"one\n", "two\n", "three\n", "four\n", "five\n", "six\n"} {
		c.write(line)
	}
	require.Equal(t, "one\ntwo\n... 11 bytes omitted ...\n\nfive\nsix\n", c.text())
}

func TestALongTextOfBrokenLinesIsStillText(t *testing.T) {
	c := newClip(10)
	c.write(strings.Repeat("長", 10))
	require.Equal(t, "長\n... 20 bytes omitted ...\n\n長", c.text())
}

func TestAHugeTextTakesLittleMemory(t *testing.T) {
	c := newClip(1000)
	for range 100_000 {
		c.write("0123456789\n")
	}
	require.EqualValues(t, 1_100_000, c.size)
	require.LessOrEqual(t, cap(c.head)+cap(c.tail), 10_000)
	require.LessOrEqual(t, len(c.text()), 1100)
}
