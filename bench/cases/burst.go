package cases

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Burst measures the lateness of timeouts that become due while several goroutines start a great
// many others. A timer that first files everything that was started fires nothing meanwhile. An
// operation is one burst.
var Burst = Case{
	Name: "Burst",
	Settings: func(short bool) []Setting {
		n := 80_000
		if short {
			n = 2000
		}
		return []Setting{{Name: "burst=" + Count(n), Pending: n + burstDue, Due: burstDue, Tick: tick}}
	},
	Open: openBurst,
}

const (
	// burstDue is how many timeouts are due during the burst and shortly after it: one every
	// burstPace, the first when the burst begins.
	burstDue  = 400
	burstPace = 250 * time.Microsecond
	// burstCallers is how many goroutines start the burst, each an equal part of it.
	burstCallers = 4
)

func openBurst(k contender.Kind, s Setting) Ground {
	run := func(m Meter, n int) {
		var late []time.Duration
		for range n {
			l := burst(k, s)
			if l == nil {
				m.Fatalf("not all of %d fired", s.Due)
			}
			late = append(late, l...)
		}
		slices.Sort(late)
		at := func(percent int) float64 { return late[percent*(len(late)-1)/100].Seconds() * 1e3 }
		m.ReportMetric(0, "ns/op")
		m.ReportMetric(at(50), "p50-ms")
		m.ReportMetric(at(99), "p99-ms")
		m.ReportMetric(at(100), "max-ms")
	}
	return Ground{Variants: []Variant{{Name: "callers=" + Count(burstCallers), Run: run}}, Close: func() {}}
}

// burst returns how late each timeout that was due beside the burst was, or nil if some were lost.
func burst(k contender.Kind, s Setting) []time.Duration {
	const lead = 50 * time.Millisecond
	var (
		begin = time.Now()
		due   [burstDue]time.Duration // each is written before its slot is started
		late  [burstDue]time.Duration // each is written by its slot's only run
		left  atomic.Int64
		all   = make(chan struct{})
	)
	left.Store(burstDue)
	t := k.New(contender.Config{Slots: s.Pending, Tick: s.Tick, Fire: func(slot int) {
		if slot >= burstDue {
			return
		}
		late[slot] = time.Since(begin) - due[slot]
		if left.Add(-1) == 0 {
			close(all)
		}
	}})
	defer t.Close()
	for i := range due {
		due[i] = time.Since(begin) + lead + time.Duration(i)*burstPace
		t.Start(i, lead+time.Duration(i)*burstPace)
	}
	time.Sleep(lead)
	var callers sync.WaitGroup
	each := (s.Pending - burstDue) / burstCallers
	for g := range burstCallers {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(g)))
			for i := range each {
				t.Start(burstDue+g*each+i, farMin+time.Duration(random.Int64N(int64(farMax-farMin))))
			}
		})
	}
	callers.Wait()
	select {
	case <-all:
		return late[:]
	case <-time.After(30 * time.Second):
		return nil
	}
}
