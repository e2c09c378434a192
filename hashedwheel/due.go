package hashedwheel

import "time"

// Due returns the deadline of t, and the zero Time if t is not pending. It may be later than the
// deadline that was asked for by up to a 128th of a tick, never earlier; t fires at the first
// tick boundary at or after it. A timeout that never fires is due in the year 2262 or later. While
// the function of a periodic timeout runs, Due returns the deadline of that run.
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
	return e.epoch.Add(time.Duration(e.deadline(s)))
}
