//go:build !interleave

package hashedwheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// since returns the nanoseconds from epoch to now, by the monotonic clock.
func since(epoch time.Time) int64 { return int64(time.Since(epoch)) }

// A word and a latch are what callers and the worker meet at. Built with the tag interleave they
// stop before each use, so that a test can say which goroutine continues: see interleave_test.go.
type (
	word  = atomic.Uint64
	latch = sync.Mutex
)
