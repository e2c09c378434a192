package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A timer in which nothing is pending any more keeps no memory of what was.
func TestEmptyTimerKeepsNoMemory(t *testing.T) {
	for _, layered := range []bool{false, true} {
		for _, end := range []string{"cancelled", "fired"} {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond, Layered: layered})
				for range 3 {
					var all []*Timeout
					for i := range 20_000 {
						all = append(all, w.AfterFunc(time.Minute+time.Duration(i)*time.Millisecond, nothing))
					}
					time.Sleep(time.Second)
					synctest.Wait()
					for _, x := range all {
						if end == "cancelled" {
							x.Cancel()
						}
					}
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					require.Zero(t, w.wheel.size())
					pages := 0
					switch c := w.wheel.(type) {
					case *wheel[*Timeout]:
						require.Empty(t, c.pool.blocks)
						for i := range c.buckets {
							pages += cap(c.buckets[i].pages)
						}
					case *layeredWheel[*Timeout]:
						require.Empty(t, c.pool.blocks)
						for k := range c.layers {
							for i := range c.layers[k].buckets {
								pages += cap(c.layers[k].buckets[i].pages)
							}
						}
					}
					require.LessOrEqual(t, pages, 4*defaultTicksPerWheel, "a bucket keeps a short list at most")
					for i := range w.intake.stripes {
						require.Nil(t, w.intake.stripes[i].mu.spare)
					}
				}
			})
		}
	}
}
