package hashedwheel

import (
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A state is everything that decides the fate of a timeout, in one word, so that one
// compare-and-swap settles every race: fire against cancel, cancel against reset, reset against
// fire. Only the winner counts, runs or refuses.
//
//	63          18 17     10 9        0
//	┌─────────────┬─────────┬──────────┐
//	│  due tick   │  slack  │  flags   │
//	└─────────────┴─────────┴──────────┘
//
// The due tick is the first tick boundary at or after the deadline. A relative timeout has a delay
// in its place, in units of delayUnit, rounded up: no clock was read for it. Slack says how far
// before that boundary the deadline lies, in units of 1<<slackShift nanoseconds, rounded down; it
// serves only Due, String and the measurement of lateness.
type state uint64

// The phase, in the lowest bits.
const (
	idle      state = iota // bound by Init, not armed since
	armed                  // pending
	expired                // fired; its task has begun, begins at once, or the executor has it
	cancelled              // will not fire, unless it is armed again
	running                // a periodic timeout between fire and next arming; pending
	relative               // pending; the word has a delay, and the worker will make a due tick of it
	phaseMask state = 7
)

const (
	// linked means that the worker holds the timeout in the wheel, or in the batch that it is about
	// to fire. Only the worker changes it, and Stop once the worker has ended.
	//
	// Invariant: the tick under which a linked timeout is filed is never later than the due tick.
	// So a later due tick needs no action: the hand comes by too early, sees it and files the
	// timeout again.
	linked state = 1 << 3

	// queued means that the timeout is in a queue, and that the worker will bring the wheel in line
	// with its state. While it is set the timeout need not be queued again, whatever happens to it.
	queued state = 1 << 4

	// notify means that the task has a method Cancelled.
	notify state = 1 << 5

	// periodic means that the timeout is armed again after it fired.
	periodic state = 1 << 6

	// fresh means that the timeout was armed when it was made, and not again since. It is only a
	// hint: a cancellation that finds the timeout queued may well be the next operation in its
	// stripe. See cancelQueued.
	fresh state = 1 << 7

	// rebound means that Init has bound the timeout to another task while the worker held it. It
	// makes the word differ from every one that the worker may have read together with the previous
	// task; see claim. Only Init sets it; the worker clears it, or Stop once the worker has ended.
	rebound state = 1 << 8

	// placed means that the timeout has fired and still has its place under the limit: its task
	// runs and may arm it again. Arming takes the bit, and the place with it.
	placed state = 1 << 9

	// kept are the bits that say what the task is. Only Init changes them.
	kept = notify | periodic

	// held are the bits that record what the worker knows of the timeout. They survive the changes
	// that callers make.
	held = linked | queued | rebound

	flagBits  = 10
	slackBits = 8
	dueShift  = flagBits + slackBits
	dueMask   = state(1<<64 - 1<<flagBits) // due tick and slack
)

func (s state) phase() state { return s & phaseMask }

func (s state) tick() uint64 { return uint64(s >> dueShift) }

func (s state) slack() uint64 { return uint64(s>>flagBits) & (1<<slackBits - 1) }

// pending reports whether the timeout counts as accepted, not fired, not cancelled.
func (s state) pending() bool {
	return s.phase() == armed || s.phase() == relative || s.phase() == running
}

// in returns s with another phase. The delay of a relative one becomes never, so that it is not
// taken for a due tick.
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

// relativeTo returns the due bits and phase of a timeout that is due delay after the worker's next
// reading of the clock.
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
