//go:build !interleave

package hashedwheel

import (
	"sync"
	"sync/atomic"
)

// A word and a latch are what callers and the worker meet at. Built with the tag interleave
// they stop before each use, so that a test can say who goes on: see interleave_test.go.
type (
	word  = atomic.Uint64
	latch = sync.Mutex
)
