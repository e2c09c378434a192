package node

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// softLimit is the memory in bytes up to which GOGC alone determines the heap's growth. With it
	// a scheduler with a journal stays below 200 MiB of resident memory at 6,000 runs a second:
	// SQLite has some 32 MiB beside it, and the program's own pages 25 MiB.
	softLimit = 112 << 20

	// spareMemory is the runtime's memory beside the heap, in bytes: stacks, its tables, and free
	// pages that it has not returned to the system yet.
	spareMemory = 16 << 20
)

// memoryLimit returns the limit for a heap with so many live bytes. It leaves room for the heap to
// double at least, so that a large heap is collected no more often than with Go's default GOGC.
func memoryLimit(live uint64) int64 { return max(softLimit, 2*int64(live)+spareMemory) }

// limitMemory sets the runtime's memory limit now and after each collection, until the process
// ends.
func limitMemory() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var adjust func(int)
	adjust = func(int) {
		metrics.Read(live)
		debug.SetMemoryLimit(memoryLimit(live[0].Value.Uint64()))
		runtime.AddCleanup(new([32]byte), adjust, 0) // the next collection finds it unreachable
	}
	adjust(0)
}
