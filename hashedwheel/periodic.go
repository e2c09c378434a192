package hashedwheel

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Every runs f each period, for the first time after one period, until the
// timeout that it returns is cancelled. The rate is fixed: deadlines are whole
// periods apart, and lateness does not add up. A run that takes longer than the
// period, or a timer that was held up, skips the deadlines that have passed; f
// never runs twice at once. A panicking f is reported and runs again.
//
// A period that is not positive, and a nil f, panic. On a stopped or full timer
// the result is already cancelled.
func (w *HashedWheelTimer) Every(period time.Duration, f func()) *Timeout {
	return w.repeat("Every", period, f, false)
}

// EveryDelay is Every with a fixed delay: a period lies between the end of a
// run and the next deadline.
func (w *HashedWheelTimer) EveryDelay(period time.Duration, f func()) *Timeout {
	return w.repeat("EveryDelay", period, f, true)
}

func (w *HashedWheelTimer) repeat(name string, period time.Duration, f func(), fixedDelay bool) *Timeout {
	if f == nil {
		panic(fmt.Sprintf("hashedwheel: %s: f is nil, must not be nil", name))
	}
	if period <= 0 {
		panic(fmt.Sprintf("hashedwheel: %s: period is %v, must be positive", name, period))
	}
	p := &periodicTask{f: f, period: int64(period), fixedDelay: fixedDelay}
	t := new(Timeout)
	t.bind(w.engine, p)
	t.word.Store(uint64(periodic))
	_ = w.submit(t, period) // the state of t tells
	return t
}

// A periodicTask is the task of a periodic timeout.
type periodicTask struct {
	f      func()
	period int64 // nanoseconds

	// fixedDelay means that the next deadline counts from the end of a run instead of from the
	// last deadline.
	fixedDelay bool

	// deadline is the last exact deadline, in nanoseconds since the timer's start. A
	// state keeps a deadline with a little lost, and the loss would add up.
	deadline atomic.Int64
}

// Run calls the function.
func (p *periodicTask) Run(*Timeout) { p.f() }

// next returns the deadline after the one that s was armed with: whole periods
// later, and not before now. Before is the exact deadline before that. It overflows
// to never.
func (p *periodicTask) next(e *engine, s state, before, now int64) (deadline int64) {
	last := e.deadline(s)
	if exact := before + p.period; exact <= last && last-exact < 1<<e.slackShift {
		last = exact
	}
	// Deadlines that have passed are skipped.
	skipped := max(now-last, 0) / p.period
	p.deadline.Store(last + skipped*p.period)
	return last + skipped*p.period + p.period
}

// rearm arms a periodic timeout after its run, unless it was cancelled or reset
// in the meantime.
func (e *engine) rearm(c call) {
	t := c.t
	p, ok := c.task.(*periodicTask)
	if !ok {
		return
	}
	before := p.deadline.Load()
	for {
		s := t.load()
		if s.phase() != running {
			return
		}
		now := e.now()
		due := e.due(now, time.Duration(p.period))
		if !p.fixedDelay {
			due = e.due(p.next(e, s, before, now), 0)
		}
		n := due | armed | s&kept | queued
		if s&queued != 0 {
			if t.cas(s, n) {
				e.alarm(due.tick())
				return
			}
			continue
		}
		done, err := e.enqueue(e.intake.pick(), laneTimeouts, t, s, n)
		if err != nil {
			e.finish(t)
		}
		if done || err != nil {
			return
		}
	}
}
