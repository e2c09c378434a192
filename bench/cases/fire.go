package cases

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Fire lets many timeouts become due. An operation is all of them.
var Fire = Case{
	Name: "Fire",
	Settings: func(short bool) []Setting {
		sizes := []int{100_000, 1_000_000}
		if short {
			sizes = []int{10_000}
		}
		var s []Setting
		for _, n := range sizes {
			s = append(s, Setting{Name: "due=" + Count(n), Pending: n, Due: n, Tick: tick})
		}
		return s
	},
	Open: openFire,
}

// fireSpread is the time over which the timeouts of the second variant are due.
const fireSpread = time.Second

func openFire(k contender.Kind, s Setting) Ground {
	variant := func(spread time.Duration) func(Meter, int) {
		return func(m Meter, n int) {
			var wall, cpu, last time.Duration
			for range n {
				h := gather(k, s, spread)
				if h == nil {
					m.Fatalf("the machine is too busy to start %d timeouts before they are due", s.Due)
				}
				w, c, l, ok := h.wait()
				h.timer.Close()
				if !ok {
					m.Fatalf("%d of %d fired", h.fired.Load(), s.Due)
				}
				wall, cpu, last = wall+w, cpu+c, last+l
			}
			fires := float64(n) * float64(s.Due)
			m.ReportMetric(0, "ns/op") // mostly waiting
			m.ReportMetric(float64(cpu.Nanoseconds())/fires, "cpu-ns/fire")
			if spread == 0 {
				m.ReportMetric(float64(wall.Nanoseconds())/fires, "wall-ns/fire")
			}
			m.ReportMetric(last.Seconds()*1e3/float64(n), "last-late-ms")
		}
	}
	v := []Variant{{Name: "at=once", Run: variant(0)}}
	if s.Due >= 1_000_000 || s.Due <= 10_000 { // 100k is for contenders that cannot have 1M
		v = append(v, Variant{Name: "at=spread-1s", Run: variant(fireSpread)})
	}
	return Ground{Variants: v, Close: func() {}}
}

// A herd is timeouts that are due together.
type herd struct {
	timer       contender.Timer
	n           int
	at, until   time.Time // the first and the last deadline
	fired       atomic.Int64
	first, last time.Time
	begun, all  chan struct{} // closed once first is set, and once both are
}

func newHerd(k contender.Kind, s Setting) *herd {
	h := &herd{n: s.Due, begun: make(chan struct{}), all: make(chan struct{})}
	h.timer = k.New(contender.Config{Slots: s.Due, Tick: s.Tick, Fire: h.fire, Anonymous: true})
	return h
}

func (h *herd) fire(int) {
	n := h.fired.Add(1)
	if n == 1 {
		h.first = time.Now()
		close(h.begun)
	}
	if n == int64(h.n) {
		h.last = time.Now()
		<-h.begun // with a goroutine for each run, the first one may be slower
		close(h.all)
	}
}

// gather returns a herd whose timeouts are all pending. It doubles the lead up to four times, and
// returns nil if the first timeout still comes close before all are started.
func gather(k contender.Kind, s Setting, spread time.Duration) *herd {
	lead := 150*time.Millisecond + 350*time.Duration(s.Due)
	for range 5 {
		h := newHerd(k, s)
		runtime.GC()
		if h.start(lead, spread) {
			return h
		}
		h.timer.Close()
		lead *= 2
	}
	return nil
}

// start starts the timeouts: the first is due after lead, and the others within spread after it. It
// gives up and returns false when the first is close before all are started.
func (h *herd) start(lead, spread time.Duration) bool {
	h.at = time.Now().Add(lead)
	h.until = h.at.Add(spread)
	for i := range h.n {
		due := h.at
		if spread > 0 {
			due = due.Add(time.Duration(i) * spread / time.Duration(h.n))
		}
		h.timer.Start(i, time.Until(due))
		if i%1024 == 0 && h.close() {
			return false
		}
	}
	return !h.close()
}

func (h *herd) close() bool { return time.Until(h.at) < 50*time.Millisecond }

// wait returns the time from the first to the last fire, the processor time and how late the last
// one was.
func (h *herd) wait() (wall, cpu, last time.Duration, ok bool) {
	time.Sleep(time.Until(h.at) - 20*time.Millisecond)
	before := used()
	select {
	case <-h.all:
	case <-time.After(time.Until(h.until) + 30*time.Second):
		return 0, 0, 0, false
	}
	cpu = used().cpu - before.cpu
	return h.last.Sub(h.first), cpu, h.last.Sub(h.until), true
}
