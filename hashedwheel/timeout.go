package hashedwheel

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A TimerTask runs when its timeout is due.
//
// If a task also has a method Cancelled(*Timeout), it is called once for each cancellation: after
// Timeout.Cancel or Timeout.Stop prevented a run, or when the timer stopped. After Cancel, the
// worker calls it. The timer's Stop calls it for the timeouts that Stop cancels. A Cancel that
// succeeds while the timer is stopping may call it itself.
type TimerTask interface{ Run(*Timeout) }

// canceller is the optional part of a TimerTask.
type canceller interface{ Cancelled(*Timeout) }

// A TaskFunc is a function used as a TimerTask.
type TaskFunc func(*Timeout)

// Run calls f(t).
func (f TaskFunc) Run(t *Timeout) { f(t) }

// plainFunc is the task of an AfterFunc timeout.
type plainFunc func()

func (f plainFunc) Run(*Timeout) { f() }

// A Timeout is one task of a HashedWheelTimer, with its deadline. NewTimeout, AfterFunc and Every
// return one that is armed already; a Timeout can also live inside the caller's own struct, bound
// by Init and armed by Reset, any number of times and without allocation. It must not be copied,
// and its memory must not be used for anything else while it is pending.
//
// All methods may be called from any goroutine, also from inside the timeout's own task, and none
// of them waits for a task.
//
// A Timeout keeps its timer alive: Reset arms it again even if the program kept nothing but the
// Timeout. Only Stop ends a timer.
type Timeout struct {
	// value and taskType are the task. value is the only pointer and the first field, because the
	// collector scans an object up to its last pointer. Only Init changes them, maybe while the
	// worker reads them: what the worker has read is valid if its next compare-and-swap of the word
	// succeeds.
	value unsafe.Pointer

	word word // a state

	// at is where the wheel keeps the timeout. It belongs to the worker and is meaningful while the
	// state says linked.
	at wheel.Location

	timer    uint32 // number of the engine, 0 before Init; immutable after
	taskType taskType
}

func (t *Timeout) load() state { return state(t.word.Load()) }

func (t *Timeout) cas(from, to state) bool { return t.word.CompareAndSwap(uint64(from), uint64(to)) }

// engine returns the engine of a timeout that has been bound.
func (t *Timeout) engine() *engine {
	return engines.get(t.timer)
}

// bind sets the engine and the task of a new timeout, and returns the state flags for the task.
func (t *Timeout) bind(e *engine, task TimerTask) (flags state) {
	t.timer = e.number
	t.taskType, t.value = split(task)
	return t.taskType.flags()
}

// claim changes the state of t, which the worker holds, from s to n, and returns the task that t
// had in s. It returns false if t has another state by now, or if Init has replaced the task; the
// caller then loads the state again.
//
// The task is read before the swap, because Init may replace it afterwards. The swap cannot succeed
// on a word that merely has the same value again: Init has set rebound in between, and s does not
// have it.
func (t *Timeout) claim(s, n state) (task TimerTask, ok bool) {
	if s&rebound != 0 {
		t.cas(s, s&^rebound)
		return nil, false
	}
	task = t.task()
	return task, t.cas(s, n)
}

// Init binds t, which lives in the caller's own struct, to w and task. It arms nothing; Reset does.
// A nil task, and a t that is pending, are bugs of the caller and panic.
//
// Init is not safe for use at the same time as t's other methods. It may be called again, with
// another task, when t is not pending and its task is not running. To bind a cancelled t to another
// timer, the first one must have taken it out, which it does within a tick; until then, Init
// panics.
func (w *HashedWheelTimer) Init(t *Timeout, task TimerTask) {
	if !w.bound.Load() {
		w.bound.Store(true)
	}
	w.init(t, task)
	runtime.KeepAlive(w)
}

// heldByAnother reports whether a timer other than e still holds t: t was cancelled and has not
// been taken out yet, or its task runs and keeps a place under the limit.
func (t *Timeout) heldByAnother(e *engine) bool {
	return t.timer != 0 && t.timer != e.number && t.load()&(linked|queued|placed) != 0
}

// init does the work of Init. It does not record that the timer has handles, so that a timer that
// was dropped before its first start can end silently.
func (e *engine) init(t *Timeout, task TimerTask) {
	if task == nil {
		panic("hashedwheel: Init: task is nil, must not be nil")
	}
	if t.timer != 0 && t.load().pending() || t.heldByAnother(e) {
		panic("hashedwheel: Init: timeout is in use by a timer, must be neither pending nor just cancelled")
	}
	if t.timer != e.number {
		t.timer = e.number
	}
	k, value := split(task)
	atomic.StoreUint32((*uint32)(&t.taskType), uint32(k))
	atomic.StorePointer(&t.value, value)
	for {
		s := t.load()
		n := s&(dueMask|held|placed) | k.flags() // idle
		if s&(linked|queued) != 0 {
			n |= rebound
		}
		if t.cas(s, n) {
			return
		}
	}
}

// Reset arms t to fire after delay from now, whether it is pending, has fired or was cancelled. It
// reports whether t was pending, as time.Timer's does. A negative delay counts as zero; a delay
// that overflows means never.
//
// Reset does not arm t if the timer has stopped, or if it is full and t is not pending. It then
// returns false, and IsCancelled returns true. While Stop waits for a task, a t that was pending
// still is: Reset returns true, and Stop cancels t.
//
// Moving a deadline further ahead costs one compare-and-swap in t itself and no allocation, lock or
// queue. Moving it nearer puts t into a queue, as may the second of several resets with the same
// delay in a tick; later ones in that tick cost a comparison. Reset panics if t is not bound to a
// timer.
func (t *Timeout) Reset(delay time.Duration) bool {
	if t.timer == 0 {
		panic("hashedwheel: Reset of a Timeout that no timer has initialised")
	}
	e := t.engine()
	if e.life.Load() != started && e.start() != nil {
		return !e.refuse(t) // if it is pending, Stop has not come to it yet
	}
	if t.load()&periodic != 0 {
		return e.resetPeriodic(t, delay)
	}
	was, _ := e.arm(t, delay)
	return was
}

// Cancel prevents t from firing. It reports whether this call did so: false means that t had fired,
// was cancelled already or was never armed. After true the task will not run, unless t is armed
// again; after false it may be running, or an Executor may have it, and Cancel does not wait for
// it.
//
// Cancel of a periodic timeout that is not cancelled yet returns true, also inside its own task: it
// prevents all further runs, but not one that has begun or that an Executor has.
func (t *Timeout) Cancel() bool {
	if t.timer == 0 {
		return false
	}
	return t.engine().cancel(t)
}

// Stop cancels t as Cancel does, under the name that time.Timer uses.
func (t *Timeout) Stop() bool { return t.Cancel() }

// IsExpired reports whether t has fired: its task has begun, begins at once, or was given to an
// Executor. A periodic timeout never expires.
func (t *Timeout) IsExpired() bool { return t.load().phase() == expired }

// IsCancelled reports whether t was cancelled by Cancel, by Stop or with its timer, or refused by
// Reset, and has not been armed since.
func (t *Timeout) IsCancelled() bool { return t.load().phase() == cancelled }

// Task returns the task of t, and nil before Init.
func (t *Timeout) Task() TimerTask {
	if t.timer == 0 {
		return nil
	}
	return t.task()
}

// task returns the task of a timeout that has been bound.
func (t *Timeout) task() TimerTask {
	k := taskType(atomic.LoadUint32((*uint32)(&t.taskType)))
	return join(k, atomic.LoadPointer(&t.value))
}

// Timer returns the timer that t belongs to. It is nil before Init, and once the timer's Stop has
// returned.
func (t *Timeout) Timer() *HashedWheelTimer {
	if t.timer == 0 {
		return nil
	}
	e := t.engine()
	if e == over {
		return nil
	}
	return e.public()
}

// String describes t for people: whether it is pending, when it is due, and its task.
func (t *Timeout) String() string {
	if t.timer == 0 {
		return "hashedwheel.Timeout(not initialised)"
	}
	s, e := t.load(), t.engine()
	if !s.pending() || e.life.Load() == created {
		return fmt.Sprintf("hashedwheel.Timeout(%v, task: %T)", s, t.task())
	}
	if s.tick() >= wheel.Never && s.phase() != relative {
		return fmt.Sprintf("hashedwheel.Timeout(%v, due: never, task: %T)", s, t.task())
	}
	if s.phase() == relative {
		return fmt.Sprintf(
			"hashedwheel.Timeout(%v, due: in %v, task: %T)", s, s.delay().Truncate(2*time.Microsecond), t.task(),
		)
	}
	d := time.Duration(e.clock.deadline(s) - e.clock.now())
	if d < 0 {
		return fmt.Sprintf("hashedwheel.Timeout(%v, due: %v ago, task: %T)", s, -d, t.task())
	}
	return fmt.Sprintf("hashedwheel.Timeout(%v, due: in %v, task: %T)", s, d, t.task())
}

// Due returns the deadline of t, and the zero Time if t is not pending. It may be later than the
// deadline that was asked for by up to a 128th of a tick, never earlier; t fires at the first tick
// boundary at or after it. A timeout that never fires is due in the year 2262 or later. While the
// function of a periodic timeout runs, Due returns the deadline of that run.
//
// A delay of 32 ticks or more may be counted from the moment at which the worker takes the timeout
// over, up to a tick after the call that armed it. Until then Due returns the current time plus the
// delay.
//
// The result has a monotonic clock reading, so time.Until(t.Due()) is the remaining time even if
// the wall clock is set.
func (t *Timeout) Due() time.Time {
	if t.timer == 0 {
		return time.Time{}
	}
	s, e := t.load(), t.engine()
	if !s.pending() {
		return time.Time{}
	}
	if s.phase() == relative {
		return e.clock.epoch.Add(time.Duration(after(e.clock.now(), int64(s.delay()))))
	}
	return e.clock.epoch.Add(time.Duration(e.clock.deadline(s)))
}
