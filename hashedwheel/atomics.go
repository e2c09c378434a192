package hashedwheel

import "go.uber.org/atomic"

// Atomics of 64 bits come from sync/atomic, which aligns them on every processor. Those of
// go.uber.org/atomic are bare integers: inside a struct on a 32-bit processor they may be
// misaligned, and then their first use panics. Flags and the stage of a timer have 32 bits and come
// from go.uber.org/atomic. The atomics and locks that the search through all interleavings controls
// are the words and latches of sync.go.

// The lock order is: the mutex of an Idle, periodics, the mutex of an engine, of a stripe, of a
// slotTable. Most are held one at a time. No lock is held while a task runs.

// A flag is a bool that goroutines share.
type flag = atomic.Bool

// A life holds the stage that a timer has reached. It never goes back.
type life struct{ atomic.Int32 }

// The stages of a timer's life.
const (
	created int32 = iota
	started
	stopped
)
