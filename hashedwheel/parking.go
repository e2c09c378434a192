package hashedwheel

import (
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

const (
	// awakeTicks is how long the worker stays up after the intake held something. A
	// wake costs a caller over a microsecond, a tick about as much: a timer in
	// use should not pay for every call.
	awakeTicks = 8

	// deep marks a parked word: the worker sleeps for longer than a tick.
	deep = 1

	// wakeBacklog is how many entries may wait in a stripe while the worker sleeps.
	wakeBacklog = 1024
)

// A parker is a worker's clock and bed.
//
// A caller leaves something in the intake and then reads parked; the worker sets
// parked and then looks into the intake. So one of them sees the other, and nothing
// that is due before the worker's alarm is slept over.
type parker struct {
	ticker

	// Written by begin, immutable afterwards.
	epoch time.Time     // tick 0
	wake  chan struct{} // capacity 1
	halt  chan struct{} // closed to end the worker
	sleep *time.Timer   // the worker's alarm clock

	halting atomic.Bool  // halt is closed
	wakeUps atomic.Int64 // written by the worker

	_      [64]byte // parked is read by every caller and rarely written
	parked word     // tick<<1 | deep until which the worker sleeps; 0 while it is awake
	_      [64]byte
}

// begin starts the clock. It is called when the worker starts and not before, so that in
// a synctest bubble the clock and the channels are the bubble's own.
func (p *parker) begin() {
	p.epoch = time.Now()
	p.wake = make(chan struct{}, 1)
	p.halt = make(chan struct{})
	p.sleep = time.NewTimer(time.Hour)
	p.sleep.Stop()
}

// end tells the worker to end.
func (p *parker) end() {
	p.halting.Store(true)
	close(p.halt)
	p.sleep.Stop()
}

// now returns the nanoseconds since the start, by the monotonic clock.
func (p *parker) now() int64 { return since(p.epoch) }

// alarm wakes the worker if it sleeps beyond tick.
func (p *parker) alarm(tick uint64) {
	if word := p.parked.Load(); word != 0 && tick < word>>1 {
		p.wakeUp(word)
	}
}

// rouse wakes the worker if it sleeps for longer than a tick.
func (p *parker) rouse() {
	if word := p.parked.Load(); word&deep != 0 {
		p.wakeUp(word)
	}
}

// wakeUp wakes the worker that has parked under word. Of several callers one pays
// for the wake.
func (p *parker) wakeUp(word uint64) {
	if p.parked.CompareAndSwap(word, 0) {
		select {
		case p.wake <- struct{}{}:
		default: // a wake is on its way
		}
	}
}

// park puts the worker to sleep until tick next, a wake or the end, unless empty says
// that there is work. Tick is the current one, and active the last one at
// which the intake held something.
func (p *parker) park(tick, active, next uint64, empty func() bool) {
	if until, ok := p.lieDown(tick, active, next, empty); ok {
		p.rest(until)
	}
	p.parked.Store(0)
}

// lieDown publishes until when the worker will sleep. It returns false if there is work.
func (p *parker) lieDown(tick, active, next uint64, empty func() bool) (until uint64, ok bool) {
	depth := uint64(deep)
	if active != 0 && tick < active+awakeTicks && next > tick+1 {
		next, depth = tick+1, 0
	}
	if next <= tick {
		return next, false
	}
	p.parked.Store(next<<1 | depth)
	return next, empty()
}

// rest sleeps until a tick, a wake or the end.
func (p *parker) rest(until uint64) {
	var alarm <-chan time.Time
	if until < wheel.Never {
		p.sleep.Reset(time.Duration(p.at(until) - p.now()))
		alarm = p.sleep.C
	}
	select {
	case <-alarm:
	case <-p.wake:
	case <-p.halt:
	}
	p.wakeUps.Add(1)
}
