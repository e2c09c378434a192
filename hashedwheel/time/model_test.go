package time_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	standard "time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// The tests of this file do the same at random to a timer of this package and to one of package
// time, side by side in a synctest bubble, and compare all that they answer. All delays are whole
// ticks of the wheel, so that even the times have to be equal.

// A pair is the same timer twice: that of package time, then ours.
type pair [2]struct {
	stop  func() bool
	reset func(standard.Duration) bool
	c     <-chan standard.Time
}

// step does one thing to the timer with number i, and returns what it answers. All is settled
// before and after it.
func (p *pair) step(i, what int, d standard.Duration) string {
	t := &p[i]
	switch what {
	case 0:
		return fmt.Sprint("stop ", t.stop())
	case 1:
		return fmt.Sprintf("reset(%v) %v", d, t.reset(d))
	case 2:
		// At once after the reset, before anything else can happen.
		a := t.reset(d)
		_, there := received(t.c)
		return fmt.Sprintf("reset(%v) %v, receive %v", d, a, there)
	case 3:
		a := t.stop()
		_, there := received(t.c)
		return fmt.Sprint("stop ", a, ", receive ", there)
	default:
		at, there := received(t.c)
		return fmt.Sprint("receive ", at, there)
	}
}

// compare does n random things to both timers.
func (p *pair) compare(t *testing.T, n int, delays []standard.Duration) {
	t.Helper()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var history []string
	for range n {
		what, d := r.IntN(8), delays[r.IntN(len(delays))]
		if what == 2 && d <= 0 {
			what = 1 // package time would fire inside Reset
		}
		want := p.step(0, what, d)
		history = append(history, want)
		require.Equal(t, want, p.step(1, what, d), "seed %d, after %v", seed, history[max(0, len(history)-8):])
		synctest.Wait()
		if r.IntN(2) == 0 {
			pause := standard.Duration(r.IntN(8)) * standard.Millisecond
			history = append(history, fmt.Sprint("pause ", pause))
			standard.Sleep(pause)
			synctest.Wait()
		}
	}
}

const ms = standard.Millisecond

// pairs is how many pairs of timers are compared on each wheel, with a hundred steps for each pair.
const pairs = 40

// variants runs test on each wheel on which a timer has to behave the same.
func variants(t *testing.T, test func(t *testing.T, opts hashedwheel.Options)) {
	for name, opts := range map[string]hashedwheel.Options{
		"worker":     {},
		"layered":    {Layered: true},
		"goroutines": {Executor: hashedwheel.Goroutines},
		"full":       {MaxPendingTimeouts: 1}, // nearly all is kept by package time
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, opts) })
		})
	}
}

func TestTimerAnswersAsPackageTime(t *testing.T) {
	variants(t, func(t *testing.T, opts hashedwheel.Options) {
		clock, _ := on(t, opts)
		for range pairs {
			a, b := standard.NewTimer(3*ms), clock.NewTimer(3*ms)
			p := pair{{a.Stop, a.Reset, a.C}, {b.Stop, b.Reset, b.C}}
			p.compare(t, 100, []standard.Duration{0, -1, -5 * ms, ms, 2 * ms, 5 * ms, 20 * ms, 700 * ms, math.MaxInt64, math.MinInt64})
			a.Stop()
			b.Stop()
		}
	})
}

func TestTickerAnswersAsPackageTime(t *testing.T) {
	variants(t, func(t *testing.T, opts hashedwheel.Options) {
		clock, _ := on(t, opts)
		for range pairs {
			a, b := standard.NewTicker(3*ms), clock.NewTicker(3*ms)
			p := pair{
				{func() bool { a.Stop(); return false }, func(d standard.Duration) bool { a.Reset(d); return false }, a.C},
				{func() bool { b.Stop(); return false }, func(d standard.Duration) bool { b.Reset(d); return false }, b.C},
			}
			p.compare(t, 100, []standard.Duration{ms, 2 * ms, 3 * ms, 5 * ms, 20 * ms, 700 * ms, math.MaxInt64})
			a.Stop()
			b.Stop()
		}
	})
}

// TestAfterFuncAnswersAsPackageTime has the functions send the time, so that it can be received.
func TestAfterFuncAnswersAsPackageTime(t *testing.T) {
	variants(t, func(t *testing.T, opts hashedwheel.Options) {
		clock, _ := on(t, opts)
		for _, c := range []time.Clock{clock, clock.Inline()} {
			for range pairs {
				var ran [2]chan standard.Time
				send := func(i int) func() {
					ran[i] = make(chan standard.Time, 1000)
					return func() { ran[i] <- standard.Now() }
				}
				a := standard.AfterFunc(3*ms, send(0))
				b := c.AfterFunc(3*ms, send(1))
				require.Nil(t, b.C)
				p := pair{{a.Stop, a.Reset, ran[0]}, {b.Stop, b.Reset, ran[1]}}
				p.compare(t, 100, []standard.Duration{ms, 2 * ms, 5 * ms, 20 * ms, 700 * ms, math.MaxInt64})
				a.Stop()
				b.Stop()
			}
		}
	})
}
