package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A figure is one measured value. Its unit says what it is, as units of testing.B.ReportMetric do.
type figure struct {
	value float64
	unit  string
}

// printFigures writes the result of a measurement as a line of a Go benchmark.
func printFigures(out io.Writer, name string, p plan, figures ...figure) {
	var line strings.Builder
	fmt.Fprintf(&line, "Benchmark%s/store=%s/jobs=%d", name, kind(p.store), p.jobs)
	if p.burst {
		line.WriteString("/burst")
	}
	line.WriteString("\t1")
	for _, f := range figures {
		line.WriteString("\t" + strconv.FormatFloat(f.value, 'g', 4, 64) + " " + f.unit)
	}
	fmt.Fprintln(out, line.String())
}

// kind returns the kind of the store at a place: sqlite, mysql or postgres.
func kind(place string) string {
	kind, _, _ := strings.Cut(place, ":")
	return kind
}
