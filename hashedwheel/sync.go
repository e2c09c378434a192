//go:build !interleave

package hashedwheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// since returns the nanoseconds from epoch to now, by the monotonic clock.
func since(epoch time.Time) int64 { return int64(time.Since(epoch)) }

// Callers and the worker synchronise through words and latches. With the build tag interleave,
// these stop before each use, so that a test can decide which goroutine continues: see
// interleave_test.go.
type (
	word  = atomic.Uint64
	latch = sync.Mutex
)
