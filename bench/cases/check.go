package cases

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// A Verdict counts the promises that a timer broke.
type Verdict struct {
	Lost, Twice, Stopped int // did not fire; fired again; fired though stopped
	Early                int
	Earliest, Latest     time.Duration
}

// Check starts timeouts, stops some, resets some, and checks what fires. It takes about three
// seconds, or none in a bubble of testing/synctest.
func Check(k contender.Kind) Verdict {
	const n = 300
	var (
		random = rand.New(rand.NewPCG(5, 5))
		begin  = time.Now()
		due    [n]time.Duration
		fired  [n]atomic.Int64
		last   [n]atomic.Int64
		stop   [n]bool
	)
	t := k.New(contender.Config{Slots: n, Tick: tick, Fire: func(slot int) {
		last[slot].Store(int64(time.Since(begin)))
		fired[slot].Add(1)
	}})
	start := func(slot int, arm func(slot int, d time.Duration)) {
		d := 300*time.Millisecond + time.Duration(random.Int64N(int64(2*time.Second)))
		due[slot] = time.Since(begin) + d
		arm(slot, d)
	}
	reset := func(slot int, d time.Duration) { t.Reset(slot, d) }
	for i := range n {
		start(i, t.Start)
	}
	time.Sleep(50 * time.Millisecond)
	for i := range n {
		switch i % 5 {
		case 1:
			stop[i] = t.Stop(i)
		case 2:
			start(i, reset)
		case 3:
			t.Stop(i)
			start(i, t.Start)
		}
	}
	time.Sleep(3 * time.Second)
	t.Close()

	var v Verdict
	for i := range n {
		count := fired[i].Load()
		late := time.Duration(last[i].Load()) - due[i]
		switch {
		case stop[i]:
			v.Stopped += int(count)
			continue
		case count == 0:
			v.Lost++
			continue
		case count > 1:
			v.Twice++
		}
		if late < 0 {
			v.Early++
		}
		v.Earliest, v.Latest = min(v.Earliest, late), max(v.Latest, late)
	}
	return v
}
