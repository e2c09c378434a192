package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A figure is one measured value. Its unit says what it is, as units of testing.B.ReportMetric do.
type figure struct {
	value float64
	unit  string
}

// text returns the value with four significant digits, and a whole number, such as a count,
// exactly.
func (f figure) text() string {
	if f.value == math.Trunc(f.value) {
		return strconv.FormatFloat(f.value, 'f', 0, 64)
	}
	return strconv.FormatFloat(f.value, 'g', 4, 64)
}

// printFigures writes the result of a measurement as a line of a Go benchmark.
func printFigures(out io.Writer, name string, p plan, figures ...figure) {
	var line strings.Builder
	fmt.Fprintf(&line, "Benchmark%s/store=%s/jobs=%d", name, p.kind(), p.jobs)
	if p.burst {
		line.WriteString("/burst")
	}
	if p.same {
		line.WriteString("/same")
	}
	if p.batch {
		line.WriteString("/batch")
	}
	line.WriteString("\t1")
	for _, f := range figures {
		line.WriteString("\t" + f.text() + " " + f.unit)
	}
	fmt.Fprintln(out, line.String())
}

// kind returns the kind of the plan's store: memory, sqlite, journal (SQLite with one), mysql,
// postgres, or redis (PostgreSQL or MySQL behind it).
func (p plan) kind() string {
	if p.redis != "" {
		return "redis"
	}
	return kind(p.store)
}

// kind returns the kind of the store at a place.
func kind(place string) string {
	if strings.HasSuffix(place, "?journal=on") {
		return "journal"
	}
	kind, _, _ := strings.Cut(place, ":")
	return kind
}
