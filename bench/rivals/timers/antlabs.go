package timers

import (
	"time"

	"github.com/antlabs/timer"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

var antlabs = contender.Kind{
	Name:      "antlabs",
	New:       newAntlabs,
	Ticks:     true,
	FixedTick: 10 * time.Millisecond,
	Early:     true,
}

// ant is a wheel of five levels with one lock for each slot. It does not read a clock when a
// timeout starts.
type ant struct {
	t    timer.Timer
	call contender.Callbacks
	slot []timer.TimeNoder
	done chan struct{}
}

func newAntlabs(cfg contender.Config) contender.Timer {
	a := &ant{
		t:    timer.NewTimer(),
		call: contender.NewCallbacks(cfg),
		slot: make([]timer.TimeNoder, cfg.Slots),
		done: make(chan struct{}),
	}
	go func() { // Close waits for it
		defer close(a.done)
		a.t.Run()
	}()
	return a
}

func (a *ant) Start(slot int, d time.Duration) { a.slot[slot] = a.t.AfterFunc(d, a.call.At(slot)) }

func (a *ant) Stop(slot int) bool { return a.slot[slot].Stop() }

// Reset does not use the library's own reset, which deadlocks if the new deadline belongs to the
// slot that the timeout is in.
func (a *ant) Reset(slot int, d time.Duration) bool { return restart(a, slot, d) }

func (a *ant) Close() {
	a.t.Stop()
	<-a.done
}
