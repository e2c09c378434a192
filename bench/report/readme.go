package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// readmes have the table of figures that readers see first, in each language.
var readmes = []string{"../../README.md", "../../README.zh-CN.md"}

// figuresMark stands above that table. The table's titles belong to the authors of the README;
// everything else is written here.
const figuresMark = "<!-- Written by make bench-timer. -->\n"

// readmeTimers are the columns of that table before those of the best other Go timer and of Netty.
var readmeTimers = []string{"wheel-embedded", "wheel", "batch", "time.Timer-reused", baseline}

// enoughRounds is the least number of rounds whose figures the READMEs show: below it the spread of
// a median says little.
const enoughRounds = 10

// writeREADMEs replaces the figures in the READMEs by those of r, and refuses those of few rounds.
func writeREADMEs(files []string, r *results) error {
	if n := r.rounds(); n < enoughRounds {
		return fmt.Errorf("the READMEs keep their figures: there are %d rounds, must be at least %d", n, enoughRounds)
	}
	for _, file := range files {
		if err := writeREADME(file, r); err != nil {
			return err
		}
	}
	return nil
}

// writeREADME replaces the figures in the file by those of r.
func writeREADME(file string, r *results) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := withFigures(string(text), r)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}

// withFigures returns text with the cells of its table of figures replaced, except for the titles
// of columns and rows. The corner of the table says what was measured when.
func withFigures(text string, r *results) (string, error) {
	before, table, found := strings.Cut(text, figuresMark)
	if !found {
		return "", fmt.Errorf("there is no line %q", strings.TrimSpace(figuresMark))
	}
	lines := strings.SplitAfter(table, "\n")
	rows := r.figures()
	if len(lines) < 2+len(rows) {
		return "", fmt.Errorf("the table has less than %d rows", len(rows))
	}
	titles := strings.SplitN(lines[0], "|", 3)
	if len(titles) != 3 {
		return "", fmt.Errorf("%q is not the head of a table", strings.TrimSpace(lines[0]))
	}
	titles[1] = " " + r.corner() + " "
	lines[0] = strings.Join(titles, "|")
	for i, cells := range rows {
		line := strings.SplitN(lines[2+i], "|", 3)
		if len(line) != 3 {
			return "", fmt.Errorf("%q is no row of a table", strings.TrimSpace(lines[2+i]))
		}
		lines[2+i] = "|" + line[1] + "| " + strings.Join(cells, " | ") + " |\n"
	}
	return before + figuresMark + strings.Join(lines, ""), nil
}

// corner names commit, date, processors and number of rounds.
func (r *results) corner() string {
	head := map[string]string{}
	for _, l := range r.head {
		name, value, _ := strings.Cut(l, ": ")
		head[name] = value
	}
	processors := strings.Replace(head["processors"], ", ", " × ", 1)
	return fmt.Sprintf("`%s`, %s, %s, n = %d", head["commit"], head["date"], processors, r.rounds())
}

// figures returns the cells of the table by row: what it costs to start and stop a timeout, what
// one weighs, and how many runs were early.
func (r *results) figures() (rows [][]string) {
	named := map[string]bool{} // the best other timers
	for _, c := range []struct{ rest, unit string }{
		{"pending=0/startstop/goroutines=1", "ns/op"},
		{"pending=5M/startstop/goroutines=1", "ns/op"},
		{"pending=5M/startstop/goroutines=" + r.procs(), "ns/op"},
		{"pending=5M/memory", "B/timeout"},
		{"pending=5M/memory", "gc-cpu-ms"},
	} {
		median := func(timer string) (float64, bool) {
			return r.median("BenchmarkPending/timer="+timer+"/"+c.rest, c.unit)
		}
		var cells []string
		for _, timer := range readmeTimers {
			cells = append(cells, whole(median(timer)))
		}
		best, least := "", math.Inf(1)
		for _, timer := range r.others() {
			if v, ok := median(timer); ok && v < least {
				best, least = timer, v
			}
		}
		named[best] = true
		netty, ok := median("Netty")
		if !ok && c.unit == "gc-cpu-ms" { // the JVM tells only how long a collection takes
			netty, ok = r.median("BenchmarkPending/timer=Netty/"+c.rest, "gc-ms")
		}
		rows = append(rows, append(cells, strings.TrimSpace(whole(least, best != "")+" "+best), whole(netty, ok)))
	}
	var cells, others []string
	for _, timer := range readmeTimers {
		cells = append(cells, r.earlyShare(timer))
	}
	for _, timer := range r.others() {
		if named[timer] {
			others = append(others, r.earlyShare(timer)+" "+timer)
		}
	}
	return append(rows, append(cells, strings.Join(others, ", "), r.earlyShare("Netty")))
}

// others returns the Go timers that are neither ours nor the standard library's.
func (r *results) others() (names []string) {
	for _, timer := range r.timers {
		if !slices.Contains(ours, timer) && !strings.HasPrefix(timer, "time.") && timer != "Netty" {
			names = append(names, timer)
		}
	}
	return names
}

// whole prints a figure without its fraction, or a dash for one that was not measured.
func whole(v float64, ok bool) string {
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

// earlyShare returns the share of a timer's runs that came before their deadline: 0, a percentage
// of at least 1, or a dash if there were no runs.
func (r *results) earlyShare(timer string) string {
	e := r.earlyRuns("Lateness", timer)
	switch {
	case e.fires == 0:
		return "–"
	case e.early == 0:
		return "0"
	}
	return fmt.Sprintf("%.0f %%", max(1, math.Round(100*e.early/e.fires)))
}
