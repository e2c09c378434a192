// Package cases holds the measurements of a timer. They depend neither on the timer nor on the
// testing package, so that the baselines and the third-party timers, which live in two modules, run
// the same code.
package cases

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// A Meter is what a case needs of a *testing.B.
type Meter interface {
	ReportAllocs()
	ReportMetric(n float64, unit string)
	Fatalf(format string, args ...any)
}

// A Case is one thing to measure.
type Case struct {
	Name string

	// Settings returns the sizes, and for some cases the ticks, that the case is run with. short
	// asks for small sizes.
	Settings func(short bool) []Setting

	// Open prepares one timer, which is then measured in several variants.
	Open func(contender.Kind, Setting) Ground
}

// A Setting is a size, and for some cases a tick.
type Setting struct {
	Name    string
	Pending int
	Due     int           // how many of the pending timeouts become due
	Spread  time.Duration // the time over which they are due
	Tick    time.Duration // 0 asks for a timer without a tick
	Short   bool
}

// span returns how long a sample of a fast operation lasts.
func (s Setting) span() time.Duration {
	if s.Short {
		return shortSpan
	}
	return span
}

// A Ground is a timer prepared for measuring.
type Ground struct {
	Variants []Variant
	Close    func()
}

// A Variant is one measurement of a prepared timer. Run takes n samples. One sample in each of
// several runs is enough for a stable median.
type Variant struct {
	Name string
	Run  func(m Meter, n int)
}

// Absence returns why k cannot take part in c at s; it is empty if k can.
func (c Case) Absence(k contender.Kind, s Setting) string {
	if k.MaxPending != 0 && s.Pending > k.MaxPending {
		return fmt.Sprintf("not filled with more than %s: %s", Count(k.MaxPending), k.Why)
	}
	if c.Name == Lateness.Name {
		return otherTick(k, s)
	}
	return ""
}

// otherTick returns why k does not have the tick that s asks for.
func otherTick(k contender.Kind, s Setting) string {
	switch {
	case s.Tick == 0 && k.Ticks:
		return "has a tick"
	case s.Tick != 0 && !k.Ticks:
		return "has no tick"
	case k.FixedTick != 0 && s.Tick != k.FixedTick:
		return fmt.Sprintf("its tick is always %v", k.FixedTick)
	}
	return ""
}

// Count formats a number of timeouts as the names of settings do: 100k, 1M.
func Count(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 1000 && n%1000 == 0:
		return strconv.Itoa(n/1000) + "k"
	default:
		return strconv.Itoa(n)
	}
}

// pending returns settings for numbers of pending timeouts.
func pending(sizes ...int) []Setting {
	var s []Setting
	for _, n := range sizes {
		s = append(s, Setting{Name: "pending=" + Count(n), Pending: n, Tick: tick})
	}
	return s
}

// tick is the tick of the timers in all cases but Lateness. Servers use such a tick; with Netty's
// default of 100ms a wheel has less to do.
const tick = 10 * time.Millisecond

// Far timeouts are pending throughout a measurement.
const (
	farMin = time.Minute
	farMax = 10 * time.Minute
)

// fill makes the slots up to n pending, at random times.
func fill(t contender.Timer, n int) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		t.Start(i, farMin+time.Duration(random.Int64N(int64(farMax-farMin))))
	}
}

// settle gives a timer the time to file the timeouts that fill started. Package testing collects
// garbage before each measurement, so there is no need to here.
func settle() { time.Sleep(50 * time.Millisecond) }

// delays draws random delays between 25 and 35 seconds. Their number is a power of two, so that a
// mask selects one.
func delays() []time.Duration {
	random := rand.New(rand.NewPCG(2, 2))
	d := make([]time.Duration, 1<<14)
	for i := range d {
		d[i] = 25*time.Second + time.Duration(random.Int64N(int64(10*time.Second)))
	}
	return d
}

// noOne does nothing, for timeouts whose run does not matter.
func noOne(int) {}
