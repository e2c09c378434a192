package cases

import (
	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// Scaling measures start and stop by 1 to 16 goroutines on one timer, whatever the number of
// processors. A timer in which every start writes one shared word gets slower for each caller as
// processors are added. With more goroutines than processors, the figure shows what a preempted
// caller costs the others.
var Scaling = Case{
	Name: "Scaling",
	Settings: func(short bool) []Setting {
		return []Setting{{Name: "pending=0", Tick: tick, Short: short}}
	},
	Open: openScaling,
}

func openScaling(k contender.Kind, s Setting) Ground {
	callers := []int{1, 2, 4, 8, 16}
	t := k.New(contender.Config{Slots: callers[len(callers)-1] * ring, Tick: s.Tick, Fire: noOne, Anonymous: true})
	var v []Variant
	for _, n := range callers {
		v = append(v, Variant{Name: "callers=" + Count(n), Run: pairs(t, s, n)})
	}
	return Ground{Variants: v, Close: t.Close}
}
