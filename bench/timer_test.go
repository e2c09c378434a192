package bench_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/bench/cases"
	"github.com/xxlwheel/xxlwheel/bench/contender"
)

func TestContendersKeepTheirPromises(t *testing.T) {
	for _, k := range contender.All() {
		t.Run(k.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := cases.Check(k)
				require.Zero(t, v.Lost, "did not fire")
				require.Zero(t, v.Twice, "fired twice")
				require.Zero(t, v.Stopped, "fired though stopped")
				if k.Early {
					t.Logf("%d early, by up to %v", v.Early, -v.Earliest)
				} else {
					require.Zero(t, v.Early, "fired early, by up to %v", -v.Earliest)
				}
			})
		})
	}
}

func BenchmarkPending(b *testing.B) { run(b, cases.Pending) }

func BenchmarkStart(b *testing.B) { run(b, cases.Start) }

func BenchmarkFire(b *testing.B) { run(b, cases.Fire) }

func BenchmarkScaling(b *testing.B) { run(b, cases.Scaling) }

func BenchmarkBurst(b *testing.B) { run(b, cases.Burst) }

// BenchmarkEarly measures only our own timers, as BenchmarkTick does. Both need ten million
// timeouts, and repetition does not make them steadier.
func BenchmarkEarly(b *testing.B) { runKinds(b, cases.Early, contender.Ours()) }

// BenchmarkTick skips the first kind, which has the same engine as the second.
func BenchmarkTick(b *testing.B) { runKinds(b, cases.Tick, contender.Ours()[1:]) }
