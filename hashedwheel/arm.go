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
// pending before, and an error if t could not be armed; t is cancelled then.
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
		if !t.cas(s, n) {
			if !was {
				e.release(1)
			}
			continue
		}
		st := e.intake.pick()
		fresh := int64(1)
		if was {
			st.resets.Inc()
			fresh = 0
		}
		if push {
			if !e.leave(st, laneTimeouts, t, fresh) {
				return was, ErrStopped
			}
			return was, nil
		}
		if !was {
			st.started.Inc()
		}
		if earlier {
			// Somebody else has queued t, and has perhaps looked at the worker's
			// alarm with the later due tick in mind.
			e.alarm(due.tick())
		}
		return was, nil
	}
}

// leave puts t, whose queued bit the caller has just set, into a queue and wakes
// the worker if it would sleep too long. It counts fresh timeouts as started, under
// the lock that it needs anyway. It returns false if the timer has stopped; t
// is not pending then.
func (e *engine) leave(st *stripe[*Timeout], l lane, t *Timeout, fresh int64) bool {
	n, ok := st.push(l, t, fresh)
	if !ok {
		e.withdraw(t, fresh)
		return false
	}
	if l == laneCancels || n >= wakeBacklog {
		e.rouse()
	}
	if l == laneTimeouts {
		// The state is read again, after the push: an arm that found the queued bit
		// set may have gone nearer, before the worker parked.
		e.alarm(t.load().tick())
	}
	return true
}

// withdraw ends t, which could not be queued because the timer has stopped. Fresh is
// what was not counted for it.
func (e *engine) withdraw(t *Timeout, fresh int64) {
	for {
		s := t.load()
		n := s &^ queued
		if s.pending() {
			n = n.in(cancelled)
		}
		if !t.cas(s, n) {
			continue
		}
		if s.pending() {
			fresh-- // it was never accepted
			e.release(1)
		}
		// Not pending: somebody has counted the end of what was not counted yet.
		e.intake.pick().started.Add(fresh)
		return
	}
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
		n := s.in(cancelled)
		push := s&(linked|queued) == linked
		if push {
			n |= queued
		}
		if !t.cas(s, n) {
			continue
		}
		st := e.intake.pick()
		st.cancelled.Inc()
		e.release(1)
		if push {
			e.leave(st, laneCancels, t, 0)
		}
		if s&notify != 0 {
			e.announce(st, t)
		}
		return true
	}
}

// announce has the worker tell t's task that it was cancelled.
func (e *engine) announce(st *stripe[*Timeout], t *Timeout) {
	if _, ok := st.push(laneNotices, t, 0); !ok {
		e.tellCancelled(t)
		return
	}
	e.rouse()
}
