package cases

import (
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Reset moves deadlines of pending timeouts: the touch of a connection, made with
// a timer.
var Reset = Case{
	Name: "Reset",
	Settings: func(short bool) []Setting {
		if short {
			return pending(10_000)
		}
		return pending(100_000, 1_000_000)
	},
	Open: openReset,
}

func openReset(k contender.Kind, s Setting) Ground {
	t := k.New(contender.Config{Slots: s.Pending, Tick: s.Tick, Fire: noOne, Anonymous: true})
	fill(t, s.Pending)
	settle()
	order := rand.New(rand.NewPCG(3, 3)).Perm(s.Pending)

	measure := func(slot func(i int) int, delay func(i int) time.Duration) func(Meter, int) {
		return func(m Meter, n int) {
			m.ReportAllocs()
			m.ResetTimer()
			pending := 0
			for i := range n {
				if t.Reset(slot(i), delay(i)) {
					pending++
				}
			}
			m.StopTimer()
			if pending != n {
				m.Fatalf("%d of %d timeouts were pending", pending, n)
			}
		}
	}
	one := func(int) int { return 0 }
	random := func(i int) int { return order[i%len(order)] }
	later := func(int) time.Duration { return farMax + 5*time.Minute }
	// earlier is nearer than all before it, for as many calls as there are slots.
	earlier := func(i int) time.Duration {
		return farMin - 10*time.Second - time.Duration(i%len(order))*(20*time.Second/time.Duration(len(order)))
	}
	return Ground{
		Variants: []Variant{
			{Name: "later/order=same", Run: measure(one, later)},
			{Name: "later/order=random", Run: measure(random, later)},
			{Name: "earlier/order=random", Run: measure(random, earlier)},
		},
		Close: t.Close,
	}
}
