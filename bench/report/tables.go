package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// baseline is the timer that the ratios refer to.
const baseline = "time.AfterFunc"

// ours are the contenders of this repository.
var ours = []string{"wheel", "wheel-embedded", "batch", "layered-embedded"}

// A table has a row for each timer and a column for each variant of a benchmark.
type table struct {
	title, note string
	bench       string // before /timer=
	unit        string
	columns     []column
}

// A column is the rest of a benchmark's name, after the timer.
type column struct{ title, rest string }

func pendingColumns(after string, sizes ...string) []column {
	var c []column
	for _, s := range sizes {
		c = append(c, column{s + " pending", "pending=" + s + after})
	}
	return c
}

// variants are the columns of tables whose sizes depend on whether the run was short.
type variants struct {
	sizes, due, full                   []string // numbers of pending timeouts
	fireOnce, fireSpread, reset, ticks []column
	callers, bursts                    []column
}

func variantsOf(short bool) variants {
	v := variants{
		sizes: []string{"0", "100k", "1M", "5M"}, due: []string{"100k", "1M"}, full: []string{"100k", "1M", "5M"},
	}
	lateness, burst := "due=20k", column{"80k by four goroutines", "burst=80k/callers=4"}
	if short {
		v.sizes, v.due, v.full = []string{"0", "10k"}, []string{"10k"}, []string{"10k"}
		lateness, burst = "due=500", column{"2k by four goroutines", "burst=2k/callers=4"}
	}
	v.bursts = []column{burst}
	for _, n := range v.due {
		v.fireOnce = append(v.fireOnce, column{n + " at one instant", "due=" + n + "/at=once"})
		if n != "100k" {
			v.fireSpread = append(v.fireSpread, column{n + " over a second", "due=" + n + "/at=spread-1s"})
		}
	}
	pending := "pending=" + v.most()
	for _, order := range []string{"later/order=same", "later/order=random", "earlier/order=random"} {
		v.reset = append(v.reset, column{strings.Replace(order, "/order=", ", ", 1), pending + "/reset/" + order})
	}
	for _, t := range []string{"1ms", "10ms", "100ms", "none"} {
		title := "tick " + t
		if t == "none" {
			title = "no tick"
		}
		v.ticks = append(v.ticks, column{title, lateness + "/tick=" + t + "/goroutines=1"})
	}
	for _, n := range []string{"1", "2", "4", "8", "16"} {
		v.callers = append(v.callers, column{n, "pending=0/callers=" + n})
	}
	return v
}

// most returns the largest number of timeouts that are due or reset.
func (v *variants) most() string { return v.due[len(v.due)-1] }

// tables returns the tables of timers in the order of the report. It is long because it is the list
// of them.
func tables(r *results) []table {
	v, procs := variantsOf(r.isShort()), r.procs()
	all := []table{
		{
			title: "Start and stop a 30 s timeout", note: "Time for a pair on one goroutine.", bench: "Pending",
			unit: "ns/op", columns: pendingColumns("/startstop/goroutines=1", v.sizes...),
		},
		{
			title: "Start and stop, all processors",
			note:  "Wall time divided by the pairs of all goroutines; each processor has one.", bench: "Pending",
			unit: "ns/op", columns: pendingColumns("/startstop/goroutines="+procs, v.sizes...),
		},
		{
			title: "Start and stop, processor time",
			note:  "For the whole process, so with what the timer's own goroutine does for the pair.", bench: "Pending",
			unit: "cpu-ns/op", columns: pendingColumns("/startstop/goroutines=1", v.sizes...),
		},
		{
			title: "Start and stop, more and more goroutines",
			note: "Wall time divided by the pairs of all goroutines, with nothing pending, by the number of goroutines, " +
				"however many processors there are.",
			bench: "Scaling", unit: "ns/op", columns: v.callers,
		},
		{
			title: "Start, all stay pending", bench: "Start", unit: "ns/op",
			columns: pendingColumns("/goroutines=1", v.due...),
		},
		{
			title: "Reset",
			note: "Among " + v.most() + " pending: always the same timeout, or all in random order, where the cost is " +
				"that of cache misses.",
			bench: "Pending", unit: "ns/op", columns: v.reset,
		},
		{
			title: "Fire at one instant", note: "Wall time from the first to the last run, for each.", bench: "Fire",
			unit: "wall-ns/fire", columns: v.fireOnce,
		},
		{
			title: "Fire, processor time",
			note:  "For the whole process. With few timeouts over a second it is the cost of waking up.", bench: "Fire",
			unit: "cpu-ns/fire", columns: slices.Concat(v.fireOnce, v.fireSpread),
		},
		{
			title: "Memory for a pending timeout",
			note:  "Live heap and stacks, with the handle and the word that its owner keeps.", bench: "Pending",
			unit: "B/timeout", columns: pendingColumns("/memory", v.full...),
		},
		{
			title: "A full garbage collection", note: "From its beginning to its end.", bench: "Pending", unit: "gc-ms",
			columns: pendingColumns("/memory", v.full...),
		},
		{
			title: "A full garbage collection, processor time", bench: "Pending", unit: "gc-cpu-ms",
			columns: pendingColumns("/memory", v.full...),
		},
		{
			title: "Idle: share of one processor", note: "Nothing is due. In percent.", bench: "Pending", unit: "cpu-%",
			columns: pendingColumns("/idle", "0", v.most()),
		},
		{
			title: "Idle: times that threads woke, each second", bench: "Pending", unit: "wakeups/s",
			columns: pendingColumns("/idle", "0", v.most()),
		},
		{
			title: "Lateness, median", note: "In milliseconds after the deadline; negative is early.",
			bench: "Lateness", unit: "p50-ms", columns: v.ticks,
		},
		{title: "Lateness, 99 of 100", bench: "Lateness", unit: "p99-ms", columns: v.ticks},
		{
			title: "Lateness beside a burst, median",
			note: "For timeouts that are due while others are started as fast as possible, in milliseconds. The tick " +
				"is 10 ms.",
			bench: "Burst", unit: "p50-ms", columns: v.bursts,
		},
		{title: "Lateness beside a burst, 99 of 100", bench: "Burst", unit: "p99-ms", columns: v.bursts},
		{
			title: "Earliest run", note: "Milliseconds before the deadline are negative. A timer must not have any.",
			bench: "Lateness", unit: "min-ms", columns: v.ticks,
		},
	}
	if procs == "1" {
		all = slices.Delete(all, 1, 2)
	}
	return all
}

// procs returns the number of goroutines in the benchmarks that use all processors.
func (r *results) procs() string {
	for s := range r.values {
		if _, n, ok := strings.Cut(s.bench, "/startstop/goroutines="); ok && n != "1" {
			return n
		}
	}
	return "1"
}

// rounds returns how many rounds were completed.
func (r *results) rounds() (n int) {
	for _, l := range r.head {
		if strings.HasPrefix(l, "round ") {
			n++
		}
	}
	return n
}

func (r *results) isShort() bool {
	return slices.ContainsFunc(r.head, func(l string) bool {
		return strings.HasPrefix(l, "command:") && strings.HasSuffix(l, "-short")
	})
}

func writeTables(w io.Writer, r *results) error {
	p := &printer{w: w}
	p.print("# Results\n\nWritten by `make bench-timer` from [raw.txt](raw.txt); [the README](../README.md) says how to read it.\n\n")
	for _, l := range r.head {
		p.print("    %s\n", l)
	}
	p.print("\nMedians of %d rounds, in which all timers took turns. ± is half of benchstat's 95 %% confidence interval of\n", r.rounds())
	p.print("the median, as a share of it. ×n is how many times less than `%s` in the same column it is.\n", baseline)
	p.early(r, "Lateness", "Runs before the deadline", "All runs of all ticks.")
	p.early(
		r, "Early", "The same, in a run with many",
		"Started as fast as one goroutine can, due over four seconds, tick 10 ms. Once.",
	)
	p.ticks(r)
	for _, t := range tables(r) {
		p.table(r, t)
	}
	p.other(r, "Saying that a connection is alive", "Conn")
	p.other(r, "A queue from callers to one worker", "Queue")
	p.losses(r)
	p.absences(r)
	return p.err
}

// A printer remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) table(r *results, t table) {
	p.print("\n## %s\n\n", t.title)
	if t.note != "" {
		p.print("%s\n\n", t.note)
	}
	p.print("`%s`, %s\n\n| |", t.bench, t.unit)
	for _, c := range t.columns {
		p.print(" %s |", c.title)
	}
	p.print("\n|---|%s\n", strings.Repeat("---:|", len(t.columns)))
	for _, timer := range r.timers {
		cells, any := "", false
		for _, c := range t.columns {
			cell := r.cell(t, c, timer)
			any = any || cell != "–"
			cells += " " + cell + " |"
		}
		if any {
			p.print("| %s |%s\n", name(timer), cells)
		} else {
			p.print("| %s |%s\n", name(timer), strings.Repeat(" – |", len(t.columns)))
		}
	}
}

func name(timer string) string {
	if slices.Contains(ours, timer) {
		return "**" + timer + "**"
	}
	return timer
}

func full(t table, c column, timer string) string {
	return "Benchmark" + t.bench + "/timer=" + timer + "/" + c.rest
}

func (r *results) cell(t table, c column, timer string) string {
	s := r.sample(full(t, c, timer), t.unit)
	if s == nil {
		return "–"
	}
	sum := benchmath.AssumeNothing.Summary(s, confidence)
	cell := number(sum.Center)
	if spread := spread(sum); spread != "" && !strings.HasSuffix(t.unit, "-ms") || strings.HasPrefix(t.unit, "gc-") {
		cell += " " + spread
	}
	base, ok := r.median(full(t, c, baseline), t.unit)
	if ok && timer != baseline && base > 0 && sum.Center > 0 && t.bench != "Lateness" {
		cell += " ×" + number(base/sum.Center)
	}
	return cell
}

func spread(s benchmath.Summary) string {
	if s.Center == 0 {
		return ""
	}
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return "±∞" // too few rounds
	}
	return fmt.Sprintf("±%.0f %%", 100*max(s.Hi-s.Center, s.Center-s.Lo)/math.Abs(s.Center))
}

func number(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 0.1:
		return fmt.Sprintf("%.3f", v)
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 100:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

// other lists the results of a benchmark that is not run on timers.
func (p *printer) other(r *results, title, bench string) {
	p.print("\n## %s\n\n`%s`, ns/op\n\n| | |\n|---|---:|\n", title, bench)
	var names []string
	for s := range r.values {
		if s.unit == "ns/op" && strings.HasPrefix(s.bench, "Benchmark"+bench+"/") {
			names = append(names, s.bench)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		sum := benchmath.AssumeNothing.Summary(r.sample(n, "ns/op"), confidence)
		p.print("| %s | %s %s |\n", strings.TrimPrefix(n, "Benchmark"+bench+"/"), number(sum.Center), spread(sum))
	}
}

// early lists, for each timer in a benchmark, how many runs came before their deadline, and the
// earliest and the latest run.
func (p *printer) early(r *results, bench, title, note string) {
	p.print("\n## %s\n\n%s\n\n| | early | of | earliest, ms | latest, ms |\n|---|---:|---:|---:|---:|\n", title, note)
	for _, timer := range r.timers {
		if e := r.earlyRuns(bench, timer); e.fires > 0 {
			p.print(
				"| %s | %.0f | %.0f | %s | %s |\n",
				name(timer), e.early, e.fires, number(e.earliest), number(e.latest),
			)
		}
	}
}

// earlyRuns says how many runs of a timer came before their deadline.
type earlyRuns struct {
	early, fires     float64
	earliest, latest float64 // in ms after the deadline; infinite without a run
}

// earlyRuns adds up all runs of a timer in a benchmark.
func (r *results) earlyRuns(bench, timer string) earlyRuns {
	e := earlyRuns{earliest: math.Inf(1), latest: math.Inf(-1)}
	for s, values := range r.values {
		if !strings.HasPrefix(s.bench, "Benchmark"+bench+"/timer="+timer+"/") {
			continue
		}
		for _, v := range values {
			switch s.unit {
			case "early":
				e.early += v
			case "fires":
				e.fires += v
			case "min-ms":
				e.earliest = min(e.earliest, v)
			case "max-ms":
				e.latest = max(e.latest, v)
			}
		}
	}
	return e
}

// ticks shows what it costs our timers to move the hand over full buckets.
func (p *printer) ticks(r *results) {
	p.print("\n## A tick with many pending\n\nProcessor time of the whole process, 10 ms a tick, 512 buckets: nothing due for minutes, or one timeout due in each tick. Once.\n\n")
	p.print("| | pending | nothing due, %% of a processor | one due, %% of a processor | one due, µs a tick |\n|---|---:|---:|---:|---:|\n")
	for _, timer := range r.timers {
		for s := range r.values {
			_, pending, ok := strings.Cut(s.bench, "BenchmarkTick/timer="+timer+"/pending=")
			pending, rest, _ := strings.Cut(pending, "/")
			if !ok || rest != "due=each" || s.unit != "cpu-%" {
				continue
			}
			each, none := s.bench, strings.TrimSuffix(s.bench, "each")+"none"
			cells := make([]string, 0, 3)
			for _, c := range []series{{none, "cpu-%"}, {each, "cpu-%"}, {each, "cpu-us/tick"}} {
				v, _ := r.median(c.bench, c.unit)
				cells = append(cells, number(v))
			}
			p.print("| %s | %s | %s |\n", name(timer), pending, strings.Join(cells, " | "))
		}
	}
}

// losses lists, for each of our timers, the cases that others won, and marks differences that
// benchstat does not call significant.
func (p *printer) losses(r *results) {
	p.print("\n## Cases that our timers lose\n\n")
	p.print("For each of ours, the others that have a lower median. A ~ means that the difference is not significant\n(p >= 0.05). With fewer than four rounds no difference is significant. By lateness, timers without a tick\nare compared with each tick.\n\n")
	for _, t := range tables(r) {
		for _, c := range t.columns {
			for _, mine := range ours {
				if better := r.better(t, c, mine); len(better) > 0 {
					own, _ := r.median(full(t, c, mine), t.unit)
					p.print("- %s, %s: **%s** %s; %s\n", t.title, c.title, mine, number(own), strings.Join(better, ", "))
				}
			}
		}
	}
}

func (r *results) better(t table, c column, mine string) []string {
	own := r.sample(full(t, c, mine), t.unit)
	if own == nil || t.unit == "min-ms" {
		return nil
	}
	var better []string
	for _, other := range r.timers {
		bench := full(t, c, other)
		if t.bench == "Lateness" && r.sample(bench, t.unit) == nil {
			bench = full(t, t.columns[len(t.columns)-1], other) // it has no tick
		}
		s := r.sample(bench, t.unit)
		if s == nil || slices.Contains(ours, other) || t.bench == "Lateness" && early(r, other) {
			continue
		}
		median, _ := r.median(bench, t.unit)
		ownMedian, _ := r.median(full(t, c, mine), t.unit)
		if median >= ownMedian {
			continue
		}
		mark := ""
		if benchmath.AssumeNothing.Compare(s, own).P >= 0.05 {
			mark = "~"
		}
		better = append(better, fmt.Sprintf("%s %s%s", other, mark, number(median)))
	}
	return better
}

// early reports whether a timer ran anything before its deadline. Such a timer is not compared by
// lateness.
func early(r *results, timer string) bool {
	for s, values := range r.values {
		if s.unit == "early" && timerOf(s.bench) == timer && slices.Max(values) > 0 {
			return true
		}
	}
	return false
}

// absences lists the contenders that could not take part, and the reasons.
func (p *printer) absences(r *results) {
	p.print("\n## Who could not take part\n\n")
	by := map[string][]string{}
	for bench, why := range r.absent {
		if why == "has a tick" || why == "has no tick" {
			continue
		}
		key := timerOf(bench) + ": " + why
		by[key] = append(
			by[key], strings.Replace(strings.TrimPrefix(bench, "Benchmark"), "/timer="+timerOf(bench), "", 1),
		)
	}
	keys := make([]string, 0, len(by))
	for k := range by {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		slices.Sort(by[k])
		p.print("- %s (%s)\n", k, strings.Join(by[k], ", "))
	}
	if !slices.Contains(r.timers, "Netty") {
		p.print("- Netty: see its line at the top\n")
	}
}

func timerOf(bench string) string {
	_, rest, _ := strings.Cut(bench, "/timer=")
	timer, _, _ := strings.Cut(rest, "/")
	return timer
}
