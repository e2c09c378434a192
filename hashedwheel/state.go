package hashedwheel

import (
	"math"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A state is everything that decides the fate of a timeout, in one word, so that
// one compare-and-swap settles every race: fire against cancel, cancel against
// reset, reset against fire. Only the winner counts, runs or refuses.
//
//	63          18 17     10 9        0
//	┌─────────────┬─────────┬──────────┐
//	│  due tick   │  slack  │  flags   │
//	└─────────────┴─────────┴──────────┘
//
// The due tick is the first tick boundary at or after the deadline. A relative timeout has a
// delay in its place, in units of delayUnit, rounded up: nobody has read the clock for it. Slack says how
// far before that boundary the deadline lies, in units of the timer's
// slackShift, rounded down; it serves the measurement of lateness only.
type state uint64

// The phase, in the lowest bits.
const (
	idle      state = iota // bound by Init, never armed
	armed                  // pending
	expired                // fired; its task has begun or will begin at once
	cancelled              // will not fire, unless it is armed again
	running                // a periodic timeout between fire and next arming; pending
	relative               // pending; the word has a delay, and the worker will make a due tick of it
	phaseMask state = 7
)

const (
	// linked means that the worker holds the timeout in the wheel, or in the batch
	// that it is about to fire. Only the worker sets and clears it.
	//
	// Invariant: the tick under which a linked timeout is filed is never later
	// than the due tick. So a later due tick needs no action: the hand comes by too
	// early, sees it and files the timeout again.
	linked state = 1 << 3

	// queued means that the timeout is in a queue and the worker will look at it
	// and bring the wheel in line with its state. While it is set nobody needs to
	// queue it again, whatever happens to it.
	queued state = 1 << 4

	// notify means that the task wants to hear of its cancellation.
	notify state = 1 << 5

	// periodic means that the timeout is armed again after it fired.
	periodic state = 1 << 6

	// fresh means that the timeout was armed when it was made, and not again since. It
	// decides nothing. It only says that a cancellation which finds the timeout queued may
	// well be the next thing that happens in its stripe: see withdraw.
	fresh state = 1 << 7

	// rebound means that Init has bound the timeout to another task while the worker
	// held it. It makes the word differ from every one that the worker may have read
	// together with the task before: see claim. Only Init sets it, only the worker clears it.
	rebound state = 1 << 8

	// placed means that the timeout has fired and still has its place under the limit: its
	// task runs and may arm it again. Arming takes the bit, and the place with it.
	placed state = 1 << 9

	// kept are the bits that belong to the timeout for its whole life.
	kept = notify | periodic

	// held are the bits that tell what the worker knows of the timeout. They outlive what
	// callers do to it.
	held = linked | queued | rebound

	flagBits  = 10
	slackBits = 8
	dueShift  = flagBits + slackBits
	dueMask   = state(1<<64 - 1<<flagBits) // due tick and slack
)

func (s state) phase() state  { return s & phaseMask }
func (s state) tick() uint64  { return uint64(s >> dueShift) }
func (s state) slack() uint64 { return uint64(s>>flagBits) & (1<<slackBits - 1) }

// pending reports whether the timeout counts as accepted, not fired, not cancelled.
func (s state) pending() bool {
	return s.phase() == armed || s.phase() == relative || s.phase() == running
}

// in returns s with another phase. The delay of a relative one becomes never, so that nobody
// takes it for a due tick.
func (s state) in(phase state) state {
	if s.phase() == relative {
		s |= wheel.Never << dueShift
	}
	return s&^phaseMask | phase
}

// delayUnit is the unit of a relative timeout's delay, a power of two near a microsecond.
const delayUnit = 1 << 10

// delay returns the delay of a relative timeout.
func (s state) delay() time.Duration { return time.Duration(s.tick() * delayUnit) }

// relativeTo returns the due bits and phase of a timeout that is delay away from whenever
// the worker reads the clock.
func relativeTo(delay time.Duration) state {
	return state((uint64(delay)+delayUnit-1)/delayUnit)<<dueShift | relative
}

func (s state) String() string {
	switch s.phase() {
	case idle:
		return "idle"
	case armed, running, relative:
		return "pending"
	case expired:
		return "expired"
	case cancelled:
		return "cancelled"
	}
	return "invalid"
}

// A ticker converts between nanoseconds since a timer's start and ticks.
// It is immutable.
type ticker struct {
	nanos int64 // tick duration, at least a millisecond

	// recip is floor(2^64 / nanos). A multiplication by it takes a fifth of the time
	// of a division and is at most one short.
	recip uint64

	// slackShift is the smallest shift that makes every time within a tick fit
	// into slackBits.
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
	q, _ := mul64(uint64(now), t.recip)
	for r := uint64(now) - q*uint64(t.nanos); r >= uint64(t.nanos); r -= uint64(t.nanos) {
		q++
	}
	return q
}

// due returns the due tick and slack of a timeout that is delay away from now, as
// the upper bits of a state. A negative delay counts as none. What no timer
// reaches, including every sum that overflows, becomes never.
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

// at returns when tick begins, in nanoseconds since the start, and the largest
// int64 for what lies beyond it.
func (t *ticker) at(tick uint64) int64 {
	hi, lo := mul64(tick, uint64(t.nanos))
	if hi != 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}

// deadline returns the deadline that s was made from, at most one unit of slack
// too late.
func (t *ticker) deadline(s state) int64 {
	return t.at(s.tick()) - int64(s.slack()<<t.slackShift)
}
