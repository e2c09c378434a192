package hashedwheel

// This file has what callers do to a timeout, on their own goroutines: arm it and
// cancel it. worker.go has the other side.
//
// Both sides meet in two places: the state word, which decides, and the queues of
// the intake, which only say "look at this one". A timeout in a queue carries no
// instruction that could be out of date; the worker reads the state when it gets
// there. So a timeout need not be in a queue twice, the order of the queues does not
// matter, and a timeout that is armed and cancelled ten times within a tick is
// looked at once.

// arm makes t pending with the given due tick and slack. It reports whether t was
// pending before, and an error if t could not be armed. A t that was not pending is cancelled
// then; one that was, on a timer that has stopped, is left to Stop.
func (e *engine) arm(t *Timeout, due state) (was bool, err error) {
	for {
		s := t.load()
		was = s.pending()
		n := due | armed | s&(kept|held)
		earlier := due.tick() < s.tick()
		// A timeout that the wheel holds under an earlier tick stays where it is.
		// That tick is at most the last due tick, also if it was cancelled since.
		if was && n == s {
			return true, nil // the same deadline, as far as the timer tells them apart
		}
		push := s&queued == 0 && (s&linked == 0 || earlier)
		if push {
			n |= queued
		}
		reserves := !was && s&placed == 0
		if reserves && !e.reserve() && !e.inherit() {
			return false, e.refuseFull(t)
		}
		st := e.intake.pick()
		done, err := false, error(nil)
		if push {
			done, err = e.enqueue(st, laneTimeouts, t, s, n)
		} else {
			done = t.cas(s, n)
		}
		if !done && reserves {
			e.release(1)
		}
		if err != nil {
			e.refuse(t) // unless it is pending
			return was, err
		}
		if !done {
			continue
		}
		if was {
			st.resets.Add(1)
		} else if !push {
			st.started.Add(1)
		}
		if earlier && !push {
			// Who queued t looked at the worker's alarm with the later due tick in mind.
			e.alarm(due.tick())
		}
		return was, nil
	}
}

// armFresh is arm for a t that nobody else has and that was never armed, so there is no other
// state to reckon with.
func (e *engine) armFresh(t *Timeout, due state) error {
	if !e.reserve() && !e.inherit() {
		return e.refuseFull(t)
	}
	s := t.load()
	if _, err := e.enqueue(e.intake.pick(), laneTimeouts, t, s, due|armed|queued|fresh|s); err != nil {
		e.release(1)
		e.refuse(t)
		return err
	}
	return nil
}

// enqueue changes the state of t from s to n, which has the queued bit, and puts t into a queue:
// both or, when somebody has changed the state before, neither. Under the lock that it needs
// anyway it counts t as started if it is. It wakes the worker if that would sleep too long. On
// a timer that has stopped it does nothing and returns ErrStopped.
//
// Doing both under the lock is what makes Stop exact: a queued timeout is in a queue, where
// Stop finds it, and not with somebody who is about to put it there.
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
		e.rouse()
	}
	if l == laneTimeouts {
		e.alarm(n.tick())
	}
	return true, nil
}

// refuse leaves a t that is not pending as cancelled.
func (e *engine) refuse(t *Timeout) {
	for {
		s := t.load()
		if s.pending() || t.cas(s, s.in(cancelled)) {
			return
		}
	}
}

// refuseFull is refuse on a timer that has no place left.
func (e *engine) refuseFull(t *Timeout) error {
	e.rejected.Add(1)
	e.refuse(t)
	return ErrTooManyPending
}

// cancel is Timeout.Cancel.
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
			done = e.unlink(st, t, s)
		case where == queued && s&fresh != 0:
			done = e.withdraw(st, t, s)
		default:
			if done = t.cas(s, s.in(cancelled)); done {
				st.cancelled.Add(1)
				e.rouse() // what a queue keeps for nothing, the collector cannot have
			}
		}
		if !done {
			continue
		}
		e.release(1)
		if s&notify != 0 {
			e.announce(st, call{t, t.task()}) // before Cancel returns and Init is allowed
		}
		return true
	}
}

// unlink changes the state of t, which is linked, from s to cancelled, counts that, and has the
// worker take t out of the wheel. When somebody has changed the state before, it does nothing
// and returns false.
func (e *engine) unlink(st *stripe[*Timeout], t *Timeout, s state) bool {
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

// withdraw is unlink for a t that is queued. Where nothing has been pushed after t, as when a
// call that had a timeout has returned at once, t comes out of the queue again: then neither
// has the worker to look at it, nor the queue to grow, nor the collector to keep it.
//
// For all others the look into the queue is in vain, and a lock costs more than a counter. So
// only what is fresh comes here: one timeout that is armed again and again is in a queue
// once in a tick, and does best to stay there.
func (e *engine) withdraw(st *stripe[*Timeout], t *Timeout, s state) bool {
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
		e.rouse()
	}
	return done
}

// announce has the worker tell a task that it was cancelled.
func (e *engine) announce(st *stripe[*Timeout], c call) {
	if !st.announce(c) {
		e.tellCancelled(c)
		return
	}
	e.rouse()
}
