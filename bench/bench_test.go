package bench_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/bench/cases"
	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// run measures all contenders in a case. With -short the sizes are small.
func run(b *testing.B, c cases.Case) { runKinds(b, c, contender.All()) }

// runKinds runs all contenders of one size before those of the next, so that compared measurements
// are close together in time. It also keeps an empty timer from being measured while the system
// takes back the memory of five million timeouts. Contenders that leave something behind run after
// all others.
func runKinds(b *testing.B, c cases.Case, kinds []contender.Kind) {
	for _, last := range []bool{false, true} {
		for _, s := range c.Settings(testing.Short()) {
			for _, k := range kinds {
				if k.Last == last {
					runKind(b, c, k, s)
				}
			}
		}
	}
}

func runKind(b *testing.B, c cases.Case, k contender.Kind, s cases.Setting) {
	b.Run("timer="+k.Name+"/"+s.Name, func(b *testing.B) {
		if why := c.Absence(k, s); why != "" {
			b.Skip(why)
		}
		ground := c.Open(k, s)
		defer ground.Close()
		for _, v := range ground.Variants {
			b.Run(v.Name, func(b *testing.B) { v.Run(b, b.N) })
		}
	})
}
