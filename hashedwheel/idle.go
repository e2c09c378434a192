package hashedwheel

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// ErrIdleStopped is returned when a member is added to an Idle that was stopped by its own Stop.
// The member is unchanged. The timer continues.
var ErrIdleStopped = errors.New("hashedwheel: idle stopped")

// An Idle is an IdleOf whose members carry a Value of any type.
type Idle = IdleOf[any]

// An IdleMember is a member of an Idle.
type IdleMember = IdleMemberOf[any]

// An IdleOf finds out which of its members have been silent for a period: connections, sessions,
// peers. Each member is reported once and then removed. V is the type of the value that a member
// carries.
//
// Touch does not read a clock. It notes the step of a coarse clock that the members share, and
// stores only if that differs from the step noted before. That takes under a nanosecond if the
// member is in the processor's cache (AMD EPYC), and moving a deadline takes over twenty times as
// long. A member is checked about once in a period, however often it is touched.
//
// A member is never reported early, however late the worker is: a touch in one step counts as a
// touch at the beginning of the next step, at which the clock is read. It is reported late by at
// most 2/64 of its period and two ticks, while the worker keeps up.
//
// All methods may be called from any goroutine, also from inside the function that is called for
// silent members.
type IdleOf[V any] struct {
	timer  *HashedWheelTimer
	period time.Duration // of members that have none of their own
	silent func(*IdleMemberOf[V])

	mu struct { // guards the memberships, and the fields of clocks and members that say so
		sync.Mutex
		stopped bool
		clocks  []*idleClock[V] // one for each step length in use so far
		members roster[V]
	}
}

// An IdleMemberOf is one member of an IdleOf. It lives in the caller's own struct and must not be
// copied. The zero value is ready for Add.
type IdleMemberOf[V any] struct {
	timeout Timeout
	lastTouch

	// clock is nil before the first Add.
	clock atomic.Pointer[idleClock[V]]

	// life is odd during a membership, and increases when one begins and ends. It changes under the
	// mutex of the Idle whose membership it is.
	life atomic.Uint64

	// The following are guarded by that mutex.
	period time.Duration
	place  int // in the roster

	// Value is for the caller, to identify the member in the function that is called for silent
	// ones.
	Value V
}

// NewIdle returns an Idle that calls silent for each member that has not been touched for period.
// Silent runs as every task of w does; it may add the member again. The period must be positive; a
// short one is measured in whole ticks.
//
// Each member is one pending timeout of w, and each coarse clock in use is another. Members with
// periods from period to less than its double share a clock, and so do those in each doubling or
// halving of that range. When w stops, no more members are reported, and these timeouts are among
// those that its Stop returns.
func (w *HashedWheelTimer) NewIdle(period time.Duration, silent func(*IdleMember)) (*Idle, error) {
	return newIdle("NewIdle", w, period, silent)
}

// NewIdleOf returns an IdleOf as NewIdle returns an Idle, for members that carry a value of type V.
func NewIdleOf[V any](w *HashedWheelTimer, period time.Duration, silent func(*IdleMemberOf[V])) (*IdleOf[V], error) {
	return newIdle("NewIdleOf", w, period, silent)
}

func newIdle[V any](
	name string, w *HashedWheelTimer, period time.Duration, silent func(*IdleMemberOf[V]),
) (*IdleOf[V], error) {
	if period <= 0 {
		return nil, fmt.Errorf("hashedwheel: %s: period is %v, must be positive", name, period)
	}
	if silent == nil {
		return nil, fmt.Errorf("hashedwheel: %s: silent is nil, must not be nil", name)
	}
	return &IdleOf[V]{timer: w, period: period, silent: silent}, nil
}

// Add makes m a member, touched now, with the period of i. It returns ErrStopped or
// ErrTooManyPending if the timer refuses, ErrIdleStopped if i was stopped, and an error if m is a
// member already, or was one at another timer that has not yet taken it out. A timer with a limit
// does so once the function to which it has reported m has returned.
//
// One m must not be added to two Idles at the same time.
func (i *IdleOf[V]) Add(m *IdleMemberOf[V]) error { return i.AddPeriod(m, i.period) }

// AddPeriod makes m a member as Add does, but with a period for this member, which must be
// positive.
func (i *IdleOf[V]) AddPeriod(m *IdleMemberOf[V], period time.Duration) error {
	if period <= 0 {
		return fmt.Errorf("hashedwheel: Idle.AddPeriod: period is %v, must be positive", period)
	}
	w := i.timer
	if err := w.start(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.mu.stopped {
		return ErrIdleStopped
	}
	life := m.life.Load()
	if life&1 != 0 {
		return errors.New("hashedwheel: Idle.Add: m is a member, must not be added twice")
	}
	if m.timeout.heldByAnother(w.engine) {
		return errors.New(
			"hashedwheel: Idle.Add: m was a member at another timer, must be taken out there first, which takes a tick",
		)
	}
	c, err := i.clockLocked(period)
	if err != nil {
		return err
	}
	if m.timeout.timer != w.number {
		w.init(&m.timeout, (*idleTask[V])(m))
	}
	i.mu.members.add(m)
	m.joinLocked(c, period)
	m.life.Store(life + 1) // last: who reads it without the mutex needs the clock, see lock
	w.idle.members.Add(1)
	if i.armLocked(m, period) {
		return nil
	}
	i.endLocked(m)
	return i.refusal()
}

// joinLocked binds m to clock c and touches it.
//
// REQUIRES: the mutex of the Idle is held.
func (m *IdleMemberOf[V]) joinLocked(c *idleClock[V], period time.Duration) {
	c.members++
	m.period = period
	m.clock.Store(c)
	m.lastTouch.join(&c.now)
}

// armLocked schedules the next check of m after delay. It returns false if the timer refuses.
//
// REQUIRES: i.mu is held.
func (i *IdleOf[V]) armLocked(m *IdleMemberOf[V], delay time.Duration) bool {
	tally := &i.timer.idle
	if m.timeout.Reset(delay) {
		if i.timer.life.Load() != stopped { // else Reset has left the pending timeout to Stop
			tally.reset.Add(1)
		}
	} else if !m.timeout.IsCancelled() {
		tally.started.Add(1)
	} else {
		return false
	}
	return true
}

func (i *IdleOf[V]) refusal() error {
	if i.timer.life.Load() == stopped {
		return ErrStopped
	}
	return ErrTooManyPending
}

// Stop ends all memberships. The members are as after Remove, their timeouts are given back to the
// timer, which continues, and members are no longer reported, except by a call that has begun or is
// about to, for which Stop does not wait. Add returns ErrIdleStopped from then on. A second Stop
// does nothing.
func (i *IdleOf[V]) Stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.mu.stopped = true
	for m := i.mu.members.last(); m != nil; m = i.mu.members.last() {
		i.endLocked(m)
	}
}

// Remove ends the membership. It reports whether this call did so: false means that m was reported,
// or is about to be, or was no member.
func (m *IdleMemberOf[V]) Remove() bool {
	i := m.lock()
	if i == nil {
		return false
	}
	defer i.mu.Unlock()
	i.endLocked(m)
	return true
}

// SetPeriod gives m another period, which must be positive, and counts as a touch: m is reported
// when it has been silent for the new period from now on. It returns an error if m is no member,
// and ErrStopped or ErrTooManyPending if the new period needs a clock that the timer refuses; m
// keeps its period then.
func (m *IdleMemberOf[V]) SetPeriod(period time.Duration) error {
	if period <= 0 {
		return fmt.Errorf("hashedwheel: IdleMember.SetPeriod: period is %v, must be positive", period)
	}
	i := m.lock()
	if i == nil {
		return errNoMember
	}
	defer i.mu.Unlock()
	c, err := i.clockLocked(period)
	if err != nil {
		return err
	}
	old := m.clock.Load()
	old.members--
	m.joinLocked(c, period)
	old.restLocked()
	// Refused if the timeout has just fired and the timer is full or has stopped. The task, which
	// waits for the mutex, then arms it.
	i.armLocked(m, period)
	return nil
}

// errNoMember is what SetPeriod returns if m is no member.
var errNoMember = errors.New("hashedwheel: IdleMember.SetPeriod: m is no member, must be one")

// Period returns the period of m, and 0 if it is no member.
func (m *IdleMemberOf[V]) Period() time.Duration {
	i := m.lock()
	if i == nil {
		return 0
	}
	defer i.mu.Unlock()
	return m.period
}

// lock returns the Idle of which m is a member, locked, and nil if m is no member.
func (m *IdleMemberOf[V]) lock() *IdleOf[V] {
	for {
		life := m.life.Load()
		if life&1 == 0 {
			return nil
		}
		i := m.clock.Load().idle
		i.mu.Lock()
		if m.life.Load() == life {
			return i
		}
		i.mu.Unlock()
	}
}

// endLocked ends the membership of m.
//
// REQUIRES: i.mu is held, and m is a member.
func (i *IdleOf[V]) endLocked(m *IdleMemberOf[V]) {
	m.life.Add(1)
	i.mu.members.remove(m)
	i.timer.idle.members.Add(-1)
	if m.timeout.Cancel() {
		i.timer.idle.cancelled.Add(1)
	}
	m.clock.Load().releaseLocked()
}

// An idleTask is the task of a member's timeout: it checks whether the member was touched.
type idleTask[V any] IdleMemberOf[V]

// Run checks the member once its period may be over.
func (k *idleTask[V]) Run(*Timeout) {
	m := (*IdleMemberOf[V])(k)
	i := m.lock()
	if i == nil {
		return // removed
	}
	i.timer.idle.fired.Add(1)
	c := m.clock.Load()
	c.members++
	silent := i.lookLocked(m)
	if silent && i.timer.limit.most > 0 {
		defer c.release() // until then the clock has its place under the limit, so that m can be added again
	} else {
		c.releaseLocked()
	}
	i.mu.Unlock()
	if silent {
		i.silent(m)
	}
}

// lookLocked reports whether m has been silent for its period, and ends the membership then;
// otherwise it schedules the next check.
//
// REQUIRES: i.mu is held, and m is a member.
func (i *IdleOf[V]) lookLocked(m *IdleMemberOf[V]) (silent bool) {
	c := m.clock.Load()
	for {
		seen := m.lastTouch.step.Load()
		left := m.period - time.Duration(i.timer.clock.now()-c.lastTouchLocked(seen))
		if left > 0 {
			i.armLocked(m, left)
			return false
		}
		if m.lastTouch.step.Load() == seen {
			break
		}
	}
	i.endLocked(m)
	i.timer.idle.reported.Add(1)
	return true
}
