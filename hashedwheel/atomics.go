package hashedwheel

import "go.uber.org/atomic"

// Words of 64 bits are sync/atomic's, which are aligned on every processor: those of
// go.uber.org/atomic are bare integers, which a 32-bit processor does not align inside a struct,
// and their first use panics there. Flags and the stage of a timer have 32 bits and are
// go.uber.org/atomic's. What the search through every order of events steps through is a word or a
// latch, see sync.go.

// Locks are taken in this order, and most alone: the mutex of an Idle, periodics, the mutex of an
// engine, that of a stripe, that of a slotTable. No lock is held while a task runs.

// A flag is a bool that goroutines share.
type flag = atomic.Bool

// A life says which of its stages a timer has reached. It never goes back.
type life struct{ atomic.Int32 }

// The stages of a timer's life.
const (
	created int32 = iota
	started
	stopped
)
