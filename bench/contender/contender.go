// Package contender puts timers of different make behind one interface, so that one benchmark
// measures all of them alike.
//
// The contenders here are the timers of this repository, those of the standard library, and simple
// ones with a goroutine for each timeout, a heap, a sorted slice or a skip list. Third-party timers
// are in bench/rivals, a module of its own.
package contender

import "time"

// A Timer runs timeouts in numbered slots, as a server has one for each of its connections.
// Different slots may be used from different goroutines.
type Timer interface {
	// Start arms a slot that is not pending. When d has passed, Config.Fire is called once.
	Start(slot int, d time.Duration)

	// Stop reports whether it prevented the slot from firing.
	Stop(slot int) bool

	// Reset arms a slot anew, and reports whether it was pending.
	Reset(slot int, d time.Duration) bool

	// Close ends the timer's goroutines and waits for them. What is pending does not fire.
	Close()
}

// Config says what a Timer has to do.
type Config struct {
	// Slots is how many timeouts there can be.
	Slots int

	// Tick is the precision, for timers that have one.
	Tick time.Duration

	// Fire is called for each slot that is due, from any goroutine.
	Fire func(slot int)

	// Anonymous means that Fire ignores its argument. A contender then needs no closure for each
	// slot, which would count as its memory.
	Anonymous bool
}

// A Kind is one sort of timer.
type Kind struct {
	Name string
	New  func(Config) Timer

	// Ticks means that the timer uses Config.Tick.
	Ticks bool

	// FixedTick is the tick of a timer whose tick cannot be chosen; 0 means that it can, or that
	// there is none.
	FixedTick time.Duration

	// Early means that the timer is known to fire before the deadline.
	Early bool

	// Last means that the timer has to be measured last: it leaves dead goroutines behind, which
	// slow down every later garbage collection.
	Last bool

	// MaxPending limits the pending timeouts to a number with which the timer can be filled in
	// acceptable time; 0 means no limit. Why gives the reason.
	MaxPending int
	Why        string
}

// Ours returns the timers of this repository.
func Ours() []Kind { return []Kind{wheelKind, embeddedKind, batchKind, layeredKind} }

// All returns the contenders of this package.
func All() []Kind {
	return append(Ours(),
		afterFuncKind, reusedKind,
		binaryHeapKind, priorityQueueKind, goroutineKind, sortedSetKind)
}

// Callbacks has a function without arguments for each slot, for timers that take one.
type Callbacks struct {
	shared func()
	each   []func()
}

// NewCallbacks makes the functions that call cfg.Fire.
func NewCallbacks(cfg Config) Callbacks {
	if cfg.Anonymous {
		return Callbacks{shared: func() { cfg.Fire(0) }}
	}
	c := Callbacks{each: make([]func(), cfg.Slots)}
	for i := range c.each {
		c.each[i] = func() { cfg.Fire(i) }
	}
	return c
}

// At returns the function of a slot.
func (c *Callbacks) At(slot int) func() {
	if c.each == nil {
		return c.shared
	}
	return c.each[slot]
}
