package main

import (
	"cmp"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Our timers have strong colours in all charts, the standard library is black, and the others are
// paler.
var (
	ourColor      = color.RGBA{R: 0x0b, G: 0x6e, B: 0x99, A: 0xff}
	standardColor = color.RGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	otherColor    = color.RGBA{R: 0xc9, G: 0x8a, B: 0x3b, A: 0xff}
	earlyColor    = color.RGBA{R: 0xb8, G: 0x32, B: 0x2a, A: 0xff}
)

func colorOf(timer string) color.Color {
	switch {
	case slices.Contains(ours, timer):
		return ourColor
	case timer == baseline || timer == "time.Timer-reused":
		return standardColor
	default:
		return otherColor
	}
}

const chartWidth = 24 * vg.Centimeter

func newPlot(title string) *plot.Plot {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	plot.DefaultFont, plotter.DefaultFont = sans, sans
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 14
	p.Title.Padding = vg.Points(8)
	p.BackgroundColor = color.White
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = 11
		a.Tick.Label.Font.Size = 10
		a.Padding = 0
	}
	return p
}

// drawAll writes the charts to the folder of the tables.
func drawAll(dir string, r *results) error {
	last, lateness := "1M", "due=20k"
	if r.isShort() {
		last, lateness = "10k", "due=500"
	}
	for _, goroutines := range []string{"1", r.procs()} {
		if err := drawPending(filepath.Join(dir, "startstop-"+goroutines+".svg"), r, goroutines); err != nil {
			return err
		}
	}
	for _, b := range []struct{ file, title, bench, rest, unit string }{
		{
			"memory.svg", "Bytes for each pending timeout, " + last + " pending", "Pending",
			"pending=" + last + "/memory", "B/timeout",
		},
		{
			"gc.svg", "Milliseconds of a full garbage collection, " + last + " pending", "Pending",
			"pending=" + last + "/memory", "gc-ms",
		},
		{
			"fire.svg", "Nanoseconds of processor time for each of " + last + " timeouts due at one instant", "Fire",
			"due=" + last + "/at=once", "cpu-ns/fire",
		},
		{
			"reset.svg", "Nanoseconds to move a deadline further away, random order, " + last + " pending", "Pending",
			"pending=" + last + "/reset/later/order=random", "ns/op",
		},
	} {
		if err := drawBars(filepath.Join(dir, b.file), r, b.title, b.bench, b.rest, b.unit); err != nil {
			return err
		}
	}
	for _, tick := range []string{"1ms", "10ms", "100ms"} {
		if err := drawLateness(filepath.Join(dir, "lateness-"+tick+".svg"), r, lateness, tick); err != nil {
			return err
		}
	}
	return nil
}

// rowNames pads the names of rows, which become wider where the chart is shown without the font
// that it was laid out with.
func rowNames(timers []string) []string {
	padded := make([]string, len(timers))
	for i, t := range timers {
		padded[i] = t + strings.Repeat(" ", 4+len(t)/2)
	}
	return padded
}

// A reading is the median of one timer.
type reading struct {
	timer string
	value float64
}

// drawBars draws a bar for each timer, the smallest at the top.
func drawBars(path string, r *results, title, bench, rest, unit string) error {
	var all []reading
	for _, timer := range r.timers {
		if v, ok := r.median("Benchmark"+bench+"/timer="+timer+"/"+rest, unit); ok {
			all = append(all, reading{timer, v})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b reading) int { return cmp.Compare(b.value, a.value) })

	p := newPlot(title)
	p.HideX()
	p.X.Min, p.X.Max = 0, 1.12*all[0].value
	names := make([]string, len(all))
	labels := plotter.XYLabels{}
	for i, v := range all {
		names[i] = v.timer
		bar, err := plotter.NewBarChart(plotter.Values{v.value}, 15)
		if err != nil {
			return err
		}
		bar.Horizontal, bar.XMin, bar.Color, bar.LineStyle.Width = true, float64(i), colorOf(v.timer), 0
		p.Add(bar)
		labels.XYs = append(labels.XYs, plotter.XY{X: v.value, Y: float64(i)})
		labels.Labels = append(labels.Labels, number(v.value))
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range text.TextStyle {
		text.TextStyle[i].Font.Size = 10
		text.TextStyle[i].YAlign = draw.YCenter
	}
	text.Offset = vg.Point{X: 4}
	p.Add(text)
	p.NominalY(rowNames(names)...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(all))-0.4
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	return p.Save(chartWidth, vg.Length(len(all))*22+60, path)
}

// drawPending draws a line for each timer: the cost of a start and stop against the number of
// pending timeouts.
func drawPending(path string, r *results, goroutines string) error {
	sizes := []string{"0", "100k", "1M", "5M"}
	if r.isShort() {
		sizes = []string{"0", "10k"}
	}
	title := "Start and stop a timeout, one goroutine"
	if goroutines != "1" {
		title = "Start and stop a timeout, " + goroutines + " goroutines"
	}
	p := newPlot(title)
	p.X.Label.Text = "other timeouts pending"
	p.Y.Label.Text = "nanoseconds for a pair, logarithmic"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = logTicks{}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.Gray{Y: 0xdd}
	p.Add(grid)

	var ends []reading
	at := map[string]float64{}
	low, high := math.Inf(1), 0.0
	for i, timer := range r.timers {
		var points plotter.XYs
		for x, size := range sizes {
			if v, ok := r.median(
				"BenchmarkPending/timer="+timer+"/pending="+size+"/startstop/goroutines="+goroutines, "ns/op",
			); ok {
				points = append(points, plotter.XY{X: float64(x), Y: v})
				low, high = min(low, v), max(high, v)
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, marks.Color = colorOf(timer), colorOf(timer)
		line.Width = 2
		if slices.Contains(ours, timer) {
			line.Width = 3
		}
		marks.Shape = []draw.GlyphDrawer{
			draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{},
		}[i%4]
		marks.Radius = 3.5
		p.Add(line, marks)
		end := points[len(points)-1]
		ends = append(ends, reading{timer, end.Y})
		at[timer] = end.X
	}
	if len(ends) == 0 {
		return nil
	}
	p.NominalX(sizes...)
	p.X.Min, p.X.Max = -0.2, float64(len(sizes))-0.1
	p.Y.Min, p.Y.Max = 0.8*low, 1.4*high
	text, err := endLabels(ends, at, p.Y.Min, p.Y.Max)
	if err != nil {
		return err
	}
	p.Add(text)
	return p.Save(chartWidth, 15*vg.Centimeter, path)
}

// endLabels names the lines at their ends, moved apart where they would overlap.
func endLabels(ends []reading, at map[string]float64, low, high float64) (*plotter.Labels, error) {
	slices.SortFunc(ends, func(a, b reading) int { return cmp.Compare(a.value, b.value) })
	apart := math.Pow(high/low, 1.0/30)
	lowest := map[float64]float64{} // the next free place, by column
	labels := plotter.XYLabels{}
	for _, e := range ends {
		x := at[e.timer]
		y := max(e.value, lowest[x])
		lowest[x] = y * apart
		labels.XYs = append(labels.XYs, plotter.XY{X: x, Y: y})
		labels.Labels = append(labels.Labels, e.timer)
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	for i := range text.TextStyle {
		text.TextStyle[i].Font.Size = 10
		text.TextStyle[i].YAlign = draw.YCenter
		text.TextStyle[i].Color = colorOf(ends[i].timer)
	}
	text.Offset = vg.Point{X: 8}
	return text, nil
}

// logTicks labels a tick at 1, 2 and 5 times each power of ten.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(low))); decade <= high; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := m * decade; v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: number(v)})
			}
		}
	}
	return ticks
}

// drawLateness draws a bar from the 5th to the 95th percentile of each timer, with its median, its
// 99th percentile and its earliest run.
func drawLateness(path string, r *results, due, tick string) error {
	// Runs that are early by more than one and a half ticks, and by more than 15 ms, are cut off
	// and labelled.
	d, err := time.ParseDuration(tick)
	if err != nil {
		return err
	}
	left := -1.5 * max(d.Seconds()*1e3, 10)
	p := newPlot("Lateness with a tick of " + tick)
	p.X.Label.Text = "ms after the deadline. Bar: 5th to 95th percentile, white: median, ○: 99th, ×: earliest"
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical.Color = color.Gray{Y: 0xdd}
	p.Add(grid)

	var names []string
	timers := slices.Clone(r.timers)
	slices.Reverse(timers)
	for _, timer := range timers {
		bench := "BenchmarkLateness/timer=" + timer + "/" + due + "/tick=" + tick + "/goroutines=1"
		if _, ok := r.median(bench, "p50-ms"); !ok {
			bench = "BenchmarkLateness/timer=" + timer + "/" + due + "/tick=none/goroutines=1"
		}
		mid, ok := r.median(bench, "p50-ms")
		if !ok {
			continue
		}
		y := float64(len(names))
		names = append(names, timer)
		from, _ := r.median(bench, "p5-ms")
		to, _ := r.median(bench, "p95-ms")
		top, _ := r.median(bench, "p99-ms")
		first, _ := r.median(bench, "min-ms")
		if err := addRange(p, y, max(from, left), mid, max(to, left), colorOf(timer)); err != nil {
			return err
		}
		if first < left {
			names[len(names)-1] += " (down to " + number(first) + ")"
		}
		if err := addMark(p, top, y, colorOf(timer), draw.RingGlyph{}); err != nil {
			return err
		}
		mark := color.Color(color.Gray{Y: 0x66})
		if first < 0 {
			mark = earlyColor
		}
		if err := addMark(p, max(first, left), y, mark, draw.CrossGlyph{}); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	zero, err := plotter.NewLine(plotter.XYs{{X: 0, Y: -0.6}, {X: 0, Y: float64(len(names)) - 0.4}})
	if err != nil {
		return err
	}
	zero.Color, zero.Width = earlyColor, 1
	p.Add(zero)
	p.NominalY(rowNames(names)...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
	return p.Save(chartWidth, vg.Length(len(names))*22+90, path)
}

func addRange(p *plot.Plot, y, from, mid, to float64, c color.Color) error {
	bar, err := plotter.NewPolygon(
		plotter.XYs{{X: from, Y: y - 0.28}, {X: to, Y: y - 0.28}, {X: to, Y: y + 0.28}, {X: from, Y: y + 0.28}},
	)
	if err != nil {
		return err
	}
	bar.Color, bar.LineStyle.Width = c, 0.5
	bar.LineStyle.Color = c
	p.Add(bar)
	if mid < from {
		return nil // cut off
	}
	middle, err := plotter.NewLine(plotter.XYs{{X: mid, Y: y - 0.28}, {X: mid, Y: y + 0.28}})
	if err != nil {
		return err
	}
	middle.Color, middle.Width = color.White, 2.5
	p.Add(middle)
	return nil
}

func addMark(p *plot.Plot, x, y float64, c color.Color, shape draw.GlyphDrawer) error {
	mark, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
	if err != nil {
		return err
	}
	mark.Color, mark.Shape, mark.Radius = c, shape, 4
	p.Add(mark)
	return nil
}
