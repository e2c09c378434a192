package hashedwheel

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A ticker converts between nanoseconds since a timer's start and ticks. It is immutable.
type ticker struct {
	nanos int64 // tick duration, at least a millisecond

	// recip is floor(2^64 / nanos), or one less. A multiplication by it is cheaper than a division,
	// and its result at most one short.
	recip uint64

	// slackShift is the smallest shift that makes every time within a tick fit into slackBits.
	slackShift uint
}

func newTicker(tick time.Duration) ticker {
	t := ticker{nanos: int64(tick)}
	t.recip = ^uint64(0) / uint64(tick) // equal to floor(2^64/tick) unless tick is a power of two, and one short then
	for (t.nanos-1)>>t.slackShift >= 1<<slackBits {
		t.slackShift++
	}
	return t
}

// floor returns the last tick boundary at or before now, as a tick.
func (t *ticker) floor(now int64) uint64 {
	q, _ := bits.Mul64(uint64(now), t.recip)
	for r := uint64(now) - q*uint64(t.nanos); r >= uint64(t.nanos); r -= uint64(t.nanos) {
		q++
	}
	return q
}

// due returns the due tick and slack of a timeout that is delay away from now, as the upper bits of
// a state. A negative delay counts as none. What no timer reaches, including every sum that
// overflows, becomes never.
func (t *ticker) due(now int64, delay time.Duration) state {
	deadline := after(now, int64(delay))
	if deadline == math.MaxInt64 {
		return wheel.Never << dueShift
	}
	tick := t.floor(deadline)
	var slack uint64
	if rest := deadline - int64(tick)*t.nanos; rest > 0 {
		tick++
		slack = uint64(t.nanos-rest) >> t.slackShift
	}
	return state(tick<<dueShift | slack<<flagBits)
}

// at returns when tick begins, in nanoseconds since the start, and the largest int64 for what lies
// beyond it.
func (t *ticker) at(tick uint64) int64 {
	hi, lo := bits.Mul64(tick, uint64(t.nanos))
	if hi != 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}

// deadline returns the deadline that s was made from, at most one unit of slack too late.
func (t *ticker) deadline(s state) int64 {
	return t.at(s.tick()) - int64(s.slack()<<t.slackShift)
}

// after returns now plus delay, and the largest int64 if that overflows. A negative delay counts as
// none.
func after(now, delay int64) int64 {
	if deadline := now + max(delay, 0); deadline >= 0 {
		return deadline
	}
	return math.MaxInt64
}

const (
	// awakeTicks is how long the worker stays up after the intake held something. A wake costs
	// the caller about as much as a tick costs the worker: a timer in use should not pay for every
	// call.
	awakeTicks = 8

	// deep marks a parked word: the worker sleeps for longer than a tick.
	deep = 1

	// wakeBacklog is how many entries may wait in a stripe while the worker sleeps.
	wakeBacklog = 1024
)

// A clock keeps a worker's time, in ticks and in nanoseconds since the start, and puts the worker
// to sleep.
//
// A caller leaves something in the intake and then reads parked; the worker sets parked and then
// looks into the intake. So at least one of them sees the other, and the worker never sleeps past a
// deadline.
type clock struct {
	ticker

	// Written by start, immutable afterwards.
	epoch time.Time     // tick 0
	wake  chan struct{} // capacity 1
	halt  chan struct{} // closed to end the worker
	sleep *time.Timer   // the worker's alarm clock

	halting flag         // halt is closed
	wakeUps atomic.Int64 // written by the worker

	_      [64]byte // parked is read by every caller and rarely written
	parked word     // tick<<1 | deep until which the worker sleeps; 0 while it is awake
	// hand is the tick of the worker's last pass. It is late when the worker is, so no deadline may
	// be made from it.
	hand atomic.Uint64
	_    [64]byte
}

// start starts the clock. It is called when the worker starts and not before, so that in a synctest
// bubble the clock and the channels are the bubble's own.
func (c *clock) start() {
	c.epoch = time.Now()
	c.wake = make(chan struct{}, 1)
	c.halt = make(chan struct{})
	c.sleep = time.NewTimer(time.Hour)
	c.sleep.Stop()
}

// stop tells the worker to end.
func (c *clock) stop() {
	c.halting.Store(true)
	close(c.halt)
	c.sleep.Stop()
}

// now returns the nanoseconds since the start, by the monotonic clock.
func (c *clock) now() int64 { return since(c.epoch) }

// alarm wakes the worker if it sleeps beyond tick.
func (c *clock) alarm(tick uint64) {
	if word := c.parked.Load(); word != 0 && tick < word>>1 {
		c.wakeUp(word)
	}
}

// wakeFromSleep wakes the worker if it sleeps for longer than a tick.
func (c *clock) wakeFromSleep() {
	if word := c.parked.Load(); word&deep != 0 {
		c.wakeUp(word)
	}
}

// wakeUp wakes the worker that has parked under word. If several call it, one pays for the wake.
func (c *clock) wakeUp(word uint64) {
	if c.parked.CompareAndSwap(word, 0) {
		select {
		case c.wake <- struct{}{}:
		default: // a wake is on its way
		}
	}
}

// park puts the worker to sleep until tick next, or for one tick if the intake held something
// within the last awakeTicks, unless empty says that there is work. A wake or the end ends the
// sleep earlier. Tick is the current one, and active the last one at which the intake held
// something; 0 means none.
func (c *clock) park(tick, active, next uint64, empty func() bool) {
	if until, ok := c.beginSleep(tick, active, next, empty); ok {
		c.sleepUntil(until)
	}
	c.parked.Store(0)
}

// beginSleep publishes until when the worker will sleep. It returns false if there is work.
func (c *clock) beginSleep(tick, active, next uint64, empty func() bool) (until uint64, ok bool) {
	if active != 0 && tick < active+awakeTicks && next > tick+1 {
		next = tick + 1
	}
	if next <= tick {
		return next, false
	}
	word := next << 1
	if next > tick+1 {
		word |= deep
	}
	c.parked.Store(word)
	return next, empty()
}

// sleepUntil sleeps until a tick, a wake or the end.
func (c *clock) sleepUntil(until uint64) {
	var alarm <-chan time.Time
	if until < wheel.Never {
		c.sleep.Reset(time.Duration(c.at(until) - c.now()))
		alarm = c.sleep.C
	}
	select {
	case <-alarm:
	case <-c.wake:
	case <-c.halt:
	}
	c.wakeUps.Add(1)
}
