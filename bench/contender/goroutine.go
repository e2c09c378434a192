package contender

import (
	"sync"
	"sync/atomic"
	"time"
)

var goroutineKind = Kind{
	Name: "goroutine", Last: true,
	New:        newGoroutines,
	MaxPending: 100_000,
	Why:        "a goroutine for each timeout takes some 3 KiB",
}

// goroutines has one goroutine for each pending timeout, which waits for the deadline or for the
// stop.
type goroutines struct {
	call    Callbacks
	slot    []*waiting
	running sync.WaitGroup
}

// waiting is a pending timeout.
type waiting struct {
	settled atomic.Bool // fired or stopped
	stop    chan struct{}
}

func newGoroutines(cfg Config) Timer {
	return &goroutines{call: NewCallbacks(cfg), slot: make([]*waiting, cfg.Slots)}
}

func (g *goroutines) Start(slot int, d time.Duration) {
	w := &waiting{stop: make(chan struct{})}
	g.slot[slot] = w
	g.running.Go(func() {
		t := time.NewTimer(d)
		select {
		case <-t.C:
			if w.settled.CompareAndSwap(false, true) {
				g.call.At(slot)()
			}
		case <-w.stop:
			t.Stop()
		}
	})
}

func (g *goroutines) Stop(slot int) bool {
	w := g.slot[slot]
	if w == nil || !w.settled.CompareAndSwap(false, true) {
		return false
	}
	close(w.stop)
	return true
}

func (g *goroutines) Reset(slot int, d time.Duration) bool {
	pending := g.Stop(slot)
	g.Start(slot, d)
	return pending
}

func (g *goroutines) Close() {
	for i := range g.slot {
		g.Stop(i)
	}
	g.running.Wait()
}
