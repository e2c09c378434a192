package time

import (
	"math"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

// A kind says what a deadline is for.
type kind uint8

const (
	_        kind = iota // not initialised
	sends                // a Timer that sends on its channel
	calls                // a Timer that calls a function
	ticks                // a Ticker
	standard             // a Timer that package time keeps for its whole life
)

// A deadline is kept by a wheel or, while the wheel is full or stopped, by package time.
//
// What happens at its end runs beside Stop and Reset. A timeout that has fired cannot be called
// back, so a run may come after the caller has stopped the deadline or armed it again. With mu
// held, reached reports whether a run still has to send a time. A channel is written and drained
// with mu held, so nothing stale is in it when Stop or Reset returns.
//
// Lock order: mu, any lock of the wheel.
type deadline struct {
	timeout hashedwheel.Timeout
	spare   *spare // nil until the wheel refuses for the first time, unless kind is standard

	mu      sync.Mutex // guards spare, waiting, the channel, and the period and next of a Ticker
	kind    kind       // immutable
	waiting bool       // the channel is owed a time; not used by calls
}

// An ending is notified when its deadline ends.
type ending interface{ end() }

// arm makes d end after delay, and reports whether it was pending. When d ends, the wheel runs the
// task of the timeout or, if package time has to keep the deadline, package time calls e.end.
//
// REQUIRES: d.mu is held.
func (d *deadline) arm(delay Duration, e ending) (was bool) {
	was = d.timeout.Reset(delay)
	refused := !was && d.timeout.IsCancelled() // with mu held, only the wheel cancels
	if d.spare != nil && d.spare.stop() {
		was = true
	}
	if refused {
		if d.spare == nil {
			d.spare = new(spare)
		}
		d.spare.start(delay, e)
	}
	return was
}

// disarm keeps d from ending, and reports whether it was pending.
//
// REQUIRES: d.mu is held.
func (d *deadline) disarm() (was bool) {
	was = d.timeout.Cancel()
	if d.spare != nil && d.spare.stop() {
		was = true
	}
	return was
}

// wheelStopped reports whether the wheel has stopped, or is about to.
func (d *deadline) wheelStopped() bool {
	w := d.timeout.Timer()
	return w == nil || w.Start() != nil
}

// owed reports whether the channel is owed a time that will come. If the wheel was stopped under d,
// none will.
//
// REQUIRES: d.mu is held.
func (d *deadline) owed() bool {
	return d.waiting && (!d.timeout.IsCancelled() || d.spare != nil && d.spare.due != never)
}

// reached reports whether d has ended as it was last armed, and its channel has not received the
// time yet. A timeout that was armed again after it fired is not expired, and the run of the
// earlier fire has nothing to do.
//
// REQUIRES: d.mu is held.
func (d *deadline) reached() bool {
	return d.waiting && (d.timeout.IsExpired() || d.spare != nil && d.spare.reached())
}

// A spare keeps a deadline with package time.
type spare struct {
	timer *time.Timer

	// due is when the deadline ends, in nanoseconds by now. It equals the constant never while the
	// wheel keeps the deadline, and is less otherwise. If the timer calls before due, the call
	// belongs to an earlier deadline and sends nothing.
	due int64
}

const never = math.MaxInt64

// start calls e.end after delay.
func (s *spare) start(delay Duration, e ending) {
	s.due = min(after(now(), delay), never-1)
	if s.timer == nil {
		s.timer = time.AfterFunc(delay, e.end)
		return
	}
	s.timer.Reset(delay)
}

// stop reports whether it prevented the call.
func (s *spare) stop() bool {
	s.due = never
	return s.timer.Stop()
}

func (s *spare) reached() bool { return s.due != never && now() >= s.due }

// origin is where now counts from.
var origin = time.Now()

// now returns the nanoseconds since origin by the monotonic clock or, in a synctest bubble, the
// bubble's. Only differences have a meaning.
func now() int64 { return int64(time.Since(origin)) }

// after returns the time d after t, and never if that overflows. A negative d counts as zero.
func after(t int64, d Duration) int64 {
	d = max(d, 0)
	if t > never-int64(d) {
		return never
	}
	return t + int64(d)
}
