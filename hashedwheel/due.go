package hashedwheel

import "time"

// Due returns the deadline of t, and the zero Time if t is not pending. It may be later than the
// deadline that was asked for by up to a 128th of a tick, never earlier; t fires at the first
// tick boundary at or after it. A timeout that never fires is due in the year 2262 or later. While
// the function of a periodic timeout runs, Due returns the deadline of that run.
//
// A delay of 32 ticks and more may be counted from when the worker takes the timeout over, up to a
// tick after the call that armed it. Until then Due returns the current time plus the delay.
//
// The result has a monotonic reading, so time.Until(t.Due()) is what remains whatever the wall
// clock does.
func (t *Timeout) Due() time.Time {
	if t.timer == 0 {
		return time.Time{}
	}
	s, e := t.load(), t.engine()
	if !s.pending() {
		return time.Time{}
	}
	if s.phase() == relative {
		return e.epoch.Add(time.Duration(after(e.now(), int64(s.delay()))))
	}
	return e.epoch.Add(time.Duration(e.deadline(s)))
}
