package hashedwheel

import (
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// This file holds what callers do to a timeout on their own goroutines: arm it and cancel it. The
// other side is worker.go.
//
// Both sides meet in two places: the state word, which decides, and the queues of the intake, which
// only say that the worker has to process a timeout. A timeout in a queue carries no instruction
// that could be out of date; the worker reads the state when it gets there. So a timeout need not
// be in a queue twice, the order of the queues does not matter, and a timeout that is armed and
// cancelled ten times within a tick is processed once.

// leastRelativeTicks is the shortest delay, in ticks, that is armed relatively. What that adds to
// the lateness is at most a tick while the worker keeps up: 3 % of this delay.
const leastRelativeTicks = 32

// mostRelative is the longest delay that is armed relatively: what a state can hold.
const mostRelative time.Duration = wheel.Never*delayUnit - delayUnit

// worthPush reports whether to push a timeout whose state s is linked and armed, so that the worker
// reads the clock for it. That is so if s was made in the worker's current tick by a call with the
// same delay: the push serves all further calls of the tick. It is also so if s is later than what
// the delay asks for: the timeout has to be pushed anyway. The published tick may be older than the
// true one. That costs a push too many and nothing else.
func (e *engine) worthPush(s state, delay time.Duration) bool {
	return s.phase() == armed && s.tick() < wheel.Never && s.tick() > e.clock.hand.Load()+e.clock.floor(int64(delay))
}

// relatively reports whether a delay may be left to the worker in place of a due tick: it is long
// enough, and the worker is awake and will poll the queues within a tick. A worker that sleeps for
// longer would have to be woken for it.
func (e *engine) relatively(delay time.Duration) bool {
	return uint64(delay-e.leastRelative) <= uint64(mostRelative-e.leastRelative) &&
		e.clock.parked.Load()&deep == 0
}

// arm makes t pending, to fire after delay. It reports whether t was pending before, and returns an
// error if t could not be armed: t is then cancelled, unless it was pending on a timer that has
// stopped, where Stop cancels it.
//
// With a long delay arm reads no clock: the worker does so later, once for many timeouts. The
// worker swaps first and reads afterwards, so the reading is later than every call that it serves,
// and nothing fires early however late the worker is. The price is that the wait in the queue is
// added to the delay.
//
// A linked timeout that is not queued may be one that the worker has just swapped and for which it
// has read the clock already, or will in a moment. So it can be armed relatively only by a push,
// which shows the worker that there is a later call.
func (e *engine) arm(t *Timeout, delay time.Duration) (was bool, err error) {
	due := state(0) // not yet known
	for {
		s := t.load()
		var n state
		if due == 0 && s&periodic == 0 && (s&linked == 0 || s&queued != 0 || e.worthPush(s, delay)) &&
			e.relatively(delay) {
			n = relativeTo(delay)
		} else {
			if due == 0 {
				due = e.clock.due(e.clock.now(), delay) | armed
			}
			n = due
		}
		if was, done, err := e.rearmAs(t, s, n); done || err != nil {
			return was, err
		}
	}
}

// armAt works like arm for a deadline, in nanoseconds since the start.
func (e *engine) armAt(t *Timeout, deadline int64) (was bool, err error) {
	due := e.clock.due(deadline, 0) | armed
	for {
		if was, done, err := e.rearmAs(t, t.load(), due); done || err != nil {
			return was, err
		}
	}
}

// rearmAs changes the state of t from s to the due tick, or delay, and the phase in n. It does
// nothing and returns false if the state has changed before.
func (e *engine) rearmAs(t *Timeout, s, n state) (was, done bool, err error) {
	was = s.pending()
	far := n.phase() == relative
	// earlier means that the worker's alarm may have been compared only with later due ticks, or
	// with none.
	earlier := far || s.phase() == relative || n.tick() < s.tick()
	n |= s & (kept | held)
	st := e.intake.pick()
	if was && n == s {
		// The same deadline, as far as the timer tells them apart. If it is a delay, the worker has
		// not taken it yet: t is queued, and the clock will be read after this load.
		st.resets.Add(1)
		return true, true, nil
	}
	// A timeout that the wheel holds under an earlier tick stays where it is. That tick is at most
	// the last due tick, also if the timeout was cancelled since.
	push := s&queued == 0 && (s&linked == 0 || earlier)
	if push {
		n |= queued
	}
	reserves := !was && s&placed == 0
	if reserves && !e.limit.reserve() && !e.inherit() {
		return false, false, e.refuseFull(t)
	}
	if push {
		done, err = e.enqueue(st, laneTimeouts, t, s, n)
	} else {
		done = t.cas(s, n)
	}
	if !done && reserves {
		e.limit.release(1)
	}
	if err != nil {
		e.refuse(t) // unless it is pending
	}
	if !done {
		return was, false, err
	}
	if was {
		st.resets.Add(1)
	} else if !push {
		st.started.Add(1)
	}
	if earlier && !push {
		e.expect(n)
	}
	return was, true, nil
}

// armFresh arms a new t, which no other goroutine knows and which was never armed.
func (e *engine) armFresh(t *Timeout, n state) error {
	if !e.limit.reserve() && !e.inherit() {
		return e.refuseFull(t)
	}
	s := t.load()
	if _, err := e.enqueue(e.intake.pick(), laneTimeouts, t, s, n|queued|fresh|s); err != nil {
		e.limit.release(1)
		e.refuse(t)
		return err
	}
	return nil
}

// expect wakes the worker if it would sleep past a queued timeout whose state has become n.
func (e *engine) expect(n state) {
	if n.phase() == relative {
		// The worker was awake when relatively asked, but may have gone to sleep before the swap.
		// It has polled the queues since, or it is found asleep here.
		e.clock.wakeFromSleep()
		return
	}
	e.clock.alarm(n.tick())
}

// enqueue changes the state of t from s to n, which has the queued bit, and puts t into a queue:
// both or, if the state has changed before, neither. Under the lock that it needs anyway, it counts
// a start or a cancellation. It wakes a worker that would sleep too long. On a timer that has
// stopped it does nothing and returns ErrStopped.
//
// Doing both under the lock is what makes Stop exact: a queued timeout is in a queue, where Stop
// finds it, and never on its way there.
func (e *engine) enqueue(st *stripe[*Timeout], l lane, t *Timeout, s, n state) (done bool, err error) {
	st.mu.Lock()
	if st.mu.closed {
		st.mu.Unlock()
		return false, ErrStopped
	}
	if !t.cas(s, n) {
		st.mu.Unlock()
		return false, nil
	}
	waiting := st.pushLocked(l, t)
	if !s.pending() && n.pending() {
		st.mu.started++
	}
	if s.pending() && !n.pending() {
		st.mu.cancelled++
	}
	st.mu.Unlock()
	if l == laneCancels || waiting >= wakeBacklog {
		e.clock.wakeFromSleep()
	}
	if l == laneTimeouts {
		e.expect(n)
	}
	return true, nil
}

// refuse makes t cancelled if it is not pending, and reports whether it did.
func (e *engine) refuse(t *Timeout) (refused bool) {
	for {
		s := t.load()
		if s.pending() {
			return false
		}
		if t.cas(s, s.in(cancelled)) {
			return true
		}
	}
}

// refuseFull refuses t on a timer that has no place left.
func (e *engine) refuseFull(t *Timeout) error {
	e.rejected.Add(1)
	e.refuse(t)
	return ErrTooManyPending
}

// cancel does what Timeout.Cancel promises.
func (e *engine) cancel(t *Timeout) bool {
	for {
		s := t.load()
		if !s.pending() {
			return false
		}
		st := e.intake.pick()
		done := false
		switch where := s & (linked | queued); {
		case where == linked:
			done = e.cancelLinked(st, t, s)
		case where == queued && s&fresh != 0:
			done = e.cancelQueued(st, t, s)
		default:
			if done = t.cas(s, s.in(cancelled)); done {
				st.cancelled.Add(1)
				e.clock.wakeFromSleep() // the collector cannot free what a queue keeps for nothing
			}
		}
		if !done {
			continue
		}
		e.limit.release(1)
		if s&notify != 0 {
			e.announce(st, call{t, t.task()}) // before Cancel returns and Init is allowed
		}
		return true
	}
}

// cancelLinked cancels t, which is linked: it changes the state from s to cancelled, counts that,
// and has the worker take t out of the wheel. If the state has changed before, it does nothing and
// returns false.
func (e *engine) cancelLinked(st *stripe[*Timeout], t *Timeout, s state) bool {
	done, err := e.enqueue(st, laneCancels, t, s, s.in(cancelled)|queued)
	if err == nil {
		return done
	}
	if !t.cas(s, s.in(cancelled)) { // Stop takes t out
		return false
	}
	st.cancelled.Add(1)
	return true
}

// cancelQueued cancels t, which is queued. If nothing has been pushed after t, as when a call with
// a timeout returns at once, t comes out of the queue again: the worker need not process it, the
// queue does not grow, and the collector need not keep it.
//
// For all others a lookup in the queue finds nothing, and a lock costs more than a counter. So only
// fresh timeouts come here: one that is armed again and again is queued once in a tick and best
// stays there.
func (e *engine) cancelQueued(st *stripe[*Timeout], t *Timeout, s state) bool {
	n := s.in(cancelled)
	st.mu.Lock()
	newest := st.newestLocked()
	out := newest != nil && *newest == t
	if out {
		n &^= queued
	}
	done := t.cas(s, n)
	if done {
		st.mu.cancelled++
		if out {
			st.withdrawLocked()
		}
	}
	st.mu.Unlock()
	if done && !out {
		e.clock.wakeFromSleep()
	}
	return done
}

// announce has the worker tell a task that it was cancelled.
func (e *engine) announce(st *stripe[*Timeout], c call) {
	if !st.announce(c) {
		e.callCancelled(c)
		return
	}
	e.clock.wakeFromSleep()
}

// inherit takes the place of the timeout inside whose task the caller is, and reports whether there
// was one. So a task on the worker can start its successor though the timer is full.
//
// It takes a stack trace to find out who the caller is. A full timer that refuses many callers does
// not pay for that while no task runs.
func (e *engine) inherit() bool {
	if e.inside.Load() == 0 {
		return false
	}
	e.mu.Lock()
	w := e.mu.workers[goroutineID()]
	e.mu.Unlock()
	if w == nil || w.current.t == nil {
		return false
	}
	t := w.current.t
	for {
		s := t.load()
		if s&placed == 0 {
			return false
		}
		if t.cas(s, s&^placed) {
			return true
		}
	}
}
