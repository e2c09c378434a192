package hashedwheel

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

// Every runs f each period, for the first time after one period, until the timeout that it returns
// is cancelled. The rate is fixed: deadlines are whole periods apart, and lateness does not add up.
// A run that takes longer than the period, or a timer that was held up, skips the deadlines that
// have passed; f never runs twice at once. A panicking f is reported and runs again.
//
// A period that is not positive, and a nil f, panic. On a stopped or full timer the result is
// already cancelled, which is counted in Stats.Unarmed and logged.
func (w *HashedWheelTimer) Every(period time.Duration, f func()) *Timeout {
	t, err := w.repeat("Every", period, f, false)
	w.reportUnarmed("Every", err)
	return t
}

// EveryDelay runs f as Every does, but with a fixed delay: a period lies between the end of a run
// and the next deadline.
func (w *HashedWheelTimer) EveryDelay(period time.Duration, f func()) *Timeout {
	t, err := w.repeat("EveryDelay", period, f, true)
	w.reportUnarmed("EveryDelay", err)
	return t
}

func (w *HashedWheelTimer) repeat(name string, period time.Duration, f func(), fixedDelay bool) (*Timeout, error) {
	if f == nil {
		panic(fmt.Sprintf("hashedwheel: %s: f is nil, must not be nil", name))
	}
	if period <= 0 {
		panic(fmt.Sprintf("hashedwheel: %s: period is %v, must be positive", name, period))
	}
	e := w.engine
	p := &periodicTask{f: f, period: int64(period), fixedDelay: fixedDelay}
	t := new(Timeout)
	t.bind(e, p)
	t.word.Store(uint64(periodic))
	if err := e.start(); err != nil {
		e.refuse(t)
		return t, err
	}
	p.deadline = after(e.clock.now(), int64(period))
	err := e.armFresh(t, e.clock.due(p.deadline, 0)|armed)
	runtime.KeepAlive(w)
	return t, err
}

// A periodicTask is the task of a periodic timeout.
type periodicTask struct {
	f      func()
	period int64 // nanoseconds

	// fixedDelay means that the next deadline counts from the end of a run instead of from the last
	// deadline.
	fixedDelay bool

	// deadline is the one that the timeout was last armed with, in nanoseconds since the timer's
	// start. It is exact; the state rounds it. Guarded by periodics.
	deadline int64

	// running means that a run has begun and not yet ended, and again is the deadline that Reset
	// has asked for in the meantime, 0 for none. Guarded by periodics.
	running bool
	again   int64
}

// Run calls the function.
func (p *periodicTask) Run(*Timeout) { p.f() }

// next returns the deadline after a run that has ended now: the one that Reset has asked for, or a
// period from now if the delay is fixed, or the first of the fixed rate that has not passed.
func (p *periodicTask) next(now int64) int64 {
	switch {
	case p.again != 0:
		return p.again
	case p.fixedDelay:
		return after(now, p.period)
	}
	skipped := max(now-p.deadline, 0) / p.period
	return after(p.deadline+skipped*p.period, p.period)
}

// periodics holds the periodic timeouts that are running: they are pending, but not in the wheel,
// and in a queue only if a Reset before the run put them there. Its lock also orders the beginning
// and the end of a run, and Reset: a Reset during a run leaves the arming to the end of the run, so
// no two runs overlap.
type periodics struct { // guards the field below, and orders runs
	sync.Mutex
	running map[*Timeout]struct{}
}

// claimPeriodic claims the run of a periodic timeout.
func (e *engine) claimPeriodic(t *Timeout, s state) (task TimerTask, ok bool) {
	e.periodics.Lock()
	defer e.periodics.Unlock()
	task, ok = t.claim(s, s.in(running)&^linked)
	if !ok {
		return nil, false
	}
	task.(*periodicTask).running = true
	if e.periodics.running == nil {
		e.periodics.running = make(map[*Timeout]struct{})
	}
	e.periodics.running[t] = struct{}{}
	return task, true
}

// rearm arms a periodic timeout after its run, unless it was cancelled during the run. When the
// timer has stopped, the timeout is left to Stop.
func (e *engine) rearm(c call) {
	p, ok := c.task.(*periodicTask)
	if !ok {
		return
	}
	e.periodics.Lock()
	defer e.periodics.Unlock()
	for {
		s := c.t.load()
		if s.phase() != running {
			break
		}
		deadline := p.next(e.clock.now())
		due := e.clock.due(deadline, 0)
		n := due | armed | s&(kept|held) | queued
		if s&queued != 0 {
			if !c.t.cas(s, n) {
				continue
			}
			e.clock.alarm(due.tick())
		} else if done, err := e.enqueue(e.intake.pick(), laneTimeouts, c.t, s, n); err != nil {
			return
		} else if !done {
			continue
		}
		p.deadline = deadline
		break
	}
	p.running, p.again = false, 0
	delete(e.periodics.running, c.t)
}

// resetPeriodic works like Timeout.Reset for a periodic timeout.
func (e *engine) resetPeriodic(t *Timeout, delay time.Duration) (was bool) {
	e.periodics.Lock()
	defer e.periodics.Unlock()
	p := t.task().(*periodicTask)
	deadline := after(e.clock.now(), int64(delay))
	if !p.running {
		was, err := e.armAt(t, deadline)
		if err == nil {
			p.deadline = deadline
		}
		return was
	}
	for {
		s := t.load()
		if s.phase() == running {
			p.again = deadline
			return true
		}
		// It was cancelled during the run.
		if e.life.Load() != started {
			e.refuse(t)
			return false
		}
		if !e.limit.reserve() {
			_ = e.refuseFull(t)
			return false
		}
		if t.cas(s, s.in(running)) {
			e.intake.pick().started.Add(1)
			p.again = deadline
			return false
		}
		e.limit.release(1)
	}
}
