package hashedwheel

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// idleSteps is how many times in a period the clock of an Idle moves on. It is
// how finely silence is measured: a member is found silent late by at most two
// steps, and the worker wakes for a step 64 times in a period.
const idleSteps = 64

// idleHistory is how many steps an Idle remembers. Invariant: it spans more
// than a period, since no two steps are closer than a 64th of it.
const idleHistory = 2 * idleSteps

// An Idle finds out which of its members have been silent for a period: connections,
// sessions, peers. Each member is told of once and is no member any more then.
//
// Touch does not read a clock. It notes the step that the Idle's own coarse clock is
// at, and stores only when that is another step than before: well under two
// nanoseconds, where moving a deadline costs more than twenty times as much. A
// member is looked at about once in a period, however often it is touched.
//
// A member is never reported early, however late the worker is: a touch in one
// step counts as a touch at the beginning of the next, and when that was is
// taken from the clock when it begins. It is reported late by at most 2/64 of the
// period and two ticks, while the worker keeps up.
type Idle struct {
	timer  *HashedWheelTimer
	period time.Duration
	step   time.Duration
	silent func(*IdleMember)

	// now is the step that the coarse clock is at. Touch reads it, one write in a
	// step changes it.
	_   [64]byte
	now atomic.Uint64
	_   [64]byte

	mu struct {
		sync.Mutex
		members int
		clock   *Timeout // pending while there are members
		// began[k%idleHistory] is when step k began, in nanoseconds since the timer's start.
		began [idleHistory]int64
	}
}

// An IdleMember is one member of an Idle. It lives in the caller's own struct and
// must not be copied. The zero value is ready for Add.
type IdleMember struct {
	timeout Timeout
	idle    *Idle

	// seen is the last step in which the member was touched.
	seen atomic.Uint64

	// life is odd while it is a member, and goes up when it becomes one, is removed or
	// is reported. Whoever counts it on has done so, and nobody else.
	life atomic.Uint64

	// Value is the caller's, and tells him in the function whose silence it is.
	Value any
}

// NewIdle returns an Idle that calls silent for each member that has not been
// touched for period. Silent runs as every task of w does; it may add the member
// again. The period must be positive; a short one is measured in whole ticks.
//
// Each member is one pending timeout of w, and the coarse clock one more while there
// are members. When w stops, nobody is reported any more, and these timeouts are
// among those that its Stop returns.
func (w *HashedWheelTimer) NewIdle(period time.Duration, silent func(*IdleMember)) (*Idle, error) {
	if period <= 0 {
		return nil, fmt.Errorf("hashedwheel: NewIdle: period is %v, must be positive", period)
	}
	if silent == nil {
		return nil, errors.New("hashedwheel: NewIdle: silent is nil, must not be nil")
	}
	i := &Idle{timer: w, period: period, silent: silent}
	i.step = max(period/idleSteps, time.Duration(w.nanos))
	return i, nil
}

// Add makes m a member, touched now. It returns ErrStopped or ErrTooManyPending if the timer
// refuses, and an error if m is a member already.
func (i *Idle) Add(m *IdleMember) error {
	w := i.timer
	if err := w.start(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	life := m.life.Load()
	if life&1 != 0 {
		return errors.New("hashedwheel: Idle.Add: m is a member, must not be added twice")
	}
	if i.mu.members == 0 {
		i.stepLocked() // the clock stood still
		i.mu.clock = w.Every(i.step, i.tick)
		if i.mu.clock.IsCancelled() {
			return i.refusal()
		}
	}
	i.mu.members++
	if m.timeout.timer != w.number {
		w.init(&m.timeout, (*idleTask)(m))
	}
	if m.idle != i {
		m.idle = i
	}
	m.seen.Store(i.now.Load())
	m.life.Store(life + 1)
	m.timeout.Reset(i.period)
	if m.timeout.IsCancelled() && m.life.CompareAndSwap(life+1, life+2) {
		i.dropLocked()
		return i.refusal()
	}
	return nil
}

func (i *Idle) refusal() error {
	if i.timer.life.Load() == stopped {
		return ErrStopped
	}
	return ErrTooManyPending
}

// Touch says that m is alive. It may be called from any goroutine at any time after Add has
// returned, and does nothing on a member that has been reported or removed, or was never added.
func (m *IdleMember) Touch() {
	if m.idle == nil {
		return
	}
	if now := m.idle.now.Load(); m.seen.Load() != now {
		m.touch(now)
	}
}

// touch never goes back: a goroutine that was held up between reading the step
// and storing it must not hide a later touch.
func (m *IdleMember) touch(now uint64) {
	for {
		seen := m.seen.Load()
		if seen >= now || m.seen.CompareAndSwap(seen, now) {
			return
		}
	}
}

// Remove ends the membership. It reports whether this call did so: false means that m was
// reported, or is about to be, or was no member.
func (m *IdleMember) Remove() bool {
	life := m.life.Load()
	if life&1 == 0 || !m.life.CompareAndSwap(life, life+1) {
		return false
	}
	m.timeout.Cancel()
	m.idle.drop()
	return true
}

func (i *Idle) drop() {
	i.mu.Lock()
	i.dropLocked()
	i.mu.Unlock()
}

// dropLocked counts a member off, and stops the clock after the last.
//
// REQUIRES: i.mu is held.
func (i *Idle) dropLocked() {
	if i.mu.members--; i.mu.members == 0 {
		i.mu.clock.Cancel()
	}
}

// tick moves the coarse clock on.
func (i *Idle) tick() {
	i.mu.Lock()
	i.stepLocked()
	i.mu.Unlock()
}

// stepLocked begins a new step.
//
// REQUIRES: i.mu is held.
func (i *Idle) stepLocked() {
	k := i.now.Load() + 1
	// The clock is read after the step is published: whoever touches in the step
	// before has read that step by now, so no touch in it began later than this.
	i.now.Store(k)
	i.mu.began[k%idleHistory] = i.timer.now()
}

// lastTouch returns an instant that no touch up to now is later than, given
// that the last was in step seen.
func (i *Idle) lastTouch(seen uint64) int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := i.now.Load()
	if seen == now {
		return i.timer.now()
	}
	if now-seen >= idleHistory {
		return 0 // forgotten: longer ago than a period
	}
	return i.mu.began[(seen+1)%idleHistory]
}

// An idleTask is the task of a member's timeout: look whether it was touched.
type idleTask IdleMember

// Run looks at the member once its period may be over.
func (k *idleTask) Run(t *Timeout) {
	m := (*IdleMember)(k)
	life := m.life.Load()
	if life&1 == 0 {
		return // removed
	}
	i := m.idle
	for {
		seen := m.seen.Load()
		over := i.lastTouch(seen) + int64(i.period)
		if left := over - i.timer.now(); left > 0 {
			t.Reset(time.Duration(left))
			if m.life.Load()&1 == 0 {
				t.Cancel() // removed in between
			}
			return
		}
		if m.seen.Load() == seen {
			break
		}
	}
	if m.life.CompareAndSwap(life, life+1) {
		i.drop()
		i.silent(m)
	}
}
