package printing

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumnsOfWideCharacters(t *testing.T) {
	var out bytes.Buffer
	table := Table{Out: &out}
	table.Print([][]string{{"ID", "NAME", "HANDLER"}, {"1", "日终报表", "h1"}, {"2", "nightly", "h\x1b[2J\nsecond"}})
	table.Print([][]string{{"10", "e\u0301 ｆ", "h3"}})
	require.Equal(t, ""+
		"ID  NAME      HANDLER\n"+
		"1   日终报表  h1\n"+
		"2   nightly   h\\x1b[2J\n"+
		"              second\n"+
		"10  e\u0301 ｆ      h3\n", out.String())
}
