package printing

import (
	"bufio"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// A Table prints rows in columns as they arrive. A column is as wide as its widest cell so far.
type Table struct {
	Out    io.Writer
	widths []int // in cells of a terminal
}

// Print prints rows, aligned with each other. The last cell of a row may have several lines, the
// others have one.
func (t *Table) Print(rows [][]string) {
	shown := make([][]string, len(rows))
	for i, row := range rows {
		shown[i] = make([]string, len(row))
		for j, cell := range row {
			if j == len(row)-1 {
				shown[i][j] = Plain(cell)
				continue
			}
			cell = OneLine(cell)
			shown[i][j] = cell
			if j == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[j] = max(t.widths[j], cells(cell))
		}
	}
	w := bufio.NewWriter(t.Out)
	for _, row := range shown {
		line, indent := "", 0
		for j, cell := range row {
			if j < len(row)-1 {
				line += cell + strings.Repeat(" ", t.widths[j]-cells(cell)+2)
				indent += t.widths[j] + 2
			} else {
				line += strings.ReplaceAll(strings.TrimRight(cell, "\n"), "\n", "\n"+strings.Repeat(" ", indent))
			}
		}
		_, _ = w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_ = w.Flush() // the end of the command reports a write error
}

// cells returns how many cells of a terminal text takes: two for a wide East Asian character, none
// for an accent that combines with the character before it.
func cells(text string) int {
	n := 0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
