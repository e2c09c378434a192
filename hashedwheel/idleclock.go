package hashedwheel

import (
	"sync/atomic"
	"time"
)

// idleSteps is the resolution of silence: the clock of an Idle makes at least idleSteps steps in
// the period of a member, and less than twice as many. If the steps would be shorter than a tick,
// it makes one for each tick. A silent member is reported at most two steps late, and the worker
// wakes for each step.
const idleSteps = 64

// idleHistory is how many steps a clock remembers. Invariant: together they last longer than the
// period of any member of the clock. Such a period is less than twice the one that the clock was
// made for, and n steps last at least n-1 step lengths.
const idleHistory = 4 * idleSteps

// stepBits is how many bits of an idleClock's word count its steps: enough for 34 years of
// milliseconds. The upper bits hold the clock's number.
const stepBits = 40

// idleClockNumber is the number of the idleClock made last.
var idleClockNumber atomic.Uint64

// A lastTouch records in which step of a clock a member was last touched. It is a type of its own
// because the compiler does not inline methods of generic types such as IdleMemberOf as readily.
type lastTouch struct {
	now  atomic.Pointer[atomic.Uint64] // of the clock; nil before join
	step atomic.Uint64
}

// join binds l to a clock, of which now is the word, and touches it.
func (l *lastTouch) join(now *atomic.Uint64) {
	l.step.Store(now.Load())
	l.now.Store(now)
}

// Touch marks the member as alive. It may be called from any goroutine at any time, and does
// nothing on a member that has been reported or removed, or was never added.
func (l *lastTouch) Touch() {
	if c := l.now.Load(); c != nil {
		if now := c.Load(); l.step.Load() != now {
			l.note(now)
		}
	}
}

// note stores the step now unless l holds a later one: a goroutine that was held up between reading
// the step and storing it must not hide a later touch. If l has joined another clock in between,
// note does nothing, because joining counted as a touch.
func (l *lastTouch) note(now uint64) {
	for {
		step := l.step.Load()
		if step>>stepBits != now>>stepBits || step >= now || l.step.CompareAndSwap(step, now) {
			return
		}
	}
}

// An idleClock is a coarse clock that members with similar periods share. All fields but now are
// guarded by the mutex of its Idle.
type idleClock[V any] struct {
	// now holds the clock's number in its upper bits and the current step in the lower ones, so
	// that no step of one clock equals one of another. Each Touch reads it; it is written once in a
	// step.
	_   [64]byte
	now atomic.Uint64
	_   [64]byte

	idle    *IdleOf[V]
	step    time.Duration
	members int      // and reports, on a timer with a limit
	timeout *Timeout // pending while there are any

	// began[k%idleHistory] is when step k began, in nanoseconds since the timer's start.
	began [idleHistory]int64
}

// clockLocked returns the clock for members with the given period, and starts it if it stands
// still. It returns an error if the timer refuses.
//
// REQUIRES: i.mu is held.
func (i *IdleOf[V]) clockLocked(period time.Duration) (*idleClock[V], error) {
	step := max(i.similar(period)/idleSteps, time.Duration(i.timer.clock.nanos))
	var c *idleClock[V]
	for _, known := range i.mu.clocks {
		if known.step == step {
			c = known
		}
	}
	if c == nil {
		c = &idleClock[V]{idle: i, step: step}
		c.now.Store(idleClockNumber.Add(1) << stepBits)
		i.mu.clocks = append(i.mu.clocks, c)
	}
	if c.members > 0 {
		return c, nil
	}
	c.stepLocked() // the clock stood still
	var err error
	if c.timeout, err = i.timer.repeat("Idle", step, c.tick, false); err != nil {
		return nil, err
	}
	i.timer.idle.started.Add(1)
	return c, nil
}

// similar rounds period down to the period of i, doubled or halved any number of times. Members for
// which it returns the same share a clock.
func (i *IdleOf[V]) similar(period time.Duration) time.Duration {
	base := i.period
	for base <= period/2 {
		base *= 2
	}
	for base > period {
		base /= 2
	}
	return base
}

// release ends the use of the clock by one that was counted in members.
func (c *idleClock[V]) release() {
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	c.releaseLocked()
}

// releaseLocked does the work of release.
//
// REQUIRES: the mutex of the Idle is held.
func (c *idleClock[V]) releaseLocked() {
	c.members--
	c.restLocked()
}

// restLocked stops the clock if it has no members.
//
// REQUIRES: the mutex of the Idle is held.
func (c *idleClock[V]) restLocked() {
	if c.members == 0 && c.timeout.Cancel() {
		c.idle.timer.idle.cancelled.Add(1)
	}
}

// tick advances the clock by one step.
func (c *idleClock[V]) tick() {
	c.idle.mu.Lock()
	c.stepLocked()
	c.idle.mu.Unlock()
	c.idle.timer.idle.fired.Add(1)
}

// stepLocked starts a new step.
//
// REQUIRES: the mutex of the Idle is held.
func (c *idleClock[V]) stepLocked() {
	k := c.now.Load() + 1
	// The clock is read after the step is published: a caller that touches in the step before has
	// read that step by now, so no touch in it began later than this.
	c.now.Store(k)
	c.began[k%idleHistory] = c.idle.timer.clock.now()
}

// lastTouchLocked returns the latest instant at which the last touch can have been, given that it
// was in step seen; 0 means longer ago than a period.
//
// REQUIRES: the mutex of the Idle is held.
func (c *idleClock[V]) lastTouchLocked(seen uint64) int64 {
	now := c.now.Load()
	if seen == now {
		return c.idle.timer.clock.now()
	}
	if now-seen >= idleHistory {
		return 0 // forgotten
	}
	return c.began[(seen+1)%idleHistory]
}

// A roster holds the members of an Idle in no order, so that Stop finds them. It grows and shrinks
// by pieces, because growing a single slice would copy all of it under the lock.
type roster[V any] struct {
	pieces []*[rosterPiece]*IdleMemberOf[V]
	n      int
}

const rosterPiece = 512

func (r *roster[V]) at(k int) **IdleMemberOf[V] { return &r.pieces[k/rosterPiece][k%rosterPiece] }

func (r *roster[V]) add(m *IdleMemberOf[V]) {
	if r.n == len(r.pieces)*rosterPiece {
		r.pieces = append(r.pieces, new([rosterPiece]*IdleMemberOf[V]))
	}
	*r.at(r.n), m.place = m, r.n
	r.n++
}

// remove puts the last member into the place of m.
func (r *roster[V]) remove(m *IdleMemberOf[V]) {
	moved := r.last()
	*r.at(m.place), moved.place = moved, m.place
	r.n--
	*r.at(r.n) = nil
	if r.n%rosterPiece == 0 && len(r.pieces)*rosterPiece-r.n > rosterPiece {
		// One empty piece is kept, so that a count that oscillates around the end of a piece does
		// not allocate.
		r.pieces[len(r.pieces)-1] = nil
		r.pieces = r.pieces[:len(r.pieces)-1]
	}
}

// last returns the last member, nil if there is none.
func (r *roster[V]) last() *IdleMemberOf[V] {
	if r.n == 0 {
		return nil
	}
	return *r.at(r.n - 1)
}
