package timers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/bench/cases"
	"github.com/xxlwheel/xxlwheel/bench/rivals/timers"
)

// TestContendersKeepTheirPromises checks that each contender but gost fires every timeout once, and
// not early unless its Kind has Early set. The figures of one that does not would be meaningless.
func TestContendersKeepTheirPromises(t *testing.T) {
	for _, k := range timers.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			v := cases.Check(k)
			t.Logf("%+v", v)
			if k.Name == "gost" {
				return // on a busy machine its request queue loses stops
			}
			require.Zero(t, v.Lost, "did not fire")
			require.Zero(t, v.Twice, "fired twice")
			if !k.Early {
				require.Zero(t, v.Early, "fired early, by up to %v", -v.Earliest)
			}
		})
	}
}

func BenchmarkPending(b *testing.B) { run(b, cases.Pending) }

func BenchmarkStart(b *testing.B) { run(b, cases.Start) }

func BenchmarkFire(b *testing.B) { run(b, cases.Fire) }

func BenchmarkLateness(b *testing.B) { run(b, cases.Lateness) }

// run measures all contenders in a case, those of one size one after the other. With -short the
// sizes are small.
func run(b *testing.B, c cases.Case) {
	for _, s := range c.Settings(testing.Short()) {
		for _, k := range timers.All() {
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
	}
}
