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
		n := due | armed | s&(kept|linked|queued)
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
		if !was && !e.reserve() {
			e.rejected.Inc()
			e.refuse(t)
			return false, ErrTooManyPending
		}
		st := e.intake.pick()
		done, err := false, error(nil)
		if push {
			done, err = e.enqueue(st, laneTimeouts, t, s, n)
		} else {
			done = t.cas(s, n)
		}
		if !done && !was {
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
			st.resets.Inc()
		} else if !push {
			st.started.Inc()
		}
		if earlier && !push {
			// Who queued t looked at the worker's alarm with the later due tick in mind.
			e.alarm(due.tick())
		}
		return was, nil
	}
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

// cancel is Timeout.Cancel.
func (e *engine) cancel(t *Timeout) bool {
	for {
		s := t.load()
		if !s.pending() {
			return false
		}
		st := e.intake.pick()
		done := false
		if s&(linked|queued) == linked {
			var err error
			done, err = e.enqueue(st, laneCancels, t, s, s.in(cancelled)|queued)
			if err != nil {
				done = t.cas(s, s.in(cancelled)) // Stop takes t out
			}
		} else {
			done = t.cas(s, s.in(cancelled))
		}
		if !done {
			continue
		}
		st.cancelled.Inc()
		e.release(1)
		if s&notify != 0 {
			e.announce(st, t)
		}
		return true
	}
}

// announce has the worker tell t's task that it was cancelled.
func (e *engine) announce(st *stripe[*Timeout], t *Timeout) {
	if !st.push(laneNotices, t) {
		e.tellCancelled(t)
		return
	}
	e.rouse()
}
