package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A shrinkCounter counts the calls of a wheel's Shrink.
type shrinkCounter struct {
	wheel.Wheel[*Timeout]
	shrunk int
}

func (c *shrinkCounter) Shrink() {
	c.shrunk++
	c.Wheel.Shrink()
}

// A timer in which nothing is pending keeps no memory of what was.
func TestEmptyTimerKeepsNoMemory(t *testing.T) {
	for _, layered := range []bool{false, true} {
		for _, end := range []string{"cancelled", "fired"} {
			synctest.Test(t, func(t *testing.T) {
				w := newTestTimer(t, Options{TickDuration: 10 * time.Millisecond, Layered: layered})
				kept := &shrinkCounter{Wheel: w.wheel}
				w.wheel = kept
				for range 3 {
					before := kept.shrunk
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
					require.Zero(t, w.wheel.Size())
					require.Greater(t, kept.shrunk, before, "the wheel has released its pages")
					for i := range w.intake.stripes {
						require.Nil(t, w.intake.stripes[i].mu.spare)
					}
				}
			})
		}
	}
}
