package main

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
)

// A series is all values of one benchmark in one unit.
type series struct{ bench, unit string }

// results holds the content of a file of raw results.
type results struct {
	head   []string // the lines that begin with "# ", without that
	values map[series][]float64
	absent map[string]string // why a benchmark was skipped, by its name
	timers []string          // in order of appearance
}

var procSuffix = regexp.MustCompile(`-\d+$`)

func readResults(path string) (*results, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &results{values: map[series][]float64{}, absent: map[string]string{}}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "# "):
			r.head = append(r.head, line[2:])
		case strings.HasPrefix(line, "absent: "):
			name, why, _ := strings.Cut(line[len("absent: "):], ": ")
			r.absent[procSuffix.ReplaceAllString(name, "")] = why
			r.see(name)
		case strings.HasPrefix(line, "Benchmark"):
			r.add(strings.Fields(line))
		}
	}
	return r, lines.Err()
}

func (r *results) add(fields []string) {
	name := procSuffix.ReplaceAllString(fields[0], "")
	r.see(name)
	for i := 2; i+1 < len(fields); i += 2 {
		if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
			s := series{name, fields[i+1]}
			r.values[s] = append(r.values[s], v)
		}
	}
}

// see records the timer in a benchmark's name.
func (r *results) see(name string) {
	_, rest, ok := strings.Cut(name, "/timer=")
	if !ok {
		return
	}
	timer, _, _ := strings.Cut(rest, "/")
	for _, t := range r.timers {
		if t == timer {
			return
		}
	}
	r.timers = append(r.timers, timer)
}

// sample returns the values of a series with benchstat's statistics, or nil.
func (r *results) sample(bench, unit string) *benchmath.Sample {
	v := r.values[series{bench, unit}]
	if len(v) == 0 {
		return nil
	}
	return benchmath.NewSample(v, &benchmath.DefaultThresholds)
}

// median returns the median of a series.
func (r *results) median(bench, unit string) (float64, bool) {
	s := r.sample(bench, unit)
	if s == nil {
		return 0, false
	}
	return benchmath.AssumeNothing.Summary(s, confidence).Center, true
}

// confidence is benchstat's default.
const confidence = 0.95
