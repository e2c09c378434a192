package hashedwheel

import "go.uber.org/atomic"

// A life says which of its stages a timer has reached. It never goes back.
//
// It is the only word from go.uber.org/atomic, and has 32 bits: that package's 64-bit types are
// bare integers, which a 32-bit processor does not align inside a struct, and their first use
// panics there. All 64-bit words are sync/atomic's, which are aligned everywhere.
type life struct{ atomic.Int32 }

// The stages of a timer's life.
const (
	created int32 = iota
	started
	stopped
)
